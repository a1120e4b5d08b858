"""A broadcast as text and as SVG: what is said of it, the sizes lined up, and which cells are read."""

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
from glassroom.drawing.canvas import HUES, PAD, Drawing, shortened
from glassroom.drawing.words import element
from glassroom.inspectors.broadcasting.broadcast import Broadcast, Operand
from glassroom.records.snapshot import visible_window

NAME_IN_A_BOX = 6


def text_of_broadcast(met: Broadcast) -> str:
    """The whole story; what an operand is read again for stands in parentheses."""
    blocks = [*met.lines(), "", *table_lines(met.table())]
    for operand in met.operands:
        grid = operand_grid(met, operand, 0)
        again = {index: Box((f"({box.lines[0]})",)) if box.look else box for index, box in grid.boxes.items()}
        blocks += ["", *grid_lines(Grid(grid.title, grid.size, grid.window, again))]
    return "\n".join(blocks)


def svg_of_broadcast(met: Broadcast, label: str) -> str:
    """The picture: cells that are read again through stride 0 are dashed."""
    drawing = Drawing()
    top = draw_caption(drawing, PAD, met.lines(), [met.refusal])
    hues = [position % HUES for position in range(len(met.operands))]
    top = draw_table(drawing, top + 8, met.table(), [None, *hues, None]) + 14
    grids = [operand_grid(met, operand, hue) for operand, hue in zip(met.operands, hues, strict=True)]
    if met.size is not None:
        grids.append(result_grid(met))
    draw_grids(drawing, top, grids)
    return drawing.finished(label, CSS)


def operand_grid(met: Broadcast, operand: Operand, hue: int) -> Grid:
    """An operand as it is read."""
    size = operand.size if met.size is None else met.size
    return broadcast_grid(operand.name, operand.size, size, operand.value, hue)


def result_grid(met: Broadcast) -> Grid:
    """The result: in each box the operands' cells that it reads."""
    size = met.size or ()
    window = visible_window(size)
    names = {operand.name: shortened(operand.name, NAME_IN_A_BOX) for operand in met.operands}
    boxes = {}
    for index in product(*window):
        reads = (element(names[each.name], met.read_by(each, index)).replace(" ", "") for each in met.operands)
        boxes[index] = Box(tuple(reads), "even")
    return Grid(f"result {size}", size, window, boxes)
