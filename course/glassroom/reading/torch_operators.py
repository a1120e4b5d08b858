"""Observing every operator of PyTorch that a thread runs, in the backward as well, without changing what it does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache, partial, reduce
from operator import or_
from types import FrameType, TracebackType
from typing import Any, Protocol

from glassroom.reading.adapters import declared, without_modes, without_overrides

# PyTorch's operators that move elements and compute nothing; reshape, contiguous and to are made of these.
COPYING = frozenset({
    "clone", "_to_copy", "copy_", "_reshape_copy", "index", "index_select", "take", "gather", "masked_select", "cat",
    "stack", "repeat", "repeat_interleave", "roll", "flip", "constant_pad_nd",
})  # fmt: skip

SWITCHING = {"_use_grad", "_called", "_traced"}  # functions of optimizers, and of code that traces
NUMBERS = (bool, int, float, complex)
LISTS = (list, tuple)


class Listener(Protocol):
    """The receiver of operators."""

    def run(self, operator: Any, given: tuple[Any, ...], call: Callable[[], Any]) -> Any:
        """Call `call`, which runs the operator, exactly once, and return its result; `given` are the arguments."""


class OperatorMode:
    """A dispatch mode that reports operators to a listener, active from `put_on` to `take_off`."""

    def __init__(self, listener: Listener) -> None:
        self._mode = _mode_of(listener)
        self._flags: dict[str, Any] = {}

    def put_on(self) -> None:
        self._flags = _flags_of_modes()
        self._mode.__enter__()

    @property
    def is_on_top(self) -> bool:
        """Whether no other mode was pushed since."""
        from torch.utils import _python_dispatch as modes

        return modes._get_current_dispatch_mode_stack()[-1:] == [self._mode]

    def take_off(self) -> None:
        """Remove the mode, even if an interrupt has cut `put_on` or `take_off` short."""
        if not self._flags:
            return
        from torch.utils import _python_dispatch as modes

        while any(mode is self._mode for mode in modes._get_current_dispatch_mode_stack()):
            modes._pop_mode()
        vars(modes).update(self._flags)
        inner = self._flags["_is_in_any_mode_without_ignore_compile_internals"]
        modes.set_is_in_mode_without_ignore_compile_internals(inner)
        self._flags = {}


def _mode_of(listener: Listener) -> Any:
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    way_of, way_within = cache(_way_of), cache(_way_within)
    stacked = torch._C._len_torch_dispatch_stack

    def dispatches(kind: Any) -> bool:
        return kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__

    class Watching(TorchDispatchMode):
        """Lets every operator through; `kernels` is how many kernels in Python run."""

        kernels = 0

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # otherwise the first operator would import the compiler

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            named = kwargs or {}
            if types and not stacked() and any(map(dispatches, types)):
                return NotImplemented  # the class is called next, and we see the operators that it runs
            if func._defined_in_python and not stacked() and not _is_within_a_handler():
                self.kernels += 1
                try:
                    with self:  # the operators within the kernel are reported instead of the whole
                        return _in_python(func, args, named)
                finally:
                    self.kernels -= 1
            way = way_within(func) if self.kernels else way_of(func)
            given = (*args, *named.values()) if named else args
            return listener.run(func, given, partial(way, func, args, named))

    return Watching()


_Way = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]


def _way_of(operator: Any) -> _Way:
    """The way to call an operator from a mode so that its writes raise versions exactly once, as they do unwatched."""
    import torch

    if not (operator._schema.is_mutable or operator._defined_in_python):
        return _as_it_is  # some of these, such as `sym_size`, are unknown to the next query
    if not torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "ADInplaceOrView"):
        return _counted_within
    return _as_it_is


def _as_it_is(operator: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """For operators whose writes PyTorch counts before a mode is called."""
    try:
        return operator(*args, **named)
    except RuntimeError:
        tensors = _without_bare_numbers(operator, args)
        if tensors is None:
            raise
        return operator(*tensors, **named)


def _counted_within(operator: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """For operators whose writes are counted by the operators within them; but not inside a handler of the program's
    own."""
    if _is_within_a_handler():
        return operator(*args, **named)
    with _counting_writes():
        return _as_it_is(operator, args, named)


def _way_within(operator: Any) -> _Way:
    """The same within a kernel in Python, where even the writes inside `clone` are counted, but not those of `zeros`
    and `zeros_like`.
    """
    import torch

    makes = operator.overloadpacket.__name__.endswith("_like") or not any(
        "Tensor" in str(argument.type) for argument in operator._schema.arguments
    )
    try:
        counts = torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "ADInplaceOrView")
    except RuntimeError:  # such as `sym_size`, of which PyTorch knows no kernels
        return _as_it_is
    return _as_it_is if makes or counts else _counted_within


def _in_python(operator: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """For kernels in Python, of `torch.library.custom_op`: PyTorch has counted the write of the call itself, but not
    what the kernel writes. The call bypasses the modes, so that the kernel can run within them.
    """
    import torch

    given = list(map(torch._C._dispatch_keys, tensors_in((*args, *named.values()))))
    if not given:
        selects = torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "BackendSelect")
        given = [torch._C.DispatchKeySet(torch._C.DispatchKey.BackendSelect if selects else torch._C.DispatchKey.CPU)]
    keys = torch._C._after_ADInplaceOrView_keyset & reduce(or_, given)
    with _counting_writes():
        return operator.redispatch(keys, *args, **named)


def _is_within_a_handler() -> bool:
    """Whether a `__torch_dispatch__` of the program's is running, in which PyTorch counts fewer writes."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "__torch_dispatch__" and frame.f_code.co_filename != __file__:
            return True
        frame = frame.f_back
    return False


