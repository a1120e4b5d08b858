"""The gamma function's logarithm and the derivatives of that, of doubles.

Recurrences lead every argument to where a series converges. The series are those of Abramowitz and Stegun, Handbook of
Mathematical Functions, chapter 6: 6.1.33 about 2 (powers of the distance, with the zeta function's values), 6.1.41,
6.3.18 and 6.4.11 for large arguments (Bernoulli numbers), and the reflections 6.1.17, 6.3.7 and 6.4.7 for negative
ones.
"""

from __future__ import annotations

import math
from typing import Any

from tensorglass.backends import Array

#: The Bernoulli numbers B2, B4, …
_BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330,
    854513 / 138, -236364091 / 2730,
)  # fmt: skip
_EULER = 0.57721566490153286061
_LARGE = 10  # from here on the series for large arguments are used


def _zeta_less_one(exponent: int) -> float:
    """The sum of n to the power of -`exponent` from n = 2: ten terms, and Euler's and Maclaurin's for the rest."""
    start = 12
    rest = start ** (1 - exponent) / (exponent - 1) + start**-exponent / 2
    power, factor = start ** (-exponent - 1), float(exponent)
    for order, number in enumerate(_BERNOULLI[:8], start=1):
        rest += number / math.factorial(2 * order) * factor * power
        factor *= (exponent + 2 * order - 1) * (exponent + 2 * order)
        power /= start * start
    return math.fsum([n**-exponent for n in range(2, start)]) + rest


#: The coefficients of 6.1.33, of the first power and up.
_ABOUT_TWO = (1 - _EULER, *[(-1) ** k * _zeta_less_one(k) / k for k in range(2, 30)])


def _sine_of_pi(xp: Any, x: Array) -> Array:
    """sin(πx), to the last places, for the whole number is taken out first."""
    whole = xp.rint(x)
    sign = 1 - 2 * xp.absolute(xp.remainder(whole, 2))
    return sign * xp.sin(math.pi * (x - whole))


def _cotangent_of_pi(xp: Any, x: Array) -> Array:
    rest = x - xp.rint(x)
    return xp.cos(math.pi * rest) / xp.sin(math.pi * rest)


def lgamma_of(xp: Any, x: Array) -> Array:
    """The logarithm of the gamma function's size."""
    is_left = x < 0.0
    y = xp.where(is_left, 1 - x, x)
    answer = xp.where(y < _LARGE, _lgamma_near(xp, xp.clip(y, 0.0, _LARGE)), _lgamma_large(xp, xp.maximum(y, _LARGE)))
    # Between 0 and 1 the reflection would lose the places of small results; there the recurrence has led up to 2.
    mirrored = math.log(math.pi) - xp.log(xp.absolute(_sine_of_pi(xp, x))) - answer
    answer = xp.where(is_left, mirrored, answer)
    answer = xp.where((x <= 0) & (x == xp.floor(x)), xp.inf, answer)
    return xp.where(xp.isnan(x), x, answer)


def lgamma_single(xp: Any, x: Array) -> Array:
    """The same in a fifth of the time, exact to float32's digits, of which `x` must be: all is led to 10 and more."""
    is_left = x < 0.0
    has_left = is_left.any()
    y = xp.where(is_left, 1 - x, x) if has_left else x
    near, product, _ = _led_up(xp, y)
    answer = _lgamma_large(xp, y + _LARGE * near) - near * xp.log(product)
    if has_left:
        mirrored = math.log(math.pi) - xp.log(xp.absolute(_sine_of_pi(xp, x))) - answer
        answer = xp.where(is_left, mirrored, answer)
        answer[is_left & (x == xp.floor(x))] = xp.inf
    answer[(x == 1) | (x == 2)] = 0
    return answer


def _led_up(xp: Any, y: Array) -> tuple[Array, Array, Array]:
    """Whether numbers are below 10, as 1 and 0, the product of such a y, y + 1, … y + 9, and the slope of that."""
    start = xp.minimum(y, _LARGE)
    product, slope = start, xp.ones_like(y)
    for step in range(1, _LARGE):
        place = start + step
        slope = slope * place + product
        product = product * place
    return (y < _LARGE).astype(y.dtype), product, slope


def _lgamma_near(xp: Any, x: Array) -> Array:
    """Of numbers from 0 to 10: led to between 1.5 and 2.5."""
    away, product = x - 2, xp.ones_like(x)
    for _ in range(8):
        is_far = away > 0.5
        product = xp.where(is_far, product * (away + 1), product)
        away = xp.where(is_far, away - 1, away)
    divisor = xp.ones_like(x)
    # x - 1 and x are exact near 1 and 0, which x + 1 - 2 need not be.
    divisor = xp.where(x < 0.5, x * (x + 1), xp.where(x < 1.5, x, divisor))
    away = xp.where(x < 0.5, x, xp.where(x < 1.5, x - 1, away))
    total = xp.zeros_like(x)
    for each in reversed(_ABOUT_TWO):
        total = (total + each) * away
    return total + xp.log(product) - xp.log(divisor)


def _lgamma_large(xp: Any, x: Array) -> Array:
    return (x - 0.5) * (xp.log(x) - 1) - 0.5 + 0.5 * math.log(2 * math.pi) + beyond_stirling(xp, x)


