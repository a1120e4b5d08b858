"""A memory timeline as text: for each device how much was held, and for each storage its life, event by event."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from glassroom.drawing.canvas import shortened
from glassroom.drawing.words import sized
from glassroom.inspectors.timeline.bands import Bands
from glassroom.inspectors.timeline.timeline import Row, Timeline
from glassroom.inspectors.timeline.words import (
    NOTHING,
    bands_on,
    kept,
    left_out,
    listed_roles,
    made_by,
    peak,
    peak_of,
    pool_facts,
    pools_shown,
    scratch,
    simulated_time,
    totals,
)
from glassroom.reading.roles import ROLES
from glassroom.records.columns import columns as columns_of
from glassroom.records.columns import ljust, rjust
from glassroom.translations.templates import word

COLUMNS = 40  # columns in which events are drawn side by side
NAME = 16
SOURCE = 40
LABEL = 48  # the width of a line's or a module's label
MOST_SHARES = 8
BARS = " ▁▂▃▄▅▆▇█"


def text_of_timeline(timeline: Timeline) -> str:
    """The whole timeline."""
    if not timeline.steps:
        return "\n".join([f"memory timeline · {NOTHING}", *timeline.notes])
    columns = _columns(len(timeline.steps))
    lines = [f"memory timeline · {totals(timeline)}"]
    time = simulated_time(timeline)
    if time:
        lines.append(time)
    if columns[1] - columns[0] > 1:
        lines.append(f"each column is {columns[1] - columns[0]:,} events")
    name_width = max([columns_of(shortened(row.name, NAME)) for row in timeline.rows], default=0)
    bytes_width = max([columns_of(row.amount) for row in timeline.rows], default=0)
    gutter = max(name_width + bytes_width + 3, columns_of("copies, transfers"))
    for curve in timeline.curves:
        bands = bands_on(timeline, curve)
        if bands is not None:
            lines += ["", f"{curve.device} · {peak_of(bands)} · {kept(curve)}", *_bands(bands, columns)]
            lines += ["", word("storages")] if timeline.rows else []
        elif any(curve.levels):
            lines += ["", f"{curve.device} · {peak(curve)} · {kept(curve)}"]
            lines.append(" " * gutter + "  " + _sparkline(curve.levels, columns, curve.peak))
        else:
            lines += ["", f"{curve.device} · as many bytes as at the start"]
        marks = _marks(timeline, columns)
        if marks.strip() and curve is timeline.curves[0]:
            lines.append(rjust("copies, transfers", gutter) + "  " + marks)
        for row in timeline.rows:
            if row.lives[0].device == curve.device:
                name = ljust(shortened(row.name, NAME), name_width)
                head = ljust(f"  {name} {rjust(row.amount, bytes_width)}", gutter)
                lines.append(f"{head} {_bar(row, columns)}  {shortened(made_by(row), SOURCE)}")
        lines += [f"  {title}{word(': ')}{pool_facts(moment.pool)}" for title, moment in pools_shown(timeline, curve)]
    rest = left_out(timeline)
    lines += ["", rest] if rest else []
    return "\n".join([*lines, *timeline.notes])


def _bands(bands: Bands, columns: Sequence[int]) -> list[str]:
    """The lines about the bands, and what the peak consists of."""
    at_peak = bands.at(bands.peak_at)
    lines = ["", f"{'':29}  at the peak"]
    for role in reversed(ROLES):
        if role in at_peak:
            spark = _sparkline(bands.levels[role], columns, bands.peak)
            lines.append(f"  {ljust(role, 15)}  {rjust(sized(at_peak[role]), 12)}  {spark}".rstrip())
    lines.append(
        f"  {ljust(word('total'), 15)}  {rjust(sized(bands.peak), 12)}  {_sparkline(bands.totals, columns, bands.peak)}"
    )
    words = scratch(bands)
    lines += [f"  {words}"] if words else []
    for title, shares in (("the peak by line", bands.by_line), ("the peak by module", bands.by_module)):
        lines += ["", title]
        for share in shares[:MOST_SHARES]:
            head = f"  {rjust(sized(share.nbytes), 12)}  {ljust(shortened(share.label, LABEL), LABEL)}"
            lines.append(f"{head}  {listed_roles(share.by_role)}")
        if len(shares) > MOST_SHARES:
            rest = sum(share.nbytes for share in shares[MOST_SHARES:])
            lines.append(f"  {rjust(sized(rest), 12)}  in {len(shares) - MOST_SHARES:,} more")
    return lines


def _columns(events: int) -> list[int]:
    """Where each column begins, in events, and where the last one ends."""
    step = -(-events // COLUMNS)
    return [*range(1, events + 1, step), events + 1]


def _sparkline(levels: Sequence[int], columns: Sequence[int], peak: int) -> str:
    highest = max(peak, 1)
    heights = [max(levels[begin:end]) for begin, end in pairwise(columns)]
    return "".join(BARS[max(min(-(-height * 8 // highest), 8), 0)] for height in heights)


def _marks(timeline: Timeline, columns: Sequence[int]) -> str:
    kinds = [{step.kind for step in timeline.steps[begin - 1 : end - 1]} for begin, end in pairwise(columns)]
    return "".join(
        "⇄" if "moved" in kinds_there else "c" if "copied" in kinds_there else " " for kinds_there in kinds
    ).rstrip()


def _bar(row: Row, columns: Sequence[int]) -> str:
    spans = row.spans(columns[-1] - 1)
    cells = [any(first < end and begin <= last for first, last in spans) for begin, end in pairwise(columns)]
    bar = "".join("█" if cell else "·" for cell in cells)
    return f"{' ' if row.lives[0].born else '<'}{bar}{'>' if row.is_alive else ' '}"
