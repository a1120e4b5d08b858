"""The account of memory while a cell is watched: what was allocated, what was copied, how much was held. The one idea:
each library is observed in the way that it offers. tensorglass reports births and copies to an observer; PyTorch shows
every operator to a dispatch mode, during backward as well. NumPy and CuPy report nothing, so only those of their arrays
that a variable holds are counted. Ends are known by weak references, so the account keeps nothing alive. Their
callbacks are not Python code, in which an interrupt would be lost.
"""

from __future__ import annotations

import inspect
import sys
import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cache, partial
from types import FrameType
from typing import Any

from glassroom.reading.torch_operators import (
    COPYING,
    OperatorMode,
    bytes_written,
    drop_frames,
    is_there,
    storage_of,
    tensors_in,
)
from tensorglass import memory

RENEWING = frozenset({"resize_", "set_"})  # operators that give an argument another storage, or one of another size
ACCOUNTED = frozenset({"tensorglass", "torch"})  # libraries that report what they allocate and copy


@dataclass
class Birth:
    """A storage that was made while somebody watched; `identity` is its key in `storage_names`."""

    identity: Hashable
    nbytes: int
    is_alive: Callable[[], bool]
    end: object = None  # the weak reference that reports its end, if its library's storages support one


@dataclass
class Interval:
    """What happened between two looks; `high` is the maximum of bytes held in that time."""

    births: list[Birth] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)
    high: int = 0