def beyond_stirling(xp: Any, x: Array) -> Array:
    """What the logarithm of the gamma function has more than Stirling's formula, for x ≥ 10."""
    inverse = 1 / x
    square = inverse * inverse
    total = xp.zeros_like(x)
    for order in range(8, 0, -1):
        total = total * square + _BERNOULLI[order - 1] / (2 * order * (2 * order - 1))
    return total * inverse


def digamma_of(xp: Any, x: Array) -> Array:
    """The derivative of the logarithm of the gamma function."""
    is_left = x < 0
    has_left = bool(is_left.any())
    y = xp.where(is_left, 1 - x, x) if has_left else x
    near, product, slope = _led_up(xp, y)  # whose quotient is 1/y + 1/(y + 1) + …
    behind = near * (slope / product)
    y = y + _LARGE * near
    square = 1 / (y * y)
    total = xp.zeros_like(x)
    for order in range(7, 0, -1):
        total = (total + _BERNOULLI[order - 1] / (2 * order)) * square
    answer = xp.log(y) - 0.5 / y - total - behind
    if has_left:
        answer = xp.where(is_left, answer - math.pi * _cotangent_of_pi(xp, x), answer)
        answer = xp.where(is_left & (x == xp.floor(x)), xp.nan, answer)
    return xp.where(x == 0, xp.copysign(xp.inf, -x), answer)


def polygamma_of(xp: Any, x: Array, n: int) -> Array:
    """The `n`-th derivative of the digamma function, n ≥ 1."""
    is_left = x < 0
    has_left = bool(is_left.any())
    sign = -1.0 if n % 2 == 0 else 1.0
    answer = sign * math.factorial(n) * _zeta(xp, n + 1, xp.where(is_left, 1 - x, x) if has_left else x)
    if has_left:
        mirrored = (-1) ** n * answer - math.pi ** (n + 1) * _cotangent_slope(xp, x, n)
        answer = xp.where(is_left, mirrored, answer)
    return xp.where((x <= 0) & (x == xp.floor(x)), sign * xp.inf, answer)


def _zeta(xp: Any, s: int, x: Array) -> Array:
    """The sum of 1 / (x + k)**s over k = 0, 1, …, for x ≥ 0."""
    total, y = xp.zeros_like(x), x
    for _ in range(_LARGE):
        total = total + _inverse_power(y, s)
        y = y + 1
    total = total + _inverse_power(y, s - 1) / (s - 1) + _inverse_power(y, s) / 2
    power, factor = _inverse_power(y, s + 1), float(s)
    for order, number in enumerate(_BERNOULLI, start=1):
        total = total + number / math.factorial(2 * order) * factor * power
        factor *= (s + 2 * order - 1) * (s + 2 * order)
        power = power / (y * y)
    return total


def _inverse_power(x: Array, exponent: int) -> Array:
    """``x ** -exponent``, of up to 3 by products: a tenth of the time of a power."""
    return (
        1 / x if exponent == 1 else 1 / (x * x) if exponent == 2 else 1 / (x * x * x) if exponent == 3 else x**-exponent
    )


def zeta_of(xp: Any, s: Array, x: Array) -> Array:
    """The sum of (x + k)**-s over k = 0, 1, … for s > 1; for negative `x` where powers of it are real."""
    s, x = xp.broadcast_arrays(s, x)
    is_left = x <= 0
    is_pole = is_left & (x == xp.floor(x))
    is_wrong = (s < 1) | xp.isnan(s) | xp.isnan(x) | (is_left & ~is_pole & (s != xp.floor(s)))
    is_plain = ~(is_wrong | is_pole | (s == 1) | xp.isinf(x) | xp.isinf(s))
    s_plain, y = xp.where(is_plain, s, 2.0), xp.where(is_plain, x, 1.0)
    total = xp.zeros_like(y)
    while bool((y < _LARGE).any()):
        is_small = y < _LARGE
        total = xp.where(is_small, total + y**-s_plain, total)
        y = xp.where(is_small, y + 1, y)
    total = total + y ** (1 - s_plain) / (s_plain - 1) + y**-s_plain / 2
    power, factor = y ** (-s_plain - 1), s_plain
    for order, number in enumerate(_BERNOULLI, start=1):
        term = number / math.factorial(2 * order) * factor * power
        total = total + xp.where(power == 0, 0.0, term)  # the factor may be infinite by then
        factor = factor * (s_plain + 2 * order - 1) * (s_plain + 2 * order)
        power = power / (y * y)
    total = xp.where(xp.isinf(x) | xp.isinf(s), 0.0, total)
    return xp.where(is_wrong, xp.nan, xp.where(is_pole | (s == 1), xp.inf, total))


def _cotangent_slope(xp: Any, x: Array, n: int) -> Array:
    """The `n`-th derivative of the cotangent, at πx: a polynomial of the cotangent, whose own slope is -(1 + cot²)."""
    coefficients = [0.0, 1.0]
    for _ in range(n):
        slope = [power * each for power, each in enumerate(coefficients)][1:]
        coefficients = [
            -((slope[power] if power < len(slope) else 0.0) + (slope[power - 2] if power >= 2 else 0.0))
            for power in range(len(slope) + 2)
        ]
    cotangent = _cotangent_of_pi(xp, x)
    total = xp.zeros_like(x)
    for each in reversed(coefficients):
        total = total * cotangent + each
    return total
