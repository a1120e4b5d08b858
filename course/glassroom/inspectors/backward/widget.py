"""The backward stepper as an anywidget."""

from __future__ import annotations

from typing import Any

import traitlets

from glassroom.live.widget import LiveWidget


class Widget(LiveWidget):
    """Steps through `frames`: the node, lines of text, and which of `maps` shows the memory."""

    svg = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    frames: Any = traitlets.List().tag(sync=True)
    maps: Any = traitlets.List().tag(sync=True)
