"""The bands of a training step as a picture: the bytes held by role, and the peak by line and by module."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from glassroom.drawing.canvas import FACT_ADVANCE, PAD, Drawing, is_narrow, number, room, shortened, style
from glassroom.drawing.words import sized
from glassroom.inspectors.timeline.bands import Bands, Share
from glassroom.inspectors.timeline.words import share_words
from glassroom.reading.roles import ACTIVATIONS, GRADIENTS, OTHER, PARAMETERS, ROLES, STATE, TEMPORARIES

CSS = style(Path(__file__).with_name("bands.css"))
LOOKS = {PARAMETERS: "hue0", STATE: "hue3", GRADIENTS: "hue2", ACTIVATIONS: "hue1", OTHER: "plain", TEMPORARIES: "hue5"}
CHART = 150
ROW = 20
LABEL = 372  # the width of a line's or a module's label, in pixels
AMOUNT = 88
MOST_SHARES = 8


def draw_stack(drawing: Drawing, left: float, top: float, width: float, bands: Bands, highest: int) -> None:
    """Draw the bands as a stacked chart whose height stands for `highest` bytes."""

    def x_of(event: int) -> float:
        return left + width * event / len(bands.totals)

    def y(level: float) -> float:
        return top + CHART * (1 - level / highest)

    floor = [0] * len(bands.totals)
    stride = max(len(floor) // int(width / 2), 1)  # each pixel shows the highest of its events
    tallest = [
        max(range(at, min(at + stride, len(floor))), key=lambda event: bands.totals[event])
        for at in range(0, len(floor), stride)
    ]
    for role in ROLES:
        if role not in bands.levels:
            continue
        roof = [low + level for low, level in zip(floor, bands.levels[role], strict=True)]
        steps = _steps([(x_of(at), y(roof[event])) for at, event in zip(_every(floor, stride), tallest, strict=True)])
        back = _steps([(x_of(at), y(floor[event])) for at, event in zip(_every(floor, stride), tallest, strict=True)])
        end = number(left + width)
        ground = " ".join(reversed(_corners(back, end)))
        path = f"M{' L'.join(_corners(steps, end))} L{ground.replace(' ', ' L')}z"
        drawing.add(f'<g class="band {LOOKS[role]}"><path d="{path}"/></g>')
        floor = roof
    axis = f"M{number(left)} {number(top)}V{number(top + CHART)}H{number(left + width)}"
    drawing.add(f'<path class="axis" d="{axis}"/>')
    x, height = number(x_of(bands.peak_at)), number(y(bands.peak))
    drawing.add(f'<path class="peak" d="M{number(left)} {height}H{number(left + width)}"/>')
    drawing.add(f'<circle class="peakdot" cx="{x}" cy="{height}" r="3.5"/>')


def _every(levels: Sequence[int], stride: int) -> range:
    return range(0, len(levels), stride)


def _steps(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points at which a step chart changes."""
    return [point for at, point in enumerate(points) if not at or point[1] != points[at - 1][1]]


def _corners(steps: Sequence[tuple[float, float]], end: str) -> list[str]:
    """The corners of a step chart from its first point to `end`."""
    corners: list[str] = []
    for at, (x, height) in enumerate(steps):
        if at:
            corners.append(f"{number(x)},{number(steps[at - 1][1])}")
        corners.append(f"{number(x)},{number(height)}")
    return [*corners, f"{end},{number(steps[-1][1])}"]


def draw_legend(
    drawing: Drawing, left: float, top: float, rows: Sequence[tuple[str, Sequence[str]]], column: int
) -> float:
    """Draw the roles with their colours and amounts, in columns of the given width in pixels; returns the bottom."""
    for role, amounts in rows:
        drawing.add(f'<g class="share {LOOKS.get(role, "none")}">')
        if role in LOOKS:
            drawing.add(f'<rect x="{number(left)}" y="{number(top)}" width="11" height="11"/>')
        drawing.text(left + 18, top + 10, role, "fact")
        for at, amount in enumerate(amounts, 1):
            drawing.text(left + 118 + column * at, top + 10, amount, "fact end")
        drawing.add("</g>")
        drawing.extend(left + 118 + column * len(amounts), top + 14)
        top += 18
    return top


def draw_shares(drawing: Drawing, top: float, title: str, bands: Bands, shares: Sequence[Share]) -> float:
    """Draw what a peak consists of, a bar for each line or module; returns the bottom."""
    drawing.text(PAD, top + 12, title, "title")
    drawing.extend(PAD + len(title) * 7.9, top + 16)
    top += 22
    label = room() - 2 * PAD - AMOUNT if is_narrow() else LABEL
    left = PAD if is_narrow() else PAD + LABEL + AMOUNT
    inner = room() - PAD - left
    beneath = 16 if is_narrow() else 0  # the bars
    for share in shares[:MOST_SHARES]:
        on = f"{bands.peak_at}-{bands.peak_at}"
        drawing.add(f'<g class="life share" data-on="{on}" data-says={quoteattr(share_words(share))}>')
        drawing.text(PAD, top + 11, shortened(share.label, int(label / FACT_ADVANCE) - 1), "fact")
        drawing.text(PAD + label + AMOUNT - 10, top + 11, sized(share.nbytes), "fact end")
        x = float(left)
        for role in ROLES:
            nbytes = share.by_role.get(role, 0)
            width = inner * nbytes / shares[0].nbytes
            if nbytes:
                place = f'x="{number(x)}" y="{number(top + beneath + 1)}" width="{number(max(width, 1))}" height="13"'
                drawing.add(f'<g class="{LOOKS[role]}"><rect {place}/></g>')
            x += width
        drawing.add("</g>")
        drawing.extend(left + inner, top + beneath + ROW)
        top += beneath + ROW
    rest = shares[MOST_SHARES:]
    if rest:
        words = f"and {len(rest):,} more of {sized(sum(share.nbytes for share in rest))} in all"
        drawing.text(PAD, top + 11, words, "fact soft")
        top += ROW
    return top + 6


def legend_rows(bands: Bands) -> list[tuple[str, list[str]]]:
    """The roles in the order of the stack, from the top, with what they hold at the peak."""
    at_peak = bands.at(bands.peak_at)
    return [(role, [sized(at_peak[role])]) for role in reversed(ROLES) if role in at_peak]
