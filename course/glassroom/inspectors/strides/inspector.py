"""`explore_strides`: what size, stride and offset make of a storage."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from glassroom.drawing.snapshot.svg import svg_of
from glassroom.drawing.snapshot.text import text_of
from glassroom.drawing.words import written
from glassroom.inspectors.base import Inspector
from glassroom.inspectors.strides.arithmetic import examine, formula, storage_cell
from glassroom.reading.call_expressions import argument_names
from glassroom.reading.snapshot import snapshot
from glassroom.records.cells import Cell
from glassroom.records.snapshot import Header, Snapshot, Storage, byte_range, visible_window
from glassroom.translations.templates import as_is
from tensorglass.geometry import contiguous_strides

MOST_EXPLORED = 64


class StrideExplorer(Inspector):
    """One storage, and the tensor `t` that a size, a stride and an offset make of it."""

    kind = as_is("stride explorer")

    def __init__(self, name: str, storage: Storage, size: Sequence[int], stride: Sequence[int], offset: int) -> None:
        self.name = name
        self.storage = storage
        self.size, self.stride, self.offset = tuple(size), tuple(stride), offset
        self.verdict = examine(storage.length, storage.itemsize, self.size, self.stride, offset)
        self.data: dict[str, Any] = {"code": self.code, "verdict": self.verdict, **vars(self.snapshot)}

    @property
    def code(self) -> str:
        """The call that makes the tensor."""
        return f"torch.as_strided({self.name}, {self.size}, {self.stride}, {self.offset})"

    @property
    def text(self) -> str:
        return "\n".join([*self._caption(), "", text_of(self.snapshot)])

    @property
    def svg(self) -> str:
        return svg_of(self.snapshot, self._caption())

    @property
    def label(self) -> str:
        return f"Stride explorer: {self.code}"

    def _caption(self) -> list[str]:
        return [self.code, formula(self.stride, self.offset), self.verdict.sentence]

    @property
    def snapshot(self) -> Snapshot:
        """A snapshot of the storage with the tensor `t` over it; cells outside the storage have no value."""
        itemsize = self.storage.itemsize
        steps = [step * itemsize for step in self.stride]
        values = [cell.value for cell in self.storage.cells]
        window = visible_window(self.size)
        cells = []
        for index in product(*window):
            position = storage_cell(index, self.stride, self.offset)
            inside = 0 <= position < len(values)
            cells.append(Cell(index, position * itemsize, values[position] if inside else None))
        header = Header(
            name="t",
            storage=self.storage.name,
            size=self.size,
            stride=self.stride,
            storage_offset=self.offset,
            unit="elements",
            dtype=self.storage.dtype or "",
            itemsize=itemsize,
            device=self.storage.device,
            library="",
            contiguous=self.verdict.kind == "contiguous",
            is_view=True,
            base=self.name,
            version=None,
            requires_grad=False,
            bytes=byte_range(self.offset * itemsize, self.size, steps, itemsize),
            window=window,
            cells=tuple(cells),
        )
        return Snapshot((replace(self.storage, shared_by=("t",)),), (header,))

    def state(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "storage": self.storage.name,
            "label": self.label,
            "values": [written(cell.value) for cell in self.storage.cells],
            "itemsize": self.storage.itemsize,
            "size": list(self.size),
            "stride": list(self.stride),
            "offset": self.offset,
        }


def explore_strides(
    tensor_or_n: object = 12,
    size: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
    offset: int | None = None,
) -> StrideExplorer:
    """Change size, stride and offset over one storage and see the tensor that `torch.as_strided` would make.

    `tensor_or_n` is a tensor, whose storage is taken, or a number of cells. Size, stride and offset default to the
    tensor's own, or to those of a contiguous tensor over all cells. Raises ValueError when the storage has more than 64
    cells, or when size and stride differ in length.
    """
    if sys.is_finalizing():
        return StrideExplorer.of_nothing()
    if isinstance(tensor_or_n, int):
        name, storage = "x", _counting_storage(tensor_or_n)
        size = _squarish(tensor_or_n) if size is None else size
    else:
        name = argument_names(sys._getframe(1), (tensor_or_n,))[0]
        seen = snapshot({name: tensor_or_n})
        [storage], [header] = seen.storages, seen.headers
        stride = header.stride if size is None and stride is None else stride
        size = header.size if size is None else size
        offset = header.storage_offset if offset is None else offset
    stride = contiguous_strides(tuple(size)) if stride is None else stride
    if storage.length > MOST_EXPLORED:
        raise ValueError(f"explore_strides draws up to {MOST_EXPLORED} cells, and this storage has {storage.length:,}")
    if len(size) != len(stride) or min(size, default=0) < 0:
        raise ValueError(f"size {tuple(size)} and stride {tuple(stride)} must be as long, and no size negative")
    return StrideExplorer(name, storage, size, stride, offset or 0)


def _counting_storage(cells: int) -> Storage:
    """A storage like that of `torch.arange(float(cells))`."""
    if not 0 <= cells <= MOST_EXPLORED:
        raise ValueError(f"explore_strides draws 0 to {MOST_EXPLORED} cells, not {cells:,}")
    held = tuple(Cell((position,), position * 4, float(position)) for position in range(cells))
    return Storage("x", cells * 4, "cpu", None, ("x",), "float32", 4, held)


def _squarish(cells: int) -> tuple[int, int]:
    rows = max((n for n in range(1, cells + 1) if cells % n == 0 and n * n <= cells), default=1)
    return rows, cells // rows
