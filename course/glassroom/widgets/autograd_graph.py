"""The autograd graph and the backward stepper as anywidgets, to be placed among other widgets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import traitlets

from glassroom.widgets.memory_map import MemoryMapWidget

HERE = Path(__file__).parent


class AutogradGraphWidget(MemoryMapWidget):
    """Draws `svg` and links its nodes; `text` and `label` speak for it to assistive technology."""

    _esm = HERE / "autograd_graph.js"
    _css = HERE / "autograd_graph.css"


class BackwardStepperWidget(MemoryMapWidget):
    """Steps through `frames`: the node, lines of text, and which of `maps` shows the memory."""

    _esm = HERE / "backward_stepper.js"
    _css = HERE / "backward_stepper.css"
    frames: Any = traitlets.List().tag(sync=True)
    maps: Any = traitlets.List().tag(sync=True)
