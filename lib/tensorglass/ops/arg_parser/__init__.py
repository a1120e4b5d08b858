"""Reading the arguments of a call as PyTorch's parser does, and refusing in its words."""
