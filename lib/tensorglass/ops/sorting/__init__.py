"""Order and equality: sort, topk, unique, searchsorted."""
