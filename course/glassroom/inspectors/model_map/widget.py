"""The model map as an anywidget."""

from __future__ import annotations

from typing import Any

import traitlets

from glassroom.live.widget import LiveWidget


class Widget(LiveWidget):
    """The modules as `svg` draws them; `words` say what each holds."""

    svg = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    words: Any = traitlets.List().tag(sync=True)
