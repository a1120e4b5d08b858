"""Choosing elements: by ``x[...]``, by positions, by masks."""
