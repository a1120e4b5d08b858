"""Bessel functions, which swing: bessel_j0, bessel_j1, bessel_y0, bessel_y1, spherical_bessel_j0.

Below 25 all orders are found at once, going down from a high one by the recurrence that ties each to its neighbours
(Miller's algorithm), and those of the second kind are sums of them (Abramowitz and Stegun, Handbook of Mathematical
Functions, 9.1.46, 9.1.88); above, the expansions for large arguments are used (9.2.5 on).
"""

from __future__ import annotations

import math
from typing import Any

from tensorglass.backends import Array
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.samples import positive, unary
from tensorglass.ops.declare.type_promotion import WIDE_FLOAT
from tensorglass.ops.special.erf import in_double

_LARGE = 25.0
_EXACT = "good to the last places; PyTorch's near its zeros to five"
_HIGHEST = 80  # so far above 25 that what it is set to does not matter
_EULER = 0.57721566490153286061


def _all_orders(xp: Any, x: Array) -> tuple[list[Array], Array]:
    """The functions of the first kind of orders 0, 1, … for 0 < x ≤ 25, and what all of them are too large by."""
    found = [xp.zeros_like(x), xp.full_like(x, 1e-300)]
    for order in range(_HIGHEST, 0, -1):
        below = 2 * order / x * found[-1] - found[-2]
        is_big = xp.absolute(below) > 1e200  # only ratios matter
        if bool(is_big.any()):
            found = [xp.where(is_big, each * 1e-200, each) for each in found]
            below = xp.where(is_big, below * 1e-200, below)
        found.append(below)
    found.reverse()
    return found, found[0] + 2 * sum(found[2::2])


def _far(xp: Any, x: Array, order: int, second: bool) -> Array:
    """For large numbers: a wave whose height and phase are series in 1 / x."""
    large = xp.maximum(x, _LARGE)
    mu, term = 4 * order**2, xp.ones_like(large)
    even, odd = xp.ones_like(large), xp.zeros_like(large)
    for k in range(1, 26):
        term = term * (mu - (2 * k - 1) ** 2) / (8 * k * large)
        sign = 1 if k % 4 < 2 else -1
        if k % 2:
            odd = odd + sign * term
        else:
            even = even + sign * term
    # The phase is x less an eighth of a turn, or three: written out, so that nothing is lost of a large x.
    sine, cosine = xp.sin(large), xp.cos(large)
    if order == 0:
        c, s = (cosine + sine) * math.sqrt(0.5), (sine - cosine) * math.sqrt(0.5)
    else:
        c, s = (sine - cosine) * math.sqrt(0.5), -(sine + cosine) * math.sqrt(0.5)
    wave = even * s + odd * c if second else even * c - odd * s
    return xp.sqrt(2 / (math.pi * large)) * wave


def _first_kind(xp: Any, x: Array, order: int) -> Array:
    size = xp.absolute(x)
    # Below 1e-5 all orders but the first two are nothing beside them.
    orders, whole = _all_orders(xp, xp.clip(size, 1e-5, _LARGE))
    answer = orders[order] / whole
    if not bool((size <= _LARGE).all()):
        answer = xp.where(size <= _LARGE, answer, _far(xp, size, order, False))
    tiny = 1 - size * size / 4 if order == 0 else size / 2
    answer = xp.where(size < 1e-5, tiny, answer)
    return xp.where(xp.isnan(x), x, xp.copysign(1.0, x) * answer if order else answer)


def _second_kind(xp: Any, x: Array, order: int) -> Array:
    small = xp.clip(x, 1e-5, _LARGE)
    orders, whole = _all_orders(xp, small)
    orders = [each / whole for each in orders]
    total = xp.zeros_like(x)
    for k in range(1, _HIGHEST // 2 - 1):
        weight = (2 * k + order) / (k * (k + order))
        total = total + (-1) ** k * weight * orders[2 * k + order]
    logarithm = xp.log(small / 2) + _EULER - order
    near = 2 / math.pi * (logarithm * orders[order] - total)
    if order:
        near = near - 2 / (math.pi * small) * orders[0]
    positive = xp.maximum(x, 5e-324)
    tiny = 2 / math.pi * (xp.log(positive / 2) + _EULER) if order == 0 else -2 / (math.pi * positive)
    answer = xp.where(x < 1e-5, tiny, xp.where(x <= _LARGE, near, _far(xp, x, order, True)))
    answer = xp.where(x == 0, -xp.inf, answer)
    return xp.where(x < 0, xp.nan, xp.where(xp.isnan(x), x, answer))


def _spherical_of(xp: Any, x: Array) -> Array:
    safe = xp.where((x == 0) | xp.isinf(x), 1.0, x)
    return xp.where(x == 0, 1.0, xp.where(xp.isinf(x), 0.0, xp.sin(safe) / safe))


@pointwise(WIDE_FLOAT, namespace="special", samples=unary, differs=_EXACT)
def special_bessel_j0(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The Bessel function of the first kind of order 0."""
    return in_double(xp, _first_kind, input, 0)


@pointwise(WIDE_FLOAT, namespace="special", samples=unary, differs=_EXACT)
def special_bessel_j1(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The Bessel function of the first kind of order 1."""
    return in_double(xp, _first_kind, input, 1)


@pointwise(WIDE_FLOAT, namespace="special", samples=positive, differs=_EXACT)
def special_bessel_y0(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The Bessel function of the second kind of order 0."""
    return in_double(xp, _second_kind, input, 0)


@pointwise(WIDE_FLOAT, namespace="special", samples=positive, differs=_EXACT)
def special_bessel_y1(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The Bessel function of the second kind of order 1."""
    return in_double(xp, _second_kind, input, 1)


@pointwise(WIDE_FLOAT, namespace="special", samples=unary)
def special_spherical_bessel_j0(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The spherical Bessel function of the first kind of order 0: ``sin(input) / input``, 1 at 0."""
    return in_double(xp, _spherical_of, input)
