"""Memory made observable: which storages live, how many bytes they hold, and what a block of code allocated.

Every storage reports its creation, its end and each change of its length here. Only numbers are kept: Python's garbage
collector knows which storages are alive, and `live` asks it.

>>> import tensorglass as torch
>>> from tensorglass import memory
>>> with memory.track() as report:
...     a = torch.zeros(1000)
...     b = a[::2].clone()
>>> report.allocations, report.allocated_bytes, report.copies
(2, 6000, 1)

On the CPU, the memory of large storages (1 MiB and more) is kept for reuse when they are freed: `stats`, `snapshot`,
`reserved`, `empty_cache` and `set_cache_limit` are about that pool. `torch.cuda` and `torch.sim` have their own.
"""

from __future__ import annotations

import atexit
import gc
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from weakref import WeakValueDictionary

from tensorglass.backends.host_memory import LEAST as LEAST_POOLED
from tensorglass.backends.host_memory import POOL
from tensorglass.core.contexts import Context


class Counted:
    """What is counted here: the base class of storages."""

    __slots__ = ("__del__", "_birth")

    #: records its end: subtracts its counted bytes from the live bytes, by a function implemented in C
    __del__: partial[int]
    _birth: int  #: its number in the order of births


class StorageHolder:
    """What has a storage: the base class of tensors."""

    __slots__ = ()
    _storage: Any


class Figures:
    """What is counted besides live bytes. `track` and `reset_peak` reset `peak_bytes`; `track` restores it."""

    __slots__ = ("allocated_bytes", "allocations", "copied_bytes", "copies", "observers", "peak_bytes")

    def __init__(self) -> None:
        self.observers: tuple[Observer, ...] = ()  #: called for everything that is counted
        self.peak_bytes = 0
        self.allocations = self.allocated_bytes = 0
        self.copies = self.copied_bytes = 0


class _Ends(dict[int, partial[int]]):
    """For each number of bytes: the function that records the end of a storage of that length."""

    def __missing__(self, nbytes: int) -> partial[int]:
        if len(self) >= 4096:
            self.clear()
        end = self[nbytes] = partial(add_live_bytes, -nbytes, 1)
        return end


figures = Figures()
# The number of live bytes is the position of a file, because C code changes it atomically, for threads and interrupts.
_live_bytes = BytesIO()
add_live_bytes = _live_bytes.seek
ends = _Ends()
atexit.register(delattr, Counted, "__del__")  # storages may outlive this file
_next_number = 0
_names_given: deque[str] = deque(maxlen=4096)  # since `give_again` was called
_names_again: deque[str] = deque()  # given out again before new ones
_storages_named: WeakValueDictionary[str, Any] = WeakValueDictionary()


class Observer(Protocol):
    """An object that is called for every storage and every copy. It must not keep storages alive."""

    def born(self, storage: Counted, nbytes: int) -> None:
        """A new storage holds `nbytes` bytes of its own; 0 if it does not own them."""

    def resized(self, storage: Counted, nbytes: int) -> None:
        """A storage now holds `nbytes` bytes in place of those that it had."""

    def copied(self, nbytes: int) -> None:
        """An operator copied elements without computing anything."""


_open_tracks: dict[int, Report] = {}  # reports of `track` blocks that have not ended


# --- what storages and operators report ----------------------------------------------------------------------------


# An interrupt can arrive after a call or at the beginning of a function. So a storage gets its finalizer just before
# its bytes are added, with no call in between, and the finalizer calls no Python code.


def born(storage: Counted, nbytes: int) -> None:
    """A new storage holds `nbytes` counted bytes. (`construct.result_tensor` has this inlined.)"""
    end = ends[nbytes]
    storage._birth = figures.allocations = figures.allocations + 1
    figures.allocated_bytes += nbytes
    storage.__del__ = end
    live_bytes = add_live_bytes(nbytes, 1)
    if live_bytes > figures.peak_bytes:
        figures.peak_bytes = live_bytes
    for observer in figures.observers:
        observer.born(storage, nbytes)


def resized(storage: Counted, nbytes: int) -> None:
    """A storage now has `nbytes` newly allocated bytes in place of those that it had."""
    end, more = ends[nbytes], nbytes + storage.__del__.args[0]
    figures.allocations += 1
    figures.allocated_bytes += nbytes
    storage.__del__ = end
    live_bytes = add_live_bytes(more, 1)
    if live_bytes > figures.peak_bytes:
        figures.peak_bytes = live_bytes
    for observer in figures.observers:
        observer.resized(storage, nbytes)


def copied(nbytes: int) -> None:
    """Elements were copied and nothing was computed: clone, contiguous, a conversion, an index, tensor(array)."""
    figures.copies += 1
    figures.copied_bytes += nbytes
    for observer in figures.observers:
        observer.copied(nbytes)


# --- names -----------------------------------------------------------------------------------------------------------


def next_name(storage: Any = None) -> str:
    """The next short name, S0, S1, …: one sequence for the session, given out when a storage is first shown."""
    global _next_number
    if _names_again:
        name = _names_again.popleft()
    else:
        name = f"S{_next_number}"
        _next_number += 1
    _names_given.append(name)
    if storage is not None:
        _storages_named[name] = storage
    return name


def give_again(names: Iterable[str]) -> list[str]:
    """Give out these names next, in this order, and return the names given out since the last call.

    So the storages that a notebook cell shows have the same names when the cell is run again. A storage that has one of
    these names now loses it, and gets a new one when it is next shown.
    """
    given = list(_names_given)
    _names_given.clear()
    _names_again.clear()
    _names_again.extend(names)
    for name in _names_again:
        storage = _storages_named.pop(name, None)
        if storage is not None:
            storage._name = None
    return given


