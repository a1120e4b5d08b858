"""`special.airy_ai`, which falls off on one side and swings on the other.

Beyond 1 it is a Gaussian integral, ``exp(-s * s) * cos(s**3 / …)`` over all `s`, which equal steps add up to the last
place; on the side where it swings the same integral, turned in the complex plane. Near 0 its power series is short.
(NIST Digital Library of Mathematical Functions, 9.4.1, 9.5.8 and 9.2.10.)
"""

from __future__ import annotations

import math
from typing import Any

from tensorglass.backends import Array
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.samples import unary
from tensorglass.ops.declare.type_promotion import WIDE_FLOAT
from tensorglass.ops.special.erf import in_double

_AT_ZERO = 1 / (3 ** (2 / 3) * math.gamma(2 / 3))
_SLOPE_AT_ZERO = 1 / (3 ** (1 / 3) * math.gamma(1 / 3))
_STEP, _STEPS = 0.15, 48  # exp(-s * s) is below the last place at the last step, turned as well
_TERMS = 12
_VANISHES = 103.892  # from where on PyTorch answers 0


def _near_zero(xp: Any, x: Array) -> Array:
    cube = x * x * x
    value, slope = xp.ones_like(x), x
    even, odd = value, slope
    for term in range(1, _TERMS):
        even = even * cube / ((3 * term - 1) * (3 * term))
        odd = odd * cube / ((3 * term) * (3 * term + 1))
        value, slope = value + even, slope + odd
    return _AT_ZERO * value - _SLOPE_AT_ZERO * slope


def _integral(xp: Any, size: Array, turn: complex) -> Array:
    """The sum of the integrand's values, for a size of at least 1: `turn` is 1, or on the other side a rotation."""
    width = size**0.75
    total: Array = 0.5
    for step in range(1, _STEPS):
        s = step * _STEP
        total = total + xp.exp(xp.asarray(-turn * s * s)) * xp.cos(s**3 / (3 * width))
    return total * _STEP / (math.pi * xp.sqrt(xp.sqrt(size)))


def _airy(xp: Any, x: Array) -> Array:
    size = xp.clip(xp.absolute(x), 1.0, 1e100)
    phase = 2 / 3 * size * xp.sqrt(size)
    falling = xp.exp(-xp.minimum(phase, 740.0)) * _integral(xp, size, 1.0)
    turned = _integral(xp, size, complex(math.cos(math.pi / 6), math.sin(math.pi / 6)))
    # Twice the real part of the turned integral, times exp(i (pi / 3 - phase)).
    angle = math.pi / 3 - phase
    swinging = 2 * (turned.real * xp.cos(angle) - turned.imag * xp.sin(angle))
    inner = _near_zero(xp, xp.clip(x, -1.0, 1.0))
    found = xp.where(xp.absolute(x) <= 1, inner, xp.where(x > 0, falling, swinging))
    found = xp.where(x > _VANISHES, 0.0, found)
    return xp.where(xp.isfinite(x) & (x > -1e100), found, math.nan)


@pointwise(
    WIDE_FLOAT,
    namespace="special",
    samples=unary,
    differs="good to the last places; PyTorch's to five where it swings",
)
def special_airy_ai(xp: Any, x: Array, *, out: Array = None) -> Array:
    """The Airy function Ai: the solution of ``y'' == x * y`` that goes to 0 for large `x`."""
    return in_double(xp, _airy, x)
