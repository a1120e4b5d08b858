"""The broadcast explorer as an anywidget, to be placed among other widgets."""

from __future__ import annotations

import anywidget
import traitlets

from glassroom.widgets.embed import module_of, style_of


class BroadcastExplorerWidget(anywidget.AnyWidget):
    """Operands whose sizes can be changed, lined up, and the result that reads them."""

    _esm = module_of("broadcast_explorer")
    _css = style_of("broadcast_explorer")
    operands = traitlets.List(traitlets.Dict()).tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)

    def __repr__(self) -> str:
        return self.text
