"""What went from one memory to another: a log of the latest thousand transfers, for pictures and for people.

Every backend whose memory is not the host's reports here what it copies across. A transfer is slow, so to write it
down costs nothing that could be noticed. The one idea to keep in mind: nothing is kept alive by being logged; storages
are held by weak references.

>>> import tensorglass as torch
>>> from tensorglass import transfers
>>> start = transfers.count()
>>> b = torch.ones(1000).to("sim")
>>> [str(each) for each in transfers.since(start)]
['cpu -> sim:0: 4,000 bytes in 10.7 µs (simulated)']
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

KEPT = 1000


class Transfer(NamedTuple):
    """One copy from a device's memory to another's.

    `seconds` is how long it took, by the cost model where it `is_simulated`, else measured; None where nobody waited
    for it, and so nobody knows. A storage is None where the bytes come from or go to Python itself.
    """

    source: str
    target: str
    nbytes: int
    seconds: float | None
    is_simulated: bool
    is_pinned: bool
    waited: bool  #: whether the host waited for its end
    storages: tuple[weakref.ref[Any] | None, weakref.ref[Any] | None] = (None, None)

    def __str__(self) -> str:
        time = "" if self.seconds is None else f" in {self.seconds * 1e6:,.1f} µs"
        how = " (simulated)" if self.is_simulated else ""
        return f"{self.source} -> {self.target}: {self.nbytes:,} bytes{time}{how}"


_log: deque[Transfer] = deque(maxlen=KEPT)
_count = 0
_observers: list[Callable[[Transfer], None]] = []


class _Between(threading.local):
    storages: tuple[weakref.ref[Any] | None, weakref.ref[Any] | None] = (None, None)


_between_now = _Between()


def happened(
    source: object,
    target: object,
    nbytes: int,
    seconds: float | None,
    *,
    is_simulated: bool = False,
    is_pinned: bool = False,
    waited: bool = True,
) -> None:
    """A backend reports a copy of `nbytes` bytes between two devices."""
    global _count
    made = Transfer(str(source), str(target), nbytes, seconds, is_simulated, is_pinned, waited, _between_now.storages)
    _log.append(made)
    _count += 1
    for observer in _observers:
        observer(made)


@contextmanager
def between(source: object, target: object) -> Iterator[None]:
    """What a backend reports in this block goes from the storage `source` to the storage `target`."""
    outer = _between_now.storages
    _between_now.storages = (weakref.ref(source), weakref.ref(target))
    try:
        yield
    finally:
        _between_now.storages = outer


def count() -> int:
    """How many transfers there were since the start."""
    return _count


def since(start: int = 0) -> list[Transfer]:
    """The transfers after the first `start`, the oldest first; of the latest thousand."""
    return list(_log)[max(start - (_count - len(_log)), 0) :]


@contextmanager
def observed(observer: Callable[[Transfer], None]) -> Iterator[None]:
    """In the block `observer` is called with each transfer."""
    try:  # one call puts it on and one takes it off, so that an interrupt comes before or after
        _observers.append(observer)
        yield
    finally:
        _observers.remove(observer)
