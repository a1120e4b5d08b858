"""An array of the meta device: a size and a dtype.

NumPy's own views do the arithmetic: each array is a window of stride 0 on the same few bytes, so that slices,
transposes and reshapes are NumPy's, and an array of a terabyte only takes the memory of its header. For kernels that
read elements, all elements are zero. Users who read elements get an error.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy
from numpy.lib.mixins import NDArrayOperatorsMixin

from tensorglass.backends.stand_in_arrays import add_methods

_CELL = numpy.zeros(16, numpy.uint8)  # the one element that every array views: as wide as the widest dtype
_WITHOUT_GAPS = SimpleNamespace(c_contiguous=True, f_contiguous=False, writeable=True)


def window(size: tuple[int, ...], dtype: Any) -> numpy.ndarray:
    """A view of this size of one zero."""
    return numpy.ndarray(size, dtype, _CELL, strides=(0,) * len(size))


class MetaArray(NDArrayOperatorsMixin):
    """An array of a size and a dtype, without elements."""

    __slots__ = ("__weakref__", "cells", "is_true")

    cells: numpy.ndarray  #: a window of stride 0
    is_true: bool  #: the answer to a kernel that reads a single truth value: a condition holds for all of no elements
    call: Callable[..., Any]  #: calls a function by its rule: `module` puts it here

    def __init__(self, size: tuple[int, ...], dtype: Any, *, is_true: bool = False) -> None:
        self.cells = window(size, dtype)
        self.is_true = is_true

    shape = property(operator.attrgetter("cells.shape"))
    dtype = property(operator.attrgetter("cells.dtype"))
    ndim = property(operator.attrgetter("cells.ndim"))
    size = property(operator.attrgetter("cells.size"))
    itemsize = property(operator.attrgetter("cells.itemsize"))
    nbytes = property(operator.attrgetter("cells.nbytes"))
    strides = property(operator.attrgetter("cells.strides"))
    flags = property(lambda self: _WITHOUT_GAPS)

    @property
    def device(self) -> str:
        """As NumPy's arrays say "cpu"."""
        return "meta"

    def __len__(self) -> int:
        return len(self.cells)

    # --- views and kernels ---------------------------------------------------------------------------------------

    T = property(lambda self: self.transpose())

    @property
    def real(self) -> MetaArray:
        return MetaArray(self.shape, self.cells.real.dtype)

    @real.setter
    def real(self, value: Any) -> None:
        """There is nothing to write."""

    @property
    def imag(self) -> MetaArray:
        return self.real

    @imag.setter
    def imag(self, value: Any) -> None:
        """There is nothing to write."""

    def __getitem__(self, key: Any) -> Any:
        return self.call("getitem", operator.getitem, self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        """There is nothing to write."""

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __array_ufunc__(self, ufunc: numpy.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        if method == "__call__":
            return self.call(ufunc.__name__, ufunc, *inputs, **keywords)
        return self.call(f"{ufunc.__name__}.{method}", getattr(ufunc, method), *inputs, **keywords)

    # --- elements, as a kernel asks for them ---------------------------------------------------------------------

    def item(self, *place: Any) -> Any:
        return self.dtype.type(0).item()

    def tolist(self) -> Any:
        return self.cells.tolist()

    def __bool__(self) -> bool:
        return self.is_true

    def __int__(self) -> int:
        return 0

    __index__ = __int__

    def __float__(self) -> float:
        return 0.0

    def __complex__(self) -> complex:
        return 0j

    def __repr__(self) -> str:
        return f"<array of shape {self.shape}, {self.dtype}, without elements>"


add_methods(
    MetaArray,
    lambda array, name, function, arguments, keywords: array.call(name, function, array, *arguments, **keywords),
    "of sizes and dtypes",
)
