"""The older way to checkpoint: a function of one's own whose backward runs the part again and calls `backward` on it.

The inner backward reaches the leaves on its own, so it only works within an outer backward that collects in all leaves.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from tensorglass.autograd import engine
from tensorglass.autograd.backward import backward
from tensorglass.autograd.function import Function
from tensorglass.core.contexts import Context
from tensorglass.core.errors import explained
from tensorglass.tensor.autograd_meta import requires_grad
from tensorglass.tensor.generator import get_rng_state, set_rng_state
from tensorglass.tensor.grad_mode import enable_grad, no_grad
from tensorglass.tensor.tensor import Tensor


def warn_of_default(name: str, when: str) -> None:
    """Warn that `use_reentrant` was not passed to the function of that name, and what becomes of that `when`."""
    warnings.warn(
        f"{name}: the use_reentrant parameter should be passed explicitly. {when} use_reentrant=False is recommended, "
        "but if you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for "
        "more details on the differences between the two variants.",
        stacklevel=3,
    )


class random_numbers_from(Context):
    """Within it, random numbers continue from `random_state`, if that is given; afterwards, from where they were."""

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
        if not any(isinstance(each, Tensor) and requires_grad(each) for each in args):
            warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=4)
        ctx.run_function = run_function
        ctx.random_state = get_rng_state() if preserve_rng_state else None
        ctx.numbers = [None if isinstance(each, Tensor) else each for each in args]
        ctx.save_for_backward(*[each if isinstance(each, Tensor) else None for each in args])
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        if not engine.current.walk.is_whole:
            raise explained(
                RuntimeError(
                    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an "
                    "`inputs` parameter to .backward(). To resolve this error, you can either set use_reentrant=False, "
                    "or call .backward() without passing the `inputs` argument."
                )
            )
        inputs = [
            number if tensor is None else tensor.detach().requires_grad_(requires_grad(tensor))
            for number, tensor in zip(ctx.numbers, ctx.saved_tensors, strict=True)
        ]
        with random_numbers_from(ctx.random_state), enable_grad():
            outputs = ctx.run_function(*inputs)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        reached = [nr for nr, each in enumerate(outputs) if isinstance(each, Tensor) and requires_grad(each)]
        if not reached:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([outputs[nr] for nr in reached], [grad_outputs[nr] for nr in reached])
        return (None, None, *[each.grad if isinstance(each, Tensor) else None for each in inputs])
