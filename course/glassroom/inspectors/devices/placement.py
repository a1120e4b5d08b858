"""Where tensors live, as plain data: devices, the storages in each, the headers on them, and the transfers between
devices.

A tensor is a header, and a header lives nowhere; its *storage* is on a device. So a tensor "moves" by being copied to a
new storage, which is what a transfer is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from glassroom.drawing.words import sized
from glassroom.reading.adapters import Description, declared, library_of, without_modes, without_overrides
from glassroom.reading.guarded import attempted
from glassroom.reading.places import Place
from glassroom.reading.snapshot import leaves, readable
from glassroom.reading.storage_names import names_of, of_tensorglass
from glassroom.records.printable import printable
from glassroom.translations.templates import word
from tensorglass import backends, transfers

MOST_HEADERS = 6  # headers drawn on one storage
MOST_STORAGES = 12  # storages drawn in one device
MOST_MOVES = 12  # rows of transfers drawn

TEACHING = "device_map takes tensorglass and PyTorch tensors, NumPy and CuPy arrays, and lists and dicts of them"


@dataclass(frozen=True)
class PlacedHeader:
    """A tensor on a storage."""

    name: str
    size: tuple[int, ...]
    dtype: str
    requires_grad: bool


@dataclass(frozen=True)
class PlacedStorage:
    """A storage in a device's memory, with those of its headers that were given."""

    name: str
    device: str
    nbytes: int
    is_pinned: bool
    is_shared: bool  #: with other processes
    headers: tuple[PlacedHeader, ...]


@dataclass(frozen=True)
class Device:
    """A device: a description in words, and its allocator's figures if it has an allocator."""

    name: str
    kind: str
    figures: tuple[str, ...]
    storages: tuple[PlacedStorage, ...]


@dataclass(frozen=True)
class Move:
    """A transfer of `nbytes` bytes, or `times` equal ones in a row, of `nbytes` each.

    `source` and `target` are devices. Storages that are alive are named; None stands for bytes that come from Python or
    go there. `seconds` is the time of all of them together.
    """

    source: str
    target: str
    source_storage: str | None
    target_storage: str | None
    nbytes: int
    seconds: float | None
    is_simulated: bool
    is_pinned: bool
    waited: bool
    times: int


@dataclass(frozen=True)
class Placement:
    """Devices, the host first, and the transfers since some point, of which `earlier` are left out; `unread` are
    tensors that have no memory.
    """

    devices: tuple[Device, ...]
    moves: tuple[Move, ...]
    earlier: int
    unread: tuple[str, ...]


def placement(tensors: Mapping[str, object], since: int) -> Placement:
    """Where `tensors` are, and the transfers between devices after the session's first `since`."""
    named, descriptions, unread = readable(
        [leaf for given, value in tensors.items() for leaf in leaves(printable(given), value, TEACHING)]
    )
    storages = _storages(named, descriptions)
    went = transfers.since(since)
    groups = [list(alike) for _, alike in groupby(went, key=_what_went)]  # equal ones that follow one another
    drawn = [_move(alike) for alike in groups[-MOST_MOVES:]]  # only their storages get names
    names = {storage.device for storage in storages} | {end for move in went for end in (move.source, move.target)}
    rows = [
        Device(
            name,
            _kind_of_device(name),
            _figures(name),
            tuple([storage for storage in storages if storage.device == name]),
        )
        for name in sorted(names | {"cpu"}, key=lambda name: (name != "cpu", name))
    ]
    earlier = transfers.count() - since - sum(move.times for move in drawn)
    return Placement(tuple(rows), tuple(drawn), earlier, unread)


def _storages(named: Sequence[Place], descriptions: Sequence[Description]) -> list[PlacedStorage]:
    by_name: dict[str, PlacedStorage] = {}
    headers: dict[str, list[PlacedHeader]] = {}
    storages = names_of([description.memory for description in descriptions])
    for storage, description, (name, tensor) in zip(storages, descriptions, named, strict=True):
        held = description.memory
        is_pinned, is_shared = _on_host(tensor, "is_pinned"), _on_host(tensor, "is_shared")
        by_name.setdefault(storage, PlacedStorage(storage, held.device, held.nbytes, is_pinned, is_shared, ()))
        headers.setdefault(storage, []).append(
            PlacedHeader(name, description.size, description.dtype, description.requires_grad)
        )
    return [replace(placed, headers=tuple(headers[name])) for name, placed in by_name.items()]


def _on_host(tensor: Any, question: str) -> bool:
    """The answer of a method of a tensor in the host's memory; False for arrays of other libraries, which do not have
    it."""
    library = library_of(tensor)
    if library is None:
        return False
    with without_overrides(library), without_modes(library):
        seen = declared(tensor)
        return bool(attempted(lambda: str(seen.device) == "cpu" and getattr(seen, question)(), False))


def _kind_of_device(device: str) -> str:
    kinds = {"cpu": "the host's memory", "sim": "a simulated accelerator", "cuda": word("a CUDA device")}
    return kinds.get(device.partition(":")[0], word("a device"))


def _figures(device: str) -> tuple[str, ...]:
    """The figures of a device's allocator, if tensorglass has allocated memory there."""
    type_, _, index = device.partition(":")
    of_type: Iterable[Any] = backends.of_type(type_) if index else ()
    backend = next((candidate for candidate in of_type if str(getattr(candidate, "device", "")) == device), None)
    if backend is None:
        return ()
    stats = backend.memory_stats()
    allocated = stats.get("allocated_bytes.all.current", 0)
    reserved = stats.get("reserved_bytes.all.current", 0)
    return f"{sized(allocated)} allocated", f"{sized(reserved)} reserved"


def _what_went(transfer: transfers.Transfer) -> tuple[object, ...]:
    """What is equal of transfers that are drawn as one."""
    ends = [
        None if reference is None else id(reference()) for reference in transfer.storages
    ]  # all that are freed: one
    route = transfer.source, transfer.target, *ends, transfer.nbytes
    return *route, transfer.is_simulated, transfer.is_pinned, transfer.waited


def _move(alike: Sequence[transfers.Transfer]) -> Move:
    transfer = alike[0]
    source, target = [None if reference is None else _name_of_living(reference()) for reference in transfer.storages]
    known = [copy.seconds for copy in alike if copy.seconds is not None]
    return Move(
        source=transfer.source,
        target=transfer.target,
        source_storage=source,
        target_storage=target,
        nbytes=transfer.nbytes,
        seconds=sum(known) if len(known) == len(alike) else None,
        is_simulated=transfer.is_simulated,
        is_pinned=transfer.is_pinned,
        waited=transfer.waited,
        times=len(alike),
    )


def _name_of_living(storage: Any) -> str | None:
    return "freed storage" if storage is None else of_tensorglass(storage)
