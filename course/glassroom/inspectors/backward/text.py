"""A recorded backward as text: one line for each node's turn."""

from __future__ import annotations

from glassroom.drawing.graph.text import step_name
from glassroom.inspectors.backward.recording import BackwardData, Moment


def text_of_backward(data: BackwardData) -> str:
    """The turns in order."""
    lines = []
    for turn, moment in enumerate(data.moments, start=1):
        head, *rest = lines_of(moment, data)
        lines.append(f"{turn:>2}. {head}")
        lines += [f"    {line}" for line in rest]
    return "\n".join(lines)


def lines_of(moment: Moment, data: BackwardData) -> list[str]:
    """What happens in one node's turn: its name, then a line for each thing, and for each arrow along which a gradient
    goes on.
    """
    step = data.graph.steps[moment.step]
    arrived = [each for each in moment.arrived if each is not None]
    lines = [step_name(step), f"arrives: {', '.join(arrived) or 'nothing'}"]
    if moment.hooked:
        lines.append("a hook was called with it first")
    if moment.freed:
        lines.append(f"reads and lets go of: {', '.join(moment.freed)}")
    if moment.collected is not None:
        before = "" if moment.was is None else f", and was {moment.was}"
        lines.append(f"collects: {moment.collected}{before}")
    turns = {each.step: turn for turn, each in enumerate(data.moments, start=1)}
    for target, words in zip(step.inputs, moment.sent, strict=False):
        if target is not None and words is not None:
            at = f", step {turns[target]}" if target in turns else ""
            lines.append(f"goes on to {step_name(data.graph.steps[target])}{at}: {words}")
    return lines
