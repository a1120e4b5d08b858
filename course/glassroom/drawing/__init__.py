"""From plain data to a picture: deterministic text and static SVG, and the other forms made from them. Nothing here
reads a live tensor. `snapshot` and `graph` draw what several inspectors show.
"""
