"""The account of memory that is kept while a cell is watched: what was allocated, what was copied, how much was held.

The one idea: each library is asked in the way that it offers. tensorglass tells an observer of births and copies;
PyTorch lets a dispatch mode see every operator, in the backward as well. NumPy and CuPy tell nobody, so of those only
what a variable holds is counted. Ends are known by weak references: the account keeps nothing alive. What these call
is no Python code, in which an interrupt would be lost.
"""

from __future__ import annotations

import inspect
import sys
import weakref
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
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

ACCOUNTED = frozenset({"tensorglass", "torch"})  # libraries that say what they allocate and copy


@dataclass
class Birth:
    """A storage that was made while somebody watched; `identity` is what `storage_names` knows it by."""

    identity: Hashable
    nbytes: int
    is_alive: Callable[[], bool]
    end: object = None  # the weak reference that tells of its end, where its library's storages take one


@dataclass
class Interval:
    """What happened between two looks; `high` are the most bytes that were held meanwhile."""

    births: list[Birth] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)
    high: int = 0


class Account:
    """Counts from `open` to `close`. `held` and `peak` are bytes of storages that were born meanwhile."""

    def __init__(self) -> None:
        self.allocations = self.allocated = self.peak = 0
        self.copies = self.copied_bytes = 0
        self.is_counting = False
        self._living: dict[Hashable, Birth] = {}  # births whose end will be told
        self._living_bytes = 0
        self._by_end: dict[int, Birth] = {}  # the same by the ids of their weak references
        self._ends: deque[object] = deque()  # those of these whose storages have ended since somebody asked
        self._asked: dict[Hashable, Birth] = {}  # NumPy's and CuPy's, which are asked whether they live
        self._born: set[Hashable] = set()
        self._since = Interval()
        self._watching = memory.observed(self)
        self._torch_mode: OperatorMode | None = None
        self._no_longer_traced: list[FrameType] = []

    def open(self) -> None:
        """Begin. An interrupt may come at any moment, so whoever calls this closes, whether it has returned or not."""
        self._watching.__enter__()
        self.look_for_torch()
        self.is_counting = True

    def close(self) -> None:
        """Count no more, and let go of all. If an interrupt ends this early, it can be called again."""
        self.is_counting = False
        if self._torch_mode is not None:
            self._torch_mode.take_off()
        self._watching.__exit__(None, None, None)
        self._watching.end(None)  # it ends the watching though an interrupt came while that was begun
        for each in (self._living, self._by_end, self._ends, self._asked):
            each.clear()
        self._no_longer_traced = []

    def leave_off(self) -> None:
        """Count no more while the code still runs, and cost it nothing: PyTorch is left as it is where nobody watches,
        unless the code has put a mode of its own upon ours.
        """
        self.is_counting = False
        if self._torch_mode is not None and self._torch_mode.is_on_top:
            self._torch_mode.take_off()
        self._watching.end(None)

    def look_for_torch(self) -> None:
        """See PyTorch's operators from now on, if it has been imported."""
        if self._torch_mode is None and is_there():
            self._torch_mode = OperatorMode(self)
            self._torch_mode.put_on()

    def traced_until_now(self, frames: list[FrameType]) -> None:
        """Tracing has ended. A traced frame keeps a dict of its variables, which would hold what these let go of: it is
        emptied as soon as the frames are not within a trace.
        """
        self._no_longer_traced = [each for each in frames if each.f_code.co_flags & inspect.CO_OPTIMIZED]

    def _let_go(self) -> None:
        for frame in self._no_longer_traced:
            held = frame.f_locals
            if isinstance(held, dict):  # Python 3.13 keeps none
                held.clear()
        self._no_longer_traced = []

    def take(self) -> Interval:
        """What happened since this was last asked."""
        since, self._since = self._since, Interval()
        return since

    @property
    def held(self) -> int:
        """Bytes that were born while watched, and live."""
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

    def has_now(self, identity: Hashable, nbytes: int) -> None:
        """A storage was seen to have so many bytes; it may have been resized."""
        birth = self._living.get(identity)
        if birth is not None and birth.nbytes != nbytes and birth.is_alive():
            self.allocated += max(nbytes - birth.nbytes, 0)
            self._living_bytes += nbytes - birth.nbytes
            birth.nbytes = nbytes
            self._rise()

    def was_born(self, identity: Hashable) -> bool:
        """Whether a memory was made while somebody watched."""
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
            self.has_now(("tensorglass", id(storage)), nbytes)

    def copied(self, nbytes: int) -> None:
        if self.is_counting:
            self._since.copies.append(nbytes)
            self.copies += 1
            self.copied_bytes += nbytes

    # --- what PyTorch lets us see ------------------------------------------------------------------------------------

    def run(self, operator: Any, given: tuple[Any, ...], call: Callable[[], Any]) -> Any:
        """Run an operator of PyTorch's."""
        result = call()
        if self.is_counting:
            self._ran(operator, given, result)
        return result

    def _ran(self, operator: Any, given: tuple[Any, ...], result: Any) -> None:
        """Storages of results that no argument has were made by the operator."""
        name = operator.overloadpacket.__name__
        fresh = name == "lift_fresh"  # how torch.tensor hands over what it has made
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
                self.has_now(("torch", storage._cdata), storage.nbytes())
        if name in COPYING:
            self.copied(bytes_written(result))


def drop_our_frames(error: BaseException) -> None:
    """Take out of a traceback what stands between an operator's call and its end."""
    drop_frames(error, __file__)


def _is_allocated(storage: Any) -> bool:
    """Whether a storage of PyTorch's has memory of its own: not that of a NumPy array or another library's."""
    try:
        return storage.device.type != "meta" and bool(
            storage.resizable() and (storage.data_ptr() or not storage.nbytes())
        )
    except RuntimeError:  # it has a size only, as those of fake tensors and of subclasses that wrap others
        return False


def _is_alive(weak: Any) -> bool:
    return not weak.expired()
