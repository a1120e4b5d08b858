"""Special functions: ``torch.special`` and what it shares with the main namespace."""
