"""Shortcuts for the parts of networks: layers, losses, optimizers."""
