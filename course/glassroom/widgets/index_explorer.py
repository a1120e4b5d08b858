"""The index explorer as an anywidget, to be placed among other widgets."""

from __future__ import annotations

import anywidget
import traitlets

from glassroom.widgets.embed import module_of, style_of


class IndexExplorerWidget(anywidget.AnyWidget):
    """A tensor, an index that can be typed or built, and what it picks."""

    _esm = module_of("index_explorer")
    _css = style_of("index_explorer")
    tensor = traitlets.Dict().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)

    def __repr__(self) -> str:
        return self.text
