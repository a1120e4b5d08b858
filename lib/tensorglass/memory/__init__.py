"""Memory made observable: which storages live, how many bytes they hold, and what a block of code allocated.

Every storage reports its birth, its end and each change of its length here. That costs a tenth of a microsecond a
storage, so it is always on. The one idea to keep in mind: only numbers are kept. Which storages live is not written
down anywhere; Python's garbage collector knows it, and is asked when somebody wants to see them.

>>> import tensorglass as torch
>>> from tensorglass import memory
>>> with memory.track() as report:
...     a = torch.zeros(1000)
...     b = a[::2].clone()
>>> report.allocations, report.allocated_bytes, report.copies
(2, 6000, 1)

On the CPU the memory of large storages, from a MiB on, is kept when they die, for the next ones: `stats`, `snapshot`,
`reserved`, `empty_cache` and `set_cache_limit` are about that pool. `torch.cuda` and `torch.sim` have those of theirs.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from tensorglass.backends.host_memory import LEAST as LEAST_POOLED
from tensorglass.backends.host_memory import POOL


class Counted:
    """What the ledger counts: storages derive from it."""

    __slots__ = ("_birth", "_counted")

    _birth: int  #: which one it is, in the order of their births
    _counted: int  #: bytes that count


class Figures:
    """Every figure that the library counts. `peak_bytes` is reset by `track` and `reset_peak`; `track` puts it back."""

    __slots__ = ("allocated_bytes", "allocations", "copied_bytes", "copies", "live_bytes", "peak_bytes")

    def __init__(self) -> None:
        self.live_bytes = self.peak_bytes = 0
        self.allocations = self.allocated_bytes = 0
        self.copies = self.copied_bytes = 0


figures = Figures()
_next_number = 0


class Observer(Protocol):
    """Who is told of every storage and every copy as it happens. It must not keep what it is told of alive."""

    def born(self, storage: Counted, nbytes: int) -> None:
        """A new storage holds `nbytes` bytes of its own; 0 where they are somebody else's."""

    def resized(self, storage: Counted, nbytes: int) -> None:
        """A storage now holds `nbytes` bytes in place of those that it had."""

    def copied(self, nbytes: int) -> None:
        """An operator copied elements without computing anything."""


_observers: list[Observer] = []
_open_tracks = 0  # blocks of `track` that have not ended


# --- what storages and operators report ----------------------------------------------------------------------------


def born(storage: Counted, nbytes: int, figures: Figures = figures) -> None:
    """A new storage holds `nbytes` bytes that count."""
    storage._counted = nbytes
    storage._birth = figures.allocations = figures.allocations + 1
    figures.allocated_bytes += nbytes
    figures.live_bytes = live_bytes = figures.live_bytes + nbytes
    if live_bytes > figures.peak_bytes:
        figures.peak_bytes = live_bytes
    if _observers:
        for observer in tuple(_observers):
            observer.born(storage, nbytes)


def ended(storage: Counted, figures: Figures = figures) -> None:
    """A storage goes, and its bytes with it: `UntypedStorage.__del__`."""
    # The figures are a default argument because a storage may outlive this module's names when Python ends.
    try:
        figures.live_bytes -= storage._counted
    except AttributeError:  # its construction was refused
        return


def resized(storage: Counted, nbytes: int) -> None:
    """A storage now has `nbytes` newly allocated bytes in place of those that it had."""
    figures.live_bytes += nbytes - storage._counted
    storage._counted = nbytes
    figures.allocations += 1
    figures.allocated_bytes += nbytes
    figures.peak_bytes = max(figures.peak_bytes, figures.live_bytes)
    for observer in tuple(_observers):
        observer.resized(storage, nbytes)


def copied(nbytes: int) -> None:
    """An operator copied elements without computing anything: clone, contiguous, a conversion, an advanced index."""
    figures.copies += 1
    figures.copied_bytes += nbytes
    for observer in tuple(_observers):
        observer.copied(nbytes)


# --- names -----------------------------------------------------------------------------------------------------------


def next_name() -> str:
    """The next small name, S0, S1, …: one sequence for the session, given out when a storage is first looked at."""
    global _next_number
    name = f"S{_next_number}"
    _next_number += 1
    return name


