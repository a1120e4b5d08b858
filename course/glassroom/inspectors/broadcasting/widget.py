"""The broadcast explorer as an anywidget."""

from __future__ import annotations

from typing import Any

import traitlets

from glassroom.live.widget import LiveWidget


class Widget(LiveWidget):
    """Operands whose sizes can be changed, lined up, and the result that reads them."""

    operands: Any = traitlets.List().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
