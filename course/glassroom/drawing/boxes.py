"""Grids of boxes with words in them, as text and as SVG: what the explorers draw beneath their lines and tables.

A box is not a memory cell: it shows what stands at an index, in as many lines as it needs. Its look is a class in
`boxes.css`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from glassroom.drawing.canvas import (
    ADVANCE,
    FACT_ADVANCE,
    GAP_WIDTH,
    GRID_INDEX,
    PAD,
    TINY_ADVANCE,
    TITLE_ADVANCE,
    Drawing,
    draw_slabs,
    folded,
    number,
    room,
    slab_width,
    style,
    width_of_slabs,
)
from glassroom.drawing.grid import GAP, Slab, slabs
from glassroom.records.columns import columns, ljust, rjust
from glassroom.records.columns import columns as columns_of
from glassroom.records.snapshot import visible_window

CSS = style(Path(__file__).with_name("boxes.css"))
LINE = 13
COLUMN_GAP = 22

Ints = tuple[int, ...]


@dataclass(frozen=True)
class Box:
    """What is at one index: lines of words, and how it looks."""

    lines: tuple[str, ...]
    look: str = ""


@dataclass(frozen=True)
class Grid:
    """The boxes of one tensor: at the indices of a window, or of one dimension's."""

    title: str
    size: tuple[int, ...]
    window: tuple[tuple[int, ...], ...]
    boxes: Mapping[tuple[int, ...], Box]
    hue: int | None = None

    @property
    def is_cut(self) -> bool:
        """Whether some indices are left out."""
        return any(len(shown) < n for shown, n in zip(self.window, self.size, strict=True))

    @property
    def heading(self) -> str:
        """The title, with a remark if some boxes are left out or there are none."""
        more = ", in part" if self.is_cut else ", no elements" if 0 in self.size else ""
        return f"{self.title}{more}"


def broadcast_grid(name: str, own: Ints, size: Ints, value: Callable[[Ints], str], hue: int) -> Grid:
    """A tensor of the size `own`, broadcast to `size`: its own cells, and those that stride 0 reads again. `value`
    returns the text of one of its own cells.
    """

    def box(index: Ints) -> Box:
        read = read_at(own, index)
        place = (f"[{','.join(map(str, read))}]",) if read else ()
        return Box((value(read), *place), "" if is_read_first(own, index) else "again")

    window = visible_window(size)
    stretched = f", stretched to {size}" if size != own else ""
    return Grid(f"{name} {own}{stretched}", size, window, {index: box(index) for index in product(*window)}, hue)


def read_at(own: Ints, index: Ints) -> Ints:
    """The index of the cell that a broadcast tensor of the size `own` has at `index`."""
    return tuple(0 if n == 1 else i for i, n in zip(index[len(index) - len(own) :], own, strict=True))


def is_read_first(own: Ints, index: Ints) -> bool:
    """Whether that cell is read at `index` for the first time, and not again through stride 0."""
    lead = len(index) - len(own)
    return not any(i for i, n in zip(index, (1,) * lead + own, strict=True) if n == 1)