def name_of(storage: Any) -> str:
    """The small name that a storage keeps for life. Names are given in the order in which they are first asked for,
    so that a picture's first storage is S0 however many temporaries came and went before.
    """
    return storage.name


# --- what people ask -------------------------------------------------------------------------------------------------


def live() -> list[Any]:
    """The storages alive now, the oldest first. (Not those that `gc.freeze` has hidden.)"""
    storages = [each for each in gc.get_objects() if issubclass(type(each), Counted)]
    return sorted(storages, key=lambda storage: storage._birth)


def allocated() -> int:
    """Bytes that live storages hold now."""
    return figures.live_bytes


def peak() -> int:
    """The most bytes that live storages ever held at once, since the start or the last `reset_peak`."""
    return figures.peak_bytes


def reset_peak() -> None:
    """Let `peak` start again from what is allocated now."""
    figures.peak_bytes = figures.live_bytes


# --- the pool of the CPU's large storages ----------------------------------------------------------------------------


def stats() -> dict[str, int]:
    """The figures of the pool, by the names of `torch.cuda.memory_stats`: ``allocated_bytes.all.current``, …"""
    return POOL.stats()


def snapshot() -> list[dict[str, Any]]:
    """The segments of the pool by address, each with its blocks, in the form of `torch.cuda.memory_snapshot`."""
    return POOL.snapshot()


def reserved() -> int:
    """Bytes that the pool has from the system: those of living storages, and those that it keeps for the next ones."""
    return POOL.reserved


def empty_cache() -> None:
    """Give the segments of the pool in which nothing lives back to the system."""
    POOL.empty_cache()


def set_cache_limit(nbytes: int) -> None:
    """Keep at most `nbytes` bytes that nobody uses. 0: every segment goes back to the system as soon as it is unused.

    To begin with it is 512 MiB, or a sixteenth of the machine's memory where that is less.
    """
    if not isinstance(nbytes, int) or nbytes < 0:
        raise ValueError(f"the limit is a number of bytes, 0 or more, and not {nbytes!r}")
    POOL.limit(nbytes)


class Report:
    """What a block of code did to memory. The figures are final once the block has ended.

    `peak_bytes` and `kept_bytes` count from what was allocated at the block's beginning.
    """

    def __init__(self) -> None:
        self.allocations = 0  #: new runs of bytes
        self.allocated_bytes = 0  #: their lengths, added up
        self.copies = 0  #: copies of elements: clone, contiguous, conversions, advanced indexing
        self.copied_bytes = 0
        self.peak_bytes = 0  #: the most that was held at once, above the beginning
        self.kept_bytes = 0  #: what is still held at the end, above the beginning; below zero if more was freed

    def __repr__(self) -> str:
        return f"Report({', '.join(f'{name}={value}' for name, value in vars(self).items())})"

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
    global _open_tracks
    report = Report()
    outer_peak = figures.peak_bytes
    _open_tracks += 1
    figures.peak_bytes = start_bytes = figures.live_bytes
    start = (figures.allocations, figures.allocated_bytes, figures.copies, figures.copied_bytes)
    try:
        yield report
    finally:
        _open_tracks -= 1
        report.allocations = figures.allocations - start[0]
        report.allocated_bytes = figures.allocated_bytes - start[1]
        report.copies = figures.copies - start[2]
        report.copied_bytes = figures.copied_bytes - start[3]
        report.peak_bytes = figures.peak_bytes - start_bytes
        report.kept_bytes = figures.live_bytes - start_bytes
        figures.peak_bytes = max(figures.peak_bytes, outer_peak)


def is_measured() -> bool:
    """Whether somebody counts every storage now: a block of `track`, or an observer."""
    return _open_tracks > 0 or bool(_observers)


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """In the block `observer` is told of every storage that is made or resized, and of every copy.

    Ends are not reported: who wants to know of a storage's end takes a weak reference to it.
    """
    try:  # one call puts it on and one takes it off, so that an interrupt comes before or after
        _observers.append(observer)
        yield
    finally:
        _observers.remove(observer)


def _bytes(number: int) -> str:
    return f"{number:>11,} bytes"


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
