"""A device map as one static SVG: the devices side by side with the storages in each, and beneath them the transfers,
one below the other in the order in which they happened, as arrows from device to device.

Storages carry in `data-on` the transfers that they are an end of; the live form needs nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from glassroom.drawing.canvas import (
    FACT_ADVANCE,
    HUES,
    PAD,
    TINY_ADVANCE,
    Drawing,
    is_narrow,
    number,
    room,
    shortened,
    style,
)
from glassroom.drawing.words import counted, sized, unreadable
from glassroom.inspectors.devices.placement import (
    MOST_HEADERS,
    MOST_STORAGES,
    Device,
    Move,
    PlacedHeader,
    PlacedStorage,
    Placement,
)
from glassroom.inspectors.devices.words import amount, ends, header_facts, manner, storage_facts, summary, time
from glassroom.records.columns import columns as columns_of
from glassroom.translations.templates import word

CSS = style(Path(__file__).with_name("picture.css"))
LEAST_COLUMN = 240.0
GAP = 20
INSET = 10
HEAD = 30
LINE = 15
ROW = 44
LONGEST_NAME = 18
LONGEST_FACTS = 40


def svg_of_devices(placed: Placement) -> str:
    """The picture of a device map."""
    drawing = Drawing()
    drawing.text(PAD, PAD + 14, "device map", "name")
    top = PAD + 30.0
    if is_narrow():
        return _on_a_phone(drawing, top, placed)
    widths = [_column_width(device) for device in placed.devices]
    least = 560.0 / len(widths)  # the words on the arrows need space too
    widths = [max(width, least) for width in widths]
    lefts = [PAD + sum(widths[:at]) + GAP * at for at in range(len(widths))]
    hues = _hues(placed)
    bottom = top
    for device, left, width in zip(placed.devices, lefts, widths, strict=True):
        bottom = max(bottom, _draw_storages(drawing, left, top, width, device, placed.moves, hues))
    for device, left, width in zip(placed.devices, lefts, widths, strict=True):
        _draw_frame(drawing, left, top, width, bottom - top, device)
    middles = {device.name: left + width / 2 for device, left, width in zip(placed.devices, lefts, widths, strict=True)}
    for line in unreadable(placed.unread):
        bottom = drawing.wrapped(PAD, bottom + 18, line, "fact soft") + 6
    _draw_moves(drawing, bottom, placed, middles)
    return drawing.finished(summary(placed), CSS)


def _on_a_phone(drawing: Drawing, top: float, placed: Placement) -> str:
    """The devices one below the other, and beneath them the transfers in words."""
    hues, width = _hues(placed), room() - 2 * PAD
    for device in placed.devices:
        bottom = _draw_storages(drawing, PAD, top, width, device, placed.moves, hues)
        _draw_frame(drawing, PAD, top, width, bottom - top, device)
        top = bottom + 12
    for line in unreadable(placed.unread):
        top = drawing.wrapped(PAD, top + 12, line, "fact soft") + 6
    if placed.earlier:
        top = drawing.wrapped(PAD, top + 12, f"⋮ after {counted(placed.earlier, 'earlier transfer')}", "fact soft") + 6
    for at, move in enumerate(placed.moves, 1):
        hue = 0 if _is_onwards(move, placed) else 4
        drawing.add(f'<g class="move-row hue{hue}" data-on="{at}-{at}" data-says={quoteattr(_move_said(move))}>')
        drawing.add(f'<path class="lane" d="M{PAD} {number(top + 8)}h16"/>')
        drawing.text(PAD + 22, top + 12, f"{move.source} → {move.target}", "title")
        words = " · ".join([ends(move), amount(move), time(move), manner(move)])
        top = drawing.wrapped(PAD + 22, top + 28, words, "fact") + 12
        drawing.add("</g>")
    if not placed.moves:
        top = drawing.wrapped(PAD, top + 12, "no transfers", "fact soft")
    drawing.extend(room() - PAD, top)
    return drawing.finished(summary(placed), CSS)


def _is_onwards(move: Move, placed: Placement) -> bool:
    """Whether a transfer goes to a device that is drawn after the one that it comes from."""
    names = [device.name for device in placed.devices]
    return names.index(move.target) > names.index(move.source)


def _move_said(move: Move) -> str:
    return f"{move.source} → {move.target}: {ends(move)}, {amount(move)}, {time(move)}, {manner(move)}"


def _hues(placed: Placement) -> dict[str, int]:
    storages = [storage.name for device in placed.devices for storage in device.storages]
    return {name: position % HUES for position, name in enumerate(storages)}


def _column_width(device: Device) -> float:
    lines = [f"{device.name}   {device.kind}", *device.figures]
    for storage in device.storages[:MOST_STORAGES]:
        lines.append(f"{storage.name}  {storage_facts(storage)}  ")
        lines += [
            f"  {shortened(h.name, LONGEST_NAME)}  {shortened(header_facts(h), LONGEST_FACTS)}  "
            for h in storage.headers
        ]
    return max(LEAST_COLUMN, max(map(columns_of, lines)) * FACT_ADVANCE + 2 * INSET + 8)


def _lines(device: Device, width: float) -> tuple[str, ...]:
    """What stands beside a device's name and beneath it: its kind, beside it where there is room, and its figures."""
    needed = 2 * INSET + (len(device.name) + 1.5) * 7.9 + columns_of(device.kind) * FACT_ADVANCE
    return (device.kind, *device.figures) if needed <= width else ("", device.kind, *device.figures)


