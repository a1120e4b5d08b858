"""Exercises of part 3, autograd: one module a notebook."""
