"""The error function, its complement and its inverse.

NumPy has none of them. `erf` and `erfc` are W. J. Cody's rational approximations (Rational Chebyshev Approximations for
the Error Function, Mathematics of Computation 23, 1969), good to the last places of double precision; `erfinv` begins
with M. Giles' polynomials (Approximating the erfinv function, GPU Computing Gems 2, 2011) and is mended by two steps of
Halley's. These are for doubles; float32 has shorter ones, in `single_errors`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorglass.backends import Array
from tensorglass.graph.derivative import derivative
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.samples import unary, unit_interval
from tensorglass.ops.declare.type_promotion import ORDERED_FLOAT
from tensorglass.ops.special.erf_float32 import (
    erf_single,
    erfc_single,
    erfinv_single,
    in_blocks,
    is_few,
    one_by_one,
    polynomial,
)

_NEAR = (
    (
        1.85777706184603153e-1,
        3.16112374387056560e0,
        1.13864154151050156e2,
        3.77485237685302021e2,
        3.20937758913846947e3,
    ),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3),
)
_MIDDLE = (
    (
        2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1,
        2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
        1.23033935479799725e3,
    ),
    (
        1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
        3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
    ),
)  # fmt: skip
_FAR = (
    (
        1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
        1.60837851487422766e-2, 6.58749161529837803e-4,
    ),
    (
        1.0, 2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1, 6.05183413124413191e-2,
        2.33520497626869185e-3,
    ),
)  # fmt: skip
_INVERSE_NEAR = (
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
    0.246640727, 1.50140941,
)  # fmt: skip
_INVERSE_FAR = (
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
    1.00167406, 2.83297682,
)  # fmt: skip
_SLOPE = 2 / math.sqrt(math.pi)


def _ratio(pair: Sequence[Sequence[float]], x: Array) -> Array:
    return polynomial(pair[0], x) / polynomial(pair[1], x)


def _both(xp: Any, x: Array) -> tuple[Array, Array]:
    """erf, good where `x` is small, and erfc of its size, good where it is not: under 0.46875."""
    size = xp.minimum(xp.absolute(x), 27.0)  # e to the power of -27² is 0
    small, ratio = _small_and_ratio(xp, size)
    # The square is split, so that the rounding of a large exponent does no harm.
    coarse = xp.trunc(size * 16) / 16
    decay = xp.exp(-coarse * coarse) * xp.exp(-(size - coarse) * (size + coarse))
    return xp.copysign(small, x), decay * ratio


def _small_and_ratio(xp: Any, size: Array) -> tuple[Array, Array]:
    """erf of positive numbers, good where they are small, and erfc less its decay, e**-size²."""
    return size * _ratio(_NEAR, xp.minimum(size * size, 0.25)), erfcx_of_tail(xp, size)


def erfcx_of_tail(xp: Any, size: Array) -> Array:
    """erfc less its decay, of doubles of 0.46875 and more."""
    between = xp.clip(size, 0.46875, 4.0)
    apart = 1 / xp.square(xp.maximum(size, 4.0))
    tail = xp.maximum(size, 4.0)
    far = (1 / math.sqrt(math.pi) - apart * _ratio(_FAR, apart)) / tail
    return xp.where(size <= 4.0, _ratio(_MIDDLE, between), far)


def erfcx_of(xp: Any, x: Array) -> Array:
    """erfc of doubles, less its decay: times e to the power of the square."""
    size = xp.absolute(x)
    small, ratio = _small_and_ratio(xp, size)
    grown = xp.exp(xp.minimum(size * size, 800.0))
    right = xp.where(size <= 0.46875, grown * (1 - small), ratio)
    return xp.where(x < 0, 2 * grown - right, right)


def erf_of(xp: Any, x: Array) -> Array:
    """The error function of doubles."""
    small, rest = _both(xp, x)
    return xp.where(xp.absolute(x) <= 0.46875, small, xp.copysign(1 - rest, x))


def erfc_of(xp: Any, x: Array) -> Array:
    """The complementary error function of doubles."""
    small, rest = _both(xp, x)
    return xp.where(xp.absolute(x) <= 0.46875, 1 - small, xp.where(x > 0, rest, 2 - rest))


def erfinv_of(xp: Any, x: Array) -> Array:
    """The inverse of the error function, of doubles."""
    size = xp.absolute(x)
    width = -xp.log((1 - size) * (1 + size))
    near, far = xp.minimum(width, 5.0) - 2.5, xp.sqrt(xp.clip(width, 5.0, 16.0)) - 3
    found = size * xp.where(width < 5, polynomial(_INVERSE_NEAR, near), polynomial(_INVERSE_FAR, far))
    # Beyond their range, from what erfc comes to for large numbers.
    reach = xp.clip(width, 16.0, 800.0) + math.log(2)
    found = xp.where(width > 16, xp.sqrt(reach - 0.5 * xp.log(math.pi * reach)), found)
    for _ in range(2):
        small, rest = _both(xp, found)  # erf and erfc, of which that is right which is the smaller
        is_small = found <= 0.46875
        below, above = xp.where(is_small, small, 1 - rest), xp.where(is_small, 1 - small, rest)
        missed = xp.where(size < 0.5, below - size, (1 - size) - above)
        step = missed / (_SLOPE * xp.exp(-found * found))
        found = found - step / (1 + found * step)
    found = xp.where(size < 1, found, xp.where(size == 1, xp.inf, xp.nan))
    return xp.copysign(found, x)


def in_double(xp: Any, formula: Any, input: Array, *parameters: Any) -> Array:
    """A formula for doubles, applied to elements of any floating-point dtype and rounded to it."""
    if parameters:  # which may have other sizes
        made = formula(xp, input.astype("float64", copy=False), *parameters)
        return xp.asarray(made).astype(input.dtype, copy=False)

    def run(xp: Any, part: Array) -> Array:
        return formula(xp, part.astype("float64", copy=False))

    return in_blocks(xp, run, input)


def _by_dtype(xp: Any, single: Any, double: Any, input: Array) -> Array:
    """The formula for float32 or that for doubles."""
    return in_blocks(xp, single, input) if input.dtype == "float32" else in_double(xp, double, input)


@pointwise(ORDERED_FLOAT, error_name="erf_vml_cpu", samples=unary, aliases=("special.erf",))
@derivative(input=lambda grad, input: (-input.pow(2)).exp() * _SLOPE * grad)
def erf(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The error function: the part of a normal distribution of variance 1/2 between -`input` and `input`."""
    return one_by_one(xp, math.erf, input) if is_few(xp, input) else _by_dtype(xp, erf_single, erf_of, input)


@pointwise(ORDERED_FLOAT, error_name="erfc_vml_cpu", samples=unary, aliases=("special.erfc",))
@derivative(input=lambda grad, input: (-input.pow(2)).exp() * -_SLOPE * grad)
def erfc(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``1 - erf(input)``, exact where that is small."""
    return one_by_one(xp, math.erfc, input) if is_few(xp, input) else _by_dtype(xp, erfc_single, erfc_of, input)


@pointwise(ORDERED_FLOAT, error_name="erfinv_vml_cpu", samples=unit_interval, aliases=("special.erfinv",))
@derivative(input=lambda grad, input: input.erfinv().pow(2).exp() * (1 / _SLOPE) * grad)
def erfinv(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The number whose error function is `input`; infinite for -1 and 1, NaN beyond."""
    return _by_dtype(xp, erfinv_single, erfinv_of, input)
