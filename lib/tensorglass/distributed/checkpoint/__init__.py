"""`torch.distributed.checkpoint`: what would save and load networks that are shared among processes. None are here."""
