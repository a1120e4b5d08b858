"""Quotients of float32 that are rounded to integers, and what is left over: the kernels behind `//`, `%`, fmod.

In double precision a quotient of float32 is rounded so little that, while it is below 2**24, it never reaches a whole
number that the true one does not. Its whole part is right, and the rest exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array

_WORTH_IT = 4096  # elements, below which the detour costs more than it saves
_BLOCK = 1 << 15  # elements, whose copies in double precision stay in the cache
_EXACT = 2.0**24  # up to which float32 has all integers


def whole(xp: Any, usual: Callable[..., Array], rounded: Any, input: Array, other: Array, out: Array) -> Array:
    """The quotient, `rounded` to an integer. `usual` is NumPy's function, which is slow for float32."""

    def finish(block: Array, numerator: Array, denominator: Array, quotient: Array) -> None:
        block[...] = quotient

    return _by_blocks(xp, usual, rounded, finish, input, other, out)


def rest(xp: Any, usual: Callable[..., Array], rounded: Any, input: Array, other: Array, out: Array) -> Array:
    """What is left after a quotient `rounded` to an integer; a zero has the sign of `input`."""

    def finish(block: Array, numerator: Array, denominator: Array, quotient: Array) -> None:
        left = xp.subtract(numerator, xp.multiply(quotient, denominator, out=quotient), out=quotient)
        zero = left == 0
        if zero.any():
            left[zero] = xp.copysign(0.0, numerator[zero])
        block[...] = left

    return _by_blocks(xp, usual, rounded, finish, input, other, out)


def _by_blocks(
    xp: Any,
    usual: Callable[..., Array],
    rounded: Any,
    finish: Callable[..., None],
    input: Array,
    other: Array,
    out: Array,
) -> Array:
    is_alike = other.size == 1 or (other.shape == input.shape and other.flags.c_contiguous)
    is_worth_it = input.size >= _WORTH_IT and input.flags.c_contiguous and input.dtype.char == "f"
    if not (is_worth_it and is_alike) or (out is not None and not out.flags.c_contiguous):
        return usual(input, other, out=out)
    result = xp.empty_like(input) if out is None else out
    numerators, denominators, results = input.reshape(-1), other.reshape(-1), result.reshape(-1)
    for start in range(0, input.size, _BLOCK):
        here = slice(start, start + _BLOCK)
        mine = denominators[here] if other.size > 1 else denominators
        numerator, denominator = numerators[here].astype("float64"), mine.astype("float64")
        quotient = xp.divide(numerator, denominator)
        rounded(quotient, out=quotient)
        # The comparison is false for nan as well.
        if xp.absolute(quotient).max() < _EXACT and xp.isfinite(denominator).all():
            finish(results[here], numerator, denominator, quotient)
        else:
            results[here] = usual(numerators[here], mine)
    return result
