"""Helpers of PyTorch's own optimizers, which optimizers derived from them import."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from tensorglass.core.dtypes import dtype, float32, float64, get_default_dtype
from tensorglass.optim.per_parameter import as_pairs
from tensorglass.tensor.grad_mode import recording
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "_default_to_fused_or_foreach", "_get_scalar_dtype", "_get_value", "_stack_if_compiling",
    "_use_grad_for_differentiable", "_view_as_real",
]  # fmt: skip


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of `step`: the step is recorded only if the optimizer is `differentiable`."""

    @wraps(func)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        with recording(bool(self.defaults["differentiable"])):
            return func(self, *args, **kwargs)

    return step


def _get_value(x: Any) -> Any:
    """The number in a tensor; any other number as it is."""
    return x.item() if isinstance(x, Tensor) else x


def _stack_if_compiling(x: Any) -> Any:
    """The list as it is: nothing is compiled."""
    return x


def _default_to_fused_or_foreach(
    params: Sequence[Tensor], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Whether an optimizer's step is one kernel for all parameters, or one for each kind of operation: neither."""
    return False, False


def _view_as_real(params: list[Any], *state_and_grads: list[Any]) -> None:
    """Replace complex tensors by pairs of real numbers, in the lists themselves."""
    for place, param in enumerate(params):
        if param.is_complex():
            for values in (params, *state_and_grads):
                values[place] = as_pairs(values[place])


def _get_scalar_dtype(is_fused: bool | None = None) -> dtype:
    """The dtype of a counter of steps."""
    return float64 if get_default_dtype() == float64 and not is_fused else float32
