"""A snapshot as one static SVG: each storage a strip of cells, and beneath it the tensors over it, side by
side.

Self-contained: it carries its own colours for light and dark, and no identifiers, so that any number of them
can stand on one page. The `data-` attributes give each cell's bytes; the live map needs nothing else to link cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from xml.sax.saxutils import quoteattr

from glassroom.drawing.canvas import (
    ADVANCE,
    FACT_ADVANCE,
    GAP,
    GAP_WIDTH,
    GRID_INDEX,
    HUES,
    LINE,
    PAD,
    TINY_ADVANCE,
    Drawing,
    Filled,
    Shared,
    draw_slabs,
    in_xml,
    in_xml_only,
    number,
    room,
    shortened,
    slab_width,
    width_of_slabs,
)
from glassroom.drawing.grid import Slab, slabs_of, with_gaps
from glassroom.drawing.snapshot.lanes import reached
from glassroom.drawing.snapshot.words import (
    memory_facts,
    origin,
    shape_facts,
    storage_cells,
    storage_facts,
    summary,
    times_reached,
    trouble,
    undrawn,
)
from glassroom.drawing.words import written
from glassroom.records.cells import Cell, Cells
from glassroom.records.columns import columns
from glassroom.records.columns import columns as columns_of
from glassroom.records.snapshot import Header, Snapshot, Storage

STRIP_CELL = 28
STRIP_INDEX = 14  # the line of indices above a strip
LANE = 12
GRID_CELL = 34
LONGEST_NAME = 36


def svg_of(snapshot: Snapshot, caption: Sequence[str] = ()) -> str:
    """The picture of a snapshot, beneath the lines of a caption."""
    drawing = Drawing()
    top: float = PAD
    for line in caption:
        drawing.text(PAD, top + 12, line)
        drawing.extend(PAD + columns(line) * ADVANCE, top + 18)
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
    rest = undrawn(snapshot)
    if rest:
        drawing.rule(top)
    for line in rest:
        top = drawing.wrapped(PAD, top + 22, line, "fact soft")
    return drawing.finished(summary(snapshot))


def _draw_storage(
    drawing: Drawing, top: float, storage: Storage, headers: Sequence[Header], hues: dict[str, int]
) -> float:
    """Draw a storage's title, its strip, and the lanes of the tensors over it; returns the bottom."""
    facts = " · ".join(storage_facts(storage))
    drawing.text(PAD, top + 14, storage.name, "name")
    facts_x = PAD + (len(storage.name) + 1) * 9
    bottom = drawing.wrapped(facts_x, top + 14, facts, "fact soft")
    return draw_strip(drawing, bottom + 10, storage, headers, hues)


@dataclass(frozen=True)
class _Strip:
    """A strip that has been laid out, with gaps between its pieces for the storage's name and the values. `gaps` says
    what fills each: the position of a cell, whose value goes there, or -1 for the tag by which a line begins.
    """

    pieces: Shared
    gaps: Sequence[int]
    extent: tuple[float, float]
    bottom: float


Strips = dict[object, _Strip]


