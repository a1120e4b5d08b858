"""Derivatives that are one kernel rather than several operators: those of the usual activations.

They are operators as any other, with derivatives of their own, so that derivatives have derivatives; only the namespace
does not have them. Their names are PyTorch's.
"""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.graph.derivative import derivative
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.type_promotion import FLOAT
from tensorglass.ops.derivatives.formulas import conj, zero_gradient
from tensorglass.ops.kernels.activation_slopes import above_threshold, sigmoid_slope, tanh_slope


@pointwise(FLOAT, function=False, method=False, inplace=False)
@derivative(
    node="TanhBackwardBackward0",
    grad_output=lambda grad, output: tanh_backward(grad, conj(output)),
    output=lambda grad, grad_output, output: conj(grad) * (conj(output) * -2 * grad_output),
)
def tanh_backward(xp: Any, grad_output: Array, output: Array, *, out: Array = None) -> Array:
    """The gradient of `tanh`, from its result."""
    return tanh_slope(xp, grad_output, output, out)


@pointwise(FLOAT, function=False, method=False, inplace=False)
@derivative(
    node="SigmoidBackwardBackward0",
    grad_output=lambda grad, output: sigmoid_backward(grad, conj(output)),
    output=lambda grad, grad_output, output: conj(grad) * grad_output * (conj(output) * -2 + 1),
)
def sigmoid_backward(xp: Any, grad_output: Array, output: Array, *, out: Array = None) -> Array:
    """The gradient of `sigmoid`, from its result."""
    return sigmoid_slope(xp, grad_output, output, out)


@pointwise(FLOAT, function=False, method=False, inplace=False)
@derivative(
    node="ThresholdBackwardBackward0",
    grad_output=lambda grad, input, threshold: threshold_backward(grad, input, threshold=threshold),
    input=zero_gradient,
)
def threshold_backward(xp: Any, grad_output: Array, input: Array, *, threshold: int = 0, out: Array = None) -> Array:
    """The gradient where `input` is above the threshold, and 0 elsewhere: that of relu, from its result."""
    return above_threshold(xp, grad_output, input, threshold, out)
