"""Exercises of part 2, tensors: one module a notebook."""
