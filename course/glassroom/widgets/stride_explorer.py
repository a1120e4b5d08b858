"""The stride explorer as an anywidget, to be placed among other widgets."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from glassroom.widgets.embed import module_of, style_of


class StrideExplorerWidget(anywidget.AnyWidget):
    """Sliders for size, stride and offset over a storage whose cells hold `values` (as they are written)."""

    _esm = module_of("stride_explorer")
    _css = style_of("stride_explorer")
    name = traitlets.Unicode().tag(sync=True)
    storage = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    values = traitlets.List(traitlets.Unicode()).tag(sync=True)
    itemsize = traitlets.Int().tag(sync=True)
    size = traitlets.List(traitlets.Int()).tag(sync=True)
    stride = traitlets.List(traitlets.Int()).tag(sync=True)
    offset = traitlets.Int().tag(sync=True)

    def __init__(self, text: str, **state: Any) -> None:
        super().__init__(**state)
        self.text = text

    def __repr__(self) -> str:
        return self.text
