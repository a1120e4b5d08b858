"""Modified Bessel functions, which grow or decay: i0, i1, k0, k1, and the same less their exponential factor.

Those of the first kind add up their power series (Abramowitz and Stegun, Handbook of Mathematical Functions, 9.6.10),
all terms of which have one sign, and their asymptotic one (9.7.1) for large arguments. Those of the second kind are
series near 0 (9.6.11) and else the integral 9.6.24 by the trapezoidal rule, whose error for such integrands vanishes
faster than any power of the step. `i0` itself is the array module's.
"""

from __future__ import annotations

import math
from typing import Any

from tensorglass.backends import Array
from tensorglass.graph.derivative import derivative
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.samples import positive, unary
from tensorglass.ops.declare.type_promotion import ORDERED_FLOAT, WIDE_FLOAT
from tensorglass.ops.special.erf import in_double
from tensorglass.tensor.tensor import Tensor

_LARGE = 30.0
_EXACT = "computed in float64 in half types too, where PyTorch's is off by two percent"
_EULER = 0.57721566490153286061

# --- the first kind --------------------------------------------------------------------------------------------------


def _i0_of(xp: Any, x: Array) -> Array:
    return xp.i0(x)


def _power_series(xp: Any, x: Array, order: int) -> Array:
    """The function itself for sizes up to 30."""
    half = xp.minimum(x, _LARGE) / 2
    square, term = half * half, half**order
    total = term
    for k in range(1, 60):
        term = term * square / (k * (k + order))
        total = total + term
        if k % 8 == 0 and bool((term < total * 1e-17).all()):  # what follows is too little to count
            break
    return total


def _far_series(xp: Any, x: Array, order: int) -> Array:
    """For sizes from 30 up, less its factor e**x."""
    large = xp.maximum(x, _LARGE)
    term = xp.ones_like(large)
    series = term
    for k in range(1, 25):
        term = -term * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k * large)
        series = series + term
    return series / (math.sqrt(2 * math.pi) * xp.sqrt(large))


def i1_of(xp: Any, x: Array) -> Array:
    """The modified Bessel function of order 1, of doubles."""
    size = xp.absolute(x)
    answer = _power_series(xp, size, 1)
    is_near = size <= _LARGE
    if not bool(is_near.all()):
        # e**x in two halves, as the whole may be too large while the result is not.
        grown = xp.exp(xp.maximum(size, _LARGE) / 2)
        answer = xp.where(is_near, answer, grown * _far_series(xp, size, 1) * grown)
    return xp.where(x < 0, -answer, answer)


def _scaled(xp: Any, x: Array, order: int) -> Array:
    size = xp.absolute(x)
    answer = _power_series(xp, size, order) * xp.exp(-xp.minimum(size, _LARGE))
    is_near = size <= _LARGE
    if not bool(is_near.all()):
        answer = xp.where(is_near, answer, _far_series(xp, size, order))
    return xp.where(x < 0, -answer, answer) if order else answer


def _slope_of_i1(input: Tensor, zeroth: Tensor, result: Tensor) -> Tensor:
    """What is left of the derivative besides the order 0: result / input, 1/2 less of it at 0."""
    has_slope = (input < 0) | (input > 0)
    safe = input.masked_fill(~has_slope, 1.0)
    return (zeroth - result / safe).where(has_slope, 0.5)


