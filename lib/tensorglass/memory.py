"""Memory made observable: which storages live, how many bytes they hold, and what a block of code allocated.

Every storage reports its birth, its end and each change of its length here. That costs a few tenths of a microsecond
a storage, so it is always on. Nothing is kept alive by being counted: storages are held by weak references.

>>> import tensorglass as torch
>>> from tensorglass import memory
>>> with memory.track() as report:
...     a = torch.zeros(1000)
...     b = a[::2].clone()
>>> report.allocations, report.allocated_bytes, report.copies
(2, 6000, 1)
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tensorglass.storage import UntypedStorage

# Every figure that the library counts. `_peak_bytes` is reset by `track` and `reset_peak`, so `track` puts it back.
_live: dict[weakref.ref[UntypedStorage], int] = {}  # the bytes of each storage, the oldest first
_ended: list[weakref.ref[UntypedStorage]] = []  # storages that ended and still count
_live_bytes = 0
_peak_bytes = 0
_allocations = 0
_allocated_bytes = 0
_copies = 0
_copied_bytes = 0

_next_number = 0


class Observer(Protocol):
    """Who is told of every storage and every copy as it happens. It must not keep what it is told of alive."""

    def born(self, storage: UntypedStorage, nbytes: int) -> None:
        """A new storage holds `nbytes` bytes of its own; 0 where they are somebody else's."""

    def resized(self, storage: UntypedStorage, nbytes: int) -> None:
        """A storage now holds `nbytes` bytes in place of those that it had."""

    def copied(self, nbytes: int) -> None:
        """An operator copied elements without computing anything."""


_observers: tuple[Observer, ...] = ()


# --- what storages and operators report ----------------------------------------------------------------------------


def born(storage: UntypedStorage, nbytes: int) -> weakref.ref[UntypedStorage]:
    """A new storage holds `nbytes` bytes. Returns its record, by which it reports what happens to it later."""
    global _live_bytes, _peak_bytes, _allocations, _allocated_bytes
    # The callback is a method of a list, which runs without a Python call: 0.3 µs less a storage than `__del__`.
    record = weakref.ref(storage, _ended.append)
    _live[record] = nbytes
    _allocations += 1
    _allocated_bytes += nbytes
    _live_bytes += nbytes
    # As long as the peak is not reached, nobody sees that storages which have ended still count: 0.1 µs less.
    if _live_bytes > _peak_bytes or len(_ended) > 256:
        _settle()
        if _live_bytes > _peak_bytes:
            _peak_bytes = _live_bytes
    if _observers:
        for observer in _observers:
            observer.born(storage, nbytes)
    return record


def resized(record: weakref.ref[UntypedStorage], nbytes: int) -> None:
    """A storage now has `nbytes` newly allocated bytes in place of those that it had."""
    global _live_bytes, _peak_bytes, _allocations, _allocated_bytes
    _settle()
    _live_bytes += nbytes - _live[record]
    _live[record] = nbytes
    _allocations += 1
    _allocated_bytes += nbytes
    _peak_bytes = max(_peak_bytes, _live_bytes)
    storage = record()
    if storage is not None:
        for observer in _observers:
            observer.resized(storage, nbytes)


def _settle() -> None:
    """Take the storages that have ended out of the figures."""
    global _live_bytes
    while _ended:
        _live_bytes -= _live.pop(_ended.pop())


def copied(nbytes: int) -> None:
    """An operator copied elements without computing anything: clone, contiguous, a conversion, an advanced index."""
    global _copies, _copied_bytes
    _copies += 1
    _copied_bytes += nbytes
    for observer in _observers:
        observer.copied(nbytes)


# --- names -----------------------------------------------------------------------------------------------------------


def next_name() -> str:
    """The next small name, S0, S1, …: one sequence for the session, given out when a storage is first looked at."""
    global _next_number
    name = f"S{_next_number}"
    _next_number += 1
    return name


def name_of(storage: UntypedStorage) -> str:
    """The small name that a storage keeps for life. Names are given in the order in which they are first asked for,
    so that a picture's first storage is S0 however many temporaries came and went before.
    """
    return storage.name


# --- what people ask -------------------------------------------------------------------------------------------------


def live() -> list[UntypedStorage]:
    """The storages alive now, the oldest first."""
    storages = (record() for record in list(_live))
    return [storage for storage in storages if storage is not None]


def allocated() -> int:
    """Bytes that live storages hold now."""
    _settle()
    return _live_bytes


def peak() -> int:
    """The most bytes that live storages ever held at once, since the start or the last `reset_peak`."""
    return _peak_bytes


def reset_peak() -> None:
    """Let `peak` start again from what is allocated now."""
    global _peak_bytes
    _settle()
    _peak_bytes = _live_bytes


@dataclass
class Report:
    """What a block of code did to memory. The figures are final once the block has ended.

    `peak_bytes` and `kept_bytes` count from what was allocated at the block's beginning.
    """

    allocations: int = 0  #: new runs of bytes
    allocated_bytes: int = 0  #: their lengths, added up
    copies: int = 0  #: copies of elements: clone, contiguous, conversions, advanced indexing
    copied_bytes: int = 0
    peak_bytes: int = 0  #: the most that was held at once, above the beginning
    kept_bytes: int = 0  #: what is still held at the end, above the beginning; below zero if more was freed

    def __str__(self) -> str:
        return "\n".join(
            (
                f"allocated {_bytes(self.allocated_bytes)} in {_count(self.allocations, 'storage')}",
                f"copied    {_bytes(self.copied_bytes)} in {_count(self.copies, 'copy', 'copies')}",
                f"peak      {_bytes(self.peak_bytes)} above the start",
                f"kept      {_bytes(self.kept_bytes)} at the end",
            )
        )


@contextmanager
def track() -> Iterator[Report]:
    """Measure a block of code: ``with track() as report: …``, then read or print `report`.

    Blocks may be nested. The figures are the whole process's: what other threads allocate meanwhile counts too.
    """
    global _peak_bytes
    report = Report()
    _settle()
    outer_peak, start_bytes = _peak_bytes, _live_bytes
    start = (_allocations, _allocated_bytes, _copies, _copied_bytes)
    _peak_bytes = _live_bytes
    try:
        yield report
    finally:
        _settle()
        report.allocations = _allocations - start[0]
        report.allocated_bytes = _allocated_bytes - start[1]
        report.copies = _copies - start[2]
        report.copied_bytes = _copied_bytes - start[3]
        report.peak_bytes = _peak_bytes - start_bytes
        report.kept_bytes = _live_bytes - start_bytes
        _peak_bytes = max(_peak_bytes, outer_peak)


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """In the block `observer` is told of every storage that is made or resized, and of every copy.

    Ends are not reported: who wants to know of a storage's end takes a weak reference to it.
    """
    global _observers
    _observers = (*_observers, observer)
    try:
        yield
    finally:
        _observers = tuple([each for each in _observers if each is not observer])


def _bytes(number: int) -> str:
    return f"{number:>11,} bytes"


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
