"""A version error as SVG: the lines one below the other, and beside each what it did to the tensor."""

from __future__ import annotations

from pathlib import Path

from glassroom.drawing.canvas import ADVANCE, FACT_ADVANCE, PAD, Drawing, number, shortened, style
from glassroom.inspectors.version_error.finding import VersionError
from glassroom.inspectors.version_error.words import remarks, said, summary

CSS = style(Path(__file__).with_name("picture.css"))
ROW = 30
SOURCE = 48


def svg_of(found: VersionError) -> str:
    """The picture."""
    drawing = Drawing()
    drawing.text(PAD, PAD + 14, summary(found), "name")
    drawing.extend(PAD + len(summary(found)) * 8.5, PAD + 20)
    numbers = max(len(each.called) for each in found.lines) * FACT_ADVANCE
    sources = max(len(shortened(each.source, SOURCE)) for each in found.lines) * ADVANCE
    words_room = max(len(said(found, each)) for each in found.lines) * FACT_ADVANCE
    width = numbers + sources + words_room + 4 * FACT_ADVANCE + 24
    top = PAD + 32.0
    for line in found.lines:
        words = said(found, line)
        drawing.add(
            f'<g class="line {line.did}"><rect x="{PAD}" y="{number(top)}" width="{number(width)}" height="26"/>'
        )
        drawing.text(PAD + 8 + numbers, top + 17, line.called, "fact soft end")
        drawing.text(PAD + 18 + numbers, top + 17, shortened(line.source, SOURCE), "source")
        drawing.text(PAD + 28 + numbers + sources, top + 17, f"← {words}", "fact did")
        drawing.add("</g>")
        drawing.extend(PAD + width, top + 26)
        top += ROW
    for words in remarks(found):
        drawing.text(PAD, top + 14, words, "fact soft")
        drawing.extend(PAD + len(words) * FACT_ADVANCE, top + 18)
        top += 18
    return drawing.finished(summary(found), CSS)
