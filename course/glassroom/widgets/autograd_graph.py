"""The autograd graph and the backward stepper as anywidgets, to be placed among other widgets."""

from __future__ import annotations

from typing import Any

import traitlets

from glassroom.widgets.embed import module_of, style_of
from glassroom.widgets.memory_map import MemoryMapWidget


class AutogradGraphWidget(MemoryMapWidget):
    """Draws `svg` and links its nodes; `text` and `label` speak for it to assistive technology."""

    _esm = module_of("autograd_graph")
    _css = style_of("autograd_graph")


class BackwardStepperWidget(MemoryMapWidget):
    """Steps through `frames`: the node, lines of text, and which of `maps` shows the memory."""

    _esm = module_of("backward_stepper")
    _css = style_of("backward_stepper")
    frames: Any = traitlets.List().tag(sync=True)
    maps: Any = traitlets.List().tag(sync=True)
