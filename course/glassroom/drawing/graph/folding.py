"""Folding a large graph until it can be drawn: long chains first, then all that is far from what was asked about.

A fold stands where nodes stood and says how many there were, of which kinds, and how often they repeat; nothing
disappears silently. A chain goes from node to node; what hangs on it, a leaf or a view of one, goes with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from glassroom.records.graph import GraphData, Step

WHOLE = 24  # a graph of up to so many nodes is drawn as it is
MOST = 60  # and of a larger one at most so many
SHORTEST_CHAIN = 4
LONGEST_PERIOD = 16  # nodes that repeat along a chain
ENDS = 8  # nodes at both ends of a chain that is opened
MOST_LEAVES = 4  # that a fold leads to


@dataclass(frozen=True)
class Box:
    """What is drawn: one step, or a fold of several; `repeats` says how often its first nodes come again in it."""

    key: int
    step: Step | None
    folded: tuple[Step, ...]
    inputs: tuple[int | None, ...]
    repeats: int = 1
    period: tuple[str, ...] = ()

    @property
    def kinds(self) -> str:
        """The folded nodes by kind: "AddBackward0 ×37"."""
        if self.repeats > 1:
            return f"{' → '.join(self.period)}"
        counts = Counter(step.name for step in self.folded)
        shown = [f"{name} ×{count}" for name, count in counts.most_common(3)]
        return ", ".join([*shown, "…"] if len(counts) > 3 else shown)

    @property
    def title(self) -> str:
        """How many nodes are folded, and how often they repeat."""
        count = f"⋮ {len(self.folded):,} nodes"
        return f"{count}, × {self.repeats:,}" if self.repeats > 1 else count


@lru_cache(maxsize=16)
def boxes_of(data: GraphData, opened: int | None = None) -> Mapping[int, Box]:
    """The boxes of a graph by key, in the order in which they are met; the fold `opened` shows what is in it."""
    whole = {step.number: Box(step.number, step, (), step.inputs) for step in data.steps}
    if len(whole) <= WHOLE:
        return MappingProxyType(whole)
    boxes = _fold_chains(whole, data.roots, opened)
    return MappingProxyType(boxes if len(boxes) <= MOST else _fold_far(boxes, data.roots, opened))


def folds_of(data: GraphData) -> Iterator[int]:
    """The keys of the folds that a picture has."""
    return (key for key, box in boxes_of(data).items() if box.step is None)


def _users(boxes: dict[int, Box]) -> Counter[int]:
    return Counter(each for box in boxes.values() for each in box.inputs if each is not None)


class _Chains:
    """The chains of a graph: each node of one has a single user, and a single input that is no twig."""

    def __init__(self, boxes: dict[int, Box], roots: tuple[int, ...]) -> None:
        self._boxes = boxes
        self._users = _users(boxes)
        self._roots = roots
        self._to = {
            key: list(dict.fromkeys(each for each in box.inputs if each is not None)) for key, box in boxes.items()
        }
        self._twigs: dict[int, tuple[int, ...]] = {}
        self._next = {key: self._link(key) for key in boxes}

    def twig(self, key: int) -> tuple[int, ...]:
        """The nodes of a twig, a leaf or a view of a leaf; none if it is more than that."""
        if key not in self._twigs:
            self._twigs[key] = self._twig(key)
        return self._twigs[key]

    def _twig(self, key: int) -> tuple[int, ...]:
        targets = self._targets(key)
        if self._is_leaf(key):
            return (key,)
        if len(targets) == 1 and not self._has_name(key) and self._is_leaf(targets[0]):
            return (key, targets[0])
        return ()

    def next(self, key: int) -> int | None:
        """The node that a chain goes on to after this one; None if this one is no link of a chain."""
        return self._next[key]

    def _link(self, key: int) -> int | None:
        if key in self._roots or self._is_leaf(key) or self._users[key] != 1:
            return None
        targets = self._targets(key)
        ways = [each for each in targets if not self.twig(each)]
        if len(targets) == 1:
            return targets[0]
        return ways[0] if len(ways) == 1 else None

    def hanging_on(self, chain: Sequence[int]) -> tuple[list[int], list[int]]:
        """The twigs' nodes that hang on a chain alone, and the nodes that others use as well."""
        uses: Counter[int] = Counter()
        for key in chain:
            on = {each for way in self._targets(key) if way != self.next(key) for each in self.twig(way)}
            uses.update(on)
        own = [key for key in uses if self._users[key] <= uses[key]]
        return own, [key for key in uses if key not in own and self._is_leaf(key)]

    def looks(self, key: int) -> tuple[str, ...]:
        """What makes two links alike: the names of the node and of its inputs that are twigs."""
        names = [self._name(each) for each in self._targets(key) if each != self.next(key)]
        return (self._name(key), *names)

    def _name(self, key: int) -> str:
        step = self._boxes[key].step
        return "" if step is None else step.name

    def _is_leaf(self, key: int) -> bool:
        step = self._boxes[key].step
        return step is not None and step.leaf is not None

    def _has_name(self, key: int) -> bool:
        step = self._boxes[key].step
        return step is not None and bool(step.outputs)

    def _targets(self, key: int) -> list[int]:
        return self._to[key]


