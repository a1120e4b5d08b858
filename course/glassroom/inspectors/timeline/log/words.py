"""The sentences of a memory log, and the log as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from glassroom.drawing.words import counted, listed, sized
from glassroom.inspectors.timeline.log.growth import LEAST, GraphGrowth, LineGrowth
from glassroom.inspectors.timeline.log.looks import Look, OnDevice
from glassroom.inspectors.timeline.words import listed_roles
from glassroom.records.columns import ljust
from glassroom.translations.templates import word

if TYPE_CHECKING:
    from glassroom.inspectors.timeline.log.inspector import Log

STEADY = "no line adds memory step by step, and no graph grows"


def totals(log: Log) -> str:
    """The number of steps and of looks."""
    return f"{counted(log.steps, 'step')}, {len(log.looks):,} looked at"


def summary(log: Log) -> str:
    """The log in one sentence."""
    grown = [*[growth_of(line) for line in log.lines[:1]], *[nodes_of(graph) for graph in log.graphs[:1]]]
    return f"Memory log: {word('; ').join([totals(log), *(grown or [growth_unknown(log) or STEADY])])}."


def growth_unknown(log: Log) -> str:
    """Why growth by line cannot be judged; "" if it can."""
    return "" if log.judged >= LEAST else "by which line memory grows is told from the third look on"


def growth_of(line: LineGrowth) -> str:
    """What a line adds: `400 bytes more each step by train.py line 12: …, held by history`."""
    holders = held_by(line)
    told = f"{each_step(line)} by {line.line}"
    return word(f"{told}, {holders}") if holders else told


def each_step(line: LineGrowth) -> str:
    """`400 bytes more each step`"""
    return f"{sized(round(line.nbytes))} more each step"


def held_by(line: LineGrowth) -> str:
    """`held by history`; "" if no variable leads to it."""
    return f"held by {listed(line.holders)}" if line.holders else ""


def nodes_of(graph: GraphGrowth) -> str:
    """`total reaches 32,000 nodes, 16 more each step`"""
    more = f"{graph.more:,.1f}".removesuffix(".0")
    return f"{graph.name} reaches {counted(graph.nodes, 'node')}, {more} more each step"


def on_device(look: Look, device: OnDevice) -> str:
    """What a look saw on a device."""
    return f"{_peak_on(look, device)} · {listed_roles(device.by_role)}"


def _peak_on(look: Look, device: OnDevice) -> str:
    return f"{device.device} · peak {sized(device.peak)} in step {look.step:,}, {sized(device.held)} after it"


def text_of_log(log: Log) -> str:
    """The whole log: what grows, and what the last look saw."""
    lines = [f"memory log · {totals(log)}"]
    lines += [f"  {growth_of(line)}" for line in log.lines]
    lines += [f"  {nodes_of(graph)}" for graph in log.graphs]
    unknown = growth_unknown(log)
    if unknown:
        lines.append(f"  {unknown}")
    elif not log.lines and not log.graphs:
        lines.append(f"  {STEADY}")
    for look in log.looks[-1:]:
        for device in look.devices:
            lines.append(_peak_on(look, device))
            lines += [f"  {ljust(role, 16)}{sized(nbytes)}" for role, nbytes in device.by_role.items() if nbytes]
        lines += look.notes
    return "\n".join(lines)
