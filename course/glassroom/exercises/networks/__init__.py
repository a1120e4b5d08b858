"""Exercises of part 5, networks: one module a notebook."""
