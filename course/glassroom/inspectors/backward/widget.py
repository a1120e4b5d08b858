"""The backward stepper as an anywidget."""

from __future__ import annotations

from typing import Any

import traitlets

from glassroom.live.widget import LiveWidget


class Widget(LiveWidget):
    """Steps through `frames`: the node, lines of text, and which of `maps` shows the memory.

    `grads` say of leaves, by box, at which step their gradient is collected and what is said of it before.
    """

    svg = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    grads: Any = traitlets.Dict().tag(sync=True)
    frames: Any = traitlets.List().tag(sync=True)
    maps: Any = traitlets.List().tag(sync=True)
