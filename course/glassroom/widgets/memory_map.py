"""The memory map as an anywidget, to be placed among other widgets."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from glassroom.widgets.embed import module_of, style_of


class MemoryMapWidget(anywidget.AnyWidget):
    """Draws `svg` and links its cells; `text` and `label` speak for it to assistive technology."""

    _esm = module_of("memory_map")
    _css = style_of("memory_map")
    svg = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if bundle is not None else ({}, {})
        return {**data, "text/plain": self.text, "image/svg+xml": self.svg}, metadata
