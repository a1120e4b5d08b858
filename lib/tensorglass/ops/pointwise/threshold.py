"""Elements near zero, or below a bound, replaced: hardshrink, threshold."""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import FLOAT, PROMOTE
from tensorglass.ops.derivatives.shared import zero_gradient
from tensorglass.ops.kernels.activations import number
from tensorglass.ops.kernels.select_by_mask import where
from tensorglass.ops.pointwise.checks import Operands, value_fits
from tensorglass.ops.pointwise.rounding import threshold_backward
from tensorglass.tensor.tensor import Tensor

_OF_FLOATS = PROMOTE.but(refuses=(dtypes.BOOL, dtypes.INTEGER, dtypes.COMPLEX), widens=False).exactly()


def _hardshrink(xp: Any, kept: Array, input: Array, lambd: complex) -> Array:
    bound = xp.asarray(lambd).astype(input.dtype)
    return where(xp, (input >= -bound) & (input <= bound), number(xp, 0, kept.dtype), kept)


def _lambd_fits(operands: Operands, lambd: complex = 0.5) -> None:
    value_fits(operands, lambd)


@pointwise(FLOAT, function=False, method=False, inplace=False)
@derivative(
    node="HardshrinkBackwardBackward0",
    grad_output=lambda grad, input, lambd: hardshrink_backward(grad, input, lambd=lambd),
    input=zero_gradient,
)
def hardshrink_backward(xp: Any, grad_output: Array, input: Array, *, lambd: complex = 0.5, out: Array = None) -> Array:
    """The gradient where `input` was kept, and 0 elsewhere."""
    return _hardshrink(xp, grad_output, input, lambd)


@pointwise(_OF_FLOATS, inplace=False, late_check=_lambd_fits)
@derivative(input=lambda grad, input, lambd: hardshrink_backward(grad, input, lambd=lambd))
def hardshrink(xp: Any, input: Array, lambd: complex = 0.5, *, out: Array = None) -> Array:
    """Each element, but 0 where it lies between ``-lambd`` and `lambd`."""
    return _hardshrink(xp, input, input, lambd)


def _both_fit(operands: Operands, threshold: complex = 0, value: complex = 0) -> None:
    value_fits(operands, threshold)
    value_fits(operands, value)


@pointwise(
    PROMOTE.refusing(dtypes.BOOL, dtypes.COMPLEX),
    function=False,
    method=False,
    inplace=False,
    late_check=_both_fit,
    error_name="threshold_cpu",
)
def above(xp: Any, input: Array, threshold: complex = 0, value: complex = 0, *, out: Array = None) -> Array:
    """The kernel of `threshold`. NaN stays."""
    least, other = (xp.asarray(number).astype(input.dtype) for number in (threshold, value))  # fractions are truncated
    return where(xp, input <= least, other, input)


@operator(
    "pointwise",
    method=False,
    out=True,
    differs="an `out` whose elements share cells is refused; PyTorch writes over and over",
)
@derivative(input=lambda grad, input, threshold: threshold_backward(grad, input, threshold=threshold))
def threshold(input: Tensor, threshold: complex, value: complex, *, out: Tensor | None = None) -> Tensor:
    """Each element above `threshold`, and `value` in place of the others; NaN stays."""
    return above(input, threshold, value, out=out)


@operator("pointwise", method=False)
@derivative(
    node="ThresholdBackward1", input=lambda grad, input, threshold: threshold_backward(grad, input, threshold=threshold)
)
def threshold_(input: Tensor, threshold: complex, value: complex) -> Tensor:
    """`threshold` in place."""
    above(input, threshold, value, out=input)
    return input
