"""A log of the latest thousand transfers between memories, for pictures and for people.

Every backend with memory of its own reports its copies here. A transfer is slow, so logging it costs nothing
noticeable. The log keeps nothing alive; it holds storages by weak references.

>>> import tensorglass as torch
>>> from tensorglass import transfers
>>> start = transfers.count()
>>> b = torch.ones(1000).to("sim")
>>> [str(each) for each in transfers.since(start)]
['cpu -> sim:0: 4,000 bytes in 10.7 µs (simulated)']
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from tensorglass.core.contexts import Context, setting

KEPT = 1000


class Transfer(NamedTuple):
    """One copy from a device's memory to another's.

    `seconds` is how long it took: by the cost model if it `is_simulated`, else measured; None if nobody waited for it.
    A storage is None if the bytes come from or go to a Python object.
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


_numbers = itertools.count(1)
_log: deque[tuple[int, Transfer]] = deque(maxlen=KEPT)  # with their numbers
_observers: dict[object, Callable[[Transfer], None]] = {}  # by block


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
    """Called by a backend for a copy of `nbytes` bytes between two devices."""
    transfer = Transfer(
        str(source), str(target), nbytes, seconds, is_simulated, is_pinned, waited, _between_now.storages
    )
    _log.append((next(_numbers), transfer))
    for observer in list(_observers.values()):
        observer(transfer)


def between(source: object, target: object) -> Context:
    """A block in which reported transfers go from the storage `source` to the storage `target`."""
    return setting(_between_now, storages=(weakref.ref(source), weakref.ref(target)))


def count() -> int:
    """How many transfers there were since the start."""
    return _log[-1][0] if _log else 0


def since(start: int = 0) -> list[Transfer]:
    """The transfers after the first `start`, the oldest first; of the latest thousand."""
    return [transfer for number, transfer in list(_log) if number > start]


class observed(Context):
    """A block in which `observer` is called with each transfer."""

    def __init__(self, observer: Callable[[Transfer], None]) -> None:
        self._observer = observer

    def begin(self, _: None) -> None:
        _observers[self] = self._observer

    def end(self, _: None) -> None:
        _observers.pop(self, None)