def _without_bare_numbers(operator: Any, args: tuple[Any, ...]) -> list[Any] | None:
    """The arguments, with a tensor in place of each number where the operator takes no number; None if there is no such
    number. TorchScript passes its constants as tensors, but PyTorch gives them to a mode as numbers.
    """
    import torch

    if torch._C._should_allow_numbers_as_tensors(operator.overloadpacket.__name__):
        return None
    takes_tensor = [str(parameter.type) == "Tensor" for parameter in operator._schema.arguments]
    is_bare = [wanted and type(argument) in NUMBERS for argument, wanted in zip(args, takes_tensor, strict=False)]
    return (
        [torch.tensor(argument) if bare else argument for argument, bare in zip(args, is_bare, strict=True)]
        if any(is_bare)
        else None
    )


def _flags_of_modes() -> dict[str, Any]:
    """PyTorch's flags about active modes."""
    from torch.utils import _python_dispatch as modes

    return {name: value for name, value in vars(modes).items() if name.startswith("_is_in_")}


def _counting_writes() -> Any:
    """A context in which the operators inside an operator raise versions, as they do unwatched. PyTorch calls a mode
    below the layer that raises versions. `add_` has passed that layer by then, but `_foreach_add_` leaves the count to
    the `add_` of each tensor, which would run below that layer too.
    """
    import torch

    below = torch._C._dispatch_tls_local_exclude_set().remove(torch._C.DispatchKey.ADInplaceOrView)
    return torch._C._ForceDispatchKeyGuard(torch._C._dispatch_tls_local_include_set(), below)


def is_there() -> bool:
    """Whether PyTorch has been imported completely."""
    return hasattr(sys.modules.get("torch"), "UntypedStorage")


def grad_mode() -> bool | None:
    """Whether PyTorch records graphs now; None where it has not been imported."""
    return bool(sys.modules["torch"].is_grad_enabled()) if is_there() else None


def caches_casts() -> bool:
    """Whether PyTorch's autocast is on and keeps the casts of weights in its cache, until its region ends."""
    torch = sys.modules["torch"] if is_there() else None
    return (
        torch is not None and torch.is_autocast_cache_enabled() and any(map(torch.is_autocast_enabled, ("cpu", "cuda")))
    )


def mend_grad_mode(before: bool | None, error: BaseException | None) -> None:
    """Restore the grad mode `before` after an interrupt that may have kept PyTorch from restoring it: one that came
    while `no_grad`, an optimizer's step or the beginning of a trace function was switching it.
    """
    if before is None or not isinstance(error, KeyboardInterrupt) or grad_mode() == before:
        return
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == sys.modules["torch.autograd.grad_mode"].__file__ or code.co_name in SWITCHING:
            sys.modules["torch"]._C._set_grad_enabled(before)
        trace = trace.tb_next


def drop_frames(error: BaseException, *files: str) -> None:
    """Remove from a traceback the frames of a mode and its listener, which are in `files`."""
    ours = {__file__, *files}
    above = error.__traceback__
    while above is not None and above.tb_next is not None:
        below: TracebackType | None = above.tb_next
        if above.tb_next.tb_frame.f_code.co_filename not in ours:
            above = above.tb_next
            continue
        while below is not None and below.tb_frame.f_code.co_filename in ours:
            below = below.tb_next
        above.tb_next = None if below is None else below.tb_next  # without PyTorch's call of the operator for the mode


def tensors_in(values: tuple[Any, ...]) -> Iterator[Any]:
    """The tensors of PyTorch among an operator's arguments or results, and in lists of them."""
    tensor_class = sys.modules["torch"].Tensor
    for value in values:
        kind = type(value)  # `isinstance` would run code of a subclass
        if kind is tensor_class or issubclass(kind, tensor_class):
            yield value
        elif issubclass(kind, LISTS):
            yield from tensors_in(tuple(value))


def storage_of(tensor: Any) -> Any:
    """The storage of a tensor; None for sparse and other tensors without a single storage."""
    torch = sys.modules["torch"]
    try:
        kind = type(tensor)
        if (kind is torch.Tensor or kind is torch.nn.Parameter) and not torch._C._len_torch_function_stack():
            return tensor.untyped_storage()  # runs no code of the program's
        with without_overrides("torch"), without_modes("torch"):
            return torch.Tensor.untyped_storage(tensor)
    except Exception:  # a class may answer with code of its own
        return None


def address_of(tensor: Any) -> int:
    """The address of a tensor's storage; 0 if it has no memory."""
    storage = storage_of(tensor)
    try:
        return 0 if storage is None or storage.device.type == "meta" else storage.data_ptr()
    except RuntimeError:  # it has no memory, as for fake tensors
        return 0


def bytes_written(result: Any) -> int:
    """The bytes of the tensor that an operator has copied, or of the first of several."""
    written = declared(next(tensors_in((result,))))
    nbytes: int = written.numel() * written.element_size()
    return nbytes
