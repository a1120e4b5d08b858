"""The sentences of a device map, which its text, its picture and its live form share."""

from __future__ import annotations

from glassroom.drawing.words import counted, duration, sized
from glassroom.inspectors.devices.placement import Move, PlacedHeader, PlacedStorage, Placement
from glassroom.translations.templates import word


def summary(placed: Placement) -> str:
    """The map in one sentence."""
    parts = [f"{device.name} holds {counted(len(device.storages), 'storage')}" for device in placed.devices]
    went = sum(move.times for move in placed.moves) + placed.earlier
    return f"Device map: {word('; ').join(parts)}; {counted(went, 'transfer') if went else 'no transfers'}."


def storage_facts(storage: PlacedStorage) -> str:
    """The facts about a storage that follow its name."""
    marks = [word("pinned")] * storage.is_pinned + ["shared with other processes"] * storage.is_shared
    return " · ".join([sized(storage.nbytes), *marks])


def header_facts(header: PlacedHeader) -> str:
    """The facts about a tensor that follow its name."""
    return f"{header.size} {header.dtype}{' · requires grad' if header.requires_grad else ''}"


def ends(move: Move) -> str:
    """The storages at both ends, if they are known: `S0 → S3`."""
    if move.source_storage is None and move.target_storage is None:
        return "Python reads it" if move.target == "cpu" else "from Python"
    return f"{move.source_storage} → {move.target_storage}"


def amount(move: Move) -> str:
    """How many bytes, and how often."""
    once = sized(move.nbytes)
    return once if move.times == 1 else f"{move.times:,} × {once}"


def time(move: Move) -> str:
    """How long it took, and where that figure comes from."""
    return duration(move.seconds, move.is_simulated)


def manner(move: Move) -> str:
    """The kind of memory on the host's side, and whether the host waited."""
    memory = word("direct")
    if "cpu" in (move.source, move.target):
        memory = word("pinned") if move.is_pinned else word("pageable")
    return f"{memory}, the host {word('waits') if move.waited else 'goes on'}"


def move_lines(move: Move, number: int) -> list[str]:
    """A transfer in a few lines."""
    return [f"{number}. {move.source} → {move.target}: {amount(move)}", ends(move), f"{time(move)} · {manner(move)}"]
