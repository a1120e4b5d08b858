"""Trigonometric and hyperbolic functions, element by element."""

from __future__ import annotations

from math import pi
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.samples import above_one, pairs, unary, unit_interval
from tensorglass.ops.declare.type_promotion import FLOAT, ORDERED_FLOAT, PROMOTE
from tensorglass.ops.derivatives.shared import conj, scaled_or_zero, turning
from tensorglass.ops.kernels.activations import tanh_slope
from tensorglass.ops.pointwise.checks import no_complex
from tensorglass.tensor.tensor import Tensor


def acosh_backward(grad: Tensor, input: Tensor) -> Tensor:
    """The gradient of `acosh`; as in PyTorch, also for real numbers below 1."""
    if input._dtype.is_complex:
        return grad * conj((input - 1).rsqrt() * (input + 1).rsqrt())
    return grad * (input * input - 1).rsqrt()


def sinc_backward(grad: Tensor, input: Tensor) -> Tensor:
    """The gradient of ``sin(pi x) / (pi x)``."""
    angle = input * pi
    return scaled_or_zero(input == 0, grad, conj((angle * angle.cos() - angle.sin()) / (angle * input)))


@pointwise(FLOAT, ufunc="sin", samples=unary)
@derivative(input=lambda grad, input: grad * conj(input.cos()))
def sin(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The sine of an angle in radians."""
    return xp.sin(input, out=out)


@pointwise(FLOAT, ufunc="cos", samples=unary)
@derivative(input=lambda grad, input: grad * conj(-input.sin()))
def cos(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The cosine of an angle in radians."""
    return xp.cos(input, out=out)


@pointwise(FLOAT, ufunc="tan", samples=unary)
@derivative(on_arrays=True, input=lambda grad, result: grad * conj(1 + result * result))
def tan(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The tangent of an angle in radians."""
    return xp.tan(input, out=out)


@pointwise(FLOAT, ufunc="arcsin", aliases=("arcsin",), samples=unit_interval)
@derivative(input=lambda grad, input: grad * conj((-input * input + 1).rsqrt()))
def asin(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The angle whose sine is each element."""
    return xp.arcsin(input, out=out)


@pointwise(FLOAT, ufunc="arccos", aliases=("arccos",), samples=unit_interval)
@derivative(input=lambda grad, input: grad * -conj((-input * input + 1).rsqrt()))
def acos(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The angle whose cosine is each element."""
    return xp.arccos(input, out=out)


@pointwise(FLOAT, ufunc="arctan", aliases=("arctan",), samples=unary)
@derivative(input=lambda grad, input: grad / conj(input * input + 1))
def atan(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The angle whose tangent is each element."""
    return xp.arctan(input, out=out)


@pointwise(ORDERED_FLOAT, ufunc="arctan2", aliases=("arctan2",), samples=pairs)
@derivative(
    input=lambda grad, input, other: grad * other * turning(input, other),
    other=lambda grad, input, other: grad * -input * turning(input, other),
)
def atan2(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The angle of the point (`other`, `input`)."""
    return xp.arctan2(input, other, out=out)


@pointwise(FLOAT, ufunc="sinh", samples=unary)
@derivative(input=lambda grad, input: grad * conj(input.cosh()))
def sinh(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The hyperbolic sine."""
    return xp.sinh(input, out=out)


@pointwise(FLOAT, ufunc="cosh", samples=unary)
@derivative(input=lambda grad, input: grad * conj(input.sinh()))
def cosh(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The hyperbolic cosine."""
    return xp.cosh(input, out=out)


@pointwise(FLOAT, ufunc="tanh", samples=unary)
@derivative(input=lambda grad, result: tanh_backward(grad, result))
def tanh(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The hyperbolic tangent."""
    return xp.tanh(input, out=out)


@pointwise(FLOAT, ufunc="arcsinh", aliases=("arcsinh",), samples=unary)
@derivative(input=lambda grad, input: grad * conj((input * input + 1).rsqrt()))
def asinh(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The inverse of `sinh`."""
    return xp.arcsinh(input, out=out)


@pointwise(FLOAT, ufunc="arccosh", aliases=("arccosh",), samples=above_one)
@derivative(input=acosh_backward)
def acosh(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The inverse of `cosh`."""
    return xp.arccosh(input, out=out)


@pointwise(FLOAT, ufunc="arctanh", aliases=("arctanh",), samples=unit_interval)
@derivative(input=lambda grad, input: grad / conj(1 - input * input))
def atanh(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The inverse of `tanh`."""
    return xp.arctanh(input, out=out)


@pointwise(PROMOTE.refusing(dtypes.BOOL, dtypes.INTEGER, dtypes.COMPLEX), ufunc="hypot", samples=pairs)
@derivative(
    input=lambda grad, input, result: grad * input / result, other=lambda grad, other, result: grad * other / result
)
def hypot(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """``sqrt(input**2 + other**2)`` without overflow in between."""
    return xp.hypot(input, other, out=out)


LIKE_INPUT = FLOAT.but(is_like_input=True)

# --- angles ----------------------------------------------------------------------------------------------------------


@pointwise(LIKE_INPUT, check=no_complex("deg2rad is not supported for complex tensors.", RuntimeError), samples=unary)
@derivative(input=lambda grad: grad * (pi / 180))
def deg2rad(xp: Any, input: Array, *, out: Array = None) -> Array:
    """An angle in degrees as one in radians."""
    return xp.multiply(input, input.dtype.type(xp.pi / 180), out=out)


@pointwise(LIKE_INPUT, check=no_complex("rad2deg is not supported for complex tensors.", RuntimeError), samples=unary)
@derivative(input=lambda grad: grad * (180 / pi))
def rad2deg(xp: Any, input: Array, *, out: Array = None) -> Array:
    """An angle in radians as one in degrees."""
    return xp.multiply(input, input.dtype.type(180 / xp.pi), out=out)


@pointwise(FLOAT, samples=unary, aliases=("special.sinc",))
@derivative(input=sinc_backward)
def sinc(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``sin(pi * input) / (pi * input)``, and 1 at 0."""
    angle = input * input.dtype.type(xp.pi)
    return xp.where(input == 0, input.dtype.type(1), xp.sin(angle) / angle)


@pointwise(FLOAT, function=False, method=False, inplace=False)
@derivative(
    node="TanhBackwardBackward0",
    grad_output=lambda grad, output: tanh_backward(grad, conj(output)),
    output=lambda grad, grad_output, output: conj(grad) * (conj(output) * -2 * grad_output),
)
def tanh_backward(xp: Any, grad_output: Array, output: Array, *, out: Array = None) -> Array:
    """The gradient of `tanh`, from its result."""
    return tanh_slope(xp, grad_output, output, out)
