"""A broadcast as text and as SVG: a few sentences, the sizes lined up, and which cells are read."""

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
from glassroom.inspectors.broadcasting.broadcast import Broadcast, Ints, Operand
from glassroom.records.snapshot import visible_window

NAME_IN_A_BOX = 6


def text_of_broadcast(met: Broadcast) -> str:
    """The whole text; cells that are read again are in parentheses."""
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
    """An operand, with the cells that are read."""
    size = operand.size if met.size is None else met.size
    return broadcast_grid(operand.name, operand.size, size, operand.value, hue)


def result_grid(met: Broadcast) -> Grid:
    """The result: each box shows the operands' cells that it reads, and their values."""
    size = met.size or ()
    window = visible_window(size)
    names = {operand.name: shortened(operand.name, NAME_IN_A_BOX) for operand in met.operands}

    def read(operand: Operand, index: Ints) -> str:
        own = met.read_by(operand, index)
        cell = element(names[operand.name], own).replace(" ", "")
        return f"{cell} {operand.value(own)}" if operand.values else cell

    boxes = {index: Box(tuple(read(operand, index) for operand in met.operands), "even") for index in product(*window)}
    return Grid(f"result {size}", size, window, boxes)