def _fold_chains(boxes: dict[int, Box], roots: tuple[int, ...], opened: int | None) -> dict[int, Box]:
    chains = _Chains(boxes, roots)
    folded: dict[int, Box] = {}
    gone: set[int] = set()
    taken: set[int] = set()
    for key in boxes:
        if key in taken:
            continue
        chain: list[int] = []
        at: int | None = key
        while at is not None and at not in taken and (following := chains.next(at)) is not None:
            chain.append(at)
            taken.add(at)
            at = following
        looks = [chains.looks(each) for each in chain]
        start, length, period = _longest_run(looks)
        if 2 * length < len(chain):  # what repeats is the lesser part of it
            start, length, period = 0, len(chain), 0
        chain = chain[start : start + length]
        taken.difference_update(chain[1:])
        named = any(step.outputs for each in chain if (step := boxes[each].step) is not None)
        if len(chain) < SHORTEST_CHAIN or (named and len(chain) < 2 * SHORTEST_CHAIN):
            continue
        if opened == chain[0]:
            ends = period if 0 < period <= ENDS else ENDS
            chain = chain[ends:-ends]
        taken.update(chain)
        if len(chain) < SHORTEST_CHAIN:
            continue
        own, shared = chains.hanging_on(chain)
        steps = tuple([step for each in sorted([*chain, *own]) if (step := boxes[each].step) is not None])
        end = chains.next(chain[-1])
        repeats = len(chain) // period if period else 1
        kinds = tuple([chains.looks(each)[0] for each in chain[:period]])
        folded[chain[0]] = Box(chain[0], None, steps, (end, *shared[:MOST_LEAVES]), repeats, kinds)
        gone.update([*chain[1:], *own])
    shown = {key: folded.get(key, box) for key, box in boxes.items() if key not in gone}
    needed: set[int] = set()  # what hangs on a chain, but has edges from elsewhere too
    pending = list(shown)
    while pending:
        missing = {each for each in shown[pending.pop()].inputs if each is not None} - shown.keys()
        needed |= missing
        shown |= {key: boxes[key] for key in missing}
        pending += missing
    return {key: _without(shown[key], needed) for key in boxes if key in shown}


def _without(box: Box, numbers: set[int]) -> Box:
    return replace(box, folded=tuple([step for step in box.folded if step.number not in numbers]))


def _longest_run(looks: Sequence[tuple[str, ...]]) -> tuple[int, int, int]:
    """Where a chain repeats the longest: at which link that begins, how many links it has, and after how many links it
    looks as before. A run ends with a whole repetition.
    """
    best = (0, 0, 0)
    for period in range(1, min(LONGEST_PERIOD, len(looks) // 2) + 1):
        length = 0
        for at in range(len(looks) - period, -1, -1):
            is_alike = at + period < len(looks) and looks[at] == looks[at + period]
            length = length + 1 if is_alike else 0
            whole = (length + period) // period * period
            if length >= period and whole > best[1]:
                best = (at, whole, period)
    return best


def _fold_far(boxes: dict[int, Box], roots: tuple[int, ...], opened: int | None) -> dict[int, Box]:
    near = _nearest(boxes, roots, MOST)
    far = next(key for key in boxes if key not in near)
    if opened == far:
        near = _nearest(boxes, roots, 2 * MOST)
    rest = [box for key, box in boxes.items() if key not in near]
    if not rest:
        return boxes
    steps = tuple([step for box in rest for step in ((box.step,) if box.step is not None else box.folded)])
    fold = Box(rest[0].key, None, steps, ())
    shown = {}
    for key, box in boxes.items():
        if key in near:
            inputs = [each if each is None or each in near else fold.key for each in box.inputs]
            ways = tuple(inputs if box.step is not None else dict.fromkeys(inputs))
            shown[key] = Box(key, box.step, box.folded, ways, box.repeats, box.period)
    return {**shown, fold.key: fold}


def _nearest(boxes: dict[int, Box], roots: tuple[int, ...], most: int) -> set[int]:
    """The boxes that are reached first."""
    order = list(dict.fromkeys(roots))
    found = set(order)
    for key in order:
        for each in boxes[key].inputs:
            if each is not None and each not in found and len(order) < most:
                order.append(each)
                found.add(each)
    return found
