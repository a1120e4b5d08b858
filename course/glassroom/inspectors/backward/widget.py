"""The backward stepper as an anywidget."""

from __future__ import annotations

from typing import Any

import traitlets

from glassroom.live.widget import LiveWidget


class Widget(LiveWidget):
    """Steps through `frames`: the node, lines of text, and which of `maps` shows the memory.

    `grads` says for each leaf, by its box, at which step its gradient is accumulated and what to show before then.
    """

    svg = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    grads: Any = traitlets.Dict().tag(sync=True)
    frames: Any = traitlets.List().tag(sync=True)
    maps: Any = traitlets.List().tag(sync=True)
