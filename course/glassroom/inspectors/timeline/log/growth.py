"""What grows from look to look: memory by the line that made it, and graphs by the variable that leads to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from glassroom.inspectors.timeline.log.looks import Look, Survivor

AGE = 2  # steps until a survivor counts: a loop keeps its last loss for one more step
LEAST = 2  # looks that must show growth
MOST_ROWS = 8


@dataclass(frozen=True)
class LineGrowth:
    """The bytes that a line adds with each step, in so many storages, and the variables that lead to them."""

    line: str
    nbytes: float
    storages: float
    holders: tuple[str, ...]


@dataclass(frozen=True)
class GraphGrowth:
    """A variable whose graph grows: how many nodes it reaches, and how many more with each step."""

    name: str
    nodes: int
    more: float


def judged(survivors: Sequence[tuple[int, Sequence[Survivor]]], step: int) -> list[Sequence[Survivor]]:
    """The survivors of those looks that are old enough at `step` to be judged."""
    return [survivor_group for at, survivor_group in survivors if step - at >= AGE]


def growing_lines(survivors: Sequence[Sequence[Survivor]], holding: Mapping[Hashable, str]) -> tuple[LineGrowth, ...]:
    """The lines whose memory from most looks is still alive, the largest first, with the variables `holding` it.

    Memory from a single look was made once for good, as optimizer state and caches are. Memory from a few looks is
    released in time, as a window of the last losses is.
    """
    nbytes: Counter[str] = Counter()
    storages: Counter[str] = Counter()
    looks: Counter[str] = Counter()
    holders: dict[str, dict[str, None]] = {}
    for group in survivors:
        alive = [(one, key) for one in group if (key := one.key()) is not None]
        for one, key in alive:
            nbytes[one.line] += one.nbytes
            storages[one.line] += 1
            holder = holding.get(key)
            holders.setdefault(one.line, {}).update({holder: None} if holder else {})
        looks.update({one.line for one, _ in alive})
    grown = [line for line, count in looks.items() if count >= max(LEAST, len(survivors) / 2)]
    grown.sort(key=lambda line: -nbytes[line])
    return tuple(
        LineGrowth(line, nbytes[line] / len(survivors), storages[line] / len(survivors), tuple(holders[line]))
        for line in grown[:MOST_ROWS]
    )


def growing_graphs(looks: Sequence[Look]) -> tuple[GraphGrowth, ...]:
    """The variables that reach more nodes at each look, by at least one node a step; those that grow the most come
    first."""
    if len(looks) < LEAST:
        return ()
    rows = []
    for name, nodes in looks[-1].nodes.items():
        known = [(look.step, look.nodes[name]) for look in looks if name in look.nodes]
        steps = known[-1][0] - known[0][0]
        grows = all(later > earlier for (_, earlier), (_, later) in pairwise(known))
        more = nodes - known[0][1]
        if grows and len(known) >= LEAST and more >= steps:
            rows.append(GraphGrowth(name, nodes, more / steps))
    return tuple(sorted(rows, key=lambda row: -row.more)[:MOST_ROWS])
