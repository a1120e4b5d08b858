"""How an n-dimensional tensor is laid out on a page: as slabs, each a grid of rows and columns of cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Generic, TypeVar

from glassroom.records.cells import Cell
from glassroom.records.snapshot import Header

T = TypeVar("T")

GAP = "⋯"  # where columns are left out


@dataclass(frozen=True)
class Slab(Generic[T]):
    """The last two dimensions at one position of the others; `label` is that position, as `[0, :, :]`.

    `rows` and `columns` are indices with None where some are left out; `cells` maps (row, column) to a cell.
    `after_gap` says that slabs are left out before this one.
    """

    label: str
    rows: tuple[int | None, ...]
    columns: tuple[int | None, ...]
    cells: dict[tuple[int, int], T]
    after_gap: bool = False


def slabs_of(header: Header) -> list[Slab[Cell]]:
    """The slabs of a header's window."""
    return slabs(header.size, header.window, {cell.index: cell for cell in header.cells})


def slabs(size: Sequence[int], window: Sequence[Sequence[int]], by_index: Mapping[tuple[int, ...], T]) -> list[Slab[T]]:
    """The slabs of what stands at the indices of a window; the indices of dimensions that are lacking count as 0."""
    dims = len(size)
    rows = window[-2] if dims >= 2 else (0,)
    columns = window[-1] if dims >= 1 else (0,)
    built: list[Slab[T]] = []
    last_place = -1
    for outer in product(*window[: max(dims - 2, 0)]):
        place = reduce(lambda place, dim: place * size[dim] + outer[dim], range(len(outer)), 0)
        cells = {}
        for row, column in product(rows, columns):
            inner = (row, column) if dims >= 2 else (column,) if dims else ()
            cells[row, column] = by_index[(*outer, *inner)]
        label = f"[{', '.join(map(str, outer))}, :, :]" if outer else ""
        built.append(Slab(label, with_gaps(rows), with_gaps(columns), cells, place != last_place + 1))
        last_place = place
    return built


def with_gaps(indices: Sequence[int]) -> tuple[int | None, ...]:
    """`indices` with None wherever some are left out between two of them."""
    marked: list[int | None] = []
    for position, index in enumerate(indices):
        if position and index != indices[position - 1] + 1:
            marked.append(None)
        marked.append(index)
    return tuple(marked)
