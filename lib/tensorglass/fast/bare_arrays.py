"""Bare arrays: small gradients that nobody can see need no header and no storage on their way.

A bare array lies without gaps (a matrix perhaps by columns), or is one number that was spread, and has the size and
dtype of the output that it is the gradient of, on the CPU. Nobody else holds it: a gradient that goes to two nodes is a
tensor, which they share, for a hook may write to it.
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

MOST_BARE = LEAST - 1  #: bytes. What is larger comes from the pool, and is a tensor, so that `memory.peak` counts it
XP = HOST.xp
BareArray = XP.ndarray


class _Thread(threading.local):
    def __init__(self) -> None:
        self.idle: list[Callable[..., Any]] = []  #: quiet contexts: more than one if a finalizer began a walk


_thread = _Thread()


def in_quiet(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function within which NumPy gives no warnings."""
    idle = _thread.idle
    run = idle.pop() if idle else HOST.quiet()
    try:
        return run(function, *arguments)
    finally:
        idle.append(run)


def spread(number: Array, size: tuple[int, ...]) -> Array | None:
    """An array that has the one `number` everywhere, without a copy: all its strides are 0. Not to be written to.

    None where there are no elements.
    """
    if not size:
        return number
    if 0 in size:
        return None
    made = XP.ndarray(size, number.dtype, number, 0, (0,) * len(size))
    made.setflags(write=False)
    return made


def filled(number: float, size: tuple[int, ...], array_dtype: Any) -> Array:
    """An array that has `number` everywhere, with less overhead than `numpy.full`."""
    made = XP.empty(size, array_dtype)
    made.fill(number)
    return made


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
