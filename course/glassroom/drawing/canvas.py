"""What a picture is made of: the parts of an SVG, collected, and the measures that all pictures share.

A drawing grows to hold what is put into it, so its size need not be known beforehand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar
from xml.sax.saxutils import escape, quoteattr

from glassroom.drawing.grid import Slab
from glassroom.drawing.words import written
from glassroom.records.snapshot import Cell

T = TypeVar("T")


def style(sheet: Path) -> str:
    """A style sheet without comments and needless space."""
    text = sheet.read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/|(?<=[;{}:,])\s+|\s+(?=[{}])", "", text, flags=re.DOTALL).strip()


CSS = "".join(style(Path(__file__).with_name(name)) for name in ("tokens.css", "canvas.css"))

WIDTH = 780  # a picture on a page
MIDDLE = 576  # in half a window
NARROW = 320  # on a phone; content wraps to this
PAD = 16
SLAB_GAP = 16  # between the matrices of one tensor of three or more dimensions
ADVANCE = 7.25  # one character of the 12-pixel fixed-width font
FACT_ADVANCE = 6.65  # of the 11-pixel font
TINY_ADVANCE = 6.65
TITLE_ADVANCE = 7.9  # of the 13-pixel font in bold
LINE = 15  # from one line of facts to the next
GRID_INDEX = 16
GAP_WIDTH = 18
HUES = 6
INNER = "\0"  # stands for the inner width until it is known; no words can hold it
NO_XML = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # what XML has no place for

_room = ContextVar[float]("room", default=WIDTH)


def room() -> float:
    """The width of the picture that is being drawn."""
    return _room.get()


def is_narrow() -> bool:
    """Whether the picture that is being drawn is for less than a page: a phone, or half a window."""
    return room() < WIDTH


@contextmanager
def narrow(width: float = NARROW) -> Iterator[None]:
    """A block in which pictures are drawn for a phone, or for another width that is less than a page's."""
    before = _room.set(width)
    try:
        yield
    finally:
        _room.reset(before)


