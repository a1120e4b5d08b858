"""Formulas that several derivatives share, and the nodes that PyTorch's graphs have for views."""
