"""A snapshot as one static SVG: each storage a strip of cells, and beneath it the tensors over it, side by
side.

Self-contained: it carries its own colours for light and dark, and no identifiers, so that any number of them
can stand on one page. The `data-` attributes say which bytes a cell is; the live map needs nothing else to
link the cells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from glassroom.decoding import written
from glassroom.render.grid import Slab, slabs_of, with_gaps
from glassroom.render.lanes import reached
from glassroom.render.words import (
    memory_facts,
    origin,
    shape_facts,
    storage_cells,
    storage_facts,
    summary,
    times_reached,
    trouble,
    unshown,
)
from glassroom.snapshot import Cell, Header, Snapshot, Storage


def style(name: str) -> str:
    """A style sheet of this folder, without comments and needless space."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/|(?<=[;{}:,])\s+|\s+(?=[{}])", "", text, flags=re.DOTALL).strip()


CSS = style("tokens.css") + style("picture.css")

WIDTH = 780  # of a picture; its content wraps to this
PAD = 16
SLAB_GAP = 16  # between the matrices of one tensor of three or more dimensions
ADVANCE = 7.25  # of one character of the 12-pixel fixed-width font
FACT_ADVANCE = 6.65  # of the 11-pixel one
TINY_ADVANCE = 5.8
STRIP_CELL = 28
STRIP_INDEX = 14  # the line of indices above a strip
LANE = 12
GRID_CELL = 34
GRID_INDEX = 16
GAP_WIDTH = 18
HUES = 6
LONGEST_NAME = 36
INNER = "\0"  # stands for the inner width until it is known; no words can hold it
NO_XML = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # what XML has no place for


def svg_of(snapshot: Snapshot, caption: Sequence[str] = ()) -> str:
    """The picture of a snapshot, beneath the lines of a caption."""
    drawing = Drawing()
    top: float = PAD
    for line in caption:
        drawing.text(PAD, top + 12, line)
        drawing.extend(PAD + len(line) * ADVANCE, top + 18)
        top += 18
    if caption:
        top += 8
    if not snapshot.headers:
        drawing.text(PAD, top + 14, "no tensors", "soft")
        drawing.extend(PAD + 14 * ADVANCE, top + 20)
    hues = {header.name: position % HUES for position, header in enumerate(snapshot.headers)}
    for position, storage in enumerate(snapshot.storages):
        if position:
            drawing.rule(top)
            top += 14
        top = _draw_storage(drawing, top, storage, snapshot.headers_on(storage), hues)
        top = _draw_tensors(drawing, top + 12, storage, snapshot.headers_on(storage), hues) + 12
    rest = unshown(snapshot)
    if rest is not None:
        drawing.rule(top)
        drawing.text(PAD, top + 22, rest, "fact soft")
        drawing.extend(PAD, top + 26)
    return drawing.finished(summary(snapshot))


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


def _draw_storage(
    drawing: Drawing, top: float, storage: Storage, headers: Sequence[Header], hues: dict[str, int]
) -> float:
    """Draw a storage's title, its strip, and the lanes of the tensors over it; returns the bottom."""
    facts = " · ".join(storage_facts(storage))
    drawing.text(PAD, top + 14, storage.name, "name")
    facts_x = PAD + (len(storage.name) + 1) * 9
    drawing.text(facts_x, top + 14, facts, "fact soft")
    drawing.extend(facts_x + len(facts) * FACT_ADVANCE, top + 20)
    return draw_strip(drawing, top + 24, storage, headers, hues)


def draw_strip(
    drawing: Drawing,
    top: float,
    storage: Storage,
    headers: Sequence[Header],
    hues: Mapping[str, int],
    *,
    room: float = WIDTH,
    written_to: Collection[int] = (),
    in_bytes: bool = False,
) -> float:
    """Draw a storage's cells in lines no wider than `room`, and the lanes of the tensors over it; returns the bottom.

    Above each cell stands its number, or with `in_bytes` the byte where it begins. Cells that begin at the bytes
    `written_to` are marked.
    """
    if not storage.cells:
        return top
    lanes = [(header, reached(header, storage)) for header in headers]
    held = set().union(*(counts for _, counts in lanes))
    names = {header.name: shortened(header.name, 14) for header in headers}
    left = PAD + max(len(name) for name in names.values()) * FACT_ADVANCE + 10
    positions = with_gaps([cell.index[0] for cell in storage.cells])
    cells = {cell.index[0]: cell for cell in storage.cells}
    places = {at: f"+{cell.byte}" if in_bytes else str(at) for at, cell in cells.items()}
    width = _cell_width([written(cell.value) for cell in storage.cells], list(places.values()))
    per_line = _per_line(positions, room - PAD - left, width)
    for begin in range(0, len(positions), per_line):
        part = positions[begin : begin + per_line]
        drawing.add(
            f'<g class="strip" data-name={quoteattr(storage.name)} data-storage={quoteattr(storage.name)} '
            f'data-itemsize="{storage.itemsize}">'
        )
        for column, position in enumerate(part):
            x = left + column * width
            if position is None:
                drawing.text(x + width / 2, top + STRIP_INDEX + STRIP_CELL / 2 + 4, "⋯", "mid soft")
                continue
            drawing.text(x + width / 2, top + 10, places[position], "tiny mid")
            look = "" if position in held else " free"
            look += " wrote" if cells[position].byte in written_to else ""
            drawing.cell(cells[position], x, top + STRIP_INDEX, width, STRIP_CELL, look=look, place=None)
            drawing.add(_byte_ticks(x, top + STRIP_INDEX + STRIP_CELL - 3.5, width, storage.itemsize) + "</g>")
        drawing.add("</g>")
        drawing.extend(left + len(part) * width, top)
        top += STRIP_INDEX + STRIP_CELL + 3
        for header, counts in lanes:
            _draw_lane(drawing, left, top, width, part, header, names[header.name], counts, hues[header.name])
            top += LANE
        top += 5
    return top


