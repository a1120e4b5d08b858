"""`checkpoint`: a part of the forward keeps only its inputs, and runs again when the backward needs the rest.

Operators in the part save a `_Ticket` in place of each tensor, by `saved_tensors_hooks`. When a backward unpacks the
first ticket, the part runs again and saves the tensors in the same order, so each ticket gets its tensor by number.
With ``use_reentrant=True`` it is a custom function whose backward runs the part again and calls `backward`.
"""

from __future__ import annotations

import contextlib
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from enum import Enum
from typing import Any

from tensorglass.autograd import engine
from tensorglass.autograd.backward import backward
from tensorglass.autograd.function import Function
from tensorglass.autograd.graph import saved_tensors_hooks
from tensorglass.core.contexts import Context
from tensorglass.core.devices import device as Device
from tensorglass.core.errors import explained
from tensorglass.core.left_out import left_out
from tensorglass.func.pytree import tree_leaves
from tensorglass.graph.saved_tensor import SavedTensor
from tensorglass.tensor.autograd_meta import requires_grad
from tensorglass.tensor.generator import default_of, get_rng_state, set_rng_state
from tensorglass.tensor.grad_mode import enable_grad, no_grad, state
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "CheckpointError",
    "CheckpointPolicy",
    "checkpoint",
    "checkpoint_sequential",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_early_stop",
    "set_device_states",
]


