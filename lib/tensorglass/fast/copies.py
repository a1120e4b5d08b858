"""Shortcuts of `clone`, `contiguous`, `copy_` and the conversions: small tensors without gradients.

The array module's copy of a tensor without gaps has PyTorch's layout, so neither strides nor a format need to be worked
out. Every other call goes to the plain form.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from tensorglass import memory
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core.devices import CPU
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.dtypes import float16
from tensorglass.geometry import CONTIGUOUS_STRIDES, self_overlaps
from tensorglass.ops.kernels import half as half_types
from tensorglass.ops.kernels.copy import assign
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, raw_array


def of_contiguous(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A shortcut before `form`, which returns its argument itself if that has no gaps."""

    @wraps(form)
    def fast_path(*arguments: Any, **keywords: Any) -> Tensor:
        if len(arguments) == 1 and not keywords:
            input = arguments[0]
            if type(input) is Tensor and input._contiguous:
                return input
            copy = _packed(input)
            if copy is not None:
                return copy
        return form(*arguments, **keywords)

    return fast_path


def of_conversion(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A shortcut before `form`, which takes a tensor and a dtype (by position or name), another tensor, or the CPU."""

    @wraps(form)
    def fast_path(*arguments: Any, **keywords: Any) -> Tensor:
        if len(arguments) + len(keywords) == 2 and type(arguments[0]) is Tensor:
            input, wanted = arguments[0], keywords.get("dtype") if keywords else arguments[1]
            device = input._storage.device
            result = None
            if type(wanted) is Tensor:
                result = converted(input, wanted._dtype) if wanted._storage.device is device else None
            elif type(wanted) is DType:
                result = converted(input, wanted)
            elif device is CPU and (wanted is CPU or (type(wanted) is str and wanted == "cpu")):
                result = input
            if result is not None:
                return result
        return form(*arguments, **keywords)

    return fast_path


def of_overwriting(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A shortcut before `form`, which overwrites a tensor with another."""

    @wraps(form)
    def fast_path(*arguments: Any, **keywords: Any) -> Tensor:
        if len(arguments) == 2 and not keywords and overwritten(*arguments):
            target: Tensor = arguments[0]
            return target
        return form(*arguments, **keywords)

    return fast_path


def of_zeroing(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A shortcut before `form`, which sets every element to zero."""

    @wraps(form)
    def fast_path(*arguments: Any, **keywords: Any) -> Tensor:
        if len(arguments) == 1 and not keywords:
            input = arguments[0]
            if type(input) is Tensor and input._meta is None and input._storage.backend is HOST:
                array = raw_array(input)
                if input._contiguous and not input._conj:
                    array.fill(0)
                    input._written()
                    return input
        return form(*arguments, **keywords)

    return fast_path


def overwritten(target: Any, source: Any) -> bool:
    """Copy `source` to `target` and return True if they have one dtype and two storages and nothing is recorded.

    `source` has the same size, or lacks leading dimensions, as a bias that is copied to each row.
    """
    if not type(target) is type(source) is Tensor or target._meta is not None:
        return False
    if source._meta is not None and state.grad:
        return False
    storage, other = target._storage, source._storage
    if storage is other or not storage.backend is other.backend is HOST:
        return False
    size = source._size
    is_fitting = target._size == size or target._size[len(target._size) - len(size) :] == size
    if not is_fitting or target._dtype is not source._dtype or target._conj or source._conj:
        return False
    place, array = raw_array(target), raw_array(source)
    if target._contiguous and source._contiguous:
        place[...] = array
    elif self_overlaps(target._size, target._stride):  # will be refused
        return False
    else:
        assign(HOST.xp, place, array, False)
    memory.copied(place.nbytes)
    target._written()
    return True


def converted(input: Any, dtype: DType) -> Tensor | None:
    """`input` as `dtype`: itself if it has that dtype, or a copy in the simple cases; None for all others."""
    if type(input) is not Tensor:
        return None
    if input._dtype is dtype:
        return input
    return None if input._dtype.is_complex else copied(input, dtype)


def copied(input: Any, dtype: DType | None = None) -> Tensor | None:
    """A copy of a small tensor without gaps, as `dtype` if that is given; None for all others."""
    if type(input) is not Tensor or input._meta is not None or input._conj:
        return None
    storage, array = input._storage, input._array
    if storage.backend is not HOST or storage._nbytes >= LEAST:
        return None
    if array is None:
        array = raw_array(input)
    if not input._contiguous:
        return None
    if dtype is None:
        array, dtype = array.copy(), input._dtype
    elif array.size * dtype.itemsize >= LEAST or _is_by_halves(input._dtype, dtype, array.size):
        return None  # the copy's memory comes from the pool, or elements need converting in another way
    else:
        array = HOST.run(array.astype, HOST.array_dtype(dtype))
    result = result_tensor(array, dtype, HOST, storage.device, input._size, input._stride)
    memory.copied(array.nbytes)
    return result


def _is_by_halves(source: DType, dtype: DType, count: int) -> bool:
    """Whether a conversion must not use the array module's: many float16, or to float16 by way of float32."""
    return (dtype is float16 and source.itemsize == 8) or (count >= half_types.LARGE and float16 in (dtype, source))


def _packed(input: Any) -> Tensor | None:
    """A row-major copy of a small tensor with another layout; None for all others."""
    if type(input) is not Tensor or input._meta is not None or input._conj:
        return None
    size, storage = input._size, input._storage
    array = raw_array(input) if storage.backend is HOST else None
    if array is None or array.nbytes >= LEAST or input._contiguous or 0 in size:
        return None
    result = result_tensor(array.copy(), input._dtype, HOST, storage.device, size, CONTIGUOUS_STRIDES[size])
    memory.copied(array.nbytes)
    return result


def of_conversion_to(dtype: DType) -> Callable[[Any], Tensor | None]:
    """A function that does what `float`, `long` and the like do to a small tensor, and returns None for all others."""

    def to_dtype(input: Any) -> Tensor | None:
        return converted(input, dtype)

    return to_dtype
