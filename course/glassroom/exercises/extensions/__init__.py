"""Exercises of part 4, extensions: one module a notebook."""