class Drawing:
    """Collects the parts of a picture and grows to hold them."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.right: float = 0
        self.bottom: float = 0

    def add(self, part: str) -> None:
        self.parts.append(part)

    def extend(self, right: float, bottom: float) -> None:
        self.right, self.bottom = max(self.right, right), max(self.bottom, bottom)

    def text(self, x: float, y: float, words: str, style: str = "") -> None:
        look = f' class="{style}"' if style else ""
        self.add(f'<text x="{number(x)}" y="{number(y)}"{look}>{escape(words)}</text>')

    def wrapped(self, x: float, y: float, words: str, style: str = "", *, left: float | None = None) -> float:
        """Facts in 11-pixel letters from (x, y) on, and from `left` in the lines below, as many as they take; returns
        where the last line stands.
        """
        left = x if left is None else left
        lines = folded(words, (room() - PAD - x) / FACT_ADVANCE, (room() - PAD - left) / FACT_ADVANCE)
        for at, line in enumerate(lines):
            begin = left if at else x
            if line:
                self.text(begin, y + LINE * at, line, style)
                self.extend(begin + len(line) * FACT_ADVANCE, y + LINE * at + 4)
        return y + LINE * (len(lines) - 1)

    def rule(self, y: float) -> None:
        self.add(f'<path class="rule" d="M{PAD} {number(y)}h{INNER}"/>')

    def cell(
        self, cell: Cell, x: float, y: float, width: float, height: float, *, look: str, place: str | None
    ) -> None:
        """One cell: a box, its value and, beneath it, the storage cell that it is."""
        index = ",".join(map(str, cell.index))
        self.add(f'<g class="cell{look}" data-i="{index}" data-b="{cell.byte}">')
        self.add(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"/>')
        self.text(x + width / 2, y + (15 if place else height / 2 + 4), written(cell.value))
        if place:
            self.text(x + width / 2, y + 27.5, place)

    def finished(self, title: str, further_style: str = "", is_part: bool = False) -> str:
        """The whole picture; a part of one goes without the style sheet, which the whole has.

        A further sheet speaks of classes such as `gr-graph-svg` alone, which the picture is then given: the sheets of
        all pictures on a page hold for the whole of it.
        """
        width, height = round(self.right + PAD), round(self.bottom + PAD)
        body = NO_XML.sub("\ufffd", "".join(self.parts)).replace(INNER, str(width - 2 * PAD))
        css = "" if is_part else f"<style>{CSS}{further_style}</style>"
        classes = " ".join(["gr", *sorted(set(re.findall(r"\.(gr-\w+-svg)\b", further_style)))])
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{classes}" role="img" aria-label={quoteattr(title)} '
            f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">{css}'
            f'<rect class="card" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>'
            f"{body}</svg>"
        )


def folded(words: str, first: float, others: float) -> list[str]:
    """Words in lines of at most so many characters, broken between facts, or else between words; the first line is
    empty where nothing fits in there.
    """
    lines = [""]
    for fact in words.split(" · "):
        joined = f"{lines[-1]} · {fact}" if lines[-1] else fact
        if len(joined) <= (first if len(lines) == 1 else others):
            lines[-1] = joined
            continue
        if lines[-1] or (len(lines) == 1 and first < others):
            lines.append("")
        longest = max(int(others), 1)
        words_of_it = [
            word[at : at + longest] for word in fact.split(" ") for at in range(0, max(len(word), 1), longest)
        ]
        for word in words_of_it:
            joined = f"{lines[-1]} {word}" if lines[-1] else word
            if len(joined) > (first if len(lines) == 1 else others) and lines[-1]:
                lines.append(word)
            else:
                lines[-1] = joined
    return lines


def slab_width(slab: Slab[T], cell_width: float) -> float:
    """The width of a slab's columns, and of the dots where some are left out."""
    return sum(GAP_WIDTH if column is None else cell_width for column in slab.columns)


def width_of_slabs(slabs: Iterable[Slab[T]], width: Callable[[Slab[T]], float]) -> float:
    """The width of slabs side by side, at most that of a picture."""
    wanted = [width(slab) + GAP_WIDTH * slab.after_gap for slab in slabs]
    return min(sum(wanted) + SLAB_GAP * (len(wanted) - 1), room() - 2 * PAD) if wanted else 0


def draw_slabs(
    drawing: Drawing,
    left: float,
    top: float,
    slabs: Iterable[Slab[T]],
    width: Callable[[Slab[T]], float],
    draw: Callable[[float, float, Slab[T]], float],
) -> float:
    """Draw slabs side by side, in as many rows as they need, and dots where some are left out; returns the bottom.

    `draw(left, top, slab)` draws one and returns its bottom.
    """
    x, bottom = left, top
    for slab in slabs:
        if x > left and x + GAP_WIDTH * slab.after_gap + width(slab) > room() - PAD:
            x, top = left, bottom + 8
        begins_row = x == left
        if slab.after_gap and begins_row:
            drawing.text(left + width(slab) / 2, top + 10, "⋮", "mid soft")
            top += GAP_WIDTH
        elif slab.after_gap:
            x += GAP_WIDTH
        end = draw(x, top, slab)
        if slab.after_gap and not begins_row:
            drawing.text(x - (SLAB_GAP + GAP_WIDTH) / 2, (top + end) / 2 + GRID_INDEX, "⋯", "mid soft")
        bottom = max(bottom, end)
        drawing.extend(x + width(slab), bottom)
        x += width(slab) + SLAB_GAP
    return bottom


def shortened(name: str, longest: int) -> str:
    """A name, cut where it is longer than there is room for."""
    return name if len(name) <= longest else name[: longest - 1] + "…"


def number(value: float) -> str:
    """A coordinate, written briefly."""
    return f"{value:.1f}".removesuffix(".0")
