"""A watched cell as pictures: a card for each storage, with its headers; and one static SVG of the whole story.

The static picture shows the steps, one below the other, and beneath them the memory as the cell left it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from glassroom.drawing.canvas import (
    ADVANCE,
    FACT_ADVANCE,
    HUES,
    LINE,
    PAD,
    TINY_ADVANCE,
    Drawing,
    Shared,
    folded,
    in_xml_only,
    narrow,
    number,
    room,
    shortened,
    style,
)
from glassroom.drawing.snapshot.svg import Strips, draw_strip
from glassroom.inspectors.watch.stepping import RAISES
from glassroom.inspectors.watch.story import Moment, Story
from glassroom.inspectors.watch.words import happenings, header_line, limits, signed, storage_line, summary, totals
from glassroom.records.cells import Cell, Cells
from glassroom.records.columns import columns as columns_of
from glassroom.records.snapshot import Storage

CSS = style(Path(__file__).with_name("picture.css"))
ROOM = 440.0  # the width of a card
MOST_CELLS = 32
MOST_ROWS = 40
ROW = 17
SOURCE = 40
WORDS = 90
CURVE = 48.0  # the width of the memory curve, which runs down beside the code
NAME = 20
LEAST_FACTS = 160.0  # the room that facts need beside a name


def hues_of(story: Story) -> dict[str, int]:
    """A colour for each header, the same at every step."""
    names = dict.fromkeys(header.name for moment in story.moments for header in moment.snapshot.headers)
    return {name: position % HUES for position, name in enumerate(names)}


@dataclass(frozen=True)
class Layouts:
    """What the cards of a story have in common, laid out once: strips without their values, and lines about headers."""

    strips: Strips = field(default_factory=dict)
    headers: dict[object, tuple[Shared, tuple[float, float], float]] = field(default_factory=dict)


def card_of(
    moment: Moment, storage: Storage, hues: Mapping[str, int], is_gone: bool = False, known: Layouts | None = None
) -> list[str]:
    """The card of one storage after a step, in parts; all cards share one style sheet."""
    drawing = Drawing()
    with narrow(min(ROOM, room())):
        draw_card(drawing, PAD - 6, moment, storage, hues, is_gone, known)
    return drawing.finished_parts(f"{storage.name}: {storage_line(storage, is_gone)}", CSS, is_part=True)


def draw_card(
    drawing: Drawing,
    top: float,
    moment: Moment,
    storage: Storage,
    hues: Mapping[str, int],
    is_gone: bool = False,
    known: Layouts | None = None,
) -> float:
    """Draw a storage's name and strip, and beneath them its headers; returns the bottom. What is laid out already is
    taken from `known`.
    """
    known = known or Layouts()
    snapshot = moment.gone if is_gone else moment.snapshot
    written = () if is_gone else moment.written.get(storage.name, ())
    headers = snapshot.headers_on(storage)
    drawing.add(f'<g class="{"gone" if is_gone else "kept"}">')
    drawing.text(PAD, top + 14, storage.name, "name")
    facts = storage_line(storage, is_gone)
    x = PAD + (len(storage.name) + 1) * 9
    if x > room() - LEAST_FACTS:  # the name is as long as the card
        x, top = PAD, top + LINE
    top = drawing.wrapped(x, top + 14, facts, "fact bad" if is_gone else "fact soft") - 14
    shown = replace(storage, cells=_visible(storage, written))
    most = min(ROOM, room())
    top = draw_strip(drawing, top + 22, shown, headers, hues, most=most, written_to=written, known=known.strips)
    for header in headers:
        words, hue = header_line(header, moment.facts.get(header.name)), hues.get(header.name, 0)
        key = top, header.name, words, hue, most
        if key not in known.headers:
            lines = Drawing()
            bottom = _draw_header(lines, top, header.name, words, hue)
            known.headers[key] = Shared(in_xml_only("".join(lines.parts))), (lines.right, lines.bottom), bottom
        part, extent, top = known.headers[key]
        drawing.add(part)
        drawing.extend(*extent)
    drawing.add("</g>")
    drawing.extend(PAD, top - 4)
    return top


def _draw_header(drawing: Drawing, top: float, name: str, words: str, hue: int) -> float:
    name = shortened(name, NAME)
    drawing.add(f'<g class="hue{hue}"><path class="lane" d="M{PAD} {number(top + 8)}h16"/>')
    drawing.text(PAD + 22, top + 12, name, "fact")
    x = PAD + 22 + (columns_of(name) + 1.5) * FACT_ADVANCE
    most = (min(ROOM, room()) - x) / FACT_ADVANCE
    for line in folded(words, most, most):
        drawing.text(x, top + 12, line, "fact soft")
        drawing.extend(x + columns_of(line) * FACT_ADVANCE, top + 16)
        top += 15
    drawing.add("</g>")
    return top


def _visible(storage: Storage, written: tuple[int, ...]) -> Sequence[Cell]:
    """The cells to show: if there are many, those at both ends and those that were written to."""
    cells = storage.cells
    if len(cells) <= MOST_CELLS:
        return cells
    changed: list[int] = []
    if written:
        changed = [at for at, cell in enumerate(cells) if cell.byte in written][: MOST_CELLS // 2]
    ends = (MOST_CELLS - len(changed)) // 2
    chosen = sorted({*range(ends), *range(len(cells) - ends, len(cells)), *changed})
    return cells.chosen(chosen) if isinstance(cells, Cells) else [cells[at] for at in chosen]


def svg_of_story(story: Story) -> str:
    """The steps, and the memory at the end."""
    drawing = Drawing()
    drawing.text(PAD, PAD + 14, "watch", "name")
    drawing.text(PAD + 62, PAD + 14, totals(story), "fact soft")
    drawing.extend(PAD + 62 + columns_of(totals(story)) * FACT_ADVANCE, PAD + 20)
    top: float = PAD + 34
    sources = [shortened(story.source(moment.statement), SOURCE) for moment in story.moments]
    place = max([80.0, *[34 + columns_of(moment.statement.place) * TINY_ADVANCE for moment in story.moments]])
    grown = max([0, *[len(signed(moment.difference)) for moment in story.moments]]) * TINY_ADVANCE
    columns = Columns(
        place=PAD + place,
        grown=PAD + place + 12 + grown,
        curve=PAD + place + 20 + grown,
        source=PAD + place + 28 + grown + CURVE,
        words=PAD + place + 46 + grown + CURVE + max(map(len, sources), default=0) * ADVANCE,
    )
    most = max([1, *[moment.high for moment in story.moments]])
    for moment, source in list(zip(story.moments, sources, strict=True))[:MOST_ROWS]:
        top = _draw_step(drawing, top, columns, moment, source, most)
    rest = [f"and {len(story.moments) - MOST_ROWS:,} more steps"] if len(story.moments) > MOST_ROWS else []
    for words in [*rest, *limits(story)]:
        drawing.text(PAD, top + 12, words, "fact soft")
        drawing.extend(PAD + columns_of(words) * FACT_ADVANCE, top + ROW)
        top += ROW
    if story.moments and story.moments[-1].snapshot.storages:
        last = story.moments[-1]
        drawing.rule(top + 6)
        drawing.text(PAD, top + 28, "after the last step", "fact soft")
        top += 36
        hues = hues_of(story)
        for storage in last.snapshot.storages:
            top = draw_card(drawing, top, last, storage, hues) + 10
    return drawing.finished(summary(story), CSS)


@dataclass(frozen=True)
class Columns:
    """The x positions of the columns of the steps; the line and the growth in bytes are aligned to the right there."""

    place: float
    grown: float
    curve: float
    source: float
    words: float


def _draw_step(drawing: Drawing, top: float, columns: Columns, moment: Moment, source: str, most: int) -> float:
    """Draw a step: its line, the growth of memory, the bytes held after it and at most during it, and what it did."""
    drawing.text(PAD + 26, top + 12, str(moment.number), "tiny end")
    drawing.text(columns.place, top + 12, moment.statement.place, "tiny end")
    drawing.text(columns.grown, top + 12, signed(moment.difference), "fact end")
    drawing.text(columns.source, top + 12, source, "source")
    words = [shortened(happening, WORDS) for happening in happenings(moment)] or [""]
    height = ROW * len(words)
    held, high = (CURVE * amount / most for amount in (moment.held, moment.high))
    x, y = number(columns.curve), number(top)
    drawing.add(f'<rect class="held" x="{x}" y="{y}" width="{number(held)}" height="{height}"/>')
    drawing.add(f'<path class="high" d="M{number(columns.curve + high)} {y}v{height}"/>')
    look = "fact bad" if moment.how.startswith(RAISES) else "fact"
    for line in words:
        drawing.text(columns.words, top + 12, line, look)
        drawing.extend(columns.words + columns_of(line) * FACT_ADVANCE, top + ROW)
        top += ROW
    return top