class Account:
    """Counts from `open` to `close`. `held` and `peak` are bytes of storages that were born in that time."""

    def __init__(self) -> None:
        self.allocations = self.allocated = self.peak = 0
        self.copies = self.copied_bytes = 0
        self.is_counting = False
        self._living: dict[Hashable, Birth] = {}  # births whose end will be reported
        self._living_bytes = 0
        self._by_end: dict[int, Birth] = {}  # the same by the ids of their weak references
        self._ends: deque[object] = deque()  # weak references whose storages have ended since the last query
        self._asked: dict[Hashable, Birth] = {}  # NumPy's and CuPy's, which must be polled
        self._born: set[Hashable] = set()
        self._since = Interval()
        self._is_told = True
        self._watching = memory.observed(self)
        self._torch_mode: OperatorMode | None = None
        self._no_longer_traced: list[FrameType] = []

    def open(self) -> None:
        """Begin. An interrupt may come at any moment, so callers must call `close` even if this did not return."""
        self._watching.__enter__()
        self.look_for_torch()
        self.is_counting = True

    def close(self) -> None:
        """Stop counting, and release everything. If an interrupt cuts this short, it can be called again."""
        self.is_counting = False
        if self._torch_mode is not None:
            self._torch_mode.take_off()
        self._watching.__exit__(None, None, None)
        self._watching.end(None)  # this works even if an interrupt came while watching was being set up
        for table in (self._living, self._by_end, self._ends, self._asked):
            table.clear()
        self._no_longer_traced = []

    def leave_off(self) -> None:
        """Stop counting while the code still runs, at no further cost to it: our mode is removed from PyTorch, unless
        the code has pushed a mode of its own on top.
        """
        self.is_counting = False
        if self._torch_mode is not None and self._torch_mode.is_on_top:
            self._torch_mode.take_off()
        self._watching.end(None)

    def look_for_torch(self) -> None:
        """Watch PyTorch's operators from now on, if it has been imported."""
        if self._torch_mode is None and is_there():
            self._torch_mode = OperatorMode(self)
            self._torch_mode.put_on()

    def traced_until_now(self, frames: list[FrameType]) -> None:
        """Tracing has ended. A traced frame keeps a dict of its variables, which would keep alive what the variables no
        longer hold: it is emptied as soon as the frames are no longer inside a trace function.
        """
        self._no_longer_traced = [frame for frame in frames if frame.f_code.co_flags & inspect.CO_OPTIMIZED]

    def _let_go(self) -> None:
        for frame in self._no_longer_traced:
            held = frame.f_locals
            if isinstance(held, dict):  # Python 3.13 has no such dict
                held.clear()
        self._no_longer_traced = []

    def only_count(self) -> None:
        """No more intervals will be taken: keep figures alone, however much is made from now on."""
        self._is_told, self._since = False, Interval()

    def take(self) -> Interval:
        """What happened since the last call."""
        since, self._since = self._since, Interval()
        return since

    @property
    def held(self) -> int:
        """Bytes of storages that were born while watched and are alive."""
        while self._ends:
            ended = self._by_end.pop(id(self._ends.popleft()), None)
            if ended is not None:
                self._living_bytes -= ended.nbytes
                if self._living.get(ended.identity) is ended:
                    del self._living[ended.identity]
        for identity in [key for key, birth in self._asked.items() if not birth.is_alive()]:
            del self._asked[identity]
        return self._living_bytes + sum(birth.nbytes for birth in self._asked.values())

    def made(self, birth: Birth) -> None:
        """A storage was made."""
        if self._no_longer_traced:
            self._let_go()
        if self._is_told:
            self._since.births.append(birth)
        if birth.end is None:
            self._asked[birth.identity] = birth
        else:
            self._living[birth.identity] = self._by_end[id(birth.end)] = birth
            self._living_bytes += birth.nbytes
        self._born.add(birth.identity)
        self.allocations += 1
        self.allocated += birth.nbytes
        self._rise()

    def have_now(self, storages: Iterable[tuple[Hashable, int]]) -> None:
        """Storages were seen to have so many bytes each; they may have been resized."""
        living = self._living
        for identity, nbytes in storages:
            birth = living.get(identity)
            if birth is not None and birth.nbytes != nbytes and birth.is_alive():
                self.allocated += max(nbytes - birth.nbytes, 0)
                self._living_bytes += nbytes - birth.nbytes
                birth.nbytes = nbytes
                self._rise()

    def was_born(self, identity: Hashable) -> bool:
        """Whether a memory was made while watched."""
        return identity in self._born

    def _rise(self) -> None:
        held = self.held
        self._since.high = max(self._since.high, held)
        self.peak = max(self.peak, held)

    # --- what tensorglass reports ------------------------------------------------------------------------------------

    def born(self, storage: Any, nbytes: int) -> None:
        if self.is_counting:
            end = weakref.ref(storage, self._ends.append)
            self.made(Birth(("tensorglass", id(storage)), nbytes, lambda: end() is not None, end))

    def resized(self, storage: Any, nbytes: int) -> None:
        if self.is_counting:
            self.have_now([(("tensorglass", id(storage)), nbytes)])

    def copied(self, nbytes: int) -> None:
        if self.is_counting:
            if self._is_told:
                self._since.copies.append(nbytes)
            self.copies += 1
            self.copied_bytes += nbytes

    # --- what PyTorch lets us see ------------------------------------------------------------------------------------

    def run(self, operator: Any, given: tuple[Any, ...], call: Callable[[], Any]) -> Any:
        """Run an operator of PyTorch's, and count what it allocates and copies."""
        result = call()
        if self.is_counting and not _makes_nothing(operator):
            self._ran(operator, given, result)
        return result

    def _ran(self, operator: Any, given: tuple[Any, ...], result: Any) -> None:
        """Count the storages that the operator made: those of its results that no argument has."""
        name = operator.overloadpacket.__name__
        fresh = name == "lift_fresh"  # the operator by which torch.tensor returns its result
        arguments = [] if fresh else [storage_of(tensor) for tensor in tensors_in(given)]
        known = {storage._cdata for storage in arguments if storage is not None}
        weak_reference = sys.modules["torch"].multiprocessing.reductions.StorageWeakRef
        for storage in map(storage_of, tensors_in((result,))):
            if storage is not None and storage._cdata not in known and _is_allocated(storage):
                known.add(storage._cdata)
                weak = weak_reference(storage)
                end = weakref.ref(storage, self._ends.append)
                self.made(Birth(("torch", weak.cdata), storage.nbytes(), partial(_is_alive, weak), end))
            elif storage is not None and name == "resize_":
                self.have_now([(("torch", storage._cdata), storage.nbytes())])
        if name in COPYING:
            self.copied(bytes_written(result))


def drop_our_frames(error: BaseException) -> None:
    """Remove our own frames from a traceback."""
    drop_frames(error, __file__)


@cache
def _makes_nothing(operator: Any) -> bool:
    """Whether an operator of PyTorch's only writes to its arguments and returns them, as `add_` does."""
    if operator.overloadpacket.__name__ in COPYING | RENEWING:
        return False
    results = operator._schema.returns
    return all(result.alias_info is not None and result.alias_info.is_write for result in results)


def _is_allocated(storage: Any) -> bool:
    """Whether a PyTorch storage owns its memory, which may instead be a NumPy array's or another library's."""
    try:
        return storage.device.type != "meta" and bool(
            storage.resizable() and (storage.data_ptr() or not storage.nbytes())
        )
    except RuntimeError:  # it has no memory, as for fake tensors and wrapper subclasses
        return False


def _is_alive(weak: Any) -> bool:
    return not weak.expired()
