"""An error as SVG: the lines one below the other, with what each did beside it."""

from __future__ import annotations

from pathlib import Path

from glassroom.drawing.boxes import draw_caption
from glassroom.drawing.canvas import ADVANCE, FACT_ADVANCE, PAD, Drawing, folded, number, room, shortened, style
from glassroom.inspectors.version_error.words import Found, remarks, said, summary
from glassroom.records.columns import columns as columns_of

CSS = style(Path(__file__).with_name("picture.css"))
SOURCE = 48


def svg_of(diagnosis: Found) -> str:
    """The picture."""
    drawing = Drawing()
    top = draw_caption(drawing, PAD, [summary(diagnosis)], look="title") + 10.0
    numbers = max(columns_of(line.called) for line in diagnosis.lines) * FACT_ADVANCE
    longest = min(SOURCE, int((room() - 2 * PAD - numbers - 26) / ADVANCE))
    sources = max(len(shortened(line.source, longest)) for line in diagnosis.lines) * ADVANCE
    words_room = max(columns_of(said(diagnosis, line)) for line in diagnosis.lines) * FACT_ADVANCE
    width = numbers + sources + words_room + 4 * FACT_ADVANCE + 24
    is_beneath = width > room() - 2 * PAD  # the words go beneath the code
    width = min(width, room() - 2 * PAD)
    for line in diagnosis.lines:
        words = f"← {said(diagnosis, line)}"
        lines = folded(words, *[(width - numbers - 26) / FACT_ADVANCE] * 2) if is_beneath else []
        height = 26 + 15 * len(lines)
        drawing.add(
            f'<g class="line {line.did}"><rect x="{PAD}" y="{number(top)}" width="{number(width)}" '
            f'height="{number(height)}"/>'
        )
        drawing.text(PAD + 8 + numbers, top + 17, line.called, "fact soft end")
        drawing.text(PAD + 18 + numbers, top + 17, shortened(line.source, longest), "source")
        if not is_beneath:
            drawing.text(PAD + 28 + numbers + sources, top + 17, words, "fact did")
        for at, part in enumerate(lines):
            drawing.text(PAD + 18 + numbers, top + 34 + 15 * at, part, "fact did")
        drawing.add("</g>")
        drawing.extend(PAD + width, top + height)
        top += height + 4
    for words in remarks(diagnosis):
        top = drawing.wrapped(PAD, top + 14, words, "fact soft") + 4
    return drawing.finished(summary(diagnosis), CSS)
