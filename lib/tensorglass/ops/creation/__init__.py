"""Making tensors: from data, from a size, from memory that is there, and ranges."""
