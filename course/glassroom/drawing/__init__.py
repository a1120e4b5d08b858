"""From plain data to a picture: deterministic text and static SVG, and what other forms are made of them.

Nothing here looks at a live tensor. `snapshot` and `graph` draw what several inspectors show.
"""
