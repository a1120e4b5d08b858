"""The live form of a picture as an anywidget, to be placed among other widgets."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from glassroom.live.embed import module_of, style_of


class LiveWidget(anywidget.AnyWidget):
    """A widget whose script and style sheet are `widget.js` and `widget.css` beside its module.

    `text` and `svg` replace it where widgets are not shown; `state` is passed to its script, and `narrow` has the parts
    of it that differ at each width narrower than a page.
    """

    label = traitlets.Unicode().tag(sync=True)
    narrow = traitlets.Dict().tag(sync=True)

    _esm: str
    _css: str

    def __init_subclass__(cls, **further: Any) -> None:
        if not hasattr(cls, "_esm"):  # anywidget derives a class of its own from each widget's
            folder = Path(inspect.getfile(cls)).parent
            cls._esm = module_of(folder / "widget.js")
            cls._css = style_of(folder / "widget.css")
        super().__init_subclass__(**further)

    def __init__(self, state: dict[str, Any], *, text: str, svg: str) -> None:
        super().__init__(**state)
        self._forms = {"text/plain": text, "image/svg+xml": svg}

    def __repr__(self) -> str:
        return self._forms["text/plain"]

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if bundle is not None else ({}, {})
        return {**data, **self._forms}, metadata
