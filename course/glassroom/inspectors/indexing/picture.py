"""An index as text and as SVG: its explanation, what each item does, the cells that it picks, and the result."""

from __future__ import annotations

from itertools import product

from glassroom.drawing.boxes import (
    CSS,
    Box,
    Grid,
    broadcast_grid,
    draw_caption,
    draw_grids,
    draw_table,
    grid_lines,
    table_lines,
)
from glassroom.drawing.canvas import HUES, PAD, Drawing
from glassroom.inspectors.indexing.arithmetic import Ints, Led
from glassroom.inspectors.indexing.words import Indexing
from glassroom.records.snapshot import visible_window
from glassroom.translations.templates import word


def text_of_indexing(indexing: Indexing) -> str:
    """The whole text; cells that are picked are in brackets."""
    blocks = indexing.lines()
    if indexing.led is not None:
        blocks += ["", *table_lines(indexing.table())]
    own = tensor_grid(indexing)
    marked = {
        index: Box((f" {box.lines[0]} " if box.look else f"[{box.lines[0]}]",)) for index, box in own.boxes.items()
    }
    blocks += ["", *grid_lines(Grid(f"{own.title}, picked cells in brackets", own.size, own.window, marked))]
    for grid in further_grids(indexing):
        blocks += ["", *grid_lines(grid)]
    return "\n".join(blocks)


def svg_of_indexing(indexing: Indexing, label: str) -> str:
    """The picture. A view has the tensor's colour, since it is the same memory; a copy has none."""
    drawing = Drawing()
    top = draw_caption(drawing, PAD, indexing.lines(), indexing.lines()[1:2] if indexing.refused else ())
    if indexing.led is not None:
        table = indexing.table()
        top = draw_table(drawing, top + 8, table, [None] * len(table))
    draw_grids(drawing, top + 14, [tensor_grid(indexing), *further_grids(indexing)])
    return drawing.finished(label, CSS)


def tensor_grid(indexing: Indexing) -> Grid:
    """The tensor: cells that are picked are filled, with a count if they are picked more than once."""
    window = visible_window(indexing.size)
    boxes = {index: _tensor_box(indexing, index) for index in product(*window)}
    return Grid(f"{indexing.name} {indexing.size}", indexing.size, window, boxes, 0)


def _tensor_box(indexing: Indexing, index: Ints) -> Box:
    times = indexing.times(index)
    place = [f"[{','.join(map(str, index))}]"] if index else []
    if times > 1:
        place = [f"{''.join(place)} ×{times}"]
    return Box((indexing.value(index), *place), "" if times else "idle")


def further_grids(indexing: Indexing) -> list[Grid]:
    """The index tensors, stretched to their common size, and the result."""
    led = indexing.led
    if led is None:
        return []
    grids = []
    picked = [positions for dim, positions in led.chosen.items() if led.axes[dim].source is not None]
    if len(led.chosen) > 1 or any(".nonzero()" not in positions.name for positions in picked):
        for hue, positions in enumerate(picked, start=1):
            values = dict(zip(product(*map(range, positions.size)), map(str, positions.elements), strict=True))
            grids.append(broadcast_grid(positions.name, positions.size, led.shape, values.__getitem__, hue % HUES))
    return [*grids, _result_grid(indexing, led)]


def _result_grid(indexing: Indexing, led: Led) -> Grid:
    window = visible_window(led.size)
    boxes = {}
    for index in product(*window):
        source = led.source(index)
        place = (f"[{','.join(map(str, source))}]",) if source else ()
        boxes[index] = Box((indexing.value(source), *place))
    kind = word("a view") if led.is_view else word("a number") if led.is_number else word("a copy")
    return Grid(f"result {led.size}, {kind}", led.size, window, boxes, 0 if led.is_view else None)
