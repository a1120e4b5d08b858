"""Exercises of part 2, devices: one module a notebook."""