def draw_strip(
    drawing: Drawing,
    top: float,
    storage: Storage,
    headers: Sequence[Header],
    hues: Mapping[str, int],
    *,
    most: float | None = None,
    written_to: Collection[int] = (),
    known: Strips | None = None,
) -> float:
    """Draw a storage's cells in lines no wider than `most`, and the lanes of the tensors over it; returns the bottom.

    Each cell has its number above it. Cells that begin at the bytes `written_to` are marked. Callers that draw many
    strips in the same hues pass one dict as `known`: those that differ only in their values are laid out once.
    """
    if not storage.cells:
        return top
    cells = storage.cells
    decoded = cells.values if isinstance(cells, Cells) else [cell.value for cell in cells]
    starts = cells.places.starts if isinstance(cells, Cells) else tuple([cell.byte for cell in cells])
    values = [written(value) for value in decoded]
    longest = max(map(len, values)), len(str(max(starts) // storage.itemsize))
    width = max(38, round(max(longest[0] * ADVANCE, longest[1] * TINY_ADVANCE) + 10))
    marked = tuple([at for at, start in enumerate(starts) if start in written_to]) if written_to else ()
    key = (top, width, most or room(), storage.itemsize, starts, marked, *map(_reach, headers))
    known = {} if known is None else known
    strip = known.get(key)
    if strip is None:
        strip = known[key] = _laid_out(top, width, most or room(), storage, headers, hues, marked)
    name = quoteattr(storage.name)
    line = f'<g class="strip" data-name={name} data-storage={name} data-itemsize="{storage.itemsize}">'
    texts = [*map(in_xml, values), line]
    drawing.add(Filled.of(strip.pieces, [texts[gap] for gap in strip.gaps]))
    drawing.extend(*strip.extent)
    return strip.bottom


def _reach(header: Header) -> object:
    """What a header's lane is drawn from."""
    return header.name, header.size, header.stride, header.storage_offset, header.unit, header.itemsize, header.bytes


def _laid_out(
    top: float,
    width: float,
    most: float,
    storage: Storage,
    headers: Sequence[Header],
    hues: Mapping[str, int],
    marked: Collection[int],
) -> _Strip:
    """A strip without its name and values: its lines, and beneath each the lanes."""
    drawing = Drawing()
    gaps: list[int] = []
    lanes = [(header, reached(header, storage)) for header in headers]
    held = set().union(*(counts for _, counts in lanes))
    names = {header.name: shortened(header.name, 14) for header in headers}
    left = PAD + max(columns(name) for name in names.values()) * FACT_ADVANCE + 10
    positions = with_gaps([cell.index[0] for cell in storage.cells])
    cells = {cell.index[0]: at for at, cell in enumerate(storage.cells)}
    per_line = _per_line(positions, most - PAD - left, width)
    for begin in range(0, len(positions), per_line):
        part = positions[begin : begin + per_line]
        gaps.append(-1)
        drawing.add(GAP)
        for column, position in enumerate(part):
            x = left + column * width
            if position is None:
                drawing.text(x + width / 2, top + STRIP_INDEX + STRIP_CELL / 2 + 4, "⋯", "mid soft")
                continue
            cell = storage.cells[cells[position]]
            drawing.text(x + width / 2, top + 10, str(position), "tiny mid")
            look = f"{'' if position in held else ' free'}{' wrote' if cells[position] in marked else ''}"
            drawing.cell(
                Cell(cell.index, cell.byte, ""), x, top + STRIP_INDEX, width, STRIP_CELL, look=look, place=None
            )
            drawing.parts[-1] = drawing.parts[-1].removesuffix("</text>")
            gaps.append(cells[position])
            ticks = _byte_ticks(x, top + STRIP_INDEX + STRIP_CELL - 3.5, width, storage.itemsize)
            drawing.add(f"{GAP}</text>{ticks}</g>")
        drawing.add("</g>")
        drawing.extend(left + len(part) * width, top)
        top += STRIP_INDEX + STRIP_CELL + 3
        for header, counts in lanes:
            _draw_lane(drawing, left, top, width, part, header, names[header.name], counts, hues[header.name])
            top += LANE
        top += 5
    pieces = Shared(in_xml_only("".join(drawing.parts)))
    return _Strip(pieces, gaps, (drawing.right, drawing.bottom), top)


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
    drawing.add(f'<g class="hue{hue}">')
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
        if x > PAD and x + width > room() - PAD:
            x, top = PAD, bottom + 18
        bottom = max(bottom, _draw_tensor(drawing, x, top, header, storage, hues[header.name]))
        drawing.extend(x + width, bottom)
        x += width + 36
    return bottom


def _facts_of(header: Header, storage: Storage) -> list[tuple[str, str]]:
    lines = [(" · ".join(shape_facts(header)), "fact"), (" · ".join(memory_facts(header)), "fact soft")]
    problem = trouble(header, storage)
    return lines if problem is None else [*lines, (problem, "fact bad")]


def _place(header: Header, storage: Storage, cell: Cell) -> str:
    """Where an element lies: `S0[3]`, or `[3]` in a storage that has words in place of a number."""
    name = "" if " " in storage.name else storage.name
    return f"{name}[{storage_cells(header, storage, cell.byte)}]"


def _widths(header: Header, storage: Storage) -> tuple[float, float]:
    """The width of a cell, and of the row numbers at the left."""
    beneath = [_place(header, storage, cell) for cell in header.cells]
    columns = [str(column) for column in header.window[-1]] if header.size else []
    cell_width = _cell_width([written(cell.value) for cell in header.cells], [*beneath, *columns])
    rows = [str(row) for row in header.window[-2]] if len(header.size) >= 2 else []
    return cell_width, max((len(row) for row in rows), default=0) * TINY_ADVANCE + (6 if rows else 0)


def _slabs(header: Header, cell_width: float) -> Iterator[Slab[Cell]]:
    """The slabs to draw: a single row that is too long for the picture is continued in the next line; of several rows
    that are too long, only the ends are shown.
    """
    for slab in slabs_of(header):
        per_line = len(slab.columns)
        if len(header.size) == 1:
            per_line = _per_line(slab.columns, room() - 2 * PAD, cell_width)
        elif slab_width(slab, cell_width) > room() - 2 * PAD - 20:
            shown = [column for column in slab.columns if column is not None]
            most = max(int((room() - 2 * PAD - 20 - GAP_WIDTH) // cell_width), 2)
            columns = (*shown[: most - most // 2], None, *shown[len(shown) - most // 2 :])
            yield replace(slab, columns=columns)
            continue
        for begin in range(0, len(slab.columns), max(per_line, 1)):
            yield replace(slab, columns=slab.columns[begin : begin + per_line])


def _tensor_width(header: Header, storage: Storage) -> float:
    title = columns_of(_name_of(header)) * 8.6 + 34 + columns_of(origin(header) or "") * FACT_ADVANCE
    facts = max(columns(line) for line, _ in _facts_of(header, storage)) * FACT_ADVANCE
    title, facts = min(title, room() - 2 * PAD), min(facts, room() - 2 * PAD)
    cell_width, row_width = _widths(header, storage)
    slabs = _slabs(header, cell_width) if header.cells else []
    return max(title, facts, width_of_slabs(slabs, lambda slab: row_width + slab_width(slab, cell_width)))


def _name_of(header: Header) -> str:
    """A tensor's name, cut to the room for it."""
    return shortened(header.name, min(LONGEST_NAME, int((room() - 2 * PAD - 27) / 8.6)))


def _draw_tensor(drawing: Drawing, left: float, top: float, header: Header, storage: Storage, hue: int) -> float:
    name = _name_of(header)
    size = ",".join(map(str, header.size))
    windowed = ' data-windowed=""' if header.windowed else ""
    drawing.add(
        f'<g class="tensor hue{hue}" data-name={quoteattr(header.name)} data-storage={quoteattr(storage.name)} '
        f'data-itemsize="{header.itemsize}" data-size="{size}"{windowed}>'
    )
    drawing.add(f'<path class="lane" d="M{number(left)} {number(top + 9)}h20"/>')
    drawing.text(left + 27, top + 14, name, "name")
    from_where = origin(header)
    top += 14
    if from_where:
        top = drawing.wrapped(left + 27 + (len(name) + 0.8) * 8.6, top, from_where, "fact soft", left=left)
    top += 2
    for line, look in _facts_of(header, storage):
        top = drawing.wrapped(left, top + LINE, line, look)
    top += 8
    cell_width, row_width = _widths(header, storage)
    bottom = draw_slabs(
        drawing,
        left,
        top,
        _slabs(header, cell_width) if header.cells else [],
        lambda slab: row_width + slab_width(slab, cell_width),
        lambda x, y, slab: _draw_slab(drawing, x, y, slab, header, storage, cell_width, row_width),
    )
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
            place = _place(header, storage, cell)
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
    """The number of cells in a line, so that lines are about equally long: a multiple of 4 if all cells are shown."""
    fitting = max(int(room // width), 1)
    if len(positions) <= fitting:
        return max(len(positions), 1)
    even = ceil(len(positions) / ceil(len(positions) / fitting))
    return even if None in positions else min(even + -even % 4, max(fitting - fitting % 4, even))
