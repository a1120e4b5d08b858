"""Predictions and checks as a person sees them in a notebook: cards, buttons to answer with, and a button for hints.

`card` is plain HTML, and stays in saved notebooks and exports. `asking` and `hinting` are widgets. Where nobody
watches, as in tests, in exports and on terminals, everything is told as text.
"""
