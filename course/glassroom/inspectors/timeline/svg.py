"""A memory timeline as one static SVG: for each device the bytes held as a step chart, and beneath it a bar for each
storage from birth to end.

Parts carry the events at which they exist in `data-on`, and a description in `data-says`; the live form needs nothing
else.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import quoteattr

from glassroom.drawing.canvas import (
    ADVANCE,
    FACT_ADVANCE,
    HUES,
    PAD,
    Drawing,
    is_narrow,
    number,
    room,
    shortened,
    style,
)
from glassroom.drawing.words import short, sized
from glassroom.inspectors.timeline.bands import Bands
from glassroom.inspectors.timeline.bands_svg import CHART as CHART_OF_BANDS
from glassroom.inspectors.timeline.bands_svg import CSS as BANDS_CSS
from glassroom.inspectors.timeline.bands_svg import LOOKS, draw_legend, draw_shares, draw_stack, legend_rows
from glassroom.inspectors.timeline.pool_svg import CSS as POOL_CSS
from glassroom.inspectors.timeline.pool_svg import draw_pool
from glassroom.inspectors.timeline.timeline import Curve, Row, Timeline
from glassroom.inspectors.timeline.words import (
    NOTHING,
    bands_on,
    kept,
    left_out,
    made_by,
    peak,
    peak_of,
    pools_shown,
    said,
    scratch,
    sentence,
    simulated_time,
    summary,
    totals,
)
from glassroom.records.columns import columns as columns_of
from glassroom.translations.templates import word

CSS = style(Path(__file__).with_name("picture.css"))
LEFT, LEFT_NARROW = 188, 112  # where the plot begins: names and bytes stand before it
PLOT = 310
CHART = 84
BAR = 18
MOST_TICKS = 14
MOST_BRICKS = 40
MOST_MARKS = 100
LONGEST_SOURCE = 40


def left() -> int:
    """The left edge of the plot."""
    return LEFT if room() > LEFT + PLOT else LEFT_NARROW


def plot() -> float:
    """The width of the plot."""
    return room() - PAD - 12 - left() if is_narrow() else PLOT


def words() -> float:
    """The left edge of the words behind the bars; on a narrow screen they stand beneath the bars."""
    return PAD + 8.0 if is_narrow() else LEFT + PLOT + 18.0


def svg_of_timeline(timeline: Timeline) -> str:
    """The picture of a timeline."""
    drawing = Drawing()
    drawing.text(PAD, PAD + 14, "memory timeline", "name")
    if timeline.steps:
        drawing.extend(left() + plot() + 12, PAD + 14)
    facts = totals(timeline) if timeline.steps else NOTHING
    top = drawing.wrapped(PAD + 150, PAD + 14, facts, "fact soft", left=PAD) + 16
    time = simulated_time(timeline)
    if time:
        top = drawing.wrapped(PAD, top + 4, time, "fact soft") + 12
    hues = hues_of(timeline)
    cursor = ""
    for curve in timeline.curves:
        chart, top, tables = _draw_device(drawing, top, timeline, curve, hues)
        for high, low in pairwise((chart, *tables, top)):
            cursor += f"M0 {number(high)}V{number(low)}" if high not in tables[:1] else ""
        top = _draw_pools(drawing, top, timeline, curve, hues)
    rest = left_out(timeline)
    if rest:
        top = drawing.wrapped(PAD, top + 10, rest, "fact soft") + 6
    for note in timeline.notes:
        top = drawing.wrapped(PAD, top + 10, note, "fact soft") + 6
    drawing.add(f'<path class="cursor" d="{cursor}"/>')
    return drawing.finished(summary(timeline), CSS + (BANDS_CSS if timeline.is_of_training else "") + POOL_CSS)


def hues_of(timeline: Timeline) -> dict[str, int]:
    """The hue of each storage that is drawn, by name."""
    return {life.name: position % HUES for position, row in enumerate(timeline.rows) for life in row.lives}


def x_of(timeline: Timeline, event: int) -> float:
    """The x position of an event; the state after it extends to that of the next one."""
    return left() + plot() * event / (len(timeline.steps) + 1)


def _draw_device(
    drawing: Drawing, top: float, timeline: Timeline, curve: Curve, hues: Mapping[str, int]
) -> tuple[float, float, tuple[float, ...]]:
    """Draw what happened on a device; returns the top of its chart, the bottom, and the range of the tables, if there
    are any.
    """
    tables: tuple[float, ...] = ()
    drawing.rule(top)
    top += 16
    drawing.text(PAD, top + 6, curve.device, "title")
    bands = bands_on(timeline, curve)
    if bands is not None:
        begin, chart, high = _draw_bands(drawing, top, timeline, curve, bands)
        top = draw_shares(drawing, high + 15, "the peak by line", bands, bands.by_line)
        top = draw_shares(drawing, top, "the peak by module", bands, bands.by_module)
        drawing.text(PAD, top + 12, "storages", "title")
        top += 22
        tables = (chart, top)
    elif any(curve.levels):
        drawing.text(PAD + (len(curve.device) + 1) * 7.9, top + 6, "bytes above the start", "tiny")
        _draw_curve(drawing, top + 14, timeline, curve)
        _draw_ticks(drawing, top + CHART + 25, timeline)
        begin, chart = top + 10, top + CHART + 25
        top = _draw_facts(drawing, top, timeline, curve)
    else:
        drawing.text(left(), top + 6, "as many bytes as at the start", "fact soft")
        begin = chart = top = top + 14
    if curve is timeline.curves[0]:
        top = _draw_marks(drawing, top, timeline)
    for row in timeline.rows:
        if row.lives[0].device == curve.device:
            look = f"hue{hues[row.lives[0].name]}" if bands is None else LOOKS[row.lives[0].role]
            top = _draw_row(drawing, top, timeline, row, look)
    return begin, top, ((chart, top) if is_narrow() else tables)  # on a narrow screen words stand between the bars


def _draw_bands(
    drawing: Drawing, top: float, timeline: Timeline, curve: Curve, bands: Bands
) -> tuple[float, float, float]:
    """Draw the bands of a device and their legend; returns the chart's top and bottom, and the bottom of everything."""
    for said_of_all in [f"{peak_of(bands)} · {kept(curve)}", *filter(None, [scratch(bands)])]:
        top = drawing.wrapped(PAD + 60, top + 6, said_of_all, "fact soft") + 9
    top += 4
    drawing.text(left() - 8, top + 8, sized(bands.peak), "tiny end")
    drawing.text(left() - 8, top + CHART_OF_BANDS, "0", "tiny end")
    draw_stack(drawing, left(), top, plot(), bands, max(bands.peak, 1))
    _draw_ticks(drawing, top + CHART_OF_BANDS + 11, timeline)
    beside = top + CHART_OF_BANDS + 18 if is_narrow() else top
    drawing.text(words() + 118 + 100, beside + 8, "at the peak", "tiny end")
    bottom = draw_legend(drawing, words(), beside + 16, legend_rows(bands), 100)
    chart = top + CHART_OF_BANDS + 11
    return top, chart, max(bottom - 4, chart)


