"""One call made in our namespace and in array-api-strict, and what must be equal in the two results.

`array_api_strict` is a reference implementation of the standard over NumPy, by the maintainers of the standard. Arrays
are given as NumPy's; `disagreement` converts them for each library, and says in words where the results differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorglass as torch
from tensorglass import array_api as xp

strict = pytest.importorskip("array_api_strict", reason="the oracle, array-api-strict, is not installed (extra: test)")
strict.set_array_api_strict_flags(api_version=xp.__array_api_version__)

#: Operators refuse most calls with these dtypes, as PyTorch's do; the functions of the namespace take them.
WIDE_UNSIGNED = ("uint16", "uint32", "uint64")
DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", *WIDE_UNSIGNED, "float32", "float64", "complex64", "complex128",
)  # fmt: skip
TOLERANCE = {"float32": 4e-6, "complex64": 1e-5, "float64": 1e-12, "complex128": 1e-12}

_NANS = [float("nan"), float("inf"), float("-inf"), 0.0, -0.0]
_REALS = [*_NANS, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 2.0, -2.0, 3.0, -3.0, 10.0, 1e-30, 3.1415927410125732, 40.0]
_WHOLE = [0, 1, 2, 3, 5, 7, 100, 127]


def special(dtype: str) -> np.ndarray:
    """Values of a dtype that implementations often get wrong."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True])
    if kind == "u":
        return np.array([*_WHOLE, np.iinfo(dtype).max], dtype)
    if kind == "i":
        info = np.iinfo(dtype)
        return np.array([*_WHOLE, *(-number for number in _WHOLE), info.max], dtype)
    if kind == "f":
        return np.array(_REALS, dtype)
    parts = np.array([*_NANS, 1.0, -1.5], dtype.replace("complex128", "float64").replace("complex64", "float32"))
    grid = np.empty((len(parts), len(parts)), dtype)
    grid.real, grid.imag = parts[:, None], parts  # part by part: a sum would make NaN of infinities
    return grid.ravel()


def _ours(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy())
    if isinstance(value, np.dtype):
        return getattr(torch, value.name)
    return type(value)(map(_ours, value)) if isinstance(value, tuple | list) else value


def _theirs(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return strict.asarray(value.copy())
    if isinstance(value, np.dtype):
        return getattr(strict, value.name)
    return type(value)(map(_theirs, value)) if isinstance(value, tuple | list) else value


def function(name: str) -> Callable[..., Any]:
    """The call of a function of the namespace, given by its path: "linalg.det"."""

    def call(namespace: Any, *arguments: Any, **keywords: Any) -> Any:
        for part in name.split("."):
            namespace = getattr(namespace, part)
        return namespace(*arguments, **keywords)

    return call


def disagreement(
    call: Callable[..., Any], *arguments: Any, tolerance: float | None = None, values: bool = True, **keywords: Any
) -> str | None:
    """Where ``call(namespace, *arguments, **keywords)`` differs, in words; None if it does not.

    Where the oracle refuses the arguments, the standard says nothing of them: then `Unspecified` is raised. With
    `values` False only dtypes and sizes are compared.
    """
    try:
        with np.errstate(all="ignore"):
            theirs = call(strict, *_theirs(arguments), **{name: _theirs(keyword) for name, keyword in keywords.items()})
    except Exception as error:
        raise Unspecified(str(error)) from error
    ours = call(xp, *_ours(arguments), **{name: _ours(keyword) for name, keyword in keywords.items()})
    return _difference(ours, theirs, tolerance, values)


class Unspecified(Exception):
    """The standard leaves open what these arguments give."""


def _difference(ours: Any, theirs: Any, tolerance: float | None, values: bool) -> str | None:
    if isinstance(theirs, tuple | list):
        alike = isinstance(ours, tuple | list) and isinstance(ours, list) is isinstance(theirs, list)
        if not alike or len(ours) != len(theirs):
            return f"ours {ours}, the oracle's {theirs}"
        differences = [_difference(*pair, tolerance, values) for pair in zip(ours, theirs, strict=True)]
        return next(filter(None, differences), None)
    if not isinstance(ours, torch.Tensor):
        return None if ours == theirs or (ours is theirs) else f"ours {ours}, the oracle's {theirs}"
    mine, other = ours.numpy(), np.asarray(theirs)
    if mine.shape != other.shape:
        return f"our size {mine.shape}, the oracle's {other.shape}"
    if mine.dtype != other.dtype:
        return f"our dtype {mine.dtype}, the oracle's {other.dtype}"
    if not values:
        return None
    rtol = TOLERANCE.get(mine.dtype.name, 0) if tolerance is None else tolerance
    # A part of a complex number may round by as much as the other part is large.
    with np.errstate(all="ignore"):
        same = np.isclose(mine, other, rtol=rtol, atol=rtol, equal_nan=True) if rtol else mine == other
        if mine.dtype.kind == "f":
            same &= np.isnan(mine) | (mine != 0) | (np.signbit(mine) == np.signbit(other))
    if same.all():
        return None
    place = tuple(int(number) for number in np.argwhere(~np.atleast_1d(same))[0])
    return f"at {place}: ours {np.atleast_1d(mine)[place]!r}, the oracle's {np.atleast_1d(other)[place]!r}"
