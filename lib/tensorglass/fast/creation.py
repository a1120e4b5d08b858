"""Shortcuts of factory functions: small tensors on the CPU, given a size and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.backends.settings import fills_new_memory
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU, as_device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.ops.kernels.python_numbers import checked
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.generator import default_generator
from tensorglass.tensor.tensor import Tensor, raw_array

Form = Callable[..., Tensor]
Make = Callable[[tuple[int, ...], Any], Array | None]  #: makes an array of this size and dtype


def _ones(size: tuple[int, ...], array_dtype: Any) -> Array:
    array = HOST.xp.empty(size, array_dtype)
    array.fill(1)
    return array


def empty(size: tuple[int, ...], array_dtype: Any) -> Array | None:
    """An uninitialized array; None if new memory has to be filled."""
    return None if fills_new_memory() else HOST.xp.empty(size, array_dtype)


zeros, ones = HOST.xp.zeros, _ones


def of_size(make_array: Make) -> Callable[[Form], Form]:
    """A decorator that puts `make_array` before a function that takes a size."""

    def put(form: Form) -> Form:
        @wraps(form)
        def small_first(*sizes: Any, **keywords: Any) -> Tensor:
            result = None if keywords or not sizes else small(sizes, make_array)
            return form(*sizes, **keywords) if result is None else result

        return small_first

    return put


def of_size_and_dtype(make_array: Make) -> Callable[[Form], Form]:
    """A decorator that puts `make_array` before a method that takes a size and uses the tensor's dtype."""

    def put(form: Form) -> Form:
        @wraps(form)
        def small_first(*arguments: Any, **keywords: Any) -> Tensor:
            if len(arguments) > 1 and not keywords:
                self = arguments[0]
                if type(self) is Tensor and self._storage.device is CPU:
                    result = small(arguments[1:], make_array, self._dtype)
                    if result is not None:
                        return result
            return form(*arguments, **keywords)

        return small_first

    return put


def alike(make_array: Make) -> Callable[[Any], Tensor | None]:
    """A function that makes a tensor like a small one without gaps on the CPU, and returns None for all others."""

    def make(input: Any) -> Tensor | None:
        if type(input) is not Tensor:
            return None
        size, storage = input._size, input._storage
        if storage.backend is not HOST or storage._nbytes >= LEAST:
            return None
        if input._stride != geometry.CONTIGUOUS_STRIDES[size] or 0 in size:
            return None
        if geometry.numel(size) * input._dtype.itemsize >= LEAST:
            return None
        array = make_array(size, HOST.array_dtype(input._dtype))
        if array is None:
            return None
        return result_tensor(array, input._dtype, HOST, storage.device, size, input._stride)

    return make


def full(size: Any, fill_value: Any) -> Tensor | None:
    """A small tensor whose elements all are `fill_value`; None for all others."""
    if type(size) not in (tuple, list) or type(fill_value) not in (int, float):
        return None
    dtype = dtypes.of_number(fill_value)
    result = small((tuple(size),), HOST.xp.empty, dtype)
    if result is not None:
        raw_array(result).fill(checked(fill_value, dtype))
    return result


def _drawing(name: str) -> Make:
    """What draws "uniform" or "normal" numbers in one go."""
    from tensorglass.ops.kernels import random_bits
    from tensorglass.ops.random.vmap import drawn  # imported by the time the functions of that module are declared

    sample = getattr(random_bits, name)

    def make(size: tuple[int, ...], array_dtype: Any) -> Array:
        work = dtypes.float64 if array_dtype == "float64" else dtypes.float32
        numbers = HOST.launch(drawn, sample, default_generator._bits, math.prod(size), work)
        return numbers.astype(array_dtype, copy=False).reshape(size)

    return make


def of_random(name: str) -> Callable[[Form], Form]:
    """A decorator that puts a single draw of "uniform" or "normal" numbers before a function that takes a size."""

    def put(form: Form) -> Form:
        make = _drawing(name)

        @wraps(form)
        def small_first(*sizes: Any, **keywords: Any) -> Tensor:
            is_small = not keywords and sizes and (name == "uniform" or dtypes.get_default_dtype().itemsize > 2)
            result = small(sizes, make) if is_small else None
            return form(*sizes, **keywords) if result is None else result

        return small_first

    return put


def of_random_like(name: str) -> Callable[[Form], Form]:
    """The same for a function that takes a tensor, of float32 or float64."""

    def put(form: Form) -> Form:
        make = alike(_drawing(name))

        @wraps(form)
        def small_first(*arguments: Any, **keywords: Any) -> Tensor:
            is_usual = len(arguments) == 1 and not keywords and type(arguments[0]) is Tensor
            result = make(arguments[0]) if is_usual and arguments[0]._dtype in _DRAWN else None
            return form(*arguments, **keywords) if result is None else result

        return small_first

    return put


_DRAWN = (dtypes.float32, dtypes.float64)


def small(sizes: Sequence[Any], make_array: Make, dtype: DType | None = None) -> Tensor | None:
    """The result of a call with only a size of small plain ints; None for all others.

    `make_array` makes its elements, of the default dtype or of the one given.
    """
    if len(sizes) == 1 and type(sizes[0]) is tuple:
        sizes = sizes[0]
    count = 1
    for length in sizes:
        if type(length) is not int or not 0 < length < 256:
            return None
        count *= length
    dtype = dtype or dtypes.get_default_dtype()
    if count * dtype.itemsize >= LEAST or not sizes or as_device(None) is not CPU:  # too small for the pool
        return None
    size = tuple(sizes)
    array = make_array(size, HOST.array_dtype(dtype))
    if array is None:
        return None
    return result_tensor(array, dtype, HOST, CPU, size, geometry.CONTIGUOUS_STRIDES[size])


def arange(start: Any, end: Any = None) -> Tensor | None:
    """`arange` of a few small ints; None for all others."""
    if type(start) is not int or not (end is None or type(end) is int):
        return None
    if end is None:
        start, end = 0, start
    if not 0 <= start < end < _FEW or as_device(None) is not CPU:
        return None
    array = HOST.xp.arange(start, end, dtype=_INT64)
    return result_tensor(array, dtypes.int64, HOST, CPU, array.shape, (1,))


_INT64 = HOST.array_dtype(dtypes.int64)
_FEW = LEAST // 8  # too few for the pool


def from_numpy(array: Any) -> Tensor | None:
    """A tensor on a writable array without gaps; None for all others."""
    if type(array) is not HOST.xp.ndarray:
        return None
    dtype = HOST.find_dtype(array) if array.flags.carray else None
    if dtype is None:
        return None
    size = array.shape
    if 1 in size or 0 in size:  # the strides of such an array may be arbitrary
        return None
    return result_tensor(array.view(), dtype, HOST, CPU, size, geometry.CONTIGUOUS_STRIDES[size], is_ours=False)
