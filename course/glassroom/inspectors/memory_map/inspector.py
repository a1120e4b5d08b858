"""`show`, the memory map: storages, the headers over them, and which cell of a tensor is which cell of a storage."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from glassroom.drawing.snapshot.svg import svg_of
from glassroom.drawing.snapshot.text import text_of
from glassroom.drawing.snapshot.words import summary
from glassroom.inspectors.base import Inspector
from glassroom.reading.call_expressions import argument_names
from glassroom.reading.snapshot import snapshot
from glassroom.reading.variables import tensor_variables
from glassroom.records.snapshot import Snapshot
from glassroom.translations.templates import as_is

MOST_DRAWN = 64  # tensors in a memory map


class MemoryMap(Inspector):
    """The memory map of a snapshot."""

    kind = as_is("memory map")

    def __init__(self, seen: Snapshot) -> None:
        self.data: Snapshot = seen
        self.snapshot = seen

    @property
    def text(self) -> str:
        return text_of(self.snapshot)

    @property
    def svg(self) -> str:
        return svg_of(self.snapshot)

    @property
    def label(self) -> str:
        return summary(self.snapshot)


def show(*tensors: object, **named: object) -> MemoryMap:
    """Draw the memory of tensors: their storages, their headers, and the storage cell behind each cell of each tensor.

    Takes tensorglass and PyTorch tensors, NumPy and CuPy arrays, and what holds them: lists, dicts, networks,
    optimizers, objects. Positional tensors get the names that the caller has for them; `show(total=a + b)` names one.
    With no arguments, every tensor that the caller has a variable for is drawn. Two variables for one tensor are drawn
    as one header, `a, b`. At most 64 tensors are drawn, the first ones; tensors without memory are listed by name.
    Raises TypeError for anything else, and if no tensor has memory.
    """
    if sys.is_finalizing():
        return MemoryMap.of_nothing()
    frame = sys._getframe(1)
    given = _each_once(dict(zip(argument_names(frame, tensors), tensors, strict=True))) | named
    return MemoryMap(snapshot(given or _each_once(tensor_variables(frame)), MOST_DRAWN))


def _each_once(named: Mapping[str, object]) -> dict[str, object]:
    """Each object once, by all of its names: after `b = a` there is one header, `a, b`."""
    names: dict[int, list[str]] = {}
    for name, value in named.items():
        names.setdefault(id(value), []).append(name)
    return {", ".join(names[id(value)]): value for value in named.values()}
