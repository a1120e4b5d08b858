"""Seeing every operator of PyTorch that a thread runs, in the backward as well, without changing what it does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache, reduce
from operator import or_
from types import FrameType, TracebackType
from typing import Any, Protocol

from glassroom.reading.adapters import declared, without_overrides

# PyTorch's operators that move elements and compute nothing; reshape, contiguous and to are made of these.
COPYING = frozenset({
    "clone", "_to_copy", "copy_", "_reshape_copy", "index", "index_select", "take", "gather", "masked_select", "cat",
    "stack", "repeat", "repeat_interleave", "roll", "flip", "constant_pad_nd",
})  # fmt: skip

SWITCHING = {"_use_grad", "_called", "_traced"}  # of optimizers, and of what follows code
NUMBERS = (bool, int, float, complex)


class Listener(Protocol):
    """Who is told of operators."""

    def run(self, operator: Any, given: tuple[Any, ...], call: Callable[[], Any]) -> Any:
        """Call the operator by `call`, once, and return what it returns; `given` are its arguments."""


class OperatorMode:
    """A dispatch mode that tells a listener of operators, on from `put_on` to `take_off`."""

    def __init__(self, listener: Listener) -> None:
        self._mode = _mode_of(listener)
        self._flags: dict[str, Any] = {}

    def put_on(self) -> None:
        self._flags = _flags_of_modes()
        self._mode.__enter__()

    @property
    def is_on_top(self) -> bool:
        """Whether no other mode was put on since."""
        from torch.utils import _python_dispatch as modes

        return modes._get_current_dispatch_mode_stack()[-1:] == [self._mode]

    def take_off(self) -> None:
        """Take the mode off, however far putting it on or taking it off has come, as an interrupt may come there."""
        if not self._flags:
            return
        from torch.utils import _python_dispatch as modes

        while any(each is self._mode for each in modes._get_current_dispatch_mode_stack()):
            modes._pop_mode()
        vars(modes).update(self._flags)
        inner = self._flags["_is_in_any_mode_without_ignore_compile_internals"]
        modes.set_is_in_mode_without_ignore_compile_internals(inner)
        self._flags = {}


def _mode_of(listener: Listener) -> Any:
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    way_of, way_within = cache(_way_of), cache(_way_within)

    def dispatches(kind: Any) -> bool:
        return kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__

    class Watching(TorchDispatchMode):
        """Lets every operator through; `kernels` is how many kernels in Python run."""

        kernels = 0

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # else the first operator imports the compiler, for 1.4 s

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            named = kwargs or {}
            is_last = not torch._C._len_torch_dispatch_stack()
            if is_last and any(map(dispatches, types)):
                return NotImplemented  # the class is asked next, and we see what it runs
            if is_last and func._defined_in_python and not _is_within_a_handler():
                self.kernels += 1
                try:
                    with self:  # what the kernel runs is told, and the whole is made of that
                        return _in_python(func, args, named)
                finally:
                    self.kernels -= 1
            way = way_within(func) if self.kernels else way_of(func)

            def call() -> Any:
                return way(func, args, named)

            return listener.run(func, (*args, *named.values()), call)

    return Watching()


_Way = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]


def _way_of(operator: Any) -> _Way:
    """How an operator is called for a mode so that its writes raise versions once, as where nobody watches."""
    import torch

    if not (operator._schema.is_mutable or operator._defined_in_python):
        return _as_it_is  # some of these, such as `sym_size`, are unknown to the next question
    if not torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "ADInplaceOrView"):
        return _counted_within
    return _as_it_is


def _as_it_is(operator: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """PyTorch has counted what it writes before a mode is asked."""
    try:
        return operator(*args, **named)
    except RuntimeError:
        tensors = _without_bare_numbers(operator, args)
        if tensors is None:
            raise
        return operator(*tensors, **named)


def _counted_within(operator: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """What it writes is counted by the operators that it is made of, but not within a handler of the program's own."""
    if _is_within_a_handler():
        return operator(*args, **named)
    with _counting_writes():
        return _as_it_is(operator, args, named)


def _way_within(operator: Any) -> _Way:
    """The same within a kernel in Python, where even the writes are counted that `clone` is made of, but not those of
    `zeros` and `zeros_like`.
    """
    import torch

    makes = operator.overloadpacket.__name__.endswith("_like") or not any(
        "Tensor" in str(each.type) for each in operator._schema.arguments
    )
    try:
        counts = torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "ADInplaceOrView")
    except RuntimeError:  # such as `sym_size`, of which PyTorch knows no kernels
        return _as_it_is
    return _as_it_is if makes or counts else _counted_within


