"""Exponentials and logarithms, element by element."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nan
from typing import Any

from tensorglass.backends import Array
from tensorglass.graph.derivative import derivative
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.registry import Sample, sample
from tensorglass.ops.declare.samples import positive, unary, values
from tensorglass.ops.declare.type_promotion import FLOAT, ORDERED_FLOAT
from tensorglass.ops.derivatives.formulas import LN2, LN10, conj
from tensorglass.ops.pointwise.activation_backward import sigmoid_backward
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor


@pointwise(FLOAT, ufunc="exp", samples=unary)
@derivative(on_arrays=True, input=lambda grad, result: grad * conj(result))
def exp(xp: Any, input: Array, *, out: Array = None) -> Array:
    """e to the power of each element."""
    return xp.exp(input, out=out)


@pointwise(FLOAT, ufunc="exp2", samples=unary, aliases=("special.exp2",))
@derivative(on_arrays=True, input=lambda grad, result: grad * conj(result) * LN2)
def exp2(xp: Any, input: Array, *, out: Array = None) -> Array:
    """2 to the power of each element."""
    return xp.exp2(input, out=out)


@pointwise(FLOAT, ufunc="expm1", samples=unary, aliases=("special.expm1",))
@derivative(on_arrays=True, input=lambda grad, result: grad * conj(result + 1))
def expm1(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``exp(input) - 1``, exact for small elements."""
    return xp.expm1(input, out=out)


@pointwise(FLOAT, ufunc="log", samples=positive)
@derivative(on_arrays=True, input=lambda grad, input: grad / conj(input))
def log(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The natural logarithm."""
    return xp.log(input, out=out)


@pointwise(FLOAT, ufunc="log2", samples=positive)
@derivative(on_arrays=True, input=lambda grad, input: grad / conj(input * LN2))
def log2(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The logarithm to base 2."""
    return xp.log2(input, out=out)


@pointwise(FLOAT, ufunc="log10", samples=positive)
@derivative(on_arrays=True, input=lambda grad, input: grad / conj(input * LN10))
def log10(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The logarithm to base 10."""
    return xp.log10(input, out=out)


@pointwise(FLOAT, ufunc="log1p", samples=positive, aliases=("special.log1p",))
@derivative(on_arrays=True, input=lambda grad, input: grad / conj(input + 1))
def log1p(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``log(1 + input)``, exact for small elements."""
    return xp.log1p(input, out=out)


@pointwise(FLOAT, samples=unary, aliases=("special.expit",))
@derivative(
    input=lambda grad, result: sigmoid_backward(grad, result),
)
def sigmoid(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``1 / (1 + exp(-input))``."""
    one = input.dtype.type(1)
    if not input.ndim:  # numbers, which are not written to
        return xp.true_divide(one, one + xp.exp(-input), out=out)
    powers = xp.negative(input)
    xp.exp(powers, out=powers)
    xp.add(one, powers, out=powers)
    return xp.true_divide(one, powers, out=powers if out is None else out)


def _logit_samples() -> Iterator[Sample]:
    for size in ((), (0,), (5,), (2, 3)):
        yield sample(values(*size, low=0.05, high=0.95))
    yield sample(values(2, 3, low=-0.5, high=1.5), 0.25)


def _logit_gradient(grad: Tensor, input: Tensor, eps: float | None) -> Tensor:
    """The slope between the bounds; beyond them 0, or NaN where there are none.

    What becomes of NaN depends on whether this is recorded, in PyTorch too.
    """
    low, high, beyond = (0.0, 1.0, nan) if eps is None else (eps, 1 - eps, 0.0)
    slope = grad / (input * (1 - input))
    if state.grad:
        return slope.where((input >= low) & (input <= high), beyond)
    return slope.masked_fill((input < low) | (input > high), beyond)


@pointwise(ORDERED_FLOAT.but(widens=False), error_name="logit_cpu", samples=_logit_samples, aliases=("special.logit",))
@derivative(input=_logit_gradient)
def logit(xp: Any, input: Array, eps: float | None = None, *, out: Array = None) -> Array:
    """``log(input / (1 - input))``, the inverse of `sigmoid`; with `eps` no closer than that to 0 and 1."""
    low, high = (-inf, inf) if eps is None else (eps, 1 - eps)
    kept = input if eps is None else xp.where(input < low, low, xp.where(input > high, high, input)).astype(input.dtype)
    return xp.log(kept / (1 - kept))
