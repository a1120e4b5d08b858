"""Parsing the arguments of a call as PyTorch's parser does, with its error messages."""
