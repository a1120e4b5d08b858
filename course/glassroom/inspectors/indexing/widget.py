"""The index explorer as an anywidget."""

from __future__ import annotations

import traitlets

from glassroom.live.widget import LiveWidget


class Widget(LiveWidget):
    """A tensor, an index that can be typed or built, and what it picks."""

    tensor = traitlets.Dict().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