def _draw_frame(drawing: Drawing, left: float, top: float, width: float, height: float, device: Device) -> None:
    drawing.add(
        f'<rect class="device" x="{number(left)}" y="{number(top)}" width="{number(width)}" '
        f'height="{number(height)}" rx="6"/>'
    )
    drawing.text(left + INSET, top + 18, device.name, "title")
    beside, *beneath = _lines(device, width)
    drawing.text(left + INSET + (len(device.name) + 1.5) * 7.9, top + 18, beside, "fact soft")
    for line, figure in enumerate(beneath):
        drawing.text(left + INSET, top + 34 + LINE * line, figure, "fact soft")
    drawing.extend(left + width, top + height)


def _draw_storages(
    drawing: Drawing,
    left: float,
    top: float,
    width: float,
    device: Device,
    moves: tuple[Move, ...],
    hues: Mapping[str, int],
) -> float:
    """The storages of a device, one below the other; returns the bottom."""
    top += HEAD + LINE * len(_lines(device, width)[1:])
    if not device.storages:
        drawing.text(left + INSET, top + 12, "nothing that was asked about", "fact soft")
        return top + 24
    for storage in device.storages[:MOST_STORAGES]:
        top = _draw_storage(drawing, left + INSET, top, width - 2 * INSET, storage, moves, hues[storage.name]) + 8
    rest = device.storages[MOST_STORAGES:]
    if rest:
        words = f"and {counted(len(rest), 'more storage')}, {sized(sum(storage.nbytes for storage in rest))}"
        drawing.text(left + INSET, top + 10, words, "fact soft")
        top += 18
    return top + 2


def _header_rows(header: PlacedHeader, width: float) -> list[tuple[str, str]]:
    """A header's name and facts on one line, or where that is too narrow, on two."""
    name, facts = shortened(header.name, LONGEST_NAME), shortened(header_facts(header), LONGEST_FACTS)
    if (columns_of(name) + 1.5 + columns_of(facts)) * FACT_ADVANCE <= width:
        return [(name, facts)]
    return [(name, ""), (" ", facts)]


def _draw_storage(
    drawing: Drawing,
    left: float,
    top: float,
    width: float,
    storage: PlacedStorage,
    moves: tuple[Move, ...],
    hue: int,
) -> float:
    shown = storage.headers[:MOST_HEADERS]
    rows = [_header_rows(header, width - 24) for header in shown]
    lines = sum(map(len, rows)) + (len(shown) < len(storage.headers))
    height = 26 + LINE * lines
    on = [str(at) for at, move in enumerate(moves, 1) if storage.name in (move.source_storage, move.target_storage)]
    spans = " ".join(f"{at}-{at}" for at in on) or "0-0"
    names = word(", ").join(header.name for header in storage.headers)
    says = quoteattr(f"{storage.name} on {storage.device}: {storage_facts(storage)}; its headers: {names}")
    drawing.add(
        f'<g class="holding hue{hue}" data-on="{spans}" data-says={says}>'
        f'<rect x="{number(left)}" y="{number(top)}" width="{number(width)}" height="{number(height)}"/>'
    )
    if storage.is_pinned:
        x = number(left + width - 12)
        drawing.add(f'<path class="pinned" d="M{x} {number(top + 8)}v9m-4 -9h8m-6 0v-3h4v3"/>')
    drawing.text(left + 8, top + 17, storage.name, "title")
    drawing.text(left + 8 + (len(storage.name) + 1) * 7.9, top + 17, storage_facts(storage), "fact")
    for at, (name, facts) in enumerate(row for of_one in rows for row in of_one):
        y = top + 17 + LINE * (at + 1)
        drawing.text(left + 16, y, name, "fact")
        drawing.text(left + 16 + (columns_of(name) + 1.5) * FACT_ADVANCE, y, facts, "fact soft")
    if len(shown) < len(storage.headers):
        words = f"and {counted(len(storage.headers) - len(shown), 'more tensor')}"
        drawing.text(left + 16, top + 17 + LINE * lines, words, "fact soft")
    drawing.add("</g>")
    return top + height


def _draw_moves(drawing: Drawing, top: float, placed: Placement, middles: Mapping[str, float]) -> None:
    if not placed.moves:
        drawing.text(PAD, top + 22, "no transfers", "fact soft")
        drawing.extend(PAD, top + 24)
        return
    begin = top
    top += 12
    if placed.earlier:
        top += 18
    bottom = top + ROW * len(placed.moves)
    for middle in middles.values():
        drawing.add(f'<path class="line" d="M{number(middle)} {number(begin)}V{number(bottom)}"/>')
    if placed.earlier:
        drawing.text(PAD, begin + 18, f"⋮ after {counted(placed.earlier, 'earlier transfer')}", "fact soft")
    for at, move in enumerate(placed.moves, 1):
        _draw_move(drawing, top, at, move, middles)
        top += ROW
    drawing.extend(PAD, bottom)


def _draw_move(drawing: Drawing, top: float, at: int, move: Move, middles: Mapping[str, float]) -> None:
    start, end = middles[move.source], middles[move.target]
    way = 1 if end > start else -1
    y = number(top + 26)
    hue = 0 if way > 0 else 4
    dashed = "" if move.waited else " on-time"
    drawing.add(
        f'<g class="move-row hue{hue}" data-on="{at}-{at}" data-says={quoteattr(_move_said(move))}>'
        f'<path class="way{dashed}" d="M{number(start)} {y}H{number(end - 8 * way)}"/>'
        f'<path class="head" d="M{number(end)} {y}l{-10 * way} -5v10z"/>'
    )
    middle = (start + end) / 2
    drawing.text(middle, top + 19, f"{at}. {ends(move)} · {amount(move)}", "fact mid")
    below = f"{time(move)} · {manner(move)}"
    drawing.text(middle, top + 38, below, "tiny mid")
    drawing.add("</g>")
    drawing.extend(middle + columns_of(below) * TINY_ADVANCE / 2, top + ROW)
