"""Predictions and checks as a person sees them in a notebook: cards, buttons to answer with, and a button for hints.

`card` is plain HTML, and stays in saved notebooks and exports. `asking` and `hinting` are widgets. Without a person at
a notebook (in tests, exports and terminals) everything is printed as text.
"""