class CheckpointPolicy(Enum):
    """What becomes of an operator's result on PyTorch, where a function says so of each operator."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_NO_GRADIENTS = "None of the inputs have requires_grad=True. Gradients will be None"

create_selective_checkpoint_contexts = left_out("utils.checkpoint.create_selective_checkpoint_contexts")

Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]


#: Further settings that both runs must share: each function returns a context that restores the present settings. `amp`
#: adds autocast's.
kept_settings: list[Callable[[], list[AbstractContextManager[Any]]]] = []


def _settings() -> Callable[[], contextlib.ExitStack]:
    """A function that makes a context which restores the present settings."""
    contexts = [context for settings in kept_settings for context in settings()]

    def entered() -> contextlib.ExitStack:
        stack = contextlib.ExitStack()
        for context in contexts:
            stack.enter_context(context)
        return stack

    return entered


class CheckpointError(RuntimeError):
    """The recomputation of a part differed from its first run."""


def noop_context_fn() -> Contexts:
    """No context for the first run, and none for the second."""
    return contextlib.nullcontext(), contextlib.nullcontext()


_early_stop: bool | None = None  #: what `set_checkpoint_early_stop` has set


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """A context in which every `checkpoint` has `early_stop=enable`."""
    global _early_stop
    before, _early_stop = _early_stop, enable
    try:
        yield
    finally:
        _early_stop = before


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args, **kwargs)``, whose intermediate results are not kept but computed again in the backward.

    With `use_reentrant=False`, which is recommended, everything else is as without `checkpoint`. Random numbers come
    out the same in both runs if `preserve_rng_state`. `context_fn` returns a context for each run. The sizes and dtypes
    of the two runs are compared, unless `determinism_check` is "none". The second run ends as soon as it has what is
    needed, unless `early_stop` is False. `debug` is accepted and ignored: errors always say what differed.
    """
    if use_reentrant is None:
        warn_of_default(
            "torch.utils.checkpoint",
            "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception.",
        )
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    first, second = context_fn()
    if not state.grad:
        return function(*args, **kwargs)
    random_state = get_rng_state() if preserve_rng_state else None
    settings = _settings()

    def again(*inputs: Any) -> None:
        with random_numbers_from(random_state), settings(), second:
            function(*inputs, **kwargs)

    stops_early = early_stop if _early_stop is None else _early_stop
    part = _Part(again, args, stops_early, determinism_check == "default")
    with saved_tensors_hooks(part.pack, part.unpack), first:
        result = function(*args, **kwargs)
    part.is_complete = True
    return result


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    *,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Call `functions` one after the other, in `segments` segments, all checkpointed but the last."""
    if use_reentrant is None:
        warn_of_default(
            "torch.utils.checkpoint.checkpoint_sequential",
            "In version 2.9 we will raise an exception if use_reentrant is not passed.",
        )
        use_reentrant = True
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    steps = list(functions.children() if hasattr(functions, "children") else functions)
    length = len(steps) // segments
    for begin in range(0, length * (segments - 1), length):
        segment = _in_sequence(steps[begin : begin + length])
        input = checkpoint(segment, input, use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state)
    return _in_sequence(steps[length * (segments - 1) :])(input)


def _in_sequence(steps: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def run(input: Any) -> Any:
        for step in steps:
            input = step(input)
        return input

    return run


class _Ticket:
    """What a node keeps instead of a tensor: the number of the tensor within its part."""

    __slots__ = ("__weakref__", "number")

    def __init__(self, number: int) -> None:
        self.number = number


class _Enough(Exception):
    """Raised to stop the recomputation: everything that is needed has been recomputed."""


class _NoBackward:
    """Stands for the backward pass if a saved tensor is read outside of one."""


class _Part:
    """A part of the forward pass, with everything needed to run it again."""

    def __init__(self, again: Callable[..., None], inputs: Sequence[Any], early_stop: bool, is_compared: bool) -> None:
        self._again = again
        # Saved as a node saves tensors, so that an outer checkpoint gets tickets for these inputs.
        self._inputs = [SavedTensor(input) if isinstance(input, Tensor) else input for input in inputs]
        self._early_stop = early_stop
        self._is_compared = is_compared
        self._tickets: list[weakref.ref[_Ticket]] = []
        self._facts: list[Any] = []  #: about every tensor that was kept; the second run must match them
        #: by backward pass: recomputed tensors that were not fetched yet
        self._found: weakref.WeakKeyDictionary[Any, dict[int, Tensor]] = weakref.WeakKeyDictionary()
        self.is_complete = False  #: whether the first run is over

    def pack(self, tensor: Tensor) -> _Ticket:
        """A ticket for a tensor that an operator of the first run keeps."""
        ticket = _Ticket(len(self._tickets))
        self._tickets.append(weakref.ref(ticket))
        self._facts.append(_facts(tensor))
        return ticket

    def unpack(self, ticket: _Ticket) -> Tensor:
        """The tensor that a ticket stands for."""
        backward = engine.current.walk or _NoBackward()
        if backward not in self._found:
            self._found[backward] = self._run_again()
        tensor = self._found[backward].pop(ticket.number, None)
        if tensor is None:
            raise explained(
                CheckpointError(
                    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. "
                    "If you are calling ctx.saved_tensors in backward, make sure to do so only once. "
                    "Otherwise please open an issue with details on your use case."
                ),
                "What was computed again is dropped as soon as it was read.",
            )
        return tensor

    def _run_again(self) -> dict[int, Tensor]:
        recomputed: dict[int, Tensor] = {}
        count = 0

        def collect(tensor: Tensor) -> Tensor:
            nonlocal count
            tensor = tensor.detach() if requires_grad(tensor) else tensor
            number, count = count, count + 1
            if number >= len(self._tickets):
                if self.is_complete:
                    raise explained(
                        CheckpointError(
                            "torch.utils.checkpoint: trying to save more tensors during recomputation than during the "
                            "original forward pass."
                        ),
                        f"The first run kept {len(self._tickets)}. {_DIFFERENT}",
                    )
                return tensor
            if self._tickets[number]() is not None:
                recomputed[number] = tensor
            if self._early_stop and count == len(self._tickets):
                raise _Enough
            return tensor

        inputs = [input.unpack() if isinstance(input, SavedTensor) else input for input in self._inputs]
        with contextlib.suppress(_Enough), saved_tensors_hooks(collect, _unchanged), enable_grad():
            self._again(*inputs)
        if count <= len(self._tickets):
            self._compare_runs(recomputed, count)
        return recomputed

    def _compare_runs(self, recomputed: dict[int, Tensor], count: int) -> None:
        """Raise a CheckpointError if the second run saved other tensors than the first."""
        if count != len(self._tickets):
            raise explained(
                CheckpointError(
                    "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                    "recomputation."
                ),
                f"The first run kept {len(self._tickets)}, the second {count}. {_DIFFERENT}",
            )
        if not self._is_compared:
            return
        different = [number for number, tensor in recomputed.items() if _facts(tensor) != self._facts[number]]
        if different:
            raise explained(
                CheckpointError(
                    "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                    "during the forward pass."
                ),
                *[
                    f"Tensor {number}: first {self._facts[number]}, then {_facts(recomputed[number])}."
                    for number in different
                ],
                _DIFFERENT,
            )


_DIFFERENT = "The function must do the same in both runs: is there a branch that depends on something that has changed?"


def _facts(tensor: Tensor) -> tuple[Any, ...]:
    return list(tensor._size), tensor._dtype, tensor._storage.device


def _unchanged(tensor: Tensor) -> Tensor:
    return tensor


def warn_of_default(name: str, when: str) -> None:
    """Warn that `use_reentrant` was not passed to the function `name`, in PyTorch's words."""
    warnings.warn(
        f"{name}: the use_reentrant parameter should be passed explicitly. {when} use_reentrant=False is recommended, "
        "but if you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for "
        "more details on the differences between the two variants.",
        stacklevel=3,
    )


