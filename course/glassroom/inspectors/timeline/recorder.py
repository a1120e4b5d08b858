"""Writing down what a block of code does to memory, as it does it.

The one idea: the recorder is told of every birth and copy by `tensorglass.memory`, and of every end by a weak reference
of its own. So the order of events is the true one, and nothing lives a moment longer for being watched.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Hashable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from threading import get_ident
from types import FrameType
from typing import Any, NamedTuple

from glassroom.inspectors.timeline.pools import Pool, address_in_pool, pool_of
from glassroom.reading.adapters import key_of
from tensorglass import memory, transfers

MOST_EVENTS = 50_000
MOST_POOLS = 400  # of so many events the state of the pool is kept
_OURS = ("tensorglass", "glassroom")


class Place(NamedTuple):
    """A line of somebody's code."""

    file: str
    line: int
    function: str


@dataclass(frozen=True)
class Event:
    """One thing that happened: "made", "freed", "resized", "copied" or "moved".

    `birth` is the number of the storage in the order of birth; None for what concerns none. `change` is what it does to
    the bytes that are held on `device`. `pool` is the state of the device's allocator after it, where it has one, and
    `time` the simulated clock's.
    """

    kind: str
    nbytes: int
    change: int
    device: str
    place: Place | None
    birth: int | None = None
    time: float | None = None
    pool: Pool | None = None
    transfer: transfers.Transfer | None = None


@dataclass(frozen=True)
class Birth:
    """A storage; with a `name`, which may be empty, if it was there before the block. `address` is where its block
    begins, if it lies in a pool.
    """

    device: str
    nbytes: int
    place: Place | None
    address: int | None
    reference: weakref.ref[Any]
    is_borrowed: bool
    name: str | None = None


@dataclass
class _Held:
    device: str
    nbytes: int
    birth: int
    reference: weakref.ref[Any] | None = None


_open: list[Recorder] = []  # those that watch


def stop_what_was_left(frame: FrameType | None) -> None:
    """Stop the recorders of blocks that no longer run: an interrupt may come before a block's `__exit__` has begun."""
    alive: set[int] = set()  # by id: to hold a frame is to hold its variables
    for thread, innermost in sys._current_frames().items():
        each = frame if thread == get_ident() else innermost
        while each is not None:
            alive.add(id(each))
            each = each.f_back
    del innermost
    for recorder in [each for each in _open if id(each.frame) not in alive]:
        recorder.stop()


class Recorder:
    """Watches from `start` to `stop`; `events` and `births` are what it saw, `missed` how many events were too many."""

    def __init__(self, frame: FrameType) -> None:
        self.frame: FrameType | None = frame  # of the block that is watched
        self.events: list[Event] = []
        self.births: list[Birth] = []
        self.missed = 0
        self.start_time = 0.0  #: the simulated clock's
        self.last_pools: dict[str, Pool] = {}
        self._backends: dict[str, Any] = {}  # those with pools
        self._held: dict[int, _Held] = {}
        self._watching = ExitStack()

    def start(self, names: Mapping[Hashable, str]) -> None:
        """Begin to watch. Storages that are there already are watched for their end; `names` are theirs, by key."""
        _open.append(self)
        for storage in memory.live():
            self._enter(storage, storage.nbytes() if storage.is_ours else 0, None, names.get(key_of(storage), ""))
        if "tensorglass.sim" in sys.modules:
            self.start_time = _time_on("sim") or 0.0
        self._watching.enter_context(memory.observed(self))
        self._watching.enter_context(transfers.observed(self._moved))

    def stop(self) -> None:
        """Watch no more."""
        self._watching.close()
        self._held.clear()
        self.frame = None
        if self in _open:
            _open.remove(self)
        for device, backend in self._backends.items():
            self.last_pools[device] = pool_of(backend)

    # --- what is reported --------------------------------------------------------------------------------------------

    def born(self, storage: Any, nbytes: int) -> None:
        device, place = str(storage.device), _user_place(sys._getframe(1))
        number = len(self.births)
        address = address_in_pool(storage)
        if address is not None:
            self._backends[device] = storage.backend
        pool = pool_of(storage.backend) if address is not None and len(self.events) < MOST_POOLS else None
        if self._note(Event("made", storage.nbytes(), nbytes, device, place, number, _time_on(device), pool)):
            self._enter(storage, nbytes, place, None)

    def _enter(self, storage: Any, nbytes: int, place: Place | None, name: str | None) -> None:
        device, address = str(storage.device), address_in_pool(storage)
        if address is not None and storage.device.type != "cpu":  # whose pool is shown if the block makes use of it
            self._backends[device] = storage.backend
        reference = weakref.ref(storage)
        birth = Birth(device, storage.nbytes(), place, address, reference, not storage.is_ours, name)
        self._watch(storage, _Held(device, nbytes, len(self.births)))
        self.births.append(birth)

    def resized(self, storage: Any, nbytes: int) -> None:
        held = self._held.get(id(storage))
        if held is not None:
            change, held.nbytes = nbytes - held.nbytes, nbytes
            place = _user_place(sys._getframe(1))
            self._note(Event("resized", nbytes, change, held.device, place, held.birth, _time_on(held.device)))

    def copied(self, nbytes: int) -> None:
        last = self.events[-1] if self.events else None
        went = None if last is None else last.transfer
        if went is None or went.storages[1] is None or went.nbytes != nbytes:  # else it is a transfer's last step
            self._note(Event("copied", nbytes, 0, "", _user_place(sys._getframe(1))))

    def _moved(self, transfer: transfers.Transfer) -> None:
        place = _user_place(sys._getframe(1))
        time = _time_on("sim") if transfer.is_simulated else None
        self._note(Event("moved", transfer.nbytes, 0, transfer.target, place, None, time, None, transfer))

    def _watch(self, storage: Any, held: _Held) -> None:
        key = id(storage)

        def ended(_: object) -> None:
            # It may run amid anything that lets go of a storage: it looks at no allocator.
            self._held.pop(key, None)
            place = _user_place(sys._getframe(1))
            time = _time_on(held.device)
            self._note(Event("freed", held.nbytes, -held.nbytes, held.device, place, held.birth, time))

        held.reference = weakref.ref(storage, ended)
        self._held[key] = held

    def _note(self, event: Event) -> bool:
        if len(self.events) >= MOST_EVENTS:
            self.missed += 1
            return False
        self.events.append(event)
        return True


def _user_place(frame: FrameType | None) -> Place | None:
    """The innermost line of code that is neither the library's nor ours."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _OURS:
            return Place(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None


def _time_on(device: str) -> float | None:
    if not device.startswith("sim"):
        return None
    from tensorglass import sim  # there, since a simulated device is in use

    return sim.now()
