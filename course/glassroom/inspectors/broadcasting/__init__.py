"""`explore_broadcast`: how tensors of different sizes are broadcast."""
