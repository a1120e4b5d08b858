"""What the backends of meta and of the simulated device share: their arrays stand for NumPy's, with kernels run by the
host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorglass.backends.numpy_backend import HOST
from tensorglass.core.dtypes import dtype as DType

#: the methods of `numpy.ndarray` that `cupy.ndarray` has too
_METHODS = (
    "all", "any", "argmax", "argmin", "argsort", "astype", "clip", "conj", "conjugate", "copy", "cumprod", "cumsum",
    "diagonal", "dot", "fill", "flatten", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat", "reshape",
    "round", "sort", "squeeze", "std", "sum", "swapaxes", "take", "trace", "transpose", "var", "view",
)  # fmt: skip


class StandInBackend:
    """The methods of a backend whose arrays have `cells`, an array of NumPy's. See `Backend` for what each promises."""

    xp: Any

    def array_dtype(self, dtype: DType) -> numpy.dtype:
        return HOST.array_dtype(dtype)

    def dtype_of(self, array: Any) -> DType:
        return HOST.dtype_of(array.cells)

    def launch(self, kernel: Callable[..., Any], *arrays: Any, **parameters: Any) -> Any:
        return HOST.run(kernel, self.xp, *arrays, **parameters)

    @property
    def run(self) -> Callable[..., Any]:
        return HOST.run

    @property
    def attempt(self) -> Callable[..., Any]:
        return HOST.attempt

    def ufunc(self, name: str) -> Callable[..., Any]:
        return getattr(self.xp, name)


def add_methods(kind: type, call: Callable[..., Any], what: str) -> None:
    """Give a class of arrays NumPy's methods: `call(array, name, function, arguments, keywords)` runs each."""

    def method_named(name: str) -> Callable[..., Any]:
        function = getattr(numpy.ndarray, name)

        def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
            return call(self, name, function, arguments, keywords)

        method.__name__ = name
        method.__doc__ = f"`numpy.ndarray.{name}` {what}."
        return method

    for name in _METHODS:
        setattr(kind, name, method_named(name))
