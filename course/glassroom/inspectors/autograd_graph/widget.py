"""The autograd graph as an anywidget."""

from __future__ import annotations

from typing import Any

import traitlets

from glassroom.live.widget import LiveWidget


class Widget(LiveWidget):
    """The graph as `svg` draws it; pointing at a node highlights where its gradients go, and folds can be opened."""

    svg = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    opened: Any = traitlets.Dict().tag(sync=True)
