"""The account that is kept while an answer runs: what it allocates, copies and transfers, and the operators that it
calls. It decides claims such as "copies nothing", "moves nothing" or "with exp and reductions only". tensorglass
reports storages, copies and transfers to an observer; PyTorch shows each operator to a dispatch mode; and both pass
operators on a subclass to the subclass, under the names by which the answer calls them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any, NamedTuple

from glassroom.exercises.facts import is_tensor, share_memory
from glassroom.reading.adapters import without_modes, without_overrides
from glassroom.reading.torch_operators import (
    COPYING,
    OperatorMode,
    bytes_written,
    is_there,
    storage_of,
    tensors_in,
)
from tensorglass import memory, transfers

# Calls that take values out of the library, or out of the account's sight.
LEAVING = frozenset({"numpy", "tolist", "item", "as_subclass", "__array__", "__dlpack__"})


class Call(NamedTuple):
    """An operator that was called on a watched tensor, under the name in the answer: "softmax", "add_", "sub"."""

    name: str
    arguments: tuple[Any, ...]


class Account:
    """What happened while it was open. Bytes of each new storage and of each copy; transfers as "cpu -> sim:0"."""

    def __init__(self) -> None:
        self.allocations: list[int] = []
        self.copies: list[int] = []
        self.transfers: list[str] = []
        self.calls: list[Call] = []
        self.is_open = True
        self._classes: dict[type, type] = {}

    @property
    def names(self) -> set[str]:
        """The names of the operators that were called on watched tensors, without underscores around them."""
        return {call.name.strip("_") for call in self.calls}

    def watched(self, tensor: Any) -> Any:
        """The same tensor under another header; the account lists operators on it and on its results."""
        kind = type(tensor)
        if kind not in self._classes:
            self._classes[kind] = _watching(kind, self)
        header = tensor.detach().as_subclass(self._classes[kind])
        return header.requires_grad_() if tensor.requires_grad else header

    @property
    def size(self) -> tuple[int, ...]:
        """The number of allocations, copies, transfers and calls so far."""
        return len(self.allocations), len(self.copies), len(self.transfers), len(self.calls)

    def cut(self, size: tuple[int, ...]) -> None:
        """Remove what was recorded since it had this size."""
        lists: tuple[list[Any], ...] = self.allocations, self.copies, self.transfers, self.calls
        for entries, length in zip(lists, size, strict=True):
            del entries[length:]

    # --- what tensorglass reports
    # ---------------------------------------------------------------------------------------

    def born(self, storage: Any, nbytes: int) -> None:
        self.allocations.append(nbytes)

    def resized(self, storage: Any, nbytes: int) -> None:
        self.allocations.append(nbytes)

    def copied(self, nbytes: int) -> None:
        self.copies.append(nbytes)

    def moved(self, transfer: transfers.Transfer) -> None:
        """Record a transfer, unless Python's numbers go into a new tensor: they were in no tensor before."""
        if transfer.source != "cpu" or transfer.storages[0] is not None:
            self.transfers.append(f"{transfer.source} -> {transfer.target}")

    # --- what PyTorch shows -------------------------------------------------------------------------------------------

    def run(self, operator: Any, given: tuple[Any, ...], call: Callable[[], Any]) -> Any:
        """Run an operator of PyTorch, and record what it did."""
        name = operator.overloadpacket.__name__
        before = list(tensors_in(given))
        result = call()
        if name in ("_to_copy", "copy_"):
            source = before[1] if name == "copy_" and len(before) > 1 else before[0]
            if source.device != result.device:
                self.transfers.append(f"{source.device} -> {result.device}")
        known = {storage._cdata for storage in map(storage_of, before) if storage is not None}
        known = set() if name == "lift_fresh" else known
        for storage in map(storage_of, tensors_in((result,))):
            if storage is not None and storage._cdata not in known:
                known.add(storage._cdata)
                self.allocations.append(storage.nbytes())
        if name in COPYING:
            self.copies.append(bytes_written(result))
        return result


_open: list[Account] = []


def open_accounts() -> list[Account]:
    """The accounts that are being kept."""
    return list(_open)


@contextmanager
def account() -> Iterator[Account]:
    """A context in which an account is kept of tensorglass, and of PyTorch if it has been imported."""
    kept = Account()
    mode = OperatorMode(kept) if is_there() else None
    with memory.observed(kept), transfers.observed(kept.moved):
        try:
            if mode is not None:
                mode.put_on()
            _open.append(kept)
            yield kept
        finally:
            kept.is_open = False
            _open[:] = [account for account in _open if account is not kept]
            if mode is not None:
                mode.take_off()


@contextmanager
def off_the_record() -> Iterator[None]:
    """A context in which a check can use tensors without any entry in an account."""
    sizes = [kept.size for kept in _open]
    try:
        with ExitStack() as stack:
            for library in ("tensorglass", "torch"):
                if _open and library in sys.modules:
                    stack.enter_context(without_overrides(library))
                    stack.enter_context(without_modes(library))
            yield
    finally:
        for kept, size in zip(_open, sizes, strict=True):
            kept.cut(size)


@contextmanager
def functions_called() -> Iterator[Counter[str]]:
    """How often the libraries' Python functions run in the block, by their names, such as `jvp` or `grad`, which are no
    operators."""
    called: Counter[str] = Counter()

    def look(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and str(frame.f_globals.get("__name__")).partition(".")[0] in ("tensorglass", "torch"):
            called[frame.f_code.co_name] += 1

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield called
    finally:
        sys.setprofile(before)


def _watching(kind: type, kept: Account) -> type:
    """A tensor class that records the operators called on its tensors in an account, as long as that is open."""

    class Watched(kind):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if kept.is_open:
                kept.calls.append(Call(getattr(func, "__name__", ""), args))
            return super().__torch_function__(func, types, args, kwargs or {})

    Watched.__name__ = Watched.__qualname__ = kind.__name__
    return Watched


# --- what it says of tensors ----------------------------------------------------------------------------------------


def was_moved(tensor: Any) -> bool:
    """Whether the tensor's bytes came to their device by a transfer that tensorglass remembers."""
    storage = tensor.untyped_storage()
    arrived = (transfer.storages[1] for transfer in transfers.since())
    return any(target is not None and target() is storage for target in arrived)


def is_converted(kept: Account, tensor: Any) -> bool:
    """Whether the dtype of a watched tensor itself was converted, rather than that of a result."""
    conversions = {"to", "type", "type_as", "double", "float", "half", "bfloat16", "int", "long", "short"}
    return any(
        call.name in conversions
        and is_tensor(call.arguments[0])
        and call.arguments[0].shape == tensor.shape
        and share_memory(call.arguments[0], tensor)
        for call in kept.calls
    )