def table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as text, in columns: the first to the left, numbers of dimensions to the right."""
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    last = len(widths) - 2
    aligned = [
        [
            rjust(word, width) if 0 < at < last else ljust(word, width)
            for at, (word, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in rows
    ]
    return ["  ".join(row).rstrip() for row in aligned]


def grid_lines(grid: Grid) -> list[str]:
    """A grid as text: the first line of each box."""
    lines = [grid.heading]
    words = {index: box.lines[0] for index, box in grid.boxes.items()}
    width = max(map(columns, words.values()), default=0)
    for slab in slabs(grid.size, grid.window, words) if words else []:
        if slab.after_gap:
            lines.append("  ⋮")
        if slab.label:
            lines.append(f"  {slab.label}")
        for row in slab.rows:
            parts = []
            for column in slab.columns:
                if column is None:
                    parts.append(" " if row is None else GAP)
                else:
                    parts.append(("⋮" if row is None else slab.cells[row, column]).rjust(width))
            lines.append(("  " + "  ".join(parts)).rstrip())
    return lines


def draw_caption(
    drawing: Drawing, top: float, lines: Sequence[str], bad: Collection[str] = (), look: str = ""
) -> float:
    """Draw lines of words, those in `bad` as errors; returns the bottom."""
    advance = TITLE_ADVANCE if look == "title" else ADVANCE
    most = (room() - 2 * PAD) / advance
    for line in lines:
        for part in folded(line, most, most):
            drawing.text(PAD, top + 12, part, "bad" if line in bad else look)
            drawing.extend(PAD + columns(part) * advance, top + 18)
            top += 18
    return top


def draw_table(drawing: Drawing, top: float, rows: Sequence[Sequence[str]], hues: Sequence[int | None]) -> float:
    """Draw rows in columns, each preceded by a line in its hue; returns the bottom."""
    widths = [max(map(columns, column)) * ADVANCE for column in zip(*rows, strict=True)]
    last = len(widths) - 2
    for row, hue in zip(rows, hues, strict=True):
        x: float = PAD
        if hue is not None:
            drawing.add(f'<g class="hue{hue}"><path class="lane" d="M{number(x)} {number(top + 9)}h20"/></g>')
        x += 27 if len(set(hues)) > 1 else 0
        failed = hue is None and any("✕" in word for word in row)  # the row of the result, if there is no result
        for at, (word, width) in enumerate(zip(row, widths, strict=True)):
            is_number = 0 < at < last
            look = "bad" if "✕" in word or (not at and failed) else "" if row[0] else "soft"
            if word:
                drawing.text(x + width * is_number, top + 13, word, f"{look} end".strip() if is_number else look)
            x += width + COLUMN_GAP
        drawing.extend(x - COLUMN_GAP, top + 18)
        top += 18
    return top


def draw_grids(drawing: Drawing, top: float, grids: Sequence[Grid]) -> float:
    """Draw grids side by side, in as many rows as they need; returns the bottom."""
    x: float = PAD
    bottom = top
    for grid in grids:
        width = _grid_width(grid)
        if x > PAD and x + width > room() - PAD:
            x, top = PAD, bottom + 16
        bottom = max(bottom, _draw_grid(drawing, x, top, grid))
        drawing.extend(x + width, bottom)
        x += width + 32
    return bottom


def _box_size(grid: Grid) -> tuple[float, float]:
    boxes = grid.boxes.values()
    head = max((len(box.lines[0]) for box in boxes), default=0) * ADVANCE
    rest = max((columns(line) for box in boxes for line in box.lines[1:]), default=0) * TINY_ADVANCE
    lines = max((len(box.lines) for box in boxes), default=1)
    return max(38, round(max(head, rest) + 10)), lines * LINE + 8


def _row_width(grid: Grid) -> float:
    rows = [str(row) for row in grid.window[-2]] if len(grid.size) >= 2 else []
    return max(map(columns, rows), default=0) * TINY_ADVANCE + (6 if rows else 0)


def _grid_width(grid: Grid) -> float:
    width, _ = _box_size(grid)
    parts = slabs(grid.size, grid.window, grid.boxes) if grid.boxes else []
    side_by_side = width_of_slabs(parts, lambda slab: _row_width(grid) + slab_width(slab, width))
    return max(27 + columns_of(grid.heading) * FACT_ADVANCE, side_by_side)


def _draw_grid(drawing: Drawing, left: float, top: float, grid: Grid) -> float:
    drawing.add('<g class="boxes">' if grid.hue is None else f'<g class="boxes hue{grid.hue}">')
    if grid.hue is not None:
        drawing.add(f'<path class="lane" d="M{number(left)} {number(top + 8)}h20"/>')
    drawing.text(left + (0 if grid.hue is None else 27), top + 12, grid.heading, "fact")
    top += 18
    width, height = _box_size(grid)
    rows = _row_width(grid)
    bottom = draw_slabs(
        drawing,
        left,
        top,
        slabs(grid.size, grid.window, grid.boxes) if grid.boxes else [],
        lambda slab: rows + slab_width(slab, width),
        lambda x, y, slab: _draw_slab(drawing, x, y, slab, grid, (rows, width, height)),
    )
    drawing.add("</g>")
    return bottom


def _draw_slab(
    drawing: Drawing, left: float, top: float, slab: Slab[Box], grid: Grid, measures: tuple[float, float, float]
) -> float:
    row_width, width, height = measures
    dims = len(grid.size)
    if slab.label:
        drawing.text(left, top + 10, slab.label, "tiny")
        top += 12
    places = {}
    x = left + row_width
    for column in slab.columns:
        if column is not None:
            places[column] = x
            if dims:
                drawing.text(x + width / 2, top + 11, str(column), "tiny mid")
        x += GAP_WIDTH if column is None else width
    top += GRID_INDEX if dims else 2
    for row in slab.rows:
        if row is None:
            drawing.text(left + row_width + width / 2, top + 12, "⋮", "mid soft")
            top += GAP_WIDTH
            continue
        if dims >= 2:
            drawing.text(left + row_width - 6, top + height / 2 + 3.5, str(row), "tiny end")
        for column, place in places.items():
            _draw_box(drawing, place, top, slab.cells[row, column], (width, height))
        if None in slab.columns:
            gap = places[slab.columns[slab.columns.index(None) - 1] or 0] + width
            drawing.text(gap + GAP_WIDTH / 2, top + height / 2 + 4, "⋯", "mid soft")
        top += height
    return top


def _draw_box(drawing: Drawing, x: float, top: float, box: Box, measures: tuple[float, float]) -> None:
    width, height = measures
    look = f" {box.look}" if box.look else ""
    drawing.add(f'<g class="box{look}">')
    place = f'x="{number(x)}" y="{number(top)}" width="{number(width)}" height="{number(height)}"'
    drawing.add(f"<rect {place}/>")
    for at, line in enumerate(box.lines):
        drawing.text(x + width / 2, top + 14 + at * LINE, line)
    drawing.add("</g>")
