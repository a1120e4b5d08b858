"""Pictures of what happened in time, to be stepped through: the memory timeline and the device map, as an anywidget."""

from __future__ import annotations

from typing import Any

import traitlets

from glassroom.widgets.embed import module_of, style_of
from glassroom.widgets.memory_map import MemoryMapWidget


class MomentsWidget(MemoryMapWidget):
    """Steps through `frames`: where each is, what to say, and which of `maps` shows the state; `before` is said first.

    `kind` names the picture to assistive technology, and `unit` what a step is.
    """

    _esm = module_of("moments")
    _css = style_of("moments")
    kind = traitlets.Unicode().tag(sync=True)
    unit = traitlets.Unicode().tag(sync=True)
    before: Any = traitlets.List().tag(sync=True)
    frames: Any = traitlets.List().tag(sync=True)
    maps: Any = traitlets.List().tag(sync=True)
