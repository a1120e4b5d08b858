"""Modified Bessel functions of the first kind: i0, and i1, its derivative.

`i0` is the array module's. `i1` adds up its power series (Abramowitz and Stegun, Handbook of Mathematical Functions,
9.6.10), all terms of which have one sign, and its asymptotic one (9.7.1) for large arguments.
"""

from __future__ import annotations

import math
from typing import Any

from tensorglass.backends import Array
from tensorglass.graph.derivative import derivative
from tensorglass.ops.declaring import pointwise
from tensorglass.ops.error_functions import in_double
from tensorglass.ops.promotion import ORDERED_FLOAT
from tensorglass.ops.samples import unary
from tensorglass.tensor import Tensor

_LARGE = 30.0


def _i0_of(xp: Any, x: Array) -> Array:
    return xp.i0(x)


def i1_of(xp: Any, x: Array) -> Array:
    """The modified Bessel function of order 1, of doubles."""
    size = xp.absolute(x)
    half = xp.minimum(size, _LARGE) / 2
    square, term = half * half, half
    near = term
    for k in range(1, 60):
        term = term * square / (k * (k + 1))
        near = near + term
    large = xp.maximum(size, _LARGE)
    term = xp.ones_like(large)
    series = term
    for k in range(1, 25):
        term = -term * (4 - (2 * k - 1) ** 2) / (8 * k * large)
        series = series + term
    # e**x in two halves, as the whole may be too large while the result is not.
    grown = xp.exp(large / 2)
    far = grown / xp.sqrt(2 * math.pi * large) * series * grown
    return xp.copysign(xp.where(size <= _LARGE, near, far), x)


def _i1_slope(input: Tensor, result: Tensor) -> Tensor:
    at_zero = input == 0
    safe = input.masked_fill(at_zero, 1.0)
    return (safe.i0() - result / safe).where(~at_zero, 0.5)


@pointwise(ORDERED_FLOAT, error_name="i0_vml_cpu", samples=unary)
@derivative(input=lambda grad, input: grad * special_i1(input))
def i0(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The modified Bessel function of the first kind of order 0."""
    return in_double(xp, _i0_of, input)


@pointwise(ORDERED_FLOAT, function=False, method=False, inplace=False)
@derivative(input=lambda grad, input, result: grad * _i1_slope(input, result))
def special_i1(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The modified Bessel function of the first kind of order 1."""
    return in_double(xp, i1_of, input)
