"""The turns of a recorded backward, as they are shown: one by one or, in large graphs, those of a fold together.

The one idea: the picture has folded what repeats, and turns that follow each other within folds repeat too. The first
of them are told one by one, as an example of the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from glassroom.drawing.graph.folding import Box, boxes_of
from glassroom.inspectors.backward.recording import BackwardData, Moment

MOST_TOLD = 400  # up to this many nodes, all turns are shown one by one
EXAMPLES = 8  # turns within a fold that are shown one by one, before the others together


@dataclass(frozen=True)
class Part:
    """Turns that are shown together: the number of the first, what happened in each, and the boxes where it did."""

    first: int
    moments: tuple[Moment, ...]
    keys: tuple[int, ...]

    @property
    def last(self) -> int:
        """The number of the last turn."""
        return self.first + len(self.moments) - 1

    @property
    def numbers(self) -> str:
        """The numbers of the turns: "7" or "7–9,990"."""
        return f"{self.first:,}" if self.first == self.last else f"{self.first:,}–{self.last:,}"


def homes_of(boxes: Mapping[int, Box]) -> dict[int, int]:
    """The key of each node's box: its own, or that of the fold that holds it."""
    return {
        step.number: key for key, box in boxes.items() for step in ((box.step,) if box.step is not None else box.folded)
    }


def turns_of(data: BackwardData) -> dict[int, int]:
    """The turn of each node that had one."""
    return {moment.step: turn for turn, moment in enumerate(data.moments, start=1)}


def parts_of(data: BackwardData) -> list[Part]:
    """The turns in order, put together where a large graph is folded."""
    boxes = boxes_of(data.graph)
    homes = homes_of(boxes)
    is_large = len(data.graph.steps) > MOST_TOLD
    told: set[int] = set()  # the folds whose turns have been shown
    parts: list[Part] = []
    turn = 1
    for is_folded, group in groupby(data.moments, lambda moment: is_large and boxes[homes[moment.step]].step is None):
        moments = list(group)
        keys = [homes[moment.step] for moment in moments]
        singly = len(moments)
        if is_folded:
            singly = 0 if told.issuperset(keys) else EXAMPLES
            told.update(keys)
        parts += [Part(turn + at, (moments[at],), (keys[at],)) for at in range(min(singly, len(moments)))]
        if len(moments) > singly:
            parts.append(Part(turn + singly, tuple(moments[singly:]), _once(keys[singly:])))
        turn += len(moments)
    return parts


def _once(keys: Sequence[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(keys))