def _draw_pools(drawing: Drawing, top: float, timeline: Timeline, curve: Curve, hues: Mapping[str, int]) -> float:
    for title, moment in pools_shown(timeline, curve):
        top = draw_pool(drawing, top + 10, moment, hues, title)
    return top + 8


def _draw_curve(drawing: Drawing, top: float, timeline: Timeline, curve: Curve) -> None:
    low, high = min(0, *curve.levels), max(1, *curve.levels)

    def y(level: int) -> float:
        return top + CHART * (high - level) / (high - low)

    begin, end = left(), left() + plot()
    steps = f"M{begin} {number(y(0))}"
    previous = 0
    stride = max(len(curve.levels) // int(plot() / 2), 1)  # of the events that share a pixel, the highest is drawn
    for event in range(0, len(curve.levels), stride):
        level = max(curve.levels[event : event + stride])
        if level != previous:
            steps += f"H{number(x_of(timeline, event))}V{number(y(level))}"
            previous = level
    steps += f"H{number(end)}"
    drawing.add(
        f'<path class="axis" d="M{begin} {number(top)}V{number(top + CHART)}M{begin} {number(y(0))}H{number(end)}"/>'
    )
    drawing.add(f'<path class="level" d="{steps}V{number(y(0))}H{begin}z"/><path class="edge" d="{steps}"/>')
    drawing.text(begin - 8, y(0) + (4 if low else 0), "0", "tiny end")
    if curve.peak_at:
        x = x_of(timeline, curve.peak_at)
        drawing.add(
            f'<path class="peak" d="M{begin} {number(y(curve.peak))}H{number(end + 8)}"/>'
            f'<circle class="peakdot" cx="{number(x)}" cy="{number(y(curve.peak))}" r="3.5"/>'
        )
        drawing.text(begin - 8, top + 8, sized(curve.peak), "tiny end")


def _draw_facts(drawing: Drawing, top: float, timeline: Timeline, curve: Curve) -> float:
    """Draw the facts about a curve, beside it or, on a narrow screen, beneath it; returns the bottom of both."""
    facts = [(peak(curve), "fact")]
    if curve.peak_at:
        facts.append((shortened(str(timeline.steps[curve.peak_at - 1].where), LONGEST_SOURCE), "fact soft"))
    facts.append((kept(curve), "fact"))
    y = top + (CHART + 46 if is_narrow() else 18)
    for line, look in facts:
        drawing.text(words(), y, line, look)
        drawing.extend(words() + columns_of(line) * FACT_ADVANCE, y)
        y += 16
    return max(top + CHART + 34, y - 4 if is_narrow() else 0)


def _draw_ticks(drawing: Drawing, y: float, timeline: Timeline) -> None:
    """Numbers of events beneath a chart."""
    last = len(timeline.steps)
    most = MOST_TICKS // 2 if is_narrow() else MOST_TICKS
    stride = next(step * 10**power for power in range(9) for step in (1, 2, 5) if last <= most * step * 10**power)
    ticks = range(stride, last + 1, stride) if stride > 1 else range(1, last + 1)
    for event in ticks:
        drawing.text(x_of(timeline, event), y, str(event), "tiny mid")
    drawing.text(left() - 8, y, word("event"), "tiny end")


def _draw_marks(drawing: Drawing, top: float, timeline: Timeline) -> float:
    """A row of copies and one of transfers, where there were any."""
    for kind, words in (("copied", word("copies")), ("moved", word("transfers"))):
        numbered_steps = [(event, step) for event, step in enumerate(timeline.steps, 1) if step.kind == kind]
        if not numbered_steps:
            continue
        drawing.text(PAD, top + 12, words, "fact soft")
        amount = short(sum(step.nbytes for _, step in numbered_steps))
        space = (left() - 8 - PAD) / FACT_ADVANCE
        beneath = 0 if columns_of(words) + 1 + columns_of(amount) <= space else 14
        drawing.text(left() - 8, top + 12 + beneath, amount, "fact soft end")
        together = -(-len(numbered_steps) // MOST_MARKS)  # very many copies share marks
        for begin in range(0, len(numbered_steps), together):
            part = numbered_steps[begin : begin + together]
            (event, step), (last, _) = part[0], part[-1]
            x, y = number(x_of(timeline, event)), number(top + 8)
            total = sized(sum(step.nbytes for _, step in part))
            several = f"events {event}–{last}: {len(part)} {words} of {total}"
            says = quoteattr(several if len(part) > 1 else f"event {event}: {sentence(step)}, {step.where}")
            shape = (
                f'<path class="copy" d="M{x} {y}m0 -5l5 5l-5 5l-5 -5z"/>'
                if kind == "copied"
                else f'<path class="move" d="M{x} {y}m-5 -3h10m-3 -3l3 3l-3 3m3 5h-10m3 -3l-3 3l3 3"/>'
            )
            drawing.add(f'<g class="mark" data-on="{event}-{last}" data-says={says}>{shape}</g>')
        top += BAR + 4 + beneath
    return top


def _draw_row(drawing: Drawing, top: float, timeline: Timeline, row: Row, look: str) -> float:
    """Draw one row of storages: their names, when they existed, and the line that made them; returns the bottom."""
    spans = row.spans(len(timeline.steps))
    on = " ".join(f"{first}-{last}" for first, last in spans)
    gone = "" if row.is_alive else " gone"
    drawing.add(f'<g class="life {look}{gone}" data-on="{on}" data-says={quoteattr(said(row))}>')
    space = int((left() - PAD - 14 - columns_of(row.amount) * FACT_ADVANCE) / ADVANCE)
    is_beneath = is_narrow() and len(row.name) > space  # there is more room above the line of code
    if not is_beneath:
        drawing.text(PAD, top + 13, shortened(row.name, max(space, 1)))
    drawing.text(left() - 8, top + 13, row.amount, "fact end")
    for lane, lanes, begin, end in _bars(timeline, row):
        y, height = top + lane * BAR / lanes, BAR / lanes - (lanes > 1)
        place = f'x="{number(begin)}" y="{number(y)}" width="{number(max(end - begin, 2))}" height="{number(height)}"'
        drawing.add(f"<rect {place}/>")
    if row.is_alive:
        x = number(left() + plot() + 2)
        drawing.add(f'<path class="alive" d="M{x} {number(top + 3)}l8 {BAR / 2 - 3}l-8 {BAR / 2 - 3}z"/>')
    line = shortened(f"{row.name} · {made_by(row)}" if is_beneath else made_by(row), LONGEST_SOURCE)
    y = top + BAR + 13 if is_narrow() else top + 13
    drawing.text(words(), y, line, "fact soft")
    drawing.add("</g>")
    drawing.extend(words() + columns_of(line) * FACT_ADVANCE, y + 5)
    return y + 9


def _bars(timeline: Timeline, row: Row) -> list[tuple[int, int, float, float]]:
    """The bars of a row: lane, number of lanes, start and end. A few storages alternate between two lanes, which shows
    which of them lived at the same time; of many storages, the bars only show when any of them lived.
    """
    last = len(timeline.steps)
    if len(row.lives) > MOST_BRICKS or len(row.lives) == 1:
        spans = [(x_of(timeline, begin), x_of(timeline, end + 1)) for begin, end in row.spans(last)]
        return [(0, 1, begin, end) for begin, end in _apart(spans)]
    ends = [last + 1 if life.ended is None else life.ended for life in row.lives]
    return [
        (number % 2, 2, x_of(timeline, life.born), x_of(timeline, end))
        for number, (life, end) in enumerate(zip(row.lives, ends, strict=True))
    ]


def _apart(bars: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The bars, with those that would touch joined into one."""
    spans: list[tuple[float, float]] = []
    for begin, end in bars:
        if spans and begin - spans[-1][1] < 2:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((begin, end))
    return spans
