"""``other - tensor`` and ``other / tensor``, where `other` is no tensor or does not know how."""

from __future__ import annotations

from typing import Any

from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.kernels.python_numbers import NUMBERS
from tensorglass.ops.pointwise.arithmetic import mul, reciprocal, rsub, sub
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import dispatch_operator


@derivative(node="RsubBackward0", input=lambda grad: -grad, other=lambda grad: grad)
def _reflected(input: Tensor, other: Tensor) -> Tensor:
    return sub(other, input)  # which lies as `other` does


_taken_off = recorded(_reflected)


@operator("pointwise", function=False, method=False, dunders=("__rsub__",))
def __rsub__(input: Tensor, other: Any) -> Any:
    """``other - input``."""
    if isinstance(other, Tensor):
        return _taken_off(input, other)
    return rsub(input, other) if isinstance(other, NUMBERS) else dispatch_operator("__rsub__", input, other)


@operator("pointwise", function=False, method=False, dunders=("__rtruediv__", "__rdiv__"))
def __rtruediv__(input: Tensor, other: Any) -> Any:
    """``other / input``: PyTorch rounds the reciprocal first, and so do we."""
    if isinstance(other, (Tensor, *NUMBERS)):
        return mul(reciprocal(input), other)
    try:
        return reciprocal(input) * other  # a NumPy array knows how
    except TypeError:
        return NotImplemented
