"""`explore_broadcast(a, b)`: how tensors of different sizes are broadcast, and which cells each cell of the result
reads."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from string import ascii_lowercase
from typing import Any

from glassroom.drawing.words import written
from glassroom.inspectors.base import Inspector
from glassroom.inspectors.broadcasting.broadcast import Broadcast, Ints, Operand
from glassroom.inspectors.broadcasting.picture import svg_of_broadcast, text_of_broadcast
from glassroom.reading.adapters import adapter_for
from glassroom.reading.call_expressions import argument_names
from glassroom.reading.snapshot import cells_at, leaves, snapshot
from glassroom.reading.storage_names import unnumbered
from glassroom.records.plain import plain
from glassroom.records.printable import printable
from glassroom.records.snapshot import visible_window
from glassroom.translations.templates import as_is
from tensorglass.geometry import contiguous_strides

MOST_OPERANDS = 6
MOST_DIMS = 6
#: Operands that keep their own name; others get a letter, as operands do in PyTorch's messages.
_NAME = re.compile(r"[\w.]{1,12}(\[[^\[\]]{1,6}\])?")

TEACHING = "explore_broadcast takes tensors and arrays, sizes, and lists and dicts of tensors"


class BroadcastExplorer(Inspector):
    """Operands of different sizes, and the result of broadcasting them."""

    kind = as_is("broadcast explorer")

    def __init__(self, met: Broadcast) -> None:
        self.broadcast = met
        operands = [_record(met, operand) for operand in met.operands]
        self.data: dict[str, Any] = {"operands": operands, "size": met.size, "refusal": met.refusal or None}

    @property
    def text(self) -> str:
        return text_of_broadcast(self.broadcast)

    @property
    def svg(self) -> str:
        return svg_of_broadcast(self.broadcast, self.label)

    @property
    def label(self) -> str:
        return f"Broadcast explorer: {self.broadcast.head()}"

    def state(self) -> dict[str, Any]:
        return {"operands": plain(self.data["operands"]), "label": self.label, "text": self.text}


def _record(met: Broadcast, operand: Operand) -> dict[str, Any]:
    return {
        "name": operand.name,
        "size": operand.size,
        "stride": operand.stride,
        "stretched_stride": None if met.size is None else met.stretched_stride(operand),
        "itemsize": operand.itemsize,
        "unit": operand.unit,
        "values": {",".join(map(str, index)): value for index, value in operand.values.items()},
    }


def explore_broadcast(*operands: object, **named: object) -> BroadcastExplorer:
    """Line up sizes as an operator such as `a + b` does, and see where they are stretched and what each cell reads.

    Takes tensorglass and PyTorch tensors, NumPy and CuPy arrays, lists and dicts of them, and sizes: `(3, 1)`, or 4
    for `(4,)`, as `torch.broadcast_shapes` does. In the live form sizes can be changed. Operands that do not fit are
    shown too, with what PyTorch says. Raises TypeError for anything else, ValueError for more than 6 operands or
    dimensions.
    """
    if sys.is_finalizing():
        return BroadcastExplorer.of_nothing()
    called = _names(argument_names(sys._getframe(1), operands), operands, named)
    given = [*zip(called, operands, strict=True), *named.items()]
    if not 0 < len(given) <= MOST_OPERANDS:
        raise ValueError(f"explore_broadcast draws 1 to {MOST_OPERANDS} operands, not {len(given)}")
    leaves_given: list[tuple[Operand, object]] = []
    for name, value in ((printable(name), value) for name, value in given):
        size = _size(value)
        if size is None:
            leaves_given.extend((_operand(*leaf), leaf[1]) for leaf in leaves(name, value, TEACHING))
        else:
            leaves_given.append((Operand(name, size, contiguous_strides(size)), None))
    if len(leaves_given) > MOST_OPERANDS:
        raise ValueError(f"explore_broadcast draws up to {MOST_OPERANDS} operands, not {len(leaves_given)}")
    met = Broadcast(tuple(operand for operand, _ in leaves_given))
    if met.dims > MOST_DIMS:
        raise ValueError(f"explore_broadcast draws up to {MOST_DIMS} dimensions, not {met.dims}")
    return BroadcastExplorer(Broadcast(tuple(_with_values(met, operand, tensor) for operand, tensor in leaves_given)))


def _names(written: Sequence[str], values: Sequence[object], named: Iterable[str]) -> list[str]:
    """The operands' names: sizes and long expressions get the letter of their place, if it is free."""
    keep = [_size(value) is None and bool(_NAME.fullmatch(name)) for name, value in zip(written, values, strict=True)]
    taken = {*named, *(name for name, is_kept in zip(written, keep, strict=True) if is_kept)}
    spare = (letter for letter in ascii_lowercase[len(written) :] if letter not in taken)
    return [
        name if is_kept else letter if letter not in taken else next(spare)
        for name, is_kept, letter in zip(written, keep, ascii_lowercase, strict=False)
    ]


def _size(value: object) -> Ints | None:
    """The size that `value` describes; None if it does not describe one."""
    lengths = (value,) if isinstance(value, int) else value
    if not isinstance(lengths, tuple | list) or not all(type(n) is int for n in lengths):
        return None
    if min(lengths, default=0) < 0:
        raise ValueError(f"no length of a size is negative, but one of {tuple(lengths)} is")
    return tuple(lengths)


def _operand(name: str, tensor: object) -> Operand:
    with unnumbered():  # no storage is shown
        [header] = snapshot({name: tensor}).headers
    return Operand(name, header.size, header.stride, header.itemsize, header.unit)


def _with_values(met: Broadcast, operand: Operand, tensor: object) -> Operand:
    """The operand, with the values of those of its cells that are shown."""
    adapter = adapter_for(tensor)
    if adapter is None:
        return operand
    if met.size is None:
        shown = set(product(*visible_window(operand.size)))
    else:
        shown = {met.read_by(operand, index) for index in product(*visible_window(met.size))}
    description = adapter.describe(tensor)
    cells = cells_at(sorted(shown), description, description.memory.start)
    return replace(operand, values={cell.index: written(cell.value) for cell in cells})
