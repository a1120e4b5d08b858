"""Plain data, made by reading and drawn by drawing: no tensors, no pictures."""
