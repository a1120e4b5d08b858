"""Pictures of what happened in time, to be stepped through: the memory timeline and the device map, as an anywidget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import traitlets

from glassroom.widgets.memory_map import MemoryMapWidget

HERE = Path(__file__).parent


class MomentsWidget(MemoryMapWidget):
    """Steps through `frames`: where each is, what to say, and which of `maps` shows the state; `before` is said first.

    `kind` names the picture to assistive technology, and `unit` what a step is.
    """

    _esm = HERE / "moments.js"
    _css = HERE / "moments.css"
    kind = traitlets.Unicode().tag(sync=True)
    unit = traitlets.Unicode().tag(sync=True)
    before: Any = traitlets.List().tag(sync=True)
    frames: Any = traitlets.List().tag(sync=True)
    maps: Any = traitlets.List().tag(sync=True)
