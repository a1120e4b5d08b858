"""Bare arrays: small gradients that nobody can see need no header and no storage.

A bare array is on the CPU and has the size and dtype of its output. It has no gaps (a matrix may be column-major), or
it is one number expanded by strides of 0. Nobody else holds it: a gradient that goes to two nodes is a tensor that they
share, because a hook may write to it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core.devices import CPU
from tensorglass.core.dtypes import dtype as DType
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.tensor import Tensor

MOST_BARE = LEAST - 1  #: bytes. Larger gradients come from the pool and are tensors, so that `memory.peak` counts them
XP = HOST.xp
BareArray = XP.ndarray


class _Thread(threading.local):
    def __init__(self) -> None:
        #: quiet contexts: several if a finalizer starts a backward pass
        self.idle: list[Callable[..., Any]] = []


_thread = _Thread()


def in_quiet(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function with NumPy's warnings off."""
    idle = _thread.idle
    run = idle.pop() if idle else HOST.quiet()
    try:
        return run(function, *arguments)
    finally:
        idle.append(run)


def spread(number: Array, size: tuple[int, ...]) -> Array | None:
    """An array whose elements all are `number`, expanded with strides of 0. Do not write to it.

    None if there are no elements.
    """
    if not size:
        return number
    if 0 in size:
        return None
    array = XP.ndarray(size, number.dtype, number, 0, (0,) * len(size))
    array.setflags(write=False)
    return array


def filled(number: float, size: tuple[int, ...], array_dtype: Any) -> Array:
    """A new array whose elements all are `number`, with less overhead than `numpy.full`."""
    array = XP.empty(size, array_dtype)
    array.fill(number)
    return array


def is_spread(array: Array) -> bool:
    """Whether `array` was made by `spread`."""
    return array.ndim > 0 and array.size > 0 and not any(array.strides)


def shares_memory(array: Array, other: Array) -> bool:
    """Whether `array`, which was computed from `other`, is `other` itself or a view of it."""
    base = array.base
    return array is other or (base is not None and (base is other or base is other.base))


def tensor_of(array: Array, dtype: DType) -> Tensor:
    """The tensor of a bare array."""
    size = array.shape
    if is_spread(array):
        number = XP.asarray(array.flat[0])
        expanded: Tensor = result_tensor(number, dtype, HOST, CPU, (), ()).expand(size)
        return expanded
    if array.ndim == 2 and not array.flags.c_contiguous:
        turned: Tensor = result_tensor(array.T, dtype, HOST, CPU, size[::-1], CONTIGUOUS_STRIDES[size[::-1]]).t()
        return turned
    return result_tensor(array, dtype, HOST, CPU, size, CONTIGUOUS_STRIDES[size])
