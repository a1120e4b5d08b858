"""Placing the boxes of a graph that has no room in layers: in one column, each beneath all boxes that lead to it. Edges
that pass other boxes run in lanes at the left.

A node's short branches come first, so leaves stand directly beneath the nodes that use them, and few lanes are needed
at a time. All edges to one box share a lane.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from types import MappingProxyType

from glassroom.drawing.graph.layout import Placed, Route, layers

LANE = 11.0
GUTTER = 100.0  # the most that lanes take; if there are many, they are closer together
ROW_GAP = 26.0
ENTRY = 30.0  # where an edge meets a box, from the box's left side
WORDS = 21.0  # the height of words on an edge


@dataclass(frozen=True)
class Column:
    """The boxes from the top down; for each box with edges from afar, the number of its lane, counted from the
    boxes."""

    order: tuple[int, ...]
    lanes: Mapping[int, float]

    @property
    def gutter(self) -> float:
        """The width of all lanes together."""
        return max(self.lanes.values(), default=0.0)


def column_of(inputs: Mapping[int, Sequence[int | None]]) -> Column:
    """The order of the boxes of a graph, and the lanes beside them."""
    order = _order(inputs)
    row = {key: at for at, key in enumerate(order)}
    first: dict[int, int] = {}  # for each box that has a lane, the row at which the lane begins
    for key in order:
        for end in inputs[key]:
            if end is not None and row[end] > row[key] + 1:
                first.setdefault(end, row[key])
    taken: list[list[tuple[int, int]]] = []
    lane_of = {}
    for end in sorted(first, key=lambda end: row[end] - first[end]):
        spans = next((column for column in taken if all(row[end] <= a or b <= first[end] for a, b in column)), None)
        if spans is None:
            taken.append(spans := [])
        spans.append((first[end], row[end]))
        lane_of[end] = taken.index(spans)
    pitch = min(LANE, GUTTER / max(len(taken), 1))
    return Column(order, MappingProxyType({end: (lane + 1) * pitch for end, lane in lane_of.items()}))


def _order(inputs: Mapping[int, Sequence[int | None]]) -> tuple[int, ...]:
    layer = layers(inputs)
    depth: dict[int, int] = {}
    for key in sorted(inputs, key=layer.__getitem__, reverse=True):
        depth[key] = 1 + max([depth[end] for end in inputs[key] if end is not None], default=0)
    waits = Counter(end for ends in inputs.values() for end in ends)
    ready = [key for key in inputs if not waits[key]][::-1]
    order = []
    while ready:
        key = ready.pop()
        order.append(key)
        waits.subtract(inputs[key])
        met = [end for end in dict.fromkeys(inputs[key]) if end is not None and not waits[end]]
        ready += sorted(met, key=depth.__getitem__)[::-1]
    return tuple(order)


def stacked(
    column: Column,
    sizes: Mapping[int, tuple[float, float]],
    inputs: Mapping[int, Sequence[int | None]],
    words: Mapping[tuple[int, int], float],
) -> tuple[dict[int, Placed], list[Route]]:
    """Place the boxes of a column of the given sizes (width, height), and route the edges from each to its inputs.

    `words` are the widths of the words on edges, by box and slot: they stand beneath the box, one line each.
    """
    left, top = column.gutter, 0.0
    placed: dict[int, Placed] = {}
    begun: list[Route] = []
    for key, below in zip_longest(column.order, column.order[1:]):
        width, height = sizes[key]
        placed[key] = Placed(left + width / 2, top, width, height)
        bottom = top = top + height
        out = [(slot, end) for slot, end in enumerate(inputs[key]) if end is not None]
        out.sort(key=lambda way: 0.0 if way[1] == below else column.lanes[way[1]], reverse=True)
        step = (ENTRY - 8) / max(len(out) - 1, 1)
        for nth, (slot, end) in enumerate(out):
            x = left + (ENTRY if end == below else 8 + step * nth)
            points: tuple[tuple[float, float], ...] = ((x, bottom),)
            middle = None
            if (key, slot) in words:
                middle = left + ENTRY + 8 + words[key, slot] / 2, top + WORDS / 2
                top += WORDS
                points += ((x, top),)
            begun.append(Route(key, slot, end, points, middle))
        top += ROW_GAP
    row = {key: at for at, key in enumerate(column.order)}
    routes = []
    for route in begun:
        points, entry = route.points, (left + ENTRY, placed[route.end].top)
        if row[route.end] > row[route.start] + 1:
            lane = left - column.lanes[route.end]
            beneath = placed[column.order[row[route.start] + 1]].top
            points += ((lane, beneath), (lane, entry[1] - ROW_GAP))
        routes.append(replace(route, points=(*points, entry)))
    return placed, routes
