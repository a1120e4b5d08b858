"""A replacement for `scipy.special` if SciPy, the extra ``tensorglass[scipy]``, is not installed.

The special functions that networks need are here, computed element by element with Python's `math`. All others raise
one error that names the extra.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy

from tensorglass.core.errors import explained


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise missing(f"scipy.special.{name}")


def missing(name: str) -> ImportError:
    """The error for functions that need SciPy if it is not installed."""
    return explained(
        ModuleNotFoundError(
            f"This function needs {name}, and SciPy is not installed: pip install 'tensorglass[scipy]'", name="scipy"
        ),
        "Without SciPy there are erf, erfc, erfinv, lgamma, digamma and i0; linear algebra has what NumPy has.",
    )


def erf(x: numpy.ndarray) -> numpy.ndarray:
    """The error function."""
    return _one_by_one(math.erf, x)


def erfc(x: numpy.ndarray) -> numpy.ndarray:
    """Its complement."""
    return _one_by_one(math.erfc, x)


def erfinv(x: numpy.ndarray) -> numpy.ndarray:
    """Its inverse."""
    return _one_by_one(_erfinv, x)


def gammaln(x: numpy.ndarray) -> numpy.ndarray:
    """The logarithm of the gamma function's size."""
    return _one_by_one(_lgamma, x)


def psi(x: numpy.ndarray) -> numpy.ndarray:
    """The derivative of `gammaln`."""
    return _one_by_one(_digamma, x)


def i0(x: numpy.ndarray) -> numpy.ndarray:
    """The modified Bessel function of the first kind of order 0."""
    return numpy.i0(x).astype(x.dtype)


def _one_by_one(function: Callable[[float], float], x: numpy.ndarray) -> numpy.ndarray:
    return numpy.array([function(number) for number in x.ravel().tolist()], x.dtype).reshape(x.shape)


def _erfinv(x: float) -> float:
    size = abs(x)
    if not size < 1:
        return math.copysign(math.inf, x) if size == 1 else math.nan
    result = -NormalDist().inv_cdf((1 - size) / 2) / math.sqrt(2)  # exact in the tail, where 1 - size is
    if size < 0.5:  # a Newton step corrects the rounding of (1 - size) / 2
        result -= (math.erf(result) - size) * math.sqrt(math.pi) / 2 * math.exp(result * result)
    return math.copysign(result, x)


def _lgamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):  # a pole, or more than a float holds
        return math.inf


#: The terms of digamma's asymptotic series, B(2k) / 2k (Abramowitz and Stegun, 6.3.18).
_DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


def _digamma(x: float) -> float:
    if x <= 0:
        if x == math.floor(x):
            return math.copysign(math.inf, -x) if x == 0 else math.nan
        rest = x - round(x)
        return _digamma(1 - x) - math.pi * math.cos(math.pi * rest) / math.sin(math.pi * rest)
    behind = 0.0
    while x < 10:
        behind += 1 / x
        x += 1
    square = 1 / (x * x)
    series = 0.0
    for term in reversed(_DIGAMMA):
        series = (series + term) * square
    return math.log(x) - 0.5 / x - series - behind
