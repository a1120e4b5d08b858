"""A recorded backward as text: a line for each node's turn."""

from __future__ import annotations

from glassroom.drawing.graph.text import step_name
from glassroom.inspectors.backward.recording import BackwardData, Moment
from glassroom.records.graph import Step


def text_of_backward(data: BackwardData) -> str:
    """The turns in order."""
    lines = []
    for turn, moment in enumerate(data.moments, start=1):
        head, *rest = lines_of(moment, data.graph.steps[moment.step])
        lines.append(f"{turn:>2}. {head}")
        lines += [f"    {line}" for line in rest]
    return "\n".join(lines)


def lines_of(moment: Moment, step: Step) -> list[str]:
    """What happens in one node's turn: its name, then a line for each thing."""
    arrived = [each for each in moment.arrived if each is not None]
    lines = [step_name(step), f"arrives: {', '.join(arrived) or 'nothing'}"]
    if moment.hooked:
        lines.append("a hook was called with it first")
    if moment.freed:
        lines.append(f"reads and lets go of: {', '.join(moment.freed)}")
    if moment.collected is not None:
        lines.append(f"collects: {moment.collected}")
    sent = [each for each in moment.sent if each is not None]
    if sent:
        lines.append(f"goes on: {', '.join(sent)}")
    return lines
