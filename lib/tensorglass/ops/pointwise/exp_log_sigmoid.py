"""Exponentials and logarithms, element by element, and functions made of them: sigmoid, logit, xlogy, logaddexp."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import inf, nan
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.ops.declare.pointwise import Operand, pointwise
from tensorglass.ops.declare.samples import exponents, pairs, positive, unary
from tensorglass.ops.declare.type_promotion import FLOAT, ORDERED_FLOAT, PROMOTE
from tensorglass.ops.derivatives.shared import by_operands, conj
from tensorglass.ops.kernels.activations import sigmoid_slope
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor

LN2, LN10 = math.log(2), math.log(10)


def xlogy_input(grad: Tensor, input: Any, other: Any) -> Tensor:
    """The gradient of ``input * log(other)`` for `input`."""
    return grad.xlogy(other).masked_fill((input == 0) & (other <= 0), 0)


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
    """``exp(input) - 1``, accurate for small elements."""
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
    """``log(1 + input)``, accurate for small elements."""
    return xp.log1p(input, out=out)


@pointwise(FLOAT, samples=unary, aliases=("special.expit",))
@derivative(input=lambda grad, result: sigmoid_backward(grad, result))
def sigmoid(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``1 / (1 + exp(-input))``."""
    one = input.dtype.type(1)
    if not input.ndim:  # NumPy scalars, which cannot be written to
        return xp.true_divide(one, one + xp.exp(-input), out=out)
    powers = xp.negative(input)
    xp.exp(powers, out=powers)
    xp.add(one, powers, out=powers)
    return xp.true_divide(one, powers, out=powers if out is None else out)


def _logit_gradient(grad: Tensor, input: Tensor, eps: float | None) -> Tensor:
    """The slope between the bounds; beyond them 0, or NaN if there are no bounds.

    As in PyTorch, the treatment of NaN, and the sign at -0.0, depend on whether this is recorded.
    """
    low, high, beyond = (0.0, 1.0, nan) if eps is None else (eps, 1 - eps, 0.0)
    if state.grad:
        return (grad / (input * (1 - input))).where((input >= low) & (input <= high), beyond)
    slope = grad / (input * (1 - input)).abs()
    return slope.masked_fill((input < low) | (input > high), beyond)


@pointwise(ORDERED_FLOAT.but(widens=False), error_name="logit_cpu", aliases=("special.logit",))
@derivative(input=_logit_gradient)
def logit(xp: Any, input: Array, eps: float | None = None, *, out: Array = None) -> Array:
    """``log(input / (1 - input))``, the inverse of `sigmoid`; with `eps`, `input` is clamped to ``eps … 1 - eps``
    first.
    """
    low, high = (-inf, inf) if eps is None else (eps, 1 - eps)
    kept = input if eps is None else xp.where(input < low, low, xp.where(input > high, high, input)).astype(input.dtype)
    return xp.log(kept / (1 - kept))


# --- compositions with logarithms ------------------------------------------------------------------------------------

_FEW = 1024  # elements


@pointwise(ORDERED_FLOAT.but(rounds_numbers=True), samples=exponents, aliases=("special.xlogy",))
@derivative(node=by_operands("Xlogy"), input=xlogy_input, other=lambda grad, input, other: grad * input / other)
def xlogy(xp: Any, input: Operand, other: Operand, *, out: Array = None) -> Array:
    """``input * log(other)``, and 0 where `input` is 0, for every `other` but NaN."""
    product = input * xp.log(other)
    return xp.where((input == 0) & ~xp.isnan(other), xp.zeros_like(product), product)


@pointwise(ORDERED_FLOAT, namespace="special", samples=exponents)
@derivative(
    node=by_operands("SpecialXlog1Py"),
    input=lambda grad, input, other: xlogy_input(grad, input, other + 1),
    other=lambda grad, input, other: grad * input / (other + 1),
)
def special_xlog1py(xp: Any, input: Operand, other: Operand, *, out: Array = None) -> Array:
    """``input * log1p(other)``, and 0 where `input` is 0, for every `other` but NaN."""
    product = input * xp.log1p(other)
    return xp.where((input == 0) & ~xp.isnan(other), xp.zeros_like(product), product)


@pointwise(PROMOTE.refusing(dtypes.BOOL, dtypes.INTEGER), inplace=False, samples=pairs)
@derivative(
    input=lambda grad, input, other: grad / conj((other - input).exp() + 1),
    other=lambda grad, input, other: grad / conj((input - other).exp() + 1),
)
def logaddexp(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """``log(exp(input) + exp(other))``, computed without overflow."""
    if input.dtype.kind != "c":
        if _is_small(input, other):
            return xp.logaddexp(input, other, out=out)
        return _log_of_sum(xp, xp.exp, 1.0, input, other, out)
    is_less = input.real < other.real
    high, low = xp.where(is_less, other, input), xp.where(is_less, input, other)
    return high + xp.log(1 + xp.exp(low - high))


def _is_small(input: Array, other: Array) -> bool:
    """Whether the array module's own function, which takes one element at a time, is faster."""
    return input.size < _FEW and other.size < _FEW


def _log_of_sum(
    xp: Any, power: Callable[..., Array], base: float, input: Array, other: Array, out: Array | None
) -> Array:
    """The larger plus what the smaller adds to it, as logarithms to this `base`."""
    added = xp.log1p(power(-xp.absolute(input - other)))
    if base != 1:
        added *= base
    added = xp.where(input == other, added.dtype.type(math.log(2) * base), added)  # ∞ - ∞ would be NaN
    return xp.add(xp.maximum(input, other), added, out=out)


@pointwise(
    PROMOTE.refusing(dtypes.BOOL, dtypes.INTEGER, dtypes.COMPLEX),
    inplace=False,
    samples=pairs,
    differs="the sign of a result that is 0 may be the other one",
)
@derivative(
    input=lambda grad, input, other: grad / conj((other - input).exp2() + 1),
    other=lambda grad, input, other: grad / conj((input - other).exp2() + 1),
)
def logaddexp2(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """``log2(2**input + 2**other)``, computed without overflow."""
    if _is_small(input, other):
        return xp.logaddexp2(input, other, out=out)
    return _log_of_sum(xp, xp.exp2, 1 / math.log(2), input, other, out)


@pointwise(FLOAT, function=False, method=False, inplace=False)
@derivative(
    node="SigmoidBackwardBackward0",
    grad_output=lambda grad, output: sigmoid_backward(grad, conj(output)),
    output=lambda grad, grad_output, output: conj(grad) * grad_output * (conj(output) * -2 + 1),
)
def sigmoid_backward(xp: Any, grad_output: Array, output: Array, *, out: Array = None) -> Array:
    """The gradient of `sigmoid`, from its result."""
    return sigmoid_slope(xp, grad_output, output, out)
