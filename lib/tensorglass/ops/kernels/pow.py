"""The powers that PyTorch makes without a logarithm where the exponent is a number: squares, cubes and roots.

They are quicker, and differ from `pow` as PyTorch's do: the root of minus infinity is NaN, and a cube is rounded twice.
(PyTorch roots half types by a logarithm, which makes 0 of -0 and infinity of minus infinity; here they are float32.)
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


def power(xp: Any, input: Array, exponent: Array, out: Array | None) -> Array:
    """``input ** exponent`` of floating-point or complex numbers, in `out` if that is given."""
    if xp is HOST.xp and not exponent.shape and input.dtype.kind == "f":  # to look at it, an accelerator would be asked
        special = _SPECIAL.get(exponent.item())
        if special is not None:
            return special(xp, input, out)
    if input.dtype.kind == "c":
        return _complex_power(xp, input, exponent, out)
    made: Array = xp.power(input, exponent, out=out)
    return made


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
    """Powers of zero with negative exponents, which NumPy has as NaN, are infinite in no direction."""
    is_pole = (input == 0) & (exponent.real < 0)
    made: Array = xp.power(input, exponent, out=out)
    if not is_pole.any():
        return made
    pole = made.dtype.type(complex(inf, nan))
    if out is None:
        found: Array = xp.where(is_pole, pole, made)
        return found
    xp.copyto(out, pole, where=is_pole)
    return out
