"""Exponentials and logarithms, element by element."""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.graph.derivative import derivative
from tensorglass.ops.declaring import pointwise
from tensorglass.ops.gradient_kernels import sigmoid_backward
from tensorglass.ops.gradients import LN2, LN10, conj
from tensorglass.ops.promotion import FLOAT
from tensorglass.ops.samples import positive, unary


@pointwise(FLOAT, ufunc="exp", samples=unary)
@derivative(input=lambda grad, result: grad * conj(result))
def exp(xp: Any, input: Array, *, out: Array = None) -> Array:
    """e to the power of each element."""
    return xp.exp(input, out=out)


@pointwise(FLOAT, ufunc="exp2", samples=unary)
@derivative(input=lambda grad, result: grad * conj(result * LN2))
def exp2(xp: Any, input: Array, *, out: Array = None) -> Array:
    """2 to the power of each element."""
    return xp.exp2(input, out=out)


@pointwise(FLOAT, ufunc="expm1", samples=unary)
@derivative(input=lambda grad, result: grad * conj(result + 1))
def expm1(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``exp(input) - 1``, exact for small elements."""
    return xp.expm1(input, out=out)


@pointwise(FLOAT, ufunc="log", samples=positive)
@derivative(input=lambda grad, input: grad / conj(input))
def log(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The natural logarithm."""
    return xp.log(input, out=out)


@pointwise(FLOAT, ufunc="log2", samples=positive)
@derivative(input=lambda grad, input: grad / conj(input * LN2))
def log2(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The logarithm to base 2."""
    return xp.log2(input, out=out)


@pointwise(FLOAT, ufunc="log10", samples=positive)
@derivative(input=lambda grad, input: grad / conj(input * LN10))
def log10(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The logarithm to base 10."""
    return xp.log10(input, out=out)


@pointwise(FLOAT, ufunc="log1p", samples=positive)
@derivative(input=lambda grad, input: grad / conj(input + 1))
def log1p(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``log(1 + input)``, exact for small elements."""
    return xp.log1p(input, out=out)


@pointwise(FLOAT, samples=unary)
@derivative(input=lambda grad, result: sigmoid_backward(grad, result))
def sigmoid(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``1 / (1 + exp(-input))``."""
    one = input.dtype.type(1)
    return xp.true_divide(one, one + xp.exp(-input), out=out)
