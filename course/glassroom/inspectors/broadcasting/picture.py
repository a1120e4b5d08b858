"""A broadcast as text and as SVG: what is said of it, the sizes lined up, and which cells are read."""

from __future__ import annotations

from itertools import product

from glassroom.drawing.boxes import CSS, Box, Grid, draw_caption, draw_grids, draw_table, grid_lines, table_lines
from glassroom.drawing.canvas import HUES, PAD, Drawing, shortened
from glassroom.drawing.words import element
from glassroom.inspectors.broadcasting.broadcast import Broadcast, Ints, Operand
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
    """An operand as it is read: its own cells, and those that stride 0 reads again."""
    size = operand.size if met.size is None else met.size
    window = visible_window(size)
    boxes = {index: _operand_box(met, operand, index) for index in product(*window)}
    stretched = f", stretched to {size}" if size != operand.size else ""
    return Grid(f"{operand.name} {operand.size}{stretched}", size, window, boxes, hue)


def _operand_box(met: Broadcast, operand: Operand, index: Ints) -> Box:
    own = index if met.size is None else met.read_by(operand, index)
    again = met.size is not None and not met.is_first(operand, index)
    place = (f"[{','.join(map(str, own))}]",) if own else ()
    return Box((operand.value(own), *place), "again" if again else "")


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
