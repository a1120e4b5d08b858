"""Folding a large graph until it can be drawn: first equal branches and long chains, then everything far from the
roots. A fold replaces nodes and shows their number, their kinds, and how often they repeat; nothing disappears
silently. A chain leads from node to node; its twigs, a leaf or a view of a leaf, are folded with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType

from glassroom.drawing.graph.layout import layers
from glassroom.records.graph import GraphData, Step

WHOLE = 24  # nodes of a graph that is drawn unfolded
MOST = 60  # nodes drawn of a larger graph, at most
SHORTEST_CHAIN = 4
FEWEST_BRANCHES = 6  # equal branches of a node from which on they are folded
LONGEST_PERIOD = 16  # nodes that may form one period of a chain
ENDS = 8  # nodes shown at both ends of an opened chain
MOST_LEAVES = 4  # leaves that a fold leads to
MOST_EDGES = 4  # edges from one box to another
MOST_KINDS = 16  # kinds of nodes that are listed


@dataclass(frozen=True)
class Box:
    """What is drawn: one step, or a fold of several; `repeats` is how often its first nodes recur in it. `joined`
    counts, for an input that stands for several of the step's inputs, how many they are.
    """

    key: int
    step: Step | None
    folded: tuple[Step, ...]
    inputs: tuple[int | None, ...]
    repeats: int = 1
    period: tuple[str, ...] = ()
    joined: Mapping[int | None, int] = field(default_factory=dict)

    @property
    def kinds(self) -> str:
        """The folded nodes by kind: "AddBackward0 ×37"."""
        if self.repeats > 1:
            return " → ".join(self.period if len(self.period) <= MOST_KINDS else (*self.period[:MOST_KINDS], "…"))
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
    """The boxes of a graph by key, in the order in which they are reached; the content of the fold `opened` is
    shown."""
    whole = {step.number: Box(step.number, step, (), step.inputs) for step in data.steps}
    boxes = (
        whole if len(whole) <= WHOLE else _fold_chains(_fold_branches(whole, data.roots, opened), data.roots, opened)
    )
    boxes = boxes if len(boxes) <= MOST else _fold_far(boxes, data.roots, opened)
    return MappingProxyType({key: _joined(box) for key, box in boxes.items()})


def folds_of(data: GraphData) -> Iterator[int]:
    """The keys of the folds that a picture has."""
    return (key for key, box in boxes_of(data).items() if box.step is None)


def _users(boxes: dict[int, Box]) -> Counter[int]:
    return Counter(source for box in boxes.values() for source in box.inputs if source is not None)


def _fold_branches(boxes: dict[int, Box], roots: tuple[int, ...], opened: int | None) -> dict[int, Box]:
    """Fold equal branches of a node, if nothing else leads into them: only the first is shown."""
    users = _users(boxes)
    users.update(roots)  # the caller uses the roots
    looks = _looks_of_branches(boxes, users)
    shown = dict(boxes)
    for key, box in boxes.items():
        if key not in shown:
            continue
        alike: dict[int, list[int]] = {}
        for source in box.inputs:
            if source is not None and users[source] == 1:
                alike.setdefault(looks[source], []).append(source)
        homes: dict[int | None, int] = {}
        for tops in alike.values():
            if len(tops) < FEWEST_BRANCHES:
                continue
            folded = tops[ENDS:-ENDS] if opened == tops[1] else tops[1:]
            branches = [_branch(boxes, users, top) for top in folded]
            if not branches:
                continue
            keys = [key for branch in branches for key in branch]
            for hidden in keys:
                del shown[hidden]
            steps = tuple([step for member in keys if (step := boxes[member].step) is not None])
            within = set(keys)
            ends = {
                end: None for member in keys for end in boxes[member].inputs if end is not None and end not in within
            }
            period = tuple([step.name for step in steps[: len(branches[0])]])
            shown[folded[0]] = Box(folded[0], None, steps, tuple([*ends][:MOST_LEAVES]), len(branches), period)
            homes |= dict.fromkeys(folded, folded[0])
        if homes:
            shown[key] = replace(shown[key], inputs=tuple([homes.get(source, source) for source in box.inputs]))
    return {key: shown[key] for key in boxes if key in shown}


def _branch(boxes: dict[int, Box], users: Mapping[int, int], top: int) -> list[int]:
    """The nodes that only this node leads to, itself first."""
    keys = [top]
    for key in keys:
        keys += [source for source in boxes[key].inputs if source is not None and users[source] == 1]
    return keys


def _looks_of_branches(boxes: dict[int, Box], users: Mapping[int, int]) -> dict[int, int]:
    """A number for each node, equal for nodes whose branches have the same names and lead to the same shared nodes."""
    numbers: dict[object, int] = {}
    looks: dict[int, int] = {}
    order = layers({key: box.inputs for key, box in boxes.items()})
    for key in sorted(boxes, key=order.__getitem__, reverse=True):
        step = boxes[key].step
        own = [
            None if source is None else looks[source] if users[source] == 1 else (source,)
            for source in boxes[key].inputs
        ]
        looks[key] = numbers.setdefault((step.name if step is not None else "", *own), len(numbers))
    return looks


class _Chains:
    """The chains of a graph: each node in one has a single user, and a single input that is not a twig."""

    def __init__(self, boxes: dict[int, Box], roots: tuple[int, ...]) -> None:
        self._boxes = boxes
        self._users = _users(boxes)
        self._roots = roots
        self._to = {
            key: list(dict.fromkeys(source for source in box.inputs if source is not None))
            for key, box in boxes.items()
        }
        self._twigs: dict[int, tuple[int, ...]] = {}
        self._next = {key: self._link(key) for key in boxes}

    def twig(self, key: int) -> tuple[int, ...]:
        """The nodes of a twig (a leaf or a view of a leaf); none if it is more than that."""
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
        """The next node of the chain; None if this node is no link of a chain."""
        return self._next[key]

    def _link(self, key: int) -> int | None:
        if key in self._roots or self._is_leaf(key) or self._users[key] != 1:
            return None
        targets = self._targets(key)
        ways = [target for target in targets if not self.twig(target)]
        if len(targets) == 1:
            return targets[0]
        return ways[0] if len(ways) == 1 else None

    def hanging_on(self, chain: Sequence[int]) -> tuple[list[int], list[int]]:
        """The nodes of twigs that only the chain uses, and those that others use too."""
        uses: Counter[int] = Counter()
        for key in chain:
            on = {member for way in self._targets(key) if way != self.next(key) for member in self.twig(way)}
            uses.update(on)
        is_own = {key: self._users[key] <= uses[key] for key in uses}
        own = [key for key in uses if is_own[key]]
        return own, [key for key in uses if not is_own[key] and self._is_leaf(key)]

    def looks(self, key: int) -> tuple[str, ...]:
        """The key by which two links are equal: the names of the node and of its twigs."""
        names = [self._name(target) for target in self._targets(key) if target != self.next(key)]
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
        looks = [chains.looks(key) for key in chain]
        start, length, period = _longest_run(looks)
        if 2 * length < len(chain):  # less than half of the chain repeats
            start, length, period = 0, len(chain), 0
        chain = chain[start : start + length]
        taken.difference_update(chain[1:])
        named = any(step.outputs for key in chain if (step := boxes[key].step) is not None)
        if len(chain) < SHORTEST_CHAIN or (named and len(chain) < 2 * SHORTEST_CHAIN):
            continue
        if opened == chain[0]:
            ends = period if 0 < period <= ENDS else ENDS
            chain = chain[ends:-ends]
        taken.update(chain)
        if len(chain) < SHORTEST_CHAIN:
            continue
        own, shared = chains.hanging_on(chain)
        steps = tuple([step for key in sorted([*chain, *own]) if (step := boxes[key].step) is not None])
        end = chains.next(chain[-1])
        repeats = len(chain) // period if period else 1
        kinds = tuple([chains.looks(key)[0] for key in chain[:period]])
        folded[chain[0]] = Box(chain[0], None, steps, (end, *shared[:MOST_LEAVES]), repeats, kinds)
        gone.update([*chain[1:], *own])
    shown = {key: folded.get(key, box) for key, box in boxes.items() if key not in gone}
    needed: set[int] = set()  # twigs of a chain that have edges from elsewhere too
    pending = list(shown)
    while pending:
        missing = {source for source in shown[pending.pop()].inputs if source is not None and source not in shown}
        needed |= missing
        shown |= {key: boxes[key] for key in missing}
        pending += missing
    return {key: _without(shown[key], needed) for key in boxes if key in shown}


def _without(box: Box, numbers: set[int]) -> Box:
    return replace(box, folded=tuple([step for step in box.folded if step.number not in numbers]))


def _longest_run(looks: Sequence[tuple[str, ...]]) -> tuple[int, int, int]:
    """The longest periodic run of a chain: its first link, its number of links, and its period. A run ends with a whole
    period.
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
            inputs = [source if source is None or source in near else fold.key for source in box.inputs]
            shown[key] = replace(box, inputs=tuple(inputs if box.step is not None else dict.fromkeys(inputs)))
    return {**shown, fold.key: fold}


def _joined(box: Box) -> Box:
    """The box, with many edges to the same box joined into one."""
    many = {end: count for end, count in Counter(box.inputs).items() if count > MOST_EDGES}
    if not many:
        return box
    left = dict.fromkeys(many, 1)
    kept = []
    for source in box.inputs:
        if left.get(source, 1):
            kept.append(source)
        if source in left:
            left[source] = 0
    return replace(box, inputs=tuple(kept), joined=many)


def _nearest(boxes: dict[int, Box], roots: tuple[int, ...], most: int) -> set[int]:
    """The boxes that are reached first."""
    order = list(dict.fromkeys(roots))
    keys = set(order)
    for key in order:
        for source in boxes[key].inputs:
            if source is not None and source not in keys and len(order) < most:
                order.append(source)
                keys.add(source)
    return keys
