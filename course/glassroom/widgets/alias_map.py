"""The alias map as an anywidget, to be placed among other widgets."""

from __future__ import annotations

import anywidget
import traitlets

from glassroom.widgets.embed import module_of, style_of


class AliasMapWidget(anywidget.AnyWidget):
    """Storages and the tensors on them; pointing at one lights those that share bytes with it."""

    _esm = module_of("alias_map")
    _css = style_of("alias_map")
    svg = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    rows = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __repr__(self) -> str:
        return self.text