def _in_python(operator: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A kernel in Python, of `torch.library.custom_op`: a write of the call itself has been counted, what the kernel
    writes has not. It is called past the modes, so that it can run within them.
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
    """Whether a `__torch_dispatch__` of the program's runs, in which PyTorch counts less than elsewhere."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "__torch_dispatch__" and frame.f_code.co_filename != __file__:
            return True
        frame = frame.f_back
    return False


def _without_bare_numbers(operator: Any, args: tuple[Any, ...]) -> list[Any] | None:
    """The arguments with a tensor for each number where the operator takes no number; None if there is no such number.

    TorchScript hands its constants over as tensors, and PyTorch gives them to a mode as numbers.
    """
    import torch

    if torch._C._should_allow_numbers_as_tensors(operator.overloadpacket.__name__):
        return None
    takes_tensor = [str(parameter.type) == "Tensor" for parameter in operator._schema.arguments]
    is_bare = [wanted and type(each) in NUMBERS for each, wanted in zip(args, takes_tensor, strict=False)]
    return (
        [torch.tensor(each) if bare else each for each, bare in zip(args, is_bare, strict=True)]
        if any(is_bare)
        else None
    )


def _flags_of_modes() -> dict[str, Any]:
    """What PyTorch has noted of modes that are on."""
    from torch.utils import _python_dispatch as modes

    return {name: value for name, value in vars(modes).items() if name.startswith("_is_in_")}


def _counting_writes() -> Any:
    """A block in which the operators that an operator is made of raise versions, as they do where nobody watches.

    PyTorch asks a mode below the layer that raises versions. `add_` has passed that layer by then, but `_foreach_add_`
    leaves the count to the `add_` of each tensor, which the mode would keep below it.
    """
    import torch

    below = torch._C._dispatch_tls_local_exclude_set().remove(torch._C.DispatchKey.ADInplaceOrView)
    return torch._C._ForceDispatchKeyGuard(torch._C._dispatch_tls_local_include_set(), below)


def is_there() -> bool:
    """Whether PyTorch has been imported, whole."""
    return hasattr(sys.modules.get("torch"), "UntypedStorage")


def grad_mode() -> bool | None:
    """Whether PyTorch records graphs now; None where it has not been imported."""
    return bool(sys.modules["torch"].is_grad_enabled()) if is_there() else None


def mend_grad_mode(before: bool | None, error: BaseException | None) -> None:
    """After an interrupt that came as PyTorch was switching its grad mode, in `no_grad` or an optimizer's step, or as a
    trace function began, and so may have kept PyTorch from switching back: set the mode that there was `before`.
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
    """Take out of a traceback the frames of a mode and of its listener, whose `files` are given: they stand between an
    operator's call and its end.
    """
    ours = {__file__, *files}
    above = error.__traceback__
    while above is not None and above.tb_next is not None:
        below: TracebackType | None = above.tb_next
        if above.tb_next.tb_frame.f_code.co_filename not in ours:
            above = above.tb_next
            continue
        while below is not None and below.tb_frame.f_code.co_filename in ours:
            below = below.tb_next
        above.tb_next = None if below is None else below.tb_next  # without PyTorch's call of the operator, for the mode


def tensors_in(values: tuple[Any, ...]) -> Iterator[Any]:
    """The tensors of PyTorch among an operator's arguments or results, and in lists of them."""
    tensor_class = sys.modules["torch"].Tensor
    for value in values:
        kind = type(value)  # `isinstance` would ask a tensor of a subclass
        if issubclass(kind, tensor_class):
            yield value
        elif issubclass(kind, list | tuple):
            yield from tensors_in(tuple(value))


def storage_of(tensor: Any) -> Any:
    """The storage of a tensor; None for sparse and other ones that have no one storage."""
    try:
        with without_overrides("torch"):
            return sys.modules["torch"].Tensor.untyped_storage(tensor)
    except Exception:  # a class may answer by code of its own
        return None


def address_of(tensor: Any) -> int:
    """Where a tensor's storage begins, 0 for one that has no memory."""
    storage = storage_of(tensor)
    try:
        return 0 if storage is None or storage.device.type == "meta" else storage.data_ptr()
    except RuntimeError:  # it has a size only, as those of fake tensors
        return 0


def bytes_written(result: Any) -> int:
    """The bytes of the tensor that an operator has copied, or of the first of several."""
    written = declared(next(tensors_in((result,))))
    nbytes: int = written.numel() * written.element_size()
    return nbytes