@pointwise(ORDERED_FLOAT, error_name="i0_vml_cpu", samples=unary, aliases=("special.i0",))
@derivative(input=lambda grad, input: grad * special_i1(input))
def i0(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The modified Bessel function of the first kind of order 0."""
    return in_double(xp, _i0_of, input)


@pointwise(ORDERED_FLOAT, namespace="special", samples=unary)
@derivative(input=lambda grad, input, result: grad * _slope_of_i1(input, input.i0(), result))
def special_i1(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The modified Bessel function of the first kind of order 1."""
    return in_double(xp, i1_of, input)


@pointwise(ORDERED_FLOAT, namespace="special", samples=unary, differs=_EXACT)
@derivative(input=lambda grad, input, result: grad * (special_i1e(input) - input.sgn() * result))
def special_i0e(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``i0(input) * exp(-abs(input))``, which stays a number however large `input` is."""
    return in_double(xp, _scaled, input, 0)


@pointwise(ORDERED_FLOAT, namespace="special", samples=unary, differs=_EXACT)
@derivative(
    input=lambda grad, input, result: grad * (_slope_of_i1(input, special_i0e(input), result) - input.sgn() * result)
)
def special_i1e(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``i1(input) * exp(-abs(input))``, which stays a number however large `input` is."""
    return in_double(xp, _scaled, input, 1)


@pointwise(WIDE_FLOAT, namespace="special", samples=unary)
def special_modified_bessel_i0(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The modified Bessel function of the first kind of order 0: `i0` without a derivative."""
    return in_double(xp, _i0_of, input)


@pointwise(WIDE_FLOAT, namespace="special", samples=unary)
def special_modified_bessel_i1(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The modified Bessel function of the first kind of order 1: `i1` without a derivative."""
    return in_double(xp, i1_of, input)


# --- the second kind -------------------------------------------------------------------------------------------------


def _near_zero(xp: Any, x: Array, order: int) -> Array:
    """The function itself for numbers up to 1."""
    small = xp.clip(x, 5e-324, 1.0)
    square = small * small / 4
    term, harmonic = xp.ones_like(small), 0.0
    total = xp.zeros_like(small)
    for k in range(14):
        weight = harmonic - _EULER if order == 0 else 2 * harmonic + 1 / (k + 1) - 2 * _EULER
        total = total + weight * term
        term = term * square / ((k + 1) * (k + 1 + order))
        harmonic += 1 / (k + 1)
    logarithm = xp.log(small / 2) * _power_series(xp, small, order)
    return total - logarithm if order == 0 else 1 / small + logarithm - small / 4 * total


def _by_integral(xp: Any, x: Array, order: int) -> Array:
    """For numbers from 1 up, less the factor e**-x: the integral of exp(x (1 - cosh t)) cosh(order t)."""
    large = xp.maximum(x, 1.0)
    step = 0.5 / xp.sqrt(large + 3)  # the integrand is as wide as that
    total = xp.full_like(large, 0.5)
    for k in range(1, 60):
        t = k * step
        total = total + xp.exp(-2 * large * xp.sinh(t / 2) ** 2) * xp.cosh(order * t)
    return total * step


def _second_kind(xp: Any, x: Array, order: int, scaled: bool) -> Array:
    near, far = _near_zero(xp, x, order), _by_integral(xp, x, order)
    if scaled:
        near = near * xp.exp(xp.clip(x, 0.0, 1.0))
    else:
        far = far * xp.exp(-xp.maximum(x, 1.0))
    answer = xp.where(x <= 1, near, far)
    answer = xp.where(x == xp.inf, 0.0, xp.where(x == 0, xp.inf, answer))
    return xp.where(x < 0, xp.nan, xp.where(xp.isnan(x), x, answer))


@pointwise(WIDE_FLOAT, namespace="special", samples=positive)
def special_modified_bessel_k0(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The modified Bessel function of the second kind of order 0."""
    return in_double(xp, _second_kind, input, 0, False)


@pointwise(WIDE_FLOAT, namespace="special", samples=positive)
def special_modified_bessel_k1(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The modified Bessel function of the second kind of order 1."""
    return in_double(xp, _second_kind, input, 1, False)


@pointwise(WIDE_FLOAT, namespace="special", samples=positive)
def special_scaled_modified_bessel_k0(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``modified_bessel_k0(input) * exp(input)``."""
    return in_double(xp, _second_kind, input, 0, True)


@pointwise(WIDE_FLOAT, namespace="special", samples=positive)
def special_scaled_modified_bessel_k1(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``modified_bessel_k1(input) * exp(input)``."""
    return in_double(xp, _second_kind, input, 1, True)