def _draw_lane(
    drawing: Drawing,
    left: float,
    top: float,
    width: float,
    part: Sequence[int | None],
    header: Header,
    name: str,
    counts: Counter[int],
    hue: int,
) -> None:
    y = number(top + LANE / 2)
    strokes = []
    drawing.add(f'<g class="h{hue}">')
    drawing.text(left - 8, top + LANE / 2 + 3.5, name, "fact end")
    for column, position in enumerate(part):
        if position is None or not counts[position]:
            continue
        x = left + column * width
        if counts[position] == 1:
            strokes.append(f"M{number(x + 3)} {y}h{number(width - 6)}")
        else:
            times = times_reached(header, counts[position])
            side = max(width / 2 - 3 - TINY_ADVANCE * len(times) / 2 - 2, 0)
            strokes.append(f"M{number(x + 3)} {y}h{number(side)}M{number(x + width - 3 - side)} {y}h{number(side)}")
            drawing.text(x + width / 2, top + LANE / 2 + 3.3, times, "tiny mid")
    drawing.add(f'<path class="lane" d="{"".join(strokes)}"/></g>')


def _byte_ticks(x: float, y: float, width: float, itemsize: int) -> str:
    """One tick for each byte of a storage cell."""
    step = (width - 8) / itemsize
    if itemsize == 1 or step < 2:
        return ""
    ticks = f"M{number(x + 4.5)} {number(y)}h{number(width - 9)}"
    return f'<path class="bytes" stroke-dasharray="{number(step - 1)} 1" d="{ticks}"/>'


def _draw_tensors(
    drawing: Drawing, top: float, storage: Storage, headers: Sequence[Header], hues: dict[str, int]
) -> float:
    """Draw tensors side by side, in as many rows as they need; returns the bottom."""
    x: float = PAD
    bottom = top
    for header in headers:
        width = _tensor_width(header, storage)
        if x > PAD and x + width > WIDTH - PAD:
            x, top = PAD, bottom + 18
        bottom = max(bottom, _draw_tensor(drawing, x, top, header, storage, hues[header.name]))
        drawing.extend(x + width, bottom)
        x += width + 36
    return bottom


def _facts_of(header: Header, storage: Storage) -> list[tuple[str, str]]:
    lines = [(" · ".join(shape_facts(header)), "fact"), (" · ".join(memory_facts(header)), "fact soft")]
    problem = trouble(header, storage)
    return lines if problem is None else [*lines, (problem, "fact bad")]


def _widths(header: Header, storage: Storage) -> tuple[float, float]:
    """The width of a cell, and of the row numbers at the left."""
    places = [storage_cells(header, storage, cell.byte) for cell in header.cells]
    beneath = [f"{storage.name}[{place}]" for place in places]
    columns = [str(column) for column in header.window[-1]] if header.size else []
    cell_width = _cell_width([written(cell.value) for cell in header.cells], [*beneath, *columns])
    rows = [str(row) for row in header.window[-2]] if len(header.size) >= 2 else []
    return cell_width, max((len(row) for row in rows), default=0) * TINY_ADVANCE + (6 if rows else 0)


def _slabs(header: Header, cell_width: float) -> Iterator[Slab[Cell]]:
    """The slabs to draw: a single row that is too long for the picture goes on in the next line."""
    for slab in slabs_of(header):
        per_line = len(slab.columns)
        if len(header.size) == 1:
            per_line = _per_line(slab.columns, WIDTH - 2 * PAD, cell_width)
        for begin in range(0, len(slab.columns), max(per_line, 1)):
            yield replace(slab, columns=slab.columns[begin : begin + per_line])


