"""The account of memory that is kept while a cell is watched: what was allocated, what was copied, how much was held.

The one idea: each library is asked in the way that it offers. tensorglass tells an observer of births and copies;
PyTorch lets a dispatch mode see every operator, in the backward as well. NumPy and CuPy tell nobody, so of those only
what a variable holds is counted. Ends are known by weak references: the account keeps nothing alive.
"""

from __future__ import annotations

import inspect
import sys
import weakref
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import partial
from types import FrameType
from typing import Any

from tensorglass import memory

ACCOUNTED = frozenset({"tensorglass", "torch"})  # libraries that say what they allocate and copy

# PyTorch's operators that put elements elsewhere and compute nothing; reshape, contiguous and to come down to these.
COPYING = frozenset({
    "clone", "_to_copy", "copy_", "_reshape_copy", "index", "index_select", "take", "gather", "masked_select", "cat",
    "stack", "repeat", "repeat_interleave", "roll", "flip", "constant_pad_nd",
})  # fmt: skip


@dataclass
class Birth:
    """A storage that was made while somebody watched; `identity` is what `naming.Memory` knows it by."""

    identity: Hashable
    nbytes: int
    is_alive: Callable[[], bool]


@dataclass
class Interval:
    """What happened between two looks."""

    births: list[Birth] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)


class Account:
    """Counts from `open` to `close`. `held` and `peak` are bytes of storages that were born meanwhile."""

    def __init__(self) -> None:
        self.allocations = self.allocated = self.peak = 0
        self.copies = self.copied_bytes = 0
        self.is_counting = False
        self._living: dict[Hashable, Birth] = {}
        self._since = Interval()
        self._watching = memory.observed(self)
        self._torch_mode: Any = None
        self._torch_flags: dict[str, Any] = {}
        self._no_longer_traced: list[FrameType] = []

    def open(self) -> None:
        """Begin. An interrupt may come at any moment, so whoever calls this closes, whether it has returned or not."""
        self._watching.__enter__()
        self.look_for_torch()
        self.is_counting = True

    def close(self) -> None:
        """Count no more, and let go of all. If an interrupt ends this early, it can be called again."""
        self.is_counting = False
        if self._torch_flags:
            _take_off(self._torch_mode, self._torch_flags)
            self._torch_flags = {}
        self._watching.__exit__(None, None, None)
        self._watching.end(None)  # it ends the watching though an interrupt came while that was begun
        self._living.clear()
        self._no_longer_traced = []

    def look_for_torch(self) -> None:
        """See PyTorch's operators from now on, if it has been imported."""
        if self._torch_mode is None and hasattr(sys.modules.get("torch"), "UntypedStorage"):
            self._torch_mode = _mode_of(self)
            self._torch_flags = _flags_of_modes()
            self._torch_mode.__enter__()

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
        for identity in [key for key, birth in self._living.items() if not birth.is_alive()]:
            del self._living[identity]
        return sum(birth.nbytes for birth in self._living.values())

    def made(self, birth: Birth) -> None:
        """A storage was made."""
        if self._no_longer_traced:
            self._let_go()
        self._since.births.append(birth)
        self._living[birth.identity] = birth
        self.allocations += 1
        self.allocated += birth.nbytes
        self.peak = max(self.peak, self.held)

    # --- what tensorglass reports ------------------------------------------------------------------------------------

    def born(self, storage: Any, nbytes: int) -> None:
        if self.is_counting:
            reference = weakref.ref(storage)
            self.made(Birth(("tensorglass", id(storage)), nbytes, lambda: reference() is not None))

    def resized(self, storage: Any, nbytes: int) -> None:
        birth = self._living.get(("tensorglass", id(storage)))
        if self.is_counting and birth is not None:
            self.allocated += max(nbytes - birth.nbytes, 0)
            birth.nbytes = nbytes
            self.peak = max(self.peak, self.held)

    def copied(self, nbytes: int) -> None:
        if self.is_counting:
            self._since.copies.append(nbytes)
            self.copies += 1
            self.copied_bytes += nbytes

    # --- what PyTorch lets us see ------------------------------------------------------------------------------------

    def ran(self, operator: Any, given: tuple[Any, ...], result: Any) -> None:
        """An operator of PyTorch's ran: storages of results that no argument has were made by it."""
        name = operator.overloadpacket.__name__
        fresh = name == "lift_fresh"  # how torch.tensor hands over what it has made
        known = {None if fresh else storage._cdata for storage in _storages(given)}
        weak_reference = sys.modules["torch"].multiprocessing.reductions.StorageWeakRef
        for storage in _storages((result,)):
            if storage._cdata not in known and storage.device.type != "meta":
                known.add(storage._cdata)
                weak = weak_reference(storage)
                self.made(Birth(("torch", weak.cdata), storage.nbytes(), partial(_is_alive, weak)))
        if name in COPYING:
            written = result[0] if isinstance(result, list | tuple) else result
            self.copied(written.numel() * written.element_size())