class random_numbers_from(Context):
    """A context in which random numbers continue from `random_state`, if given; afterwards from where they were
    before."""

    def __init__(self, random_state: Tensor | None) -> None:
        self._random_state = random_state

    def before(self) -> Tensor | None:
        return None if self._random_state is None else get_rng_state()

    def begin(self, _: Tensor | None) -> None:
        if self._random_state is not None:
            set_rng_state(self._random_state)

    def end(self, note: Tensor | None) -> None:
        if note is not None:
            set_rng_state(note)


class CheckpointFunction(Function):
    """``checkpoint(..., use_reentrant=True)``."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        if not any(isinstance(argument, Tensor) and requires_grad(argument) for argument in args):
            warnings.warn(_NO_GRADIENTS, stacklevel=4)
        ctx.run_function = run_function
        ctx.random_state = get_rng_state() if preserve_rng_state else None
        ctx.settings = _settings()
        ctx.numbers = [None if isinstance(argument, Tensor) else argument for argument in args]
        ctx.save_for_backward(*[argument if isinstance(argument, Tensor) else None for argument in args])
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        if not engine.current.walk.is_whole:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                ".backward() without passing the `inputs` argument."
            )
        inputs = [
            number if tensor is None else tensor.detach().requires_grad_(requires_grad(tensor))
            for number, tensor in zip(ctx.numbers, ctx.saved_tensors, strict=True)
        ]
        with random_numbers_from(ctx.random_state), ctx.settings(), enable_grad():
            outputs = ctx.run_function(*inputs)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        reached = [nr for nr, output in enumerate(outputs) if isinstance(output, Tensor) and requires_grad(output)]
        if not reached:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([outputs[nr] for nr in reached], [grad_outputs[nr] for nr in reached])
        return (None, None, *[input.grad if isinstance(input, Tensor) else None for input in inputs])


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """The devices other than the CPU that tensors in `args` lie on, and the states of their generators."""
    kinds = {value.device for value in tree_leaves(args) if isinstance(value, Tensor) and value.device.type != "cpu"}
    devices = sorted(kinds, key=str)
    return [device.index or 0 for device in devices], [default_of(device).get_state() for device in devices]


def set_device_states(devices: Sequence[int], states: Sequence[Tensor], *, device_type: str | None = None) -> None:
    """Set the generators of devices back to states that `get_device_states` has given: CUDA's, if no type is given."""
    for index, random_state in zip(devices, states, strict=True):
        default_of(Device(device_type or "cuda", index)).set_state(random_state)


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tensors of a tuple without their history, requiring gradients as before; anything else as it is."""
    if not isinstance(inputs, tuple):
        kind = type(inputs).__name__
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {kind}")
    return tuple([
        value.detach().requires_grad_(value.requires_grad) if isinstance(value, Tensor) else value for value in inputs
    ])  # fmt: skip


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn if no tensor requires a gradient: a checkpoint that is reentrant then passes none on."""
    if not any(value.requires_grad for value in inputs if isinstance(value, Tensor)):
        warnings.warn(_NO_GRADIENTS, stacklevel=2)
