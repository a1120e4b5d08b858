"""An allocator's pool as a picture: how much of the reserved memory is allocated, and the blocks of each segment in a
row.

Blocks differ in size a thousandfold, so their widths are logarithmic: every block is visible, and a larger one is
wider. Its bytes are written in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log2
from pathlib import Path

from glassroom.drawing.canvas import ADVANCE, FACT_ADVANCE, PAD, TINY_ADVANCE, Drawing, number, room, style
from glassroom.drawing.words import counted, short, sized
from glassroom.inspectors.timeline.pools import Block, Segment
from glassroom.inspectors.timeline.timeline import PoolMoment
from glassroom.inspectors.timeline.words import pool_facts
from glassroom.records.columns import columns as columns_of
from glassroom.translations.templates import word

CSS = style(Path(__file__).with_name("pool.css"))
ROW = 34
MOST_SEGMENTS = 6
MOST_BLOCKS = 14
GAUGE = 120


def svg_of_pool(moment: PoolMoment, hues: Mapping[str, int], title: str) -> str:
    """A pool as a picture of its own."""
    drawing = Drawing()
    draw_pool(drawing, PAD, moment, hues, title)
    return drawing.finished(f"{title}: {pool_facts(moment.pool)}", CSS)


def draw_pool(drawing: Drawing, top: float, moment: PoolMoment, hues: Mapping[str, int], title: str) -> float:
    """Draw a pool beneath `top`; returns the bottom."""
    pool = moment.pool
    drawing.text(PAD, top + 12, title, "title")
    drawing.extend(PAD + len(title) * 7.9, top + 16)
    top += 22
    facts, x = pool_facts(pool), PAD
    if pool.reserved:
        share = pool.allocated / pool.reserved
        for look, width in (("gauge", float(GAUGE)), ("full", max(GAUGE * share, 1))):
            size = f'x="{PAD}" y="{number(top)}" width="{number(width)}" height="8" rx="4"'
            drawing.add(f'<rect class="{look}" {size}/>')
        x += GAUGE + 8
    top = drawing.wrapped(x, top + 8, facts, "fact soft", left=PAD) + 10
    for segment in pool.segments[:MOST_SEGMENTS]:
        top = _draw_segment(drawing, top, segment, moment.names, hues)
    if len(pool.segments) > MOST_SEGMENTS:
        rest = pool.segments[MOST_SEGMENTS:]
        words = f"and {counted(len(rest), 'more segment')} of {sized(sum(segment.nbytes for segment in rest))} in all"
        drawing.text(PAD, top + 11, words, "fact soft")
        drawing.extend(PAD + columns_of(words) * FACT_ADVANCE, top + 16)
        top += 18
    return top


def _draw_segment(
    drawing: Drawing, top: float, segment: Segment, names: Mapping[int, str], hues: Mapping[str, int]
) -> float:
    kind = "for blocks up to 1 MiB" if segment.is_small else "for large blocks"
    words = f"segment of {sized(segment.nbytes)}, {kind}"
    top = drawing.wrapped(PAD, top + 10, words, "fact soft") + 5
    x: float = PAD
    shown = segment.blocks
    if len(shown) > MOST_BLOCKS:
        shown = (*shown[: MOST_BLOCKS - 5], *shown[-4:])
    inner = room() - 2 * PAD
    least = [
        max(columns_of(_label(block, names)) * ADVANCE, columns_of(short(block.nbytes)) * TINY_ADVANCE) + 10
        for block in shown
    ]
    weights = [log2(block.nbytes / 256) for block in shown]
    spare = max(inner - sum(least) - (60 if len(shown) < len(segment.blocks) else 0), 0)
    for at, block in enumerate(shown):
        if len(shown) < len(segment.blocks) and at == MOST_BLOCKS - 5:
            drawing.text(x + 30, top + 19, f"⋯ {len(segment.blocks) - len(shown)}", "mid soft")
            x += 60
        width = least[at] + spare * weights[at] / sum(weights)
        if x > PAD and x + width > room() - PAD + 1:  # on a narrow screen a segment may take several lines
            drawing.extend(x, top + ROW)
            x, top = float(PAD), top + ROW + 3
        _draw_block(drawing, x, top, width, block, names, hues)
        x += width
    drawing.extend(x, top + ROW)
    return top + ROW + 8


def _label(block: Block, names: Mapping[int, str]) -> str:
    name = word("free") if block.is_free else names.get(block.address, word("other"))
    return name if len(name) <= 14 else f"{name[:13]}…"


def _draw_block(
    drawing: Drawing,
    x: float,
    top: float,
    width: float,
    block: Block,
    names: Mapping[int, str],
    hues: Mapping[str, int],
) -> None:
    name = names.get(block.address)
    look = "free" if block.is_free else "other" if name not in hues else f"used hue{hues[name or '']}"
    drawing.add(
        f'<g class="block {look}"><rect x="{number(x + 1)}" y="{number(top)}" width="{number(width - 2)}" '
        f'height="{ROW}" rx="3"/>'
    )
    drawing.text(x + width / 2, top + 15, _label(block, names), "soft" if block.is_free else "")
    drawing.text(x + width / 2, top + 28, short(block.nbytes), "tiny")
    drawing.add("</g>")
