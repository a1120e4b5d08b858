"""The sentences that a snapshot's text and picture share, so that both say the same thing in the same words."""

from __future__ import annotations

from math import prod

from glassroom.drawing.snapshot.lanes import countable
from glassroom.drawing.words import ARRAYS, NAMES_SHOWN, counted, listed, sized, span, unreadable
from glassroom.records.snapshot import Header, Snapshot, Storage
from glassroom.translations.templates import word

MOST_WRITTEN = 9999


def storage_facts(storage: Storage) -> list[str]:
    """The facts about a storage that follow its name."""
    facts = [f"{sized(storage.nbytes)} on {storage.device}"]
    if storage.length and storage.itemsize > 1:
        facts.append(f"{counted(storage.length, 'cell')} of {counted(storage.itemsize, 'byte')}")
    facts.append(("shared by " if len(storage.shared_by) > 1 else "held by ") + listed(storage.shared_by))
    return facts


def origin(header: Header) -> str | None:
    """Where a tensor's memory comes from, if it is a view."""
    if header.base is not None:
        return f"view of {header.base}"
    return word("a view") if header.is_view else None


def shape_facts(header: Header) -> list[str]:
    """Size, stride and offset."""
    of = word(" bytes") if header.unit == "bytes" else ""
    return [f"size {header.size}", f"stride {header.stride}{of}", f"offset {header.storage_offset}{of}"]


def memory_facts(header: Header) -> list[str]:
    """Dtype, contiguity, the bytes, and other notable facts."""
    facts = [header.dtype, word("contiguous") if header.contiguous else "not contiguous"]
    if header.bytes is None:
        facts.append("no cells")
    else:
        facts.append(f"bytes {span(header.bytes[0], header.bytes[1])}")
    if header.library in ARRAYS:
        facts.insert(0, ARRAYS[header.library])
    if header.requires_grad:
        facts.append("requires grad")
    if header.version:
        facts.append(f"version {header.version}")
    if header.windowed:
        facts.append(f"{len(header.cells):,} of {counted(prod(header.size), 'element')} drawn")
    return facts


def storage_cells(header: Header, storage: Storage, byte: int) -> str:
    """The cell or cells of the storage that an element at `byte` occupies: `3`, or `4–7`."""
    first = byte // storage.itemsize
    last = first + header.itemsize // storage.itemsize - 1
    return str(first) if first == last else f"{first}–{last}"


def times_reached(header: Header, times: int) -> str:
    """How often a tensor reaches a storage cell, in as many characters as there is room for."""
    if not countable(header):
        return "×…"
    return f"×{times}" if times <= MOST_WRITTEN else f"×{MOST_WRITTEN}+"


def trouble(header: Header, storage: Storage) -> str | None:
    """A sentence about a header that reaches outside its storage."""
    if header.bytes is None or (header.bytes[0] >= 0 and header.bytes[1] <= storage.nbytes):
        return None
    return (
        f"{header.name} reaches bytes {span(*header.bytes)}: outside {storage.name}, "
        f"which holds {sized(storage.nbytes)}"
    )


def undrawn(snapshot: Snapshot) -> list[str]:
    """Lines that say which tensors are not drawn, if there are any."""
    more = [f"and {counted(snapshot.unshown, 'more tensor')}, not drawn"] if snapshot.unshown else []
    return [*unreadable(snapshot.unread), *more]


def summary(snapshot: Snapshot) -> str:
    """The picture in one sentence."""
    if not snapshot.headers:
        return "No tensors."
    parts = [
        f"{listed(storage.shared_by)} {word('share') if len(storage.shared_by) > 1 else word('holds')} {storage.name}"
        for storage in snapshot.storages
    ]
    shown = parts if len(parts) <= NAMES_SHOWN else [*parts[:NAMES_SHOWN], f"{len(parts) - NAMES_SHOWN} more storages"]
    return f"Memory map: {word('; ').join([*shown, *undrawn(snapshot)])}."
