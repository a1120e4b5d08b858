"""The sentences that text and picture share, so that both say the same thing in the same words."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from glassroom.render.lanes import countable
from glassroom.snapshot import Header, Snapshot, Storage

#: Libraries whose arrays are named as such beside tensors.
ARRAYS = {"numpy": "NumPy", "cupy": "CuPy"}
NAMES_SHOWN = 8
MOST_WRITTEN = 9999


def counted(n: int, one: str, many: str | None = None) -> str:
    """`1 byte`, `24 bytes`, `4,000 bytes`."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def duration(seconds: float | None, is_simulated: bool) -> str:
    """How long something took, and how that is known."""
    if seconds is None:
        return "time not known"
    return f"{seconds * 1e6:,.1f} µs {'simulated' if is_simulated else 'measured'}"


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; a long list is cut."""
    if len(names) > NAMES_SHOWN:
        names = [*names[: NAMES_SHOWN - 1], f"{len(names) - NAMES_SHOWN + 1} more"]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def storage_facts(storage: Storage) -> list[str]:
    """What is said of a storage after its name."""
    facts = [f"{counted(storage.nbytes, 'byte')} on {storage.device}"]
    if storage.length and storage.itemsize > 1:
        facts.append(f"{counted(storage.length, 'cell')} of {counted(storage.itemsize, 'byte')}")
    facts.append(("shared by " if len(storage.shared_by) > 1 else "held by ") + listed(storage.shared_by))
    return facts


def origin(header: Header) -> str | None:
    """Where a tensor's memory comes from, if it is a view."""
    if header.base is not None:
        return f"view of {header.base}"
    return "a view" if header.is_view else None


def shape_facts(header: Header) -> list[str]:
    """Size, stride and offset."""
    of = " bytes" if header.unit == "bytes" else ""
    return [f"size {header.size}", f"stride {header.stride}{of}", f"offset {header.storage_offset}{of}"]


def memory_facts(header: Header) -> list[str]:
    """Dtype, contiguity, the bytes, and what else is worth saying."""
    facts = [header.dtype, "contiguous" if header.contiguous else "not contiguous"]
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


def span(low: int, high: int) -> str:
    """The bytes from `low` to `high - 1`, as people write them."""
    return f"{low:,}" if high - low == 1 else f"{low:,}–{high - 1:,}"


def storage_cells(header: Header, storage: Storage, byte: int) -> str:
    """The cell or cells of the storage that an element beginning at `byte` is: `3`, or `4–7`."""
    first = byte // storage.itemsize
    last = first + header.itemsize // storage.itemsize - 1
    return str(first) if first == last else f"{first}–{last}"


def times_reached(header: Header, times: int) -> str:
    """How often a tensor reaches a storage cell, as far as there is room to say it."""
    if not countable(header):
        return "×…"
    return f"×{times}" if times <= MOST_WRITTEN else f"×{MOST_WRITTEN}+"


def trouble(header: Header, storage: Storage) -> str | None:
    """A sentence about a header that reaches outside its storage."""
    if header.bytes is None or (header.bytes[0] >= 0 and header.bytes[1] <= storage.nbytes):
        return None
    return (
        f"{header.name} reaches bytes {span(*header.bytes)}: outside {storage.name}, "
        f"which holds {counted(storage.nbytes, 'byte')}"
    )


def unshown(snapshot: Snapshot) -> str | None:
    """A line that says how many tensors are not drawn, if there are any."""
    return f"and {counted(snapshot.unshown, 'more tensor')}, not drawn" if snapshot.unshown else None


def summary(snapshot: Snapshot) -> str:
    """One sentence that stands for the picture."""
    if not snapshot.headers:
        return "No tensors."
    parts = [
        f"{listed(storage.shared_by)} {'share' if len(storage.shared_by) > 1 else 'holds'} {storage.name}"
        for storage in snapshot.storages
    ]
    shown = parts if len(parts) <= NAMES_SHOWN else [*parts[:NAMES_SHOWN], f"{len(parts) - NAMES_SHOWN} more storages"]
    return "Memory map: " + "; ".join([*shown, *filter(None, [unshown(snapshot)])]) + "."
