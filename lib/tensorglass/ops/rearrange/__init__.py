"""Joining, splitting, repeating, flipping and padding."""
