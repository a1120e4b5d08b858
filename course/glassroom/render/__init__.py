"""From a snapshot to a picture: deterministic text and static SVG. Nothing here looks at a live tensor."""

from glassroom.render.page import page_of
from glassroom.render.svg import svg_of
from glassroom.render.text import text_of

__all__ = ["page_of", "svg_of", "text_of"]
