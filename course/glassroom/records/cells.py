"""The visible cells of storages and headers. The one idea: a cell is decoded from its bytes when somebody asks for it.
A watch records very many cells, and draws few of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

Number = bool | int | float | complex | str


@dataclass(frozen=True)
class Cell:
    """One visible element of a header: its index, the byte of the storage where it begins, and its value.

    The value is None when the cell lies outside the storage (which was resized under the tensor).
    """

    index: tuple[int, ...]
    byte: int
    value: Number | None


@dataclass(frozen=True)
class Places:
    """Where cells are: the index of each, and the byte of the storage where it begins."""

    indices: tuple[tuple[int, ...], ...]
    starts: tuple[int, ...]

    @property
    def lowest(self) -> int:
        return min(self.starts, default=0)

    @property
    def highest(self) -> int:
        return max(self.starts, default=0)


class Cells(Sequence[Cell]):
    """Cells at `places`; `content` are their bytes, the same number of each, of which `decode` makes values."""

    __slots__ = ("_decode", "content", "places")

    def __init__(self, places: Places, content: bytes, decode: Callable[[bytes], Sequence[Number]]) -> None:
        self.places, self.content, self._decode = places, content, decode

    def __len__(self) -> int:
        return len(self.places.starts)

    @overload
    def __getitem__(self, at: int) -> Cell: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Cell, ...]: ...
    def __getitem__(self, at: int | slice) -> Cell | tuple[Cell, ...]:
        if isinstance(at, slice):
            return tuple(self.chosen(range(len(self))[at]))
        [cell] = self.chosen([range(len(self))[at]])
        return cell

    def __iter__(self) -> Iterator[Cell]:
        return iter([Cell(*cell) for cell in zip(self.places.indices, self.places.starts, self.values, strict=True)])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Cells) and other._decode is self._decode:
            return self.content == other.content and self.places == other.places
        return tuple(self) == tuple(other) if isinstance(other, Cells | tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.places.starts, self.content))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def chosen(self, positions: Iterable[int]) -> Cells:
        """Some of the cells."""
        positions, size = list(positions), self._size
        indices, starts, content = self.places.indices, self.places.starts, self.content
        places = Places(tuple([indices[at] for at in positions]), tuple([starts[at] for at in positions]))
        return Cells(places, b"".join([content[at * size : at * size + size] for at in positions]), self._decode)

    def unlike(self, other: Cells) -> list[int]:
        """The bytes at which cells begin whose values are not those of `other`, in the same places."""
        size, old, new = self._size, other.content, self.content
        changed = [
            at for at in range(len(self)) if old[at * size : at * size + size] != new[at * size : at * size + size]
        ]
        values = zip(self.chosen(changed), other.chosen(changed), strict=True)
        return [cell.byte for cell, before in values if repr(cell.value) != repr(before.value)]

    @property
    def values(self) -> Sequence[Number]:
        """The values of all cells."""
        return self._decode(self.content)

    @property
    def _size(self) -> int:
        return len(self.content) // len(self.places.starts) if self.places.starts else 0
