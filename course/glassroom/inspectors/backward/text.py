"""A recorded backward as text: one line for each node's turn, and in a large graph for the turns within a fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from glassroom.drawing.graph.text import step_name
from glassroom.drawing.words import counted
from glassroom.inspectors.backward.parts import Part, parts_of, turns_of
from glassroom.inspectors.backward.recording import BackwardData, Moment

MOST_WAYS = 24  # nodes that a gradient goes on to, listed for one turn
MOST_KINDS = 4  # kinds of nodes that are listed for turns shown together


def text_of_backward(data: BackwardData) -> str:
    """The turns in order."""
    lines = []
    turns = turns_of(data)
    for part in parts_of(data):
        head, *rest = lines_of_part(part, data, turns)
        lines.append(f"{part.numbers:>2}. {head}")
        lines += [f"    {line}" for line in rest]
    return "\n".join(lines)


def lines_of_part(part: Part, data: BackwardData, turns: Mapping[int, int]) -> list[str]:
    """What happens in one turn, or in those that are shown together."""
    return _lines_of(part.moments[0], data, turns) if part.first == part.last else _lines_of_many(part, data)


def _lines_of_many(part: Part, data: BackwardData) -> list[str]:
    kinds = Counter(data.graph.steps[moment.step].name for moment in part.moments)
    shown = [f"{name} ×{count:,}" for name, count in kinds.most_common(MOST_KINDS)]
    lines = [
        f"⋮ {len(part.moments):,} turns within a fold",
        ", ".join([*shown, "…"] if len(shown) < len(kinds) else shown),
    ]
    freed = sum(len(moment.freed) for moment in part.moments)
    collected = sum(moment.collected is not None for moment in part.moments)
    if freed:
        lines.append(f"read and let go of: {counted(freed, 'saved tensor')}")
    if collected:
        lines.append(f"collected: {counted(collected, 'gradient')}")
    return lines


def _lines_of(moment: Moment, data: BackwardData, turns: Mapping[int, int]) -> list[str]:
    """What happens in one node's turn: its name, then a line for each thing, and for each arrow along which a gradient
    goes on.
    """
    step = data.graph.steps[moment.step]
    arrived = [gradient for gradient in moment.arrived if gradient is not None]
    lines = [step_name(step), f"arrives: {', '.join(arrived) or 'nothing'}"]
    if moment.hooked:
        lines.append("a hook was called with it first")
    if moment.freed:
        lines.append(f"reads and lets go of: {', '.join(moment.freed)}")
    if moment.collected is not None:
        before = "" if moment.was is None else f", and was {moment.was}"
        lines.append(f"collects: {moment.collected}{before}")
    ways = [way for way in zip(step.inputs, moment.sent, strict=False) if None not in way]
    for target, words in ways if len(ways) <= MOST_WAYS else ways[: MOST_WAYS - 1]:
        assert target is not None
        at = f", step {turns[target]:,}" if target in turns else ""
        lines.append(f"goes on to {step_name(data.graph.steps[target])}{at}: {words}")
    if len(ways) > MOST_WAYS:
        lines.append(f"and goes on to {len(ways) - MOST_WAYS + 1:,} more nodes")
    return lines
