"""A memory log as a picture: the bands of the looks side by side, and beneath them what grows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from glassroom.drawing.canvas import FACT_ADVANCE, PAD, Drawing, is_narrow, number, room, shortened, style
from glassroom.drawing.words import sized
from glassroom.inspectors.timeline.bands import Bands
from glassroom.inspectors.timeline.bands_svg import CHART, draw_legend, draw_stack, legend_rows
from glassroom.inspectors.timeline.bands_svg import CSS as BANDS_CSS
from glassroom.inspectors.timeline.log.looks import Look, OnDevice
from glassroom.inspectors.timeline.log.words import (
    STEADY,
    each_step,
    growth_of,
    growth_unknown,
    held_by,
    nodes_of,
    on_device,
    summary,
    text_of_log,
    totals,
)
from glassroom.inspectors.timeline.svg import CSS as TIMELINE_CSS
from glassroom.inspectors.timeline.svg import left, plot, words
from glassroom.reading.roles import ROLES
from glassroom.records.columns import columns as columns_of

if TYPE_CHECKING:
    from glassroom.inspectors.timeline.log.inspector import Log

CSS = TIMELINE_CSS + BANDS_CSS + style(Path(__file__).with_name("picture.css"))
LABEL = 200  # characters, wrapped into lines
NOT_SEEN = OnDevice("", 0, 0, {})


def svg_of_log(log: Log) -> str:
    """The picture of a log."""
    drawing = Drawing()
    drawing.text(PAD, PAD + 14, "memory log", "name")
    top = drawing.wrapped(PAD + 104, PAD + 14, totals(log), "fact soft", left=PAD) + 16
    cursor = ""
    for bands in _bands(log):
        begin, end, top = _draw_bands(drawing, top, log, bands)
        cursor += f"M0 {number(begin)}V{number(end)}"
    top = _draw_growth(drawing, top + 4, log)
    for note in log.looks[-1].notes if log.looks else ():
        top = drawing.wrapped(PAD, top + 12, note, "fact soft") + 6
    drawing.add(f'<path class="cursor" d="{cursor}"/>')
    drawing.extend(room() - PAD, top)
    return drawing.finished(summary(log), CSS)


def _bands(log: Log) -> list[Bands]:
    """For each device the bands of all looks, at their peaks."""
    bands = []
    for device in sorted({seen.device for look in log.looks for seen in look.devices}):
        peaks = [_on(look, device).by_role for look in log.looks]
        levels = {role: tuple(peak.get(role, 0) for peak in peaks) for role in ROLES}
        kept = {role: level for role, level in levels.items() if any(level)}
        if kept:
            bands.append(Bands(device, kept, (), (), 0))
    return bands


def _on(look: Look, device: str) -> OnDevice:
    return next((on_device for on_device in look.devices if on_device.device == device), NOT_SEEN)


def x_of(log: Log, at: int) -> float:
    """The x position of a look; the first is look 0."""
    return left() + plot() * at / len(log.looks)


def _draw_bands(drawing: Drawing, top: float, log: Log, bands: Bands) -> tuple[float, float, float]:
    """Draw the bands of a device; returns the chart's top and bottom, and the bottom of everything."""
    drawing.rule(top)
    top += 16
    drawing.text(PAD, top + 6, bands.device, "title")
    look = log.looks[bands.peak_at]
    most = f"the highest peak that was seen: {sized(bands.peak)}, in step {look.step:,}"
    top = drawing.wrapped(PAD + 60, top + 6, most, "fact soft") + 13
    drawing.text(left() - 8, top + 8, sized(bands.peak), "tiny end")
    drawing.text(left() - 8, top + CHART, "0", "tiny end")
    draw_stack(drawing, left(), top, plot(), bands, max(bands.peak, 1))
    bottom = top + CHART + 12
    drawing.text(left(), bottom, f"step {log.looks[0].step:,}", "tiny")
    if len(log.looks) > 1:
        drawing.text(left() + plot(), bottom, f"step {log.looks[-1].step:,}", "tiny end")
    beside = bottom + 8 if is_narrow() else top
    drawing.text(words() + 118 + 100, beside + 8, "at the peak", "tiny end")
    legend = draw_legend(drawing, words(), beside + 16, legend_rows(bands), 100)
    drawing.extend(left() + plot(), bottom + 4)
    return top, top + CHART, max(legend - 4, bottom) + 8


def _draw_growth(drawing: Drawing, top: float, log: Log) -> float:
    drawing.rule(top)
    top += 16
    drawing.text(PAD, top + 6, "what grows", "title")
    top += 18
    plainly = growth_unknown(log) or ("" if log.lines or log.graphs else STEADY)
    if plainly:
        top = drawing.wrapped(PAD, top + 11, plainly, "fact soft") + 6
    most = max([1.0, *(line.nbytes for line in log.lines)])
    beside = max([190, *(columns_of(each_step(line)) * FACT_ADVANCE + 8 for line in log.lines)])
    on = f"1-{len(log.looks)}"
    for line in log.lines:
        drawing.add(f'<g class="life hue4" data-on="{on}" data-says={quoteattr(growth_of(line))}>')
        top = drawing.wrapped(PAD, top + 11, shortened(line.line, LABEL), "fact")
        width = max((room() - 2 * PAD - beside) * line.nbytes / most, 2)
        drawing.add(f'<rect x="{PAD}" y="{number(top + 6)}" width="{number(width)}" height="10"/>')
        drawing.text(PAD + width + 8, top + 15, each_step(line), "fact")
        top = drawing.wrapped(PAD, top + 31, held_by(line), "fact soft") + 10
        drawing.add("</g>")
    for graph in log.graphs:
        drawing.add(f'<g class="life hue4" data-on="{on}" data-says={quoteattr(nodes_of(graph))}>')
        top = drawing.wrapped(PAD, top + 11, shortened(nodes_of(graph), LABEL), "fact") + 6
        drawing.add("</g>")
    return top


def state_of(log: Log) -> dict[str, Any]:
    """The state of the widget: look by look."""
    frames = [
        {
            "at": at,
            "x": round(x_of(log, at - 1), 1),
            "lines": [f"step {look.step:,}", *[on_device(look, on_one) for on_one in look.devices], *look.notes],
            "map": -1,
        }
        for at, look in enumerate(log.looks, 1)
    ]
    return {
        "svg": svg_of_log(log),
        "text": text_of_log(log),
        "label": summary(log),
        "kind": "memory log",
        "unit": "look",
        "before": [summary(log), "Step through the looks with the arrow keys, or point at one."],
        "frames": frames,
        "maps": [],
    }
