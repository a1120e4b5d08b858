"""The explanation of a version error as an anywidget."""

from __future__ import annotations

from typing import Any

import traitlets

from glassroom.live.widget import LiveWidget


class Widget(LiveWidget):
    """The lines as `svg` draws them; `words` say what each did."""

    svg = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    words: Any = traitlets.List().tag(sync=True)
