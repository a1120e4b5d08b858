"""A watched cell as an anywidget, to be placed among other widgets."""

from __future__ import annotations

from typing import Any

import traitlets

from glassroom.widgets.embed import module_of, style_of
from glassroom.widgets.memory_map import MemoryMapWidget


class WatchWidget(MemoryMapWidget):
    """Steps through `frames`: lines of the `code`, what to say, and which of `cards` show the storages."""

    _esm = module_of("watch")
    _css = style_of("watch")
    sheet = traitlets.Unicode().tag(sync=True)
    code: Any = traitlets.List().tag(sync=True)
    totals = traitlets.Unicode().tag(sync=True)
    notes: Any = traitlets.List().tag(sync=True)
    frames: Any = traitlets.List().tag(sync=True)
    cards: Any = traitlets.List().tag(sync=True)
