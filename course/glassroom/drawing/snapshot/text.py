"""A snapshot as text: the accessible form of the picture, which tests of notebooks compare. It has only names, numbers
and bytes, never an address, so the same program always prints the same text.
"""

from __future__ import annotations

from collections.abc import Sequence

from glassroom.drawing.grid import GAP, Slab, slabs_of, with_gaps
from glassroom.drawing.snapshot.lanes import reached
from glassroom.drawing.snapshot.words import (
    memory_facts,
    origin,
    shape_facts,
    storage_cells,
    storage_facts,
    times_reached,
    trouble,
    undrawn,
)
from glassroom.drawing.words import written
from glassroom.records.cells import Cell
from glassroom.records.columns import columns, ljust, rjust
from glassroom.records.snapshot import Header, Snapshot, Storage

WIDTH = 96


def text_of(snapshot: Snapshot) -> str:
    """The whole map: each storage, and beneath it the tensors over it."""
    if not snapshot.headers:
        return "no tensors"
    blocks = []
    for storage in snapshot.storages:
        headers = snapshot.headers_on(storage)
        blocks.append("\n".join(_storage_lines(storage, headers)))
        blocks.extend("\n".join(_header_lines(header, storage)) for header in headers)
    return "\n\n".join([*blocks, *undrawn(snapshot)])


def _storage_lines(storage: Storage, headers: Sequence[Header]) -> list[str]:
    lines = [" · ".join([storage.name, *storage_facts(storage)])]
    positions = with_gaps([cell.index[0] for cell in storage.cells])
    values = {cell.index[0]: written(cell.value) for cell in storage.cells}
    lanes = [(header, reached(header, storage)) for header in headers]
    if len(lanes) == 1 and set(lanes[0][1].values()) == {1} and len(lanes[0][1]) == len(storage.cells):
        lanes = []  # a single tensor that is the whole storage needs no lane
    gutter = max((len(header.name) for header, _ in lanes), default=0) + 2
    width = max((max(len(f"[{position}]"), len(values[position])) for position in values), default=1) + 2
    per_line = max((WIDTH - gutter) // width, 1)
    for begin in range(0, len(positions), per_line):
        part = positions[begin : begin + per_line]

        def line(head: str, texts: Sequence[str]) -> str:
            return (ljust(head, gutter) + "".join(rjust(text, width) for text in texts)).rstrip()

        lines.append(line("", [GAP if cell is None else f"[{cell}]" for cell in part]))
        lines.append(line("", [GAP if cell is None else values[cell] for cell in part]))
        for header, counts in lanes:
            lines.append(line(header.name, ["" if cell is None else _mark(header, counts[cell]) for cell in part]))
    return lines


def _mark(header: Header, times: int) -> str:
    return ("", "■")[times] if times < 2 else times_reached(header, times)


def _header_lines(header: Header, storage: Storage) -> list[str]:
    facts = [header.name, origin(header), *shape_facts(header), *memory_facts(header)]
    lines = [" · ".join(filter(None, facts))]
    problem = trouble(header, storage)
    if problem:
        lines.append(f"  {problem}")
    if not header.cells:
        return lines
    values = {cell.index: written(cell.value) for cell in header.cells}
    places = {cell.index: f"[{storage_cells(header, storage, cell.byte)}]" for cell in header.cells}
    value_width = max(map(columns, values.values()))
    place_width = max(map(columns, places.values()))

    def cell(slab: Slab[Cell], row: int | None, column: int | None) -> str:
        if column is None:
            return GAP
        if row is None:
            return "⋮".center(value_width) + " " * (place_width + 1)
        index = slab.cells[row, column].index
        return f"{rjust(values[index], value_width)} {ljust(places[index], place_width)}"

    for slab in slabs_of(header):
        if slab.after_gap:
            lines.append("  ⋮")
        if slab.label:
            lines.append(f"  {slab.label}")
        rows = [[cell(slab, row, column) for column in slab.columns] for row in slab.rows]
        lines += [("  " + "  ".join(row)).rstrip() for row in rows]
    return lines
