"""The alias map as text and as SVG: each storage is a bar, with the bytes of its tensors beneath it."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from pathlib import Path

from glassroom.drawing.boxes import draw_caption
from glassroom.drawing.canvas import (
    ADVANCE,
    FACT_ADVANCE,
    HUES,
    LINE,
    PAD,
    Drawing,
    folded,
    number,
    room,
    shortened,
    style,
)
from glassroom.inspectors.aliases.groups import Alias, Aliases, AliasGroup
from glassroom.inspectors.aliases.words import group_facts, group_lines, left_out, member_facts, root_lines, summary
from glassroom.records.columns import columns, ljust

CSS = style(Path(__file__).with_name("picture.css"))
BAR = 14
ROW = 34
LEAST = 3.0  # the least width of a range, in pixels
STEEP = 40  # ratio of largest to smallest storage from which the scale is logarithmic
MARKS = [(10, "10 B"), (1024, "1 KiB"), (1024**2, "1 MiB"), (1024**3, "1 GiB")]


def text_of_aliases(aliases: Aliases) -> str:
    """The whole map."""
    blocks = [summary(aliases).removeprefix("Alias map: ")]
    for group in aliases.groups:
        lines = [" · ".join([group.storage, *group_facts(group)])]
        width = max((columns(member.name) for member in group.members), default=0)
        lines += [f"  {ljust(member.name, width)}  {' · '.join(member_facts(member))}" for member in group.members]
        lines += [f"  {line}" for line in group_lines(group)]
        blocks.append("\n".join(lines))
    blocks += left_out(aliases)
    roots = root_lines(aliases)
    return "\n\n".join([*blocks, "\n".join(roots)] if roots else blocks)


def svg_of_aliases(aliases: Aliases) -> str:
    """The picture: named tensors are filled, others are outlines; the length of a storage shows its bytes."""
    drawing = Drawing()
    top = draw_caption(drawing, PAD, [summary(aliases)]) + 2
    scale = Scale([group.nbytes for group in aliases.groups])
    top = _draw_scale(drawing, top, scale) + 8
    for group in aliases.groups:
        drawing.rule(top)
        top = _draw_group(drawing, top + 14, group, scale) + 12
    rest, roots = left_out(aliases), root_lines(aliases)
    if rest or roots:
        drawing.rule(top)
        top += 10
    for line in rest:
        top = draw_caption(drawing, top, [line])
    for at, line in enumerate(roots):
        indent = 14 if at else 0
        top = drawing.wrapped(PAD + indent, top + 12, line.strip(), "fact" if at else "title", left=PAD + 28) + 6
    drawing.extend(room() - PAD, top)
    return drawing.finished(summary(aliases), CSS)


class Scale:
    """The scale from bytes to the length of a bar: linear, or logarithmic where the smallest could not be seen beside
    the largest.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        held = [nbytes for nbytes in sizes if nbytes]
        self.most = max(held, default=1)
        self.is_logarithmic = bool(held) and self.most > STEEP * min(held)

    def __call__(self, nbytes: int) -> float:
        """The length of a bar in pixels."""
        share = log2(1 + nbytes) / log2(1 + self.most) if self.is_logarithmic else nbytes / self.most
        return max((room() - 2 * PAD) * share, LEAST) if nbytes else 0.0


def _draw_scale(drawing: Drawing, top: float, scale: Scale) -> float:
    """Draw the explanation of the scale, with tick marks if it is logarithmic; returns the bottom."""
    if not scale.is_logarithmic:
        return top
    top = drawing.wrapped(PAD, top + 11, "a bar's length is the logarithm of its bytes", "fact soft")
    marks = [(nbytes, words) for nbytes, words in MARKS if nbytes < scale.most]
    ticks = "".join(f"M{number(PAD + scale(nbytes))} {number(top + 18)}v6" for nbytes, _ in marks)
    drawing.add(f'<path class="scale" d="M{PAD} {number(top + 24)}h{number(scale(scale.most))}{ticks}"/>')
    for nbytes, words in marks:
        drawing.text(PAD + scale(nbytes), top + 15, words, "tiny mid")
    return top + 26


def _draw_group(drawing: Drawing, top: float, group: AliasGroup, scale: Scale) -> float:
    facts = " · ".join(group_facts(group))
    drawing.text(PAD, top + 12, group.storage, "name")
    top = drawing.wrapped(PAD + (len(group.storage) + 1) * 9, top + 12, facts, "fact soft") - 12
    top += 20
    drawing.add(
        f'<rect class="whole" x="{PAD}" y="{number(top)}" width="{number(scale(group.nbytes))}" height="{BAR}"/>'
        f'<g class="rows" data-storage="{group.storage}">'
    )
    top += BAR + 6
    for hue, member in enumerate(group.members):
        top = _draw_member(drawing, top, member, group, scale, hue % HUES)
    drawing.add("</g>")
    drawing.extend(room() - PAD, top - 4)
    return draw_caption(drawing, top, group_lines(group))


def _draw_member(drawing: Drawing, top: float, member: Alias, group: AliasGroup, scale: Scale, hue: int) -> float:
    """Draw a tensor, the bytes that it reaches and its facts; returns the bottom."""
    look = "" if member.how == "name" else " unheld"
    name = shortened(member.name, int((room() - 2 * PAD - 8) / ADVANCE))
    x = PAD + 4 + (columns(name) + 1) * ADVANCE
    inner = (room() - PAD - PAD - 18) / FACT_ADVANCE
    facts = folded(" · ".join(member_facts(member)), (room() - PAD - x) / FACT_ADVANCE, inner)
    height = ROW - 4 + LINE * (len(facts) - 1)
    drawing.add(f'<g class="alias hue{hue}{look}">')
    drawing.add(
        f'<rect class="back" x="{PAD}" y="{number(top)}" width="{room() - 2 * PAD}" height="{number(height)}"/>'
    )
    if member.span is not None and group.nbytes:
        whole = scale(group.nbytes)
        begin = PAD + whole * member.span[0] / group.nbytes
        width = max(whole * (member.span[1] - member.span[0]) / group.nbytes, LEAST)
        begin = min(begin, PAD + whole - width)
        pieces = "" if member.nbytes == member.span[1] - member.span[0] else " pieces"
        drawing.add(f'<path class="lane range{pieces}" d="M{number(begin)} {number(top + 4)}h{number(width)}"/>')
    drawing.text(PAD + 4, top + 22, name)
    for at, line in enumerate(facts):
        drawing.text(PAD + 18 if at else x, top + 22 + LINE * at, line, "fact soft")
    drawing.add("</g>")
    return top + height + 4