def _mode_of(account: Account) -> Any:
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    own_count: dict[Any, bool] = {}  # by operator: whether PyTorch has counted its writes before a mode is asked

    def counts_itself(operator: Any) -> bool:
        if operator not in own_count:
            kernel = torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "ADInplaceOrView")
            own_count[operator] = kernel or not operator._schema.is_mutable
        return own_count[operator]

    class Watching(TorchDispatchMode):
        """Lets every operator through, and tells the account of it."""

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # else the first operator imports the compiler, for 1.4 s

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if counts_itself(func):
                result = func(*args, **(kwargs or {}))
            else:
                with _counting_writes():
                    result = func(*args, **(kwargs or {}))
            if account.is_counting:
                account.ran(func, (*args, *(kwargs or {}).values()), result)
            return result

    return Watching()


def _flags_of_modes() -> dict[str, Any]:
    """What PyTorch has noted of modes that are on."""
    from torch.utils import _python_dispatch as modes

    return {name: value for name, value in vars(modes).items() if name.startswith("_is_in_")}


def _take_off(mode: Any, flags: dict[str, Any]) -> None:
    """Take a mode off, however far putting it on or taking it off has come; `flags` are those of before."""
    from torch.utils import _python_dispatch as modes

    while any(each is mode for each in modes._get_current_dispatch_mode_stack()):
        modes._pop_mode()
    vars(modes).update(flags)
    modes.set_is_in_mode_without_ignore_compile_internals(flags["_is_in_any_mode_without_ignore_compile_internals"])


def _counting_writes() -> Any:
    """A block in which the operators that an operator is made of raise versions, as they do where nobody watches.

    PyTorch asks a mode below the layer that raises versions. `add_` has passed that layer by then, but `_foreach_add_`
    leaves the count to the `add_` of each tensor, which the mode would keep below it.
    """
    import torch

    below = torch._C._dispatch_tls_local_exclude_set().remove(torch._C.DispatchKey.ADInplaceOrView)
    return torch._C._ForceDispatchKeyGuard(torch._C._dispatch_tls_local_include_set(), below)


def drop_our_frames(error: BaseException) -> None:
    """Take out of a traceback the frames of the mode, which stand between an operator's call and its end."""
    above = error.__traceback__
    while above is not None and above.tb_next is not None:
        ours = above.tb_next
        if ours.tb_frame.f_code.co_filename == __file__:
            below = ours.tb_next  # PyTorch's call of the operator, for the mode
            above.tb_next = None if below is None else below.tb_next
        else:
            above = ours


def _is_alive(weak: Any) -> bool:
    return not weak.expired()


def _storages(values: tuple[Any, ...]) -> Iterator[Any]:
    tensor_class = sys.modules["torch"].Tensor
    for value in values:
        if isinstance(value, list | tuple):
            yield from _storages(tuple(value))
        elif isinstance(value, tensor_class):
            try:
                yield value.untyped_storage()
            except (RuntimeError, NotImplementedError):  # sparse and the like have no one storage
                continue
