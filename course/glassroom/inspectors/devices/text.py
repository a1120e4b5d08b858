"""A device map as text: the devices with the storages in each, then the transfers in order."""

from __future__ import annotations

from glassroom.drawing.words import counted, sized, unreadable
from glassroom.inspectors.devices.placement import MOST_HEADERS, MOST_STORAGES, Device, Placement
from glassroom.inspectors.devices.words import amount, ends, header_facts, manner, storage_facts, time
from glassroom.translations.templates import word


def text_of_devices(placed: Placement) -> str:
    """The whole map."""
    blocks = ["\n".join(_device_lines(device)) for device in placed.devices]
    return "\n\n".join([*blocks, *unreadable(placed.unread), "\n".join(_move_lines(placed))])


def _device_lines(device: Device) -> list[str]:
    lines = [" · ".join([device.name, device.kind, *device.figures])]
    for storage in device.storages[:MOST_STORAGES]:
        lines.append(f"  {storage.name} · {storage_facts(storage)}")
        lines += [f"    {header.name} · {header_facts(header)}" for header in storage.headers[:MOST_HEADERS]]
        if len(storage.headers) > MOST_HEADERS:
            lines.append(f"    and {counted(len(storage.headers) - MOST_HEADERS, 'more tensor')}")
    rest = device.storages[MOST_STORAGES:]
    if rest:
        lines.append(
            f"  and {counted(len(rest), 'more storage')} of {sized(sum(storage.nbytes for storage in rest))} in all"
        )
    return lines if device.storages else [*lines, "  nothing that was asked about"]


def _move_lines(placed: Placement) -> list[str]:
    if not placed.moves:
        return ["no transfers"]
    lines = [word("transfers")]
    if placed.earlier:
        lines.append(f"  after {counted(placed.earlier, 'earlier one')}")
    for number, move in enumerate(placed.moves, 1):
        facts = [f"{move.source} → {move.target}", ends(move), amount(move), time(move), manner(move)]
        lines.append(f"  {number:>2}. {' · '.join(facts)}")
    return lines
