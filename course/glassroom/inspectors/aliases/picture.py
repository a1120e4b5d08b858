"""The alias map as text and as SVG: each storage a bar, and beneath it the bytes of the tensors on it."""

from __future__ import annotations

from pathlib import Path

from glassroom.drawing.boxes import draw_caption
from glassroom.drawing.canvas import ADVANCE, FACT_ADVANCE, HUES, PAD, WIDTH, Drawing, number, shortened, style
from glassroom.inspectors.aliases.groups import Alias, Aliases, AliasGroup
from glassroom.inspectors.aliases.words import group_facts, group_lines, left_out, member_facts, summary

CSS = style(Path(__file__).with_name("picture.css"))
BAR = 14
ROW = 34
NAME_ROOM = 24  # characters
LEAST = 3  # pixels of a range, however small it is


def text_of_aliases(found: Aliases) -> str:
    """The whole map."""
    blocks = [summary(found).removeprefix("Alias map: ")]
    for group in found.groups:
        lines = [" · ".join([group.storage, *group_facts(group)])]
        width = max((len(member.name) for member in group.members), default=0)
        lines += [f"  {member.name.ljust(width)}  {' · '.join(member_facts(member))}" for member in group.members]
        lines += [f"  {line}" for line in group_lines(group)]
        blocks.append("\n".join(lines))
    rest = left_out(found)
    return "\n\n".join([*blocks, rest] if rest else blocks)


def svg_of_aliases(found: Aliases) -> str:
    """The picture: tensors with a name are filled, others are outlines."""
    drawing = Drawing()
    top = draw_caption(drawing, PAD, [summary(found)]) + 8
    for group in found.groups:
        drawing.rule(top)
        top = _draw_group(drawing, top + 14, group) + 12
    rest = left_out(found)
    if rest:
        drawing.rule(top)
        draw_caption(drawing, top + 10, [rest])
    return drawing.finished(summary(found), CSS)


def _draw_group(drawing: Drawing, top: float, group: AliasGroup) -> float:
    facts = " · ".join(group_facts(group))
    drawing.text(PAD, top + 12, group.storage, "name")
    drawing.text(PAD + (len(group.storage) + 1) * 9, top + 12, facts, "fact soft")
    inner = WIDTH - 2 * PAD
    top += 20
    drawing.add(
        f'<rect class="whole" x="{PAD}" y="{number(top)}" width="{inner}" height="{BAR}"/>'
        f'<g class="rows" data-storage="{group.storage}">'
    )
    top += BAR + 6
    for hue, member in enumerate(group.members):
        _draw_member(drawing, top, member, group, hue % HUES)
        top += ROW
    drawing.add("</g>")
    drawing.extend(PAD + inner, top - 4)
    return draw_caption(drawing, top, group_lines(group))


def _draw_member(drawing: Drawing, top: float, member: Alias, group: AliasGroup, hue: int) -> None:
    look = "" if member.how == "name" else " unheld"
    inner = WIDTH - 2 * PAD
    drawing.add(f'<g class="alias h{hue}{look}">')
    drawing.add(f'<rect class="back" x="{PAD}" y="{number(top)}" width="{inner}" height="{ROW - 4}"/>')
    if member.span is not None and group.nbytes:
        x = PAD + inner * member.span[0] / group.nbytes
        width = max(inner * (member.span[1] - member.span[0]) / group.nbytes, LEAST)
        x = min(x, PAD + inner - width)
        pieces = "" if member.nbytes == member.span[1] - member.span[0] else " pieces"
        drawing.add(f'<path class="lane range{pieces}" d="M{number(x)} {number(top + 4)}h{number(width)}"/>')
    name = shortened(member.name, NAME_ROOM)
    facts = " · ".join(member_facts(member))
    x = PAD + 4 + (len(name) + 1) * ADVANCE
    room = int((WIDTH - PAD - x) / FACT_ADVANCE)
    drawing.text(PAD + 4, top + 22, name)
    drawing.text(x, top + 22, shortened(facts, room), "fact soft")
    drawing.add("</g>")
