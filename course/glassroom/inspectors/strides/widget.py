"""The stride explorer as an anywidget."""

from __future__ import annotations

from typing import Any

import traitlets

from glassroom.live.widget import LiveWidget


class Widget(LiveWidget):
    """Sliders for size, stride and offset over a storage whose cells hold `values`, given as text."""

    name = traitlets.Unicode().tag(sync=True)
    storage = traitlets.Unicode().tag(sync=True)
    values: Any = traitlets.List().tag(sync=True)
    itemsize = traitlets.Int().tag(sync=True)
    size: Any = traitlets.List().tag(sync=True)
    stride: Any = traitlets.List().tag(sync=True)
    offset = traitlets.Int().tag(sync=True)