def name_of(storage: Any) -> str:
    """The short name of a storage. Names are given in the order in which they are first asked for, so a picture's first
    storage is S0, however many temporaries there were before.
    """
    return storage.name


# --- figures ---------------------------------------------------------------------------------------------------------


def live() -> list[Any]:
    """The storages alive now, the oldest first. (Not those that `gc.freeze` has hidden.)"""
    storages = []
    for candidate in gc.get_objects():
        kind = type(candidate)
        if issubclass(kind, Counted):
            storages.append(candidate)
        elif issubclass(kind, StorageHolder) and hasattr(candidate, "_storage"):
            candidate._storage.note(candidate)  # a storage that is given away knows its tensors
    return sorted(storages, key=lambda storage: storage._birth)


def allocated() -> int:
    """Bytes that live storages hold now."""
    return _live_bytes.tell()


def peak() -> int:
    """The most bytes that live storages held at the same time, since the start or the last `reset_peak`."""
    return figures.peak_bytes


def reset_peak() -> None:
    """Reset `peak` to the bytes allocated now."""
    figures.peak_bytes = allocated()


# --- the pool of the CPU's large storages ----------------------------------------------------------------------------


def stats() -> dict[str, int]:
    """The figures of the pool, by the names of `torch.cuda.memory_stats`: ``allocated_bytes.all.current``, …"""
    return POOL.stats()


def snapshot() -> list[dict[str, Any]]:
    """The segments of the pool by address, each with its blocks, in the form of `torch.cuda.memory_snapshot`."""
    return POOL.snapshot()


def reserved() -> int:
    """Bytes that the pool has from the system: those of live storages, and those kept for reuse."""
    return POOL.reserved


def empty_cache() -> None:
    """Return the pool's segments without live storages to the system."""
    POOL.empty_cache()


def set_cache_limit(nbytes: int) -> None:
    """Keep at most `nbytes` unused bytes. 0: every segment is returned to the system as soon as it is unused.

    The default is 512 MiB, or a sixteenth of the machine's memory if that is less.
    """
    if not isinstance(nbytes, int) or nbytes < 0:
        raise ValueError(f"the limit is a number of bytes, 0 or more, and not {nbytes!r}")
    POOL.limit(nbytes)


class Report:
    """What a block of code did to memory. The figures are final once the block has ended.

    `peak_bytes` and `kept_bytes` count from what was allocated at the block's beginning.
    """

    def __init__(self) -> None:
        self.allocations = 0  #: new storages
        self.allocated_bytes = 0  #: their lengths, added up
        self.copies = 0  #: copies of elements: clone, contiguous, conversions, advanced indexing
        self.copied_bytes = 0
        self.peak_bytes = 0  #: the most bytes held at a time, minus those at the beginning
        self.kept_bytes = 0  #: bytes held at the end, minus those at the beginning; negative if more was freed

    def __repr__(self) -> str:
        return f"Report({', '.join(f'{name}={value}' for name, value in vars(self).items())})"

    def __str__(self) -> str:
        return "\n".join(
            (
                f"allocated {_bytes(self.allocated_bytes)} in {_plural(self.allocations, 'storage')}",
                f"copied    {_bytes(self.copied_bytes)} in {_plural(self.copies, 'copy', 'copies')}",
                f"peak      {_bytes(self.peak_bytes)} above the start",
                f"kept      {_bytes(self.kept_bytes)} at the end",
            )
        )


class _Start(NamedTuple):
    """The figures when a block of `track` begins."""

    report: Report
    peak_bytes: int
    live_bytes: int
    counts: tuple[int, int, int, int]


class track(Context):
    """Measure a block of code: ``with track() as report: …``, then read or print `report`.

    Blocks may be nested. The figures are for the whole process: allocations of other threads count too.
    """

    def before(self) -> _Start:
        counts = figures.allocations, figures.allocated_bytes, figures.copies, figures.copied_bytes
        return _Start(Report(), figures.peak_bytes, allocated(), counts)

    def begin(self, note: _Start) -> Report:
        _open_tracks[id(note.report)] = note.report
        figures.peak_bytes = note.live_bytes
        return note.report

    def end(self, note: _Start) -> None:
        report = note.report
        allocations, allocated_bytes, copies, copied_bytes = note.counts
        report.allocations = figures.allocations - allocations
        report.allocated_bytes = figures.allocated_bytes - allocated_bytes
        report.copies = figures.copies - copies
        report.copied_bytes = figures.copied_bytes - copied_bytes
        report.peak_bytes = figures.peak_bytes - note.live_bytes
        report.kept_bytes = allocated() - note.live_bytes
        figures.peak_bytes = max(figures.peak_bytes, note.peak_bytes)
        _open_tracks.pop(id(report), None)


def is_measured() -> bool:
    """Whether storages are being counted now: by a block of `track`, or an observer."""
    return bool(_open_tracks or figures.observers)


class observed(Context):
    """A block in which `observer` is called for every storage that is made or resized, and for every copy.

    The end of a storage is not reported: use a weak reference to the storage.
    """

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def begin(self, _: None) -> None:
        figures.observers = (*figures.observers, self._observer)

    def end(self, _: None) -> None:
        figures.observers = tuple([observer for observer in figures.observers if observer is not self._observer])


def _bytes(number: int) -> str:
    return f"{number:>11,} bytes"


def _plural(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
