"""A snapshot of tensors in memory: plain data, from which everything is drawn.

A tensor is a header over a storage, so a snapshot is a list of storages, each a run of bytes with a name, and a list of
headers, each saying which bytes its cells are. Values are there for a *window* only: what a picture shows. A snapshot
can be written as JSON (the schema is in `docs/snapshot.md`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from glassroom.records.cells import Cell
from glassroom.records.plain import plain

SCHEMA = 1


@dataclass(frozen=True)
class Header:
    """One tensor: the numbers of its header, and the cells of its window in row-major order.

    `stride` and `storage_offset` count elements, as PyTorch does; if a NumPy array's are not whole numbers of elements,
    both count bytes, and `unit` says so. `window` holds the visible indices of every dimension.
    """

    name: str
    storage: str
    size: tuple[int, ...]
    stride: tuple[int, ...]
    storage_offset: int
    unit: str
    dtype: str
    itemsize: int
    device: str
    library: str
    contiguous: bool
    is_view: bool
    base: str | None
    version: int | None
    requires_grad: bool
    bytes: tuple[int, int] | None
    window: tuple[tuple[int, ...], ...]
    cells: Sequence[Cell]

    @property
    def windowed(self) -> bool:
        """Whether some elements are not shown."""
        return any(len(shown) < n for shown, n in zip(self.window, self.size, strict=True))


@dataclass(frozen=True)
class Storage:
    """One run of bytes, divided into cells of `itemsize` bytes; `cells` are the visible ones."""

    name: str
    nbytes: int
    device: str
    version: int | None
    shared_by: tuple[str, ...]
    dtype: str | None
    itemsize: int
    cells: Sequence[Cell]

    @property
    def length(self) -> int:
        """The number of whole cells."""
        return self.nbytes // self.itemsize


@dataclass(frozen=True)
class Snapshot:
    """Storages in the order in which their tensors were given, and the headers over them.

    `unshown` is the number of tensors that were given but not read, since there were too many to draw; `unread` are
    those without readable memory, each with its class.
    """

    storages: tuple[Storage, ...]
    headers: tuple[Header, ...]
    unshown: int = 0
    unread: tuple[str, ...] = ()

    def headers_on(self, storage: Storage) -> tuple[Header, ...]:
        """The headers over one storage."""
        return tuple(header for header in self.headers if header.storage == storage.name)

    def as_dict(self) -> dict[str, Any]:
        """The snapshot as JSON-ready data, with the version of the schema."""
        return {"schema": SCHEMA, **plain(self)}


def byte_range(first_byte: int, size: Sequence[int], strides: Sequence[int], itemsize: int) -> tuple[int, int] | None:
    """The bytes [low, high) from a tensor's lowest to its highest cell, or None when it has no cell."""
    if 0 in size:
        return None
    reaches = [(n - 1) * step for n, step in zip(size, strides, strict=True)]
    low = first_byte + sum(min(reach, 0) for reach in reaches)
    return low, first_byte + sum(max(reach, 0) for reach in reaches) + itemsize


def visible_window(size: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The visible indices of every dimension: all if it is short, those at both ends if it is long."""
    dims = len(size)
    window = []
    for dim, n in enumerate(size):
        if dim == dims - 1:
            shown = 16 if dims == 1 else 8
        elif dim == dims - 2:
            shown = 6
        else:
            shown = 4 if dims == 3 else 2
        window.append(ends(n, shown))
    return tuple(window)


def ends(n: int, shown: int) -> tuple[int, ...]:
    """The first and the last of `n` indices, `shown` in total, or all if there are not more."""
    if n <= shown:
        return tuple(range(n))
    head, tail = (shown + 1) // 2, shown // 2
    return (*range(head), *range(n - tail, n))
