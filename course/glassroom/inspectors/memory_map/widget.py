"""The memory map as an anywidget."""

from __future__ import annotations

import traitlets

from glassroom.live.widget import LiveWidget


class Widget(LiveWidget):
    """Storages and headers as `svg` draws them; pointing at a cell highlights those that are the same bytes."""

    svg = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
