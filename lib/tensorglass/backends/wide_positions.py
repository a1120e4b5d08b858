"""NumPy on a platform with 32-bit pointers, such as WebAssembly, with 64-bit indices as in PyTorch.

NumPy counts and points with `intp`, an integer as wide as a pointer. Where that has 64 bits it is PyTorch's int64, and
kernels use NumPy as it is. Where it has 32, NumPy refuses int64 arrays as positions ("Cannot cast array data from
dtype('int64') to dtype('int32')"), and its own positions, counts and sums of small integers are int32. `numpy` in this
module is NumPy whose functions behave as on 64-bit platforms.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as real
from numpy.typing import NDArray

Array = NDArray[Any]

#: Functions whose results are positions or counts, alone or in tuples.
_ANSWER_POSITIONS = (
    "argmax", "argmin", "argpartition", "argsort", "bincount", "count_nonzero", "flatnonzero", "lexsort", "nonzero",
    "ravel_multi_index", "searchsorted", "unravel_index",
)  # fmt: skip
#: Functions that take positions or counts, and which of their arguments those are.
_TAKE_POSITIONS = {
    "bincount": (0, "x"), "put": (1, "ind"), "put_along_axis": (1, "indices"), "repeat": (1, "repeats"),
    "take": (1, "indices"), "take_along_axis": (1, "indices"), "unravel_index": (0, "indices"),
}  # fmt: skip
#: Functions that add or multiply integers in the platform's integer type if they are narrower.
_ADD_UP = ("cumprod", "cumsum", "prod", "sum", "trace")


def narrow(positions: Any) -> Any:
    """Indices as the platform's integers.

    Raises:
        IndexError: for an index that they cannot hold: no array here is that long.
    """
    array = real.asarray(positions)
    if array.dtype.kind not in "iu" or array.dtype.itemsize <= real.intp(0).itemsize:
        return positions
    limits = real.iinfo(real.intp)
    if array.size and not (limits.min <= array.min() and array.max() <= limits.max):
        raise IndexError(f"a position is out of bounds for a platform whose positions have {limits.bits} bits")
    return array.astype(real.intp)


def widen(result: Any) -> Any:
    """Positions, or a tuple of them, as int64."""
    if isinstance(result, tuple):
        return tuple([widen(array) for array in result])
    return result.astype(real.int64) if getattr(result, "dtype", None) == real.intp else result


def _answering_wide(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def wide(*arguments: Any, **keywords: Any) -> Any:
        return widen(function(*arguments, **keywords))

    return wide


def _taking_wide(function: Callable[..., Any], at: int, name: str) -> Callable[..., Any]:
    @wraps(function)
    def wide(*arguments: Any, **keywords: Any) -> Any:
        if name in keywords:
            keywords[name] = narrow(keywords[name])
        elif len(arguments) > at:
            arguments = (*arguments[:at], narrow(arguments[at]), *arguments[at + 1 :])
        return function(*arguments, **keywords)

    return wide


def _adding_wide(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def wide(array: Any, *arguments: Any, **keywords: Any) -> Any:
        array = real.asarray(array)
        if "dtype" not in keywords and array.dtype.kind in "bi" and array.dtype.itemsize < 8:
            array = array.astype(real.int64)
        elif "dtype" not in keywords and array.dtype.kind == "u" and array.dtype.itemsize < 8:
            array = array.astype(real.uint64)
        return function(array, *arguments, **keywords)

    return wide


def arange(*arguments: Any, **keywords: Any) -> Array:
    """`numpy.arange`, in int64 unless a dtype or a number of another kind says otherwise."""
    result = real.arange(*arguments, **keywords)
    is_default = len(arguments) < 4 and keywords.get("dtype") is None and result.dtype == real.intp
    return real.arange(*arguments, **keywords | {"dtype": real.int64}) if is_default else result


def unique(array: Any, *arguments: Any, **keywords: Any) -> Any:
    """`numpy.unique`, whose positions and counts are int64."""
    result = real.unique(array, *arguments, **keywords)
    return (result[0], *[widen(array) for array in result[1:]]) if isinstance(result, tuple) else result


def where(condition: Any, *values: Any) -> Any:
    """`numpy.where`; of a condition alone, its positions in int64."""
    return real.where(condition, *values) if values else widen(real.nonzero(condition))


class _WideNumpy(ModuleType):
    """NumPy's names, overridden by those of this module."""

    def __init__(self) -> None:
        super().__init__(real.__name__, real.__doc__)
        self.__dict__.update({name: member for name, member in vars(real).items() if not name.startswith("__")})
        for name in _ADD_UP:
            setattr(self, name, _adding_wide(getattr(real, name)))
        for name, (at, keyword) in _TAKE_POSITIONS.items():
            setattr(self, name, _taking_wide(getattr(real, name), at, keyword))
        for name in _ANSWER_POSITIONS:
            setattr(self, name, _answering_wide(getattr(self, name)))
        self.__dict__.update(arange=arange, unique=unique, where=where)

    def __getattr__(self, name: str) -> Any:
        return getattr(real, name)  # NumPy loads these lazily itself


IS_NARROW = real.intp(0).itemsize < 8

numpy: Any = _WideNumpy() if IS_NARROW else real


def _take_narrow(array: Array, positions: Any, axis: int | None = None) -> Array:
    return array.take(narrow(positions), axis)


# The array's own methods, for those who call them: quicker than the functions. `take(array, positions, axis)`, and
# `argmax(array, axis)`.
take: Callable[..., Any] = _take_narrow if IS_NARROW else real.ndarray.take
argmax: Callable[..., Any] = _answering_wide(real.ndarray.argmax) if IS_NARROW else real.ndarray.argmax
argmin: Callable[..., Any] = _answering_wide(real.ndarray.argmin) if IS_NARROW else real.ndarray.argmin
