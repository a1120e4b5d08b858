"""The parts of an SVG, collected, and the measures that all pictures share. A drawing grows with its content, so its
size need not be known in advance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from itertools import chain, zip_longest
from pathlib import Path
from typing import Self, TypeVar
from xml.sax.saxutils import escape, quoteattr

from glassroom.drawing.grid import Slab
from glassroom.drawing.words import written
from glassroom.records.cells import Cell
from glassroom.records.columns import columns, pieces

T = TypeVar("T")


def style(sheet: Path) -> str:
    """A style sheet without comments and needless space."""
    text = sheet.read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/|(?<=[;{}:,])\s+|\s+(?=[{}])", "", text, flags=re.DOTALL).strip()


CSS = "".join(style(Path(__file__).with_name(name)) for name in ("tokens.css", "canvas.css"))

WIDTH = 780  # a picture on a page
MIDDLE = 576  # in half a window
NARROW = 320  # on a phone; content wraps to this width
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
INNER = "\0"  # stands for the inner width until it is known; no text can contain it
GAP = "\0"  # stands for a text in a gap between pieces, in which no inner width stands
NO_XML = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # characters that XML does not allow

_room = ContextVar[float]("room", default=WIDTH)
_say = ContextVar[Callable[[str], str]]("say", default=str)


def room() -> float:
    """The width of the picture that is being drawn."""
    return _room.get()


def is_narrow() -> bool:
    """Whether the picture that is being drawn is for less than a page: a phone, or half a window."""
    return room() < WIDTH


@contextmanager
def narrow(width: float = NARROW) -> Iterator[None]:
    """A context in which pictures are drawn for a phone, or for another width narrower than a page."""
    before = _room.set(width)
    try:
        yield
    finally:
        _room.reset(before)


@contextmanager
def said_by(say: Callable[[str], str]) -> Iterator[None]:
    """A context in which pictures show their words as translated by `say`."""
    before = _say.set(say)
    try:
        yield
    finally:
        _say.reset(before)


class Shared(str):
    """A part that many pictures have in common, which is sent to a browser once."""

    __slots__ = ()


class Filled(str):
    """A part that consists of pieces with a text in each gap between them; many pictures have the `pieces` in common,
    which are sent to a browser once, as one text.
    """

    pieces: Shared
    texts: list[str]

    @classmethod
    def of(cls, pieces: Shared, texts: list[str]) -> Self:
        """The pieces, separated by `GAP`, with the texts in the gaps."""
        whole = cls("".join(chain.from_iterable(zip_longest(pieces.split(GAP), texts, fillvalue=""))))
        whole.pieces, whole.texts = pieces, texts
        return whole


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
        self.add(f'<text x="{number(x)}" y="{number(y)}"{look}>{in_xml(words)}</text>')

    def wrapped(self, x: float, y: float, words: str, style: str = "", *, left: float | None = None) -> float:
        """Draw facts in 11-pixel letters, beginning at (x, y) and continuing at `left` in the lines below; returns the
        y of the last line.
        """
        left = x if left is None else left
        lines = folded(words, (room() - PAD - x) / FACT_ADVANCE, (room() - PAD - left) / FACT_ADVANCE)
        for at, line in enumerate(lines):
            begin = left if at else x
            if line:
                self.text(begin, y + LINE * at, line, style)
                self.extend(begin + columns(line) * FACT_ADVANCE, y + LINE * at + 4)
        return y + LINE * (len(lines) - 1)

    def rule(self, y: float) -> None:
        self.add(f'<path class="rule" d="M{PAD} {number(y)}h{INNER}"/>')

    def cell(
        self, cell: Cell, x: float, y: float, width: float, height: float, *, look: str, place: str | None
    ) -> None:
        """Draw one cell: a box, its value and, beneath it, the number of its storage cell."""
        index = ",".join(map(str, cell.index))
        self.add(f'<g class="cell{look}" data-i="{index}" data-b="{cell.byte}">')
        self.add(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"/>')
        self.text(x + width / 2, y + (15 if place else height / 2 + 4), written(cell.value))
        if place:
            self.text(x + width / 2, y + 27.5, place)

    def finished(self, title: str, further_style: str = "", is_part: bool = False) -> str:
        """The whole picture as SVG; a part of a picture has no style sheet of its own. A further sheet must only use
        classes such as `gr-graph-svg`, which the picture then gets, since the sheets of all pictures on a page apply to
        the whole page.
        """
        return "".join(self.finished_parts(title, further_style, is_part))

    def finished_parts(self, title: str, further_style: str = "", is_part: bool = False) -> list[str]:
        """The same in parts, of which those that are `Shared` or `Filled` stand by themselves."""
        width, height = round(self.right + PAD), round(self.bottom + PAD)
        css = "" if is_part else f"<style>{CSS}{further_style}</style>"
        classes = " ".join(["gr", *sorted(set(re.findall(r"\.(gr-\w+-svg)\b", further_style)))])
        begin = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{classes}" role="img" aria-label={quoteattr(title)} '
            f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">{css}'
            f'<rect class="card" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>'
        )
        parts: list[str] = [begin]
        own: list[str] = []
        for part in [*self.parts, Shared("</svg>")]:
            if type(part) is str:
                own.append(part)
                continue
            if own:
                parts.append(in_xml_only("".join(own).replace(INNER, str(width - 2 * PAD))))
                own = []
            parts.append(part)
        return parts


def in_xml_only(body: str) -> str:
    """A part of a picture without the characters that XML does not allow."""
    return body if body.isprintable() else NO_XML.sub("\ufffd", body)


def in_xml(words: str) -> str:
    """Words as they stand in a picture, in the reader's language."""
    return escape(_say.get()(words))


def folded(words: str, first: float, others: float) -> list[str]:
    """Words in lines of limited length, broken between facts or, if need be, between words; the first line is empty if
    nothing fits into it.
    """
    lines = [""]
    for fact in _say.get()(words).split(" · "):
        joined = f"{lines[-1]} · {fact}" if lines[-1] else fact
        if columns(joined) <= (first if len(lines) == 1 else others):
            lines[-1] = joined
            continue
        if lines[-1] or (len(lines) == 1 and first < others):
            lines.append("")
        for piece in pieces(fact, max(int(others), 2)):
            joined = lines[-1] + piece
            if columns(joined.rstrip()) > (first if len(lines) == 1 else others) and lines[-1]:
                lines[-1] = lines[-1].rstrip()
                lines.append(piece.lstrip())
            else:
                lines[-1] = joined
        lines[-1] = lines[-1].rstrip()
    return lines


def slab_width(slab: Slab[T], cell_width: float) -> float:
    """The width of a slab's columns, including the dots in place of those left out."""
    return sum(GAP_WIDTH if column is None else cell_width for column in slab.columns)


def width_of_slabs(slabs: Iterable[Slab[T]], width: Callable[[Slab[T]], float]) -> float:
    """The width of slabs side by side, at most a picture's width."""
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
    """Draw slabs side by side, in as many rows as they need, with dots in place of those left out; returns the bottom.

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
    """A name, cut if there is too little room for it."""
    return name if len(name) <= longest else name[: longest - 1] + "…"


@lru_cache(maxsize=16_384)  # the cards of a watched cell share most of their coordinates
def number(value: float) -> str:
    """A coordinate, written briefly."""
    return f"{value or 0:.1f}".removesuffix(".0")
