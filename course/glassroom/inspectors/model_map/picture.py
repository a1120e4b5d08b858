"""The model map as text and as SVG: one row for each module, with a bar of its bytes by purpose.

The part of what is on meta, which has no bytes, is an outline.
"""

from __future__ import annotations

from pathlib import Path

from glassroom.drawing.boxes import draw_caption
from glassroom.drawing.canvas import ADVANCE, FACT_ADVANCE, PAD, Drawing, is_narrow, number, room, shortened, style
from glassroom.inspectors.model_map.modules import ModelMap, Module
from glassroom.inspectors.model_map.rows import Row, rows_of
from glassroom.inspectors.model_map.words import CALLED, KINDS, held_facts, notes, row_facts, row_name, summary
from glassroom.records.columns import columns as columns_of
from glassroom.translations.templates import word

CSS = style(Path(__file__).with_name("picture.css"))
INDENT = 16
ROW = 24
BAR = 250.0
NAME_ROOM = 440.0
LEAST = 1.5  # the least width of a part of a bar, in pixels


def text_of(model_map: ModelMap) -> str:
    """The whole map."""
    rows, unshown = rows_of(model_map.modules)
    lines = [summary(model_map).removeprefix("Model map of ")]
    for row in rows:
        lead = "  " * row.module.depth
        lines.append(f"{lead}{row_name(row)}: {' · '.join(row_facts(row))}")
        own = row.module.tensors
        lines += [f"{lead}  {held.name.rpartition('.')[2]}  {' · '.join(held_facts(held))}" for held in own]
    return "\n".join([*lines, *notes(model_map, unshown)])


def svg_of(model_map: ModelMap) -> str:
    """The picture."""
    drawing = Drawing()
    rows, unshown = rows_of(model_map.modules)
    top = draw_caption(drawing, PAD, [summary(model_map)]) + 4
    x = PAD + 0.0
    for kind in (*KINDS, *(["needed"] if model_map.needed else [])):
        words = CALLED[kind]
        if x > PAD and x + 18 + columns_of(words) * FACT_ADVANCE > room() - PAD:
            x, top = float(PAD), top + 18
        drawing.add(f'<rect class="{kind}" x="{number(x)}" y="{number(top + 3)}" width="12" height="12"/>')
        drawing.text(x + 18, top + 13, words, "fact soft")
        x += 18 + columns_of(words) * FACT_ADVANCE + 20
    top += 26
    most = max((row.module.nbytes + row.module.needed for row in rows), default=0)
    for row in rows:
        top = _draw_row(drawing, top, row, most)
    for line in notes(model_map, unshown):
        top = drawing.wrapped(PAD, top + 14, line, "fact soft") + 4
    drawing.extend(room() - PAD, top)
    return drawing.finished(summary(model_map), CSS)


def _draw_row(drawing: Drawing, top: float, row: Row, most: int) -> float:
    """Draw a module: its name, what it is, and its bar, which on a phone lies beneath them; returns the bottom."""
    indent = INDENT // 2 if is_narrow() else INDENT
    height = 2 * ROW - 4 if is_narrow() else ROW
    x: float = PAD + 6 + indent * min(row.module.depth, 8)
    tied = {name for held in row.module.tensors for name in held.tied}
    drawing.add(f'<g class="module" data-depth="{row.module.depth}">')
    drawing.add(f'<rect class="back" x="{PAD}" y="{number(top)}" width="{room() - 2 * PAD}" height="{height - 2}"/>')
    name = shortened(row_name(row), 28)
    drawing.text(x, top + 15, name)
    x += (columns_of(name) + 1) * ADVANCE
    facts = " · ".join([*row_facts(row), *([word("tied")] if tied else [])])
    end = room() - PAD if is_narrow() else PAD + NAME_ROOM
    drawing.text(x, top + 15, shortened(facts, int((end - x) / FACT_ADVANCE)), "fact soft")
    if is_narrow():
        _draw_bar(drawing, PAD + 6, top + ROW, room() - 2 * PAD - 12, row.module, most)
    else:
        _draw_bar(drawing, PAD + NAME_ROOM + 20, top + 4, BAR, row.module, most)
    drawing.add("</g>")
    drawing.extend(room() - PAD, top + height)
    return top + height


def _draw_bar(drawing: Drawing, x: float, top: float, room_of_bar: float, module: Module, most: int) -> None:
    for kind in (*KINDS, "needed"):
        nbytes = getattr(module, kind)
        if nbytes and most:
            width = max(room_of_bar * nbytes / most, LEAST)
            drawing.add(
                f'<rect class="{kind}" x="{number(x)}" y="{number(top)}" width="{number(width)}" height="{ROW - 10}"/>'
            )
            x += width
