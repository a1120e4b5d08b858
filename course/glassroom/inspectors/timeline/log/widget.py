"""The memory log as an anywidget."""

from __future__ import annotations

from glassroom.live.moments import Moments
from glassroom.live.widget import LiveWidget


class Widget(Moments, LiveWidget):
    """The memory log, look by look."""
