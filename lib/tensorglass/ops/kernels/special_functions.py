"""Special functions: SciPy's, by the backend; and of float32 the error function, its complement and its inverse.

The formulas for float32 are faster than SciPy and as exact: seven digits need ten coefficients where sixteen need
twenty. Each was fitted for this file by least squares, reweighted until the largest relative errors were level; beside
each stands that error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tensorglass.backends import Array, special
from tensorglass.backends.numpy_backend import HOST
from tensorglass.ops.kernels.select_by_mask import where


def at_elements(xp: Any, name: str, *inputs: Array) -> Array:
    """In a kernel: the function `name` of `scipy.special`, in the dtype of its first operand.

    Half types are computed in float32.
    """
    wide = [input.astype("float32") if input.dtype.itemsize < 4 else input for input in inputs]
    return xp.asarray(getattr(special(xp), name)(*wide)).astype(inputs[0].dtype, copy=False)


# --- float32 ---------------------------------------------------------------------------------------------------------

# erf(x) / x, a ratio of polynomials of x² up to 3.92²: 2e-8
_ERF = (
    (2.0466037387e-06, 2.84850386686e-04, 3.77160192304e-03, 5.27664884685e-02, 0.190567942779, 1.1283791458),
    (3.80540807897e-05, 1.16367973683e-03, 1.49812842701e-02, 0.114172600231, 0.502219173712, 1.0),
)
_ERF_END = 3.92  # erf is 1 from there on
# erfc(x) * e**(x²) / t, where t = 2 / (2 + x), from 0 up to 10.2: 4e-9
_ERFC = (
    3.57670517307e-02, -0.191033028528, 0.381418616482, -0.28959027315, -2.19620056342e-02, 3.54070748585e-02,
    5.48774229421e-02, 0.185595086364, 0.245179138426, 0.282252399118, 0.282088520887,
)  # fmt: skip
# The inverse of erf at x, divided by x, of w = -log(1 - x²): of w - 2.5 up to 5, and of √w - 3 from there on: 2e-9
_INVERSE_NEAR = (
    3.35538029184e-10, -8.7728132627e-09, 1.80372497141e-08, 4.65891969524e-07, -3.43461207536e-06, -4.96191133789e-06,
    2.18282632398e-04, -1.25274466156e-03, -4.17733940608e-03, 0.246640287635, 1.50140935351,
)  # fmt: skip
_INVERSE_FAR = (
    -3.05527062423e-05, 1.6141521787e-04, -2.75682195303e-04, -1.21233891096e-04, 1.47391638187e-03,
    -3.56657168133e-03, 5.68804110914e-03, -7.64283959249e-03, 9.44526808225e-03, 1.00167523893, 2.83297680201,
)  # fmt: skip
_BLOCK = 1 << 15  # elements, which stay in the cache between a formula's many steps
_FEW = 64  # elements, for which Python's `math` is quicker than a dozen calls of the array module


def _polynomial(coefficients: Sequence[float], x: Array) -> Array:
    """The polynomial of these coefficients, the highest power's first, by Horner's rule."""
    total = x * coefficients[0]
    for coefficient in coefficients[1:-1]:
        total += coefficient
        total *= x
    total += coefficients[-1]
    return total


def _erf_float32(xp: Any, x: Array) -> Array:
    """The error function of float32, in double precision: in its own it would lose places."""
    x = xp.clip(x, -_ERF_END, _ERF_END).astype("float64")
    square = x * x
    x *= _polynomial(_ERF[0], square)
    x /= _polynomial(_ERF[1], square)
    return x


def _erfc_float32(xp: Any, x: Array) -> Array:
    """The complementary error function of float32, in double precision."""
    size = xp.minimum(xp.absolute(x), 10.2).astype("float64")  # from 10.06 on it is 0
    share = 2 / (size + 2)
    size *= size
    result = xp.exp(-size, out=size)
    result *= share
    result *= _polynomial(_ERFC, share)
    return where(xp, x < 0, 2 - result, result)


def _erfinv_float32(xp: Any, x: Array) -> Array:
    """The inverse of the error function of float32, in double precision."""
    x = x.astype("float64")
    width = -xp.log1p(-x * x)  # a square of 24 bits is exact
    result = _polynomial(_INVERSE_NEAR, xp.minimum(width, 5.0) - 2.5)
    is_far = width > 5
    far = _polynomial(_INVERSE_FAR, xp.sqrt(xp.clip(width[is_far], 5, 17.4)) - 3)
    result[is_far] = far
    result *= x
    is_outside = ~(width < math.inf)
    if is_outside.any():
        result[is_outside] = xp.where(xp.absolute(x[is_outside]) == 1, xp.copysign(xp.inf, x[is_outside]), xp.nan)
    return result


def _in_blocks(xp: Any, formula: Callable[[Any, Array], Array], input: Array) -> Array:
    """A formula of many steps, for all elements: block by block on the CPU."""
    if xp is not HOST.xp or input.size < 2 * _BLOCK or not input.flags.c_contiguous:
        return formula(xp, input.reshape(-1)).astype(input.dtype, copy=False).reshape(input.shape)
    answer = xp.empty(input.shape, input.dtype)
    row, result = input.reshape(-1), answer.reshape(-1)
    for start in range(0, row.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        result[part] = formula(xp, row[part])
    return answer


def erf(xp: Any, input: Array) -> Array:
    """The error function."""
    if _is_few(xp, input):
        return _one_by_one(xp, math.erf, input)
    return _in_blocks(xp, _erf_float32, input) if input.dtype == "float32" else at_elements(xp, "erf", input)


def erfc(xp: Any, input: Array) -> Array:
    """The complementary error function."""
    if _is_few(xp, input):
        return _one_by_one(xp, math.erfc, input)
    return _in_blocks(xp, _erfc_float32, input) if input.dtype == "float32" else at_elements(xp, "erfc", input)


def erfinv(xp: Any, input: Array) -> Array:
    """The inverse of the error function."""
    if input.dtype == "float32":
        return _in_blocks(xp, _erfinv_float32, input)
    return xp.copysign(at_elements(xp, "erfinv", input), input)  # of -0.0 SciPy has 0.0


def _is_few(xp: Any, input: Array) -> bool:
    return xp is HOST.xp and 0 < input.size <= _FEW


def _one_by_one(xp: Any, function: Callable[[float], float], input: Array) -> Array:
    return xp.array([function(number) for number in input.reshape(-1).tolist()], input.dtype).reshape(input.shape)
