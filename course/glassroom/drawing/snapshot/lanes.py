"""How often a tensor reaches each storage cell that is drawn: its lane beneath the strip shows this. A large tensor is
drawn in part, but its lane covers all of it. So nothing is counted element by element: the strides give the indices
that lead to a given cell, and there are few of those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import prod

from glassroom.records.snapshot import Header, Storage

MOST_TRIED = 10_000  # index combinations tried for one cell; beyond that, only drawn elements are counted

Steps = list[tuple[int, int]]  # for each dimension its length, and its stride in bytes


def reached(header: Header, storage: Storage) -> Counter[int]:
    """How many elements of the tensor lie on each of the storage's visible cells."""
    per_element = header.itemsize // storage.itemsize
    if not countable(header):
        return Counter(cell.byte // storage.itemsize + part for cell in header.cells for part in range(per_element))
    if not header.cells:
        return Counter()
    lowest, repeats, steps = _ascending(header)
    places = tuple([(cell.index[0], cell.byte - lowest) for cell in storage.cells])
    return Counter(_times(places, repeats, tuple(steps), storage.itemsize, per_element))


@lru_cache(maxsize=256)  # the same tensor is drawn after each step of a watched cell
def _times(
    places: tuple[tuple[int, int], ...], repeats: int, steps: tuple[tuple[int, int], ...], itemsize: int, parts: int
) -> dict[int, int]:
    """How many elements lie on each of the cells at `places`, given by index and distance from the lowest byte."""
    counts = {}
    for index, distance in places:
        times = repeats * sum(_ways(distance - part * itemsize, steps) for part in range(parts))
        if times:
            counts[index] = times
    return counts


def countable(header: Header) -> bool:
    """Whether all of the tensor's elements can be counted, not only those drawn."""
    _, _, steps = _ascending(header)
    tried = (min(n, _reach(steps[at + 1 :]) // step + 1) for at, (n, step) in enumerate(steps[:-1]))
    return prod(tried) <= MOST_TRIED


def _ascending(header: Header) -> tuple[int, int, Steps]:
    """The tensor's lowest byte, how often a stride of 0 repeats each element, and its other steps, the longest first.

    A negative stride reaches the same bytes from the other end.
    """
    unit = 1 if header.unit == "bytes" else header.itemsize
    dims = [(n, stride * unit) for n, stride in zip(header.size, header.stride, strict=True) if n != 1]
    repeats = prod(n for n, step in dims if step == 0)
    steps = sorted(((n, abs(step)) for n, step in dims if step), key=lambda dim: -dim[1])
    return (header.bytes or (0, 0))[0], repeats, steps


def _ways(distance: int, steps: Sequence[tuple[int, int]]) -> int:
    """The number of index combinations that lie exactly `distance` bytes from the first."""
    if not steps:
        return int(distance == 0)
    (n, step), *rest = steps
    if not rest:
        return int(distance % step == 0 and 0 <= distance // step < n)
    fewest = max(-((_reach(rest) - distance) // step), 0)
    most = min(distance // step, n - 1)
    return sum(_ways(distance - position * step, rest) for position in range(fewest, most + 1))


def _reach(steps: Sequence[tuple[int, int]]) -> int:
    """The distance in bytes from the first index combination to the last."""
    return sum((n - 1) * step for n, step in steps)
