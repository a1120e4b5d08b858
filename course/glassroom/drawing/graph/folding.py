"""Folding a large graph until it can be drawn: long chains first, then all that is far from what was asked about.

A fold stands where nodes stood and says how many there were, of which kinds; nothing disappears silently.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from glassroom.records.graph import GraphData, Step

WHOLE = 24  # a graph of up to so many nodes is drawn as it is
MOST = 60  # and of a larger one at most so many
SHORTEST_CHAIN = 4


@dataclass(frozen=True)
class Box:
    """What is drawn: one step, or a fold of several."""

    key: int
    step: Step | None
    folded: tuple[Step, ...]
    inputs: tuple[int | None, ...]

    @property
    def kinds(self) -> str:
        """The folded nodes by kind: "AddBackward0 ×37"."""
        counts = Counter(step.name for step in self.folded)
        shown = [f"{name} ×{count}" for name, count in counts.most_common(3)]
        return ", ".join([*shown, "…"] if len(counts) > 3 else shown)


def boxes_of(data: GraphData) -> dict[int, Box]:
    """The boxes of a graph by key, in the order in which they are met."""
    whole = {step.number: Box(step.number, step, (), step.inputs) for step in data.steps}
    if len(whole) <= WHOLE:
        return whole
    boxes = _fold_chains(whole, data.roots)
    return boxes if len(boxes) <= MOST else _fold_far(boxes, data.roots)


def _users(boxes: dict[int, Box]) -> Counter[int]:
    return Counter(each for box in boxes.values() for each in box.inputs if each is not None)


def _fold_chains(boxes: dict[int, Box], roots: tuple[int, ...]) -> dict[int, Box]:
    users = _users(boxes)

    def is_link(key: int) -> bool:
        step = boxes[key].step
        targets = [each for each in boxes[key].inputs if each is not None]
        return key not in roots and step is not None and not step.leaf and len(targets) == 1 and users[key] == 1

    folded: dict[int, Box] = {}
    gone: dict[int, int] = {}
    for key in boxes:
        if key in gone or not is_link(key):
            continue
        chain = [key]
        while is_link(following := next(each for each in boxes[chain[-1]].inputs if each is not None)):
            chain.append(following)
        named = any(step.outputs for each in chain if (step := boxes[each].step) is not None)
        if len(chain) < SHORTEST_CHAIN or (named and len(chain) < 2 * SHORTEST_CHAIN):
            continue
        steps = tuple([step for each in chain if (step := boxes[each].step) is not None])
        end = next(each for each in boxes[chain[-1]].inputs if each is not None)
        folded[key] = Box(key, None, steps, (end,))
        gone.update(dict.fromkeys(chain, key))
    return {key: folded.get(key, box) for key, box in boxes.items() if gone.get(key, key) == key}


def _fold_far(boxes: dict[int, Box], roots: tuple[int, ...]) -> dict[int, Box]:
    near: list[int] = list(dict.fromkeys(roots))
    for key in near:
        near += [each for each in boxes[key].inputs if each is not None and each not in near][: MOST - len(near)]
    kept = set(near)
    rest = [box for key, box in boxes.items() if key not in kept]
    steps = tuple([step for box in rest for step in ((box.step,) if box.step is not None else box.folded)])
    far = Box(rest[0].key, None, steps, ())
    shown = {}
    for key, box in boxes.items():
        if key in kept:
            inputs = [each if each is None or each in kept else far.key for each in box.inputs]
            shown[key] = Box(key, box.step, box.folded, tuple(dict.fromkeys(inputs)))
    return {**shown, far.key: far}
