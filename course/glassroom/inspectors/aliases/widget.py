"""The alias map as an anywidget."""

from __future__ import annotations

from typing import Any

import traitlets

from glassroom.live.widget import LiveWidget


class Widget(LiveWidget):
    """Storages and the tensors on them; pointing at one highlights those that share bytes with it."""

    svg = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    rows: Any = traitlets.List().tag(sync=True)
