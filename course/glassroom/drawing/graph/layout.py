"""Placing the boxes of a graph: in layers from the root down, with few crossings.

The method is Sugiyama, Tagawa and Toda's ("Methods for visual understanding of hierarchical system structures", 1981):
layers by the longest path from a root; a dummy node ("station") where an edge passes a layer; the order within a layer
by the mean position of the neighbors, alternately from above and from below.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

SWEEPS = 8
GAP = 28.0
STATION = 12.0  # the room for an edge that passes a layer
LAYER_GAP = 34.0
WORDS_GAP = 13.0  # between layers where words stand between them
WORDS = 17.0  # the height of words on an edge


@dataclass(frozen=True)
class Placed:
    """A box's center and top, and its size."""

    x: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class Route:
    """An edge: from the box `start`, its input number `slot`, to the box `end`, by these points.

    `words` is the middle of the space reserved for words on it.
    """

    start: int
    slot: int
    end: int
    points: tuple[tuple[float, float], ...]
    words: tuple[float, float] | None = None


Station = tuple[int, int, int]  # an edge's start, slot, and the layer that it passes
Item = int | Station


def arranged(
    sizes: Mapping[int, tuple[float, float]],
    inputs: Mapping[int, Sequence[int | None]],
    words: Mapping[tuple[int, int], float] = MappingProxyType({}),
    gap: float = GAP,
) -> tuple[dict[int, Placed], list[Route]]:
    """Place boxes of the given sizes (width, height) and route the edges from each to its inputs.

    `words` are the widths of the words on edges, by box and slot: they get a layer of their own beneath the box.
    Boxes stand at least a `gap` apart.
    """
    layer = layers(inputs)
    if words:
        layer = {key: 2 * at for key, at in layer.items()}
    rows: list[list[Item]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for key in inputs:
        rows[layer[key]].append(key)
    above: dict[Item, list[Item]] = {}
    below: dict[Item, list[Item]] = {}
    ways: list[tuple[int, int, int, list[Item]]] = []
    for start, ends in inputs.items():
        for slot, end in enumerate(ends):
            if end is None:
                continue
            stations: list[Item] = [(start, slot, at) for at in range(layer[start] + 1, layer[end])]
            for station in stations:
                rows[station[2]].append(station)  # type: ignore[index]  # these are stations
            way: list[Item] = [start, *stations, end]
            ways.append((start, slot, end, way))
            for one, other in pairwise(way):
                below.setdefault(one, []).append(other)
                above.setdefault(other, []).append(one)
    _order(rows, above, below)
    stands = {(*edge, layer[edge[0]] + 1): wide for edge, wide in words.items()}
    width = {
        item: sizes[item][0] if isinstance(item, int) else stands.get(item, STATION) for row in rows for item in row
    }
    x = _columns(rows, width, above, below, gap)
    placed: dict[int, Placed] = {}
    tops: list[tuple[float, float]] = []
    top = 0.0
    for row in rows:
        heights = [sizes[item][1] if isinstance(item, int) else WORDS * (item in stands) for item in row]
        height = max(heights, default=0)
        tops.append((top, height))
        for item in row:
            if isinstance(item, int):
                placed[item] = Placed(x[item], top, *sizes[item])
        top += height + (WORDS_GAP if words else LAYER_GAP)
    return placed, [_route(way, placed, x, tops, inputs, stands) for way in ways]


def layers(inputs: Mapping[int, Sequence[int | None]]) -> dict[int, int]:
    """The number of edges on the longest path from a root to each box."""
    waits = dict.fromkeys(inputs, 0)
    for ends in inputs.values():
        for end in ends:
            if end is not None:
                waits[end] += 1
    layer = {key: 0 for key, count in waits.items() if count == 0}
    ready = list(layer)
    for key in ready:
        for end in inputs[key]:
            if end is not None:
                layer[end] = max(layer.get(end, 0), layer[key] + 1)
                waits[end] -= 1
                if not waits[end]:
                    ready.append(end)
    return layer


def _order(rows: list[list[Item]], above: dict[Item, list[Item]], below: dict[Item, list[Item]]) -> None:
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        for row in rows if downwards else reversed(rows):
            neighbors = above if downwards else below
            places = {item: at for row in rows for at, item in enumerate(row)}
            means = {
                item: sum(places[neighbor] for neighbor in neighbors[item]) / len(neighbors[item])
                if neighbors.get(item)
                else float(places[item])
                for item in row
            }
            row.sort(key=means.__getitem__)


def _columns(
    rows: list[list[Item]],
    width: dict[Item, float],
    above: dict[Item, list[Item]],
    below: dict[Item, list[Item]],
    gap: float,
) -> dict[Item, float]:
    """The centres of boxes: each as near to the mean of its neighbors as the order and the gaps allow."""
    x: dict[Item, float] = {}
    for row in rows:
        at = 0.0
        for item in row:
            x[item] = at + width[item] / 2
            at += width[item] + gap
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        for row in rows if downwards else list(reversed(rows)):
            neighbors = above if downwards else below
            wanted = [
                sum(x[neighbor] for neighbor in neighbors[item]) / len(neighbors[item])
                if neighbors.get(item)
                else x[item]
                for item in row
            ]
            x.update(zip(row, _spaced(wanted, [width[item] for item in row], gap), strict=True))
    left = min([x[item] - width[item] / 2 for row in rows for item in row], default=0.0)
    return {item: place - left for item, place in x.items()}


def _spaced(wanted: list[float], widths: list[float], gap: float) -> list[float]:
    """Positions in order and a gap apart, near the wanted ones: the mean of pushing everything right and pushing
    everything left."""
    right = list(wanted)
    for at in range(1, len(right)):
        right[at] = max(right[at], right[at - 1] + (widths[at - 1] + widths[at]) / 2 + gap)
    left = list(wanted)
    for at in range(len(left) - 2, -1, -1):
        left[at] = min(left[at], left[at + 1] - (widths[at] + widths[at + 1]) / 2 - gap)
    return [(one + other) / 2 for one, other in zip(right, left, strict=True)]


def _route(
    way: tuple[int, int, int, list[Item]],
    placed: dict[int, Placed],
    x: dict[Item, float],
    tops: list[tuple[float, float]],
    inputs: Mapping[int, Sequence[int | None]],
    stands: Container[Item],
) -> Route:
    start, slot, end, items = way
    box, target = placed[start], placed[end]
    count = len(inputs[start])
    out = box.x + (slot - (count - 1) / 2) * min(24.0, box.width / max(count, 1))
    points = [(out, box.top + box.height)]
    words = None
    for item in items[1:-1]:
        top, height = tops[item[2]]  # type: ignore[index]  # the inner items are stations
        if item in stands:
            words = x[item], top + height / 2
        points += [(x[item], top), (x[item], top + height)]
    points.append((target.x, target.top))
    return Route(start, slot, end, tuple(points), words)