def _slab_width(slab: Slab[Cell], cell_width: float) -> float:
    return sum(GAP_WIDTH if column is None else cell_width for column in slab.columns)


def _tensor_width(header: Header, storage: Storage) -> float:
    title = len(shortened(header.name, LONGEST_NAME)) * 8.6 + 34 + len(origin(header) or "") * FACT_ADVANCE
    facts = max(len(line) for line, _ in _facts_of(header, storage)) * FACT_ADVANCE
    cell_width, row_width = _widths(header, storage)
    slabs = [row_width + _slab_width(slab, cell_width) for slab in _slabs(header, cell_width)] if header.cells else []
    side_by_side = min(sum(slabs) + SLAB_GAP * (len(slabs) - 1), WIDTH - 2 * PAD) if slabs else 0
    return max(title, facts, side_by_side)


def _draw_tensor(drawing: Drawing, left: float, top: float, header: Header, storage: Storage, hue: int) -> float:
    name = shortened(header.name, LONGEST_NAME)
    size = ",".join(map(str, header.size))
    windowed = ' data-windowed=""' if header.windowed else ""
    drawing.add(
        f'<g class="tensor h{hue}" data-name={quoteattr(header.name)} data-storage={quoteattr(storage.name)} '
        f'data-itemsize="{header.itemsize}" data-size="{size}"{windowed}>'
    )
    drawing.add(f'<path class="lane" d="M{number(left)} {number(top + 9)}h20"/>')
    drawing.text(left + 27, top + 14, name, "name")
    from_where = origin(header)
    if from_where:
        drawing.text(left + 27 + (len(name) + 0.8) * 8.6, top + 14, from_where, "fact soft")
    top += 16
    for line, look in _facts_of(header, storage):
        top += 15
        drawing.text(left, top, line, look)
    top += 8
    cell_width, row_width = _widths(header, storage)
    x = left
    bottom = top
    for slab in _slabs(header, cell_width) if header.cells else []:
        width = row_width + _slab_width(slab, cell_width)
        if x > left and x + width > WIDTH - PAD:
            x, top = left, bottom + 8
        bottom = max(bottom, _draw_slab(drawing, x, top, slab, header, storage, cell_width, row_width))
        drawing.extend(x + width, bottom)
        x += width + SLAB_GAP
    drawing.add("</g>")
    return bottom


def _draw_slab(
    drawing: Drawing,
    left: float,
    top: float,
    slab: Slab[Cell],
    header: Header,
    storage: Storage,
    cell_width: float,
    row_width: float,
) -> float:
    if slab.label:
        drawing.text(left, top + 10, slab.label, "tiny")
        top += 12
    x = left + row_width
    dims = len(header.size)
    for column in slab.columns:
        if column is not None and dims:
            drawing.text(x + cell_width / 2, top + 11, str(column), "tiny mid")
        x += GAP_WIDTH if column is None else cell_width
    top += GRID_INDEX if dims else 2
    for row in slab.rows:
        if row is None:
            drawing.text(left + row_width + cell_width / 2, top + 12, "⋮", "mid soft")
            top += GAP_WIDTH
            continue
        if dims >= 2:
            drawing.text(left + row_width - 6, top + GRID_CELL / 2 + 3.5, str(row), "tiny end")
        x = left + row_width
        for column in slab.columns:
            if column is None:
                drawing.text(x + GAP_WIDTH / 2, top + GRID_CELL / 2 + 4, "⋯", "mid soft")
                x += GAP_WIDTH
                continue
            cell = slab.cells[row, column]
            place = f"{storage.name}[{storage_cells(header, storage, cell.byte)}]"
            look = " lost" if cell.value is None else ""
            drawing.cell(cell, x, top, cell_width, GRID_CELL, look=look, place=place)
            drawing.add("</g>")
            x += cell_width
        top += GRID_CELL
    return top


def _cell_width(values: Sequence[str], places: Sequence[str]) -> float:
    value_width = max(map(len, values), default=0) * ADVANCE
    place_width = max(map(len, places), default=0) * TINY_ADVANCE
    return max(38, round(max(value_width, place_width) + 10))


def _per_line(positions: Sequence[int | None], room: float, width: float) -> int:
    """How many cells stand in a line, so that lines are of like length: a multiple of 4 where all cells are shown."""
    fitting = max(int(room // width), 1)
    if len(positions) <= fitting:
        return max(len(positions), 1)
    even = ceil(len(positions) / ceil(len(positions) / fitting))
    return even if None in positions else min(even + -even % 4, max(fitting - fitting % 4, even))


def shortened(name: str, longest: int) -> str:
    """A name, cut where it is longer than there is room for."""
    return name if len(name) <= longest else name[: longest - 1] + "…"


def number(value: float) -> str:
    """A coordinate, written briefly."""
    return f"{value:.1f}".removesuffix(".0")
