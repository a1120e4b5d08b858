"""A memory timeline as text: for each device how much was held, and for each storage its life, event by event."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from glassroom.inspectors.timeline.timeline import Curve, Row, Timeline
from glassroom.inspectors.timeline.words import (
    kept,
    left_out,
    made_by,
    peak,
    pool_facts,
    pools_shown,
    simulated_time,
    totals,
)

COLUMNS = 40  # events are drawn side by side in so many columns
NAME = 16
SOURCE = 40
BARS = " ▁▂▃▄▅▆▇█"


def text_of_timeline(timeline: Timeline) -> str:
    """The whole timeline."""
    if not timeline.steps:
        return "memory timeline · no storage of tensorglass's was made, freed or copied"
    columns = _columns(len(timeline.steps))
    lines = [f"memory timeline · {totals(timeline)}"]
    time = simulated_time(timeline)
    if time:
        lines.append(time)
    if columns[1] - columns[0] > 1:
        lines.append(f"each column is {columns[1] - columns[0]:,} events")
    name_width = max([len(_short(row.name, NAME)) for row in timeline.rows], default=0)
    bytes_width = max([len(row.amount) for row in timeline.rows], default=0)
    gutter = max(name_width + bytes_width + 3, len("copies, transfers"))
    for curve in timeline.curves:
        if any(curve.levels):
            lines += ["", f"{curve.device} · {peak(curve)} · {kept(curve)}"]
            lines.append(" " * gutter + "  " + _sparkline(curve, columns))
        else:
            lines += ["", f"{curve.device} · as many bytes as at the start"]
        marks = _marks(timeline, columns)
        if marks.strip() and curve is timeline.curves[0]:
            lines.append("copies, transfers".rjust(gutter) + "  " + marks)
        for row in timeline.rows:
            if row.lives[0].device == curve.device:
                name = _short(row.name, NAME).ljust(name_width)
                head = f"  {name} {row.amount:>{bytes_width}}".ljust(gutter)
                lines.append(f"{head} {_bar(row, columns)}  {_short(made_by(row), SOURCE)}")
        lines += [f"  {title}: {pool_facts(found.pool)}" for title, found in pools_shown(timeline, curve)]
    rest = left_out(timeline)
    if rest:
        lines += ["", rest]
    return "\n".join(lines)


def _columns(events: int) -> list[int]:
    """Where each column begins, in events, and where the last one ends."""
    step = -(-events // COLUMNS)
    return [*range(1, events + 1, step), events + 1]


def _sparkline(curve: Curve, columns: Sequence[int]) -> str:
    highest = max(curve.peak, 1)
    heights = [max(curve.levels[begin:end]) for begin, end in pairwise(columns)]
    return "".join(BARS[max(min(-(-height * 8 // highest), 8), 0)] for height in heights)


def _marks(timeline: Timeline, columns: Sequence[int]) -> str:
    kinds = [{step.kind for step in timeline.steps[begin - 1 : end - 1]} for begin, end in pairwise(columns)]
    return "".join("⇄" if "moved" in each else "c" if "copied" in each else " " for each in kinds).rstrip()


def _bar(row: Row, columns: Sequence[int]) -> str:
    spans = row.spans(columns[-1] - 1)
    cells = [any(first < end and begin <= last for first, last in spans) for begin, end in pairwise(columns)]
    bar = "".join("█" if cell else "·" for cell in cells)
    return f"{' ' if row.lives[0].born else '<'}{bar}{'>' if row.is_alive else ' '}"


def _short(words: str, longest: int) -> str:
    return words if len(words) <= longest else f"{words[: longest - 1]}…"
