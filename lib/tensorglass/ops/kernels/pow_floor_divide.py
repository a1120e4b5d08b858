"""Powers as PyTorch has them, and quotients of float32 that are rounded: the kernels behind `**`, `//`, `%`, fmod.

Squares, cubes and roots are made without a logarithm where the exponent is a number: they are quicker, and differ from
`pow` as PyTorch's do. The root of minus infinity is NaN, and a cube is rounded twice. (PyTorch roots half types by a
logarithm, which makes 0 of -0 and infinity of minus infinity; here they are float32.)

A quotient of float32 numbers is computed in double precision. Below 2**24 the rounding error is so small that the
rounded quotient never reaches an integer that the true one does not, so its integer part is right and the remainder
exact.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST

_SPECIAL: dict[float, Callable[[Any, Array, Array], Array]] = {
    2: lambda xp, input, out: xp.multiply(input, input, out=out),
    3: lambda xp, input, out: xp.multiply(xp.multiply(input, input), input, out=out),
    0.5: lambda xp, input, out: xp.sqrt(input, out=out),
    -0.5: lambda xp, input, out: xp.divide(1, xp.sqrt(input, out=out), out=out),
    -2: lambda xp, input, out: xp.divide(1, xp.multiply(input, input, out=out), out=out),
}
_SPECIAL_COMPLEX = {
    **_SPECIAL,
    0: lambda xp, input, out: xp.power(input, 0, out=out),
    1: lambda xp, input, out: xp.positive(input, out=out),
    -1: lambda xp, input, out: xp.divide(1, input, out=out),
}


def power(xp: Any, input: Array, exponent: Array, out: Array | None) -> Array:
    """``input ** exponent`` of floating-point or complex numbers, in `out` if that is given."""
    if xp is HOST.xp and not exponent.shape and input.dtype.kind == "f":  # `item` makes an accelerator wait
        special = _SPECIAL.get(exponent.item())
        if special is not None:
            return special(xp, input, out)
    if input.dtype.kind == "c":
        return _complex_power(xp, input, exponent, out)
    result: Array = xp.power(input, exponent, out=out)
    return result


def integer_power(xp: Any, input: Array, exponent: Array, out: Array | None) -> Array:
    """``input ** exponent`` of integers."""
    if xp is HOST.xp and not exponent.ndim and exponent in (2, 3):  # quicker than `power`
        return xp.multiply(input if exponent == 2 else input * input, input, out=out)
    # NumPy refuses negative powers of integers; PyTorch rounds them towards zero.
    whole = xp.power(input, xp.maximum(exponent, 0))
    odd = xp.where(exponent & 1, input, xp.ones_like(input))
    is_unit = (input == 1) | (input + 1 == 0)
    return xp.where(exponent < 0, xp.where(is_unit, odd, xp.zeros_like(input)), whole)


def _complex_power(xp: Any, input: Array, exponent: Array, out: Array | None) -> Array:
    """By a logarithm, as PyTorch's are: NumPy multiplies where the exponent is whole, and rounds otherwise.

    A negative power of zero is infinite, with a NaN imaginary part; an imaginary one is NaN; ``0 ** 0`` is 1.
    """
    if xp is HOST.xp and not exponent.shape and not exponent.imag:
        special = _SPECIAL_COMPLEX.get(exponent.real.item())
        if special is not None:
            return special(xp, input, out)
    result: Array = xp.exp(xp.multiply(exponent, xp.log(input)), out=out)
    is_zero = input == 0
    if is_zero.any():
        zero = xp.where(exponent.imag < 0, complex(0, 0.0), complex(0, -0.0))
        of_zero = xp.where(exponent.real > 0, zero, xp.where(exponent == 0, 1, complex(nan, nan)))
        of_zero = xp.where(exponent.real < 0, complex(inf, nan), of_zero).astype(result.dtype)
        result = xp.where(is_zero, of_zero, result)
        if out is not None:
            xp.copyto(out, result)
            return out
    return result


# --- quotients -------------------------------------------------------------------------------------------------------


_WORTH_IT = 4096  # elements; for fewer, the detour costs more than it saves
_BLOCK = 1 << 15  # elements of a block, whose copies in double precision stay in the cache
_EXACT = 2.0**24  # float32 holds every integer up to here


def whole(xp: Any, usual: Callable[..., Array], rounded: Any, input: Array, other: Array, out: Array) -> Array:
    """The quotient, `rounded` to an integer. `usual` is NumPy's function, which is slow for float32."""

    def finish(block: Array, numerator: Array, denominator: Array, quotient: Array) -> None:
        block[...] = quotient

    return _by_blocks(xp, usual, rounded, finish, input, other, out)


def rest(xp: Any, usual: Callable[..., Array], rounded: Any, input: Array, other: Array, out: Array) -> Array:
    """The remainder after a quotient that is `rounded` to an integer; a zero has the sign of `input`."""

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
