"""Exercises of part 1, tensor memory: one module a notebook."""
