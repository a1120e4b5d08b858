"""The inspectors: pictures of tensors in memory, made for a notebook's output."""

from __future__ import annotations

import sys
from typing import Any

from glassroom.adapters import adapter_for
from glassroom.callers import argument_names
from glassroom.render import svg_of, text_of
from glassroom.snapshot import Snapshot, snapshot


class MemoryMap:
    """A picture of tensors in memory: `.text`, `.svg`, `.html`, and `.save(path)`; a notebook draws it by itself."""

    def __init__(self, seen: Snapshot) -> None:
        self.snapshot = seen

    @property
    def text(self) -> str:
        """The map as text."""
        return text_of(self.snapshot)

    @property
    def svg(self) -> str:
        """The map as one self-contained SVG."""
        return svg_of(self.snapshot)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {"text/plain": self.text, "image/svg+xml": self.svg}


def show(*tensors: object, **named: object) -> MemoryMap:
    """Draw the memory of tensors: their storages, their headers, and which cell of which tensor is which storage cell.

    Takes tensorglass and PyTorch tensors, NumPy and CuPy arrays, and lists and dicts of them. Positional tensors are
    called what the caller calls them; `show(total=a + b)` names one. With no arguments, every tensor that the caller has
    a variable for is drawn. Raises TypeError for anything else.
    """
    frame = sys._getframe(1)
    if not tensors and not named:
        found = {name: value for name, value in frame.f_locals.items() if not name.startswith("_")}
        named = {name: value for name, value in found.items() if adapter_for(value) is not None}
    given: dict[str, object] = {}
    for name, tensor in zip(argument_names(frame, tensors), tensors, strict=True):
        given[name] = tensor
    return MemoryMap(snapshot({**given, **named}))
