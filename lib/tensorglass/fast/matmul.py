"""Shortcuts of matrix products: float32 and float64 tensors on the CPU."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

from tensorglass import geometry
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.fast.recording import entering
from tensorglass.graph.recorder import recorder_of
from tensorglass.ops.declare import autocast
from tensorglass.ops.kernels.matmul import SMALL, is_whole, matrix_product
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN_TYPES

Form = Callable[..., Tensor]


def of_product(form: Form) -> Form:
    """A shortcut before `form`, which multiplies two tensors as `matmul` does, or tensors of fewer dimensions."""
    dims = _DIMS.get(form.__name__)
    enter: Any = None
    form = autocast.by_list(form.__name__, form)  # behind the shortcut, which is not taken while autocast is on

    @wraps(form)
    def product_first(*arguments: Any, **keywords: Any) -> Tensor:
        nonlocal enter
        if len(arguments) == 2 and not keywords and not (autocast.watched.was_on and autocast.state.dtypes):
            input, other = arguments
            if (
                (type(input) is Tensor or type(input) in PLAIN_TYPES)
                and (type(other) is Tensor or type(other) in PLAIN_TYPES)
                and (dims is None or (len(input._size), len(other._size)) == dims)
            ):
                is_recorded = (input._meta is not None or other._meta is not None) and state.grad
                if not is_recorded or len(input._size) == len(other._size) == 2 or dims == (3, 3):
                    result = product(input, other)
                    if result is not None and is_recorded:
                        enter = enter or _entering(dims or (2, 2))
                        return enter((input, other), result)
                    if result is not None:
                        return result
        return form(*arguments, **keywords)

    return product_first


_DIMS = {"mm": (2, 2), "mv": (2, 1), "bmm": (3, 3), "dot": (1, 1)}


def _entering(dims: tuple[int, int]) -> Callable[[tuple[Any, ...], Tensor], Tensor]:
    """A function that records a product of matrices, or of batches of them, under whichever name it was called."""
    from tensorglass.ops.linalg.matmul import bmm, mm  # declared by the time of the first call

    return entering(recorder_of(bmm if dims == (3, 3) else mm)[0], (None,), 2, is_elementwise=False)


def of_added_product(form: Form) -> Form:
    """A shortcut before `form`, which adds a product of matrices to a tensor."""

    @wraps(form)
    def sum_first(*arguments: Any, **keywords: Any) -> Tensor:
        if len(arguments) == 3 and not keywords:
            result = _added(*arguments)
            if result is not None:
                input, mat1, mat2 = arguments
                if state.grad and not input._meta is mat1._meta is mat2._meta is None:
                    return recorder.enter((*arguments, *left_out), result)
                return result
        return form(*arguments, **keywords)

    recorder, left_out = recorder_of(form)
    left_out = left_out[3:]
    return sum_first


def product(input: Tensor, other: Tensor) -> Tensor | None:
    """The product of float32 or float64 tensors on the CPU; None for all others."""
    dtype, storage = input._dtype, input._storage
    if not (
        (dtype is dtypes.float32 or dtype is dtypes.float64)
        and other._dtype is dtype
        and other._storage.device is storage.device is CPU
    ):
        return None
    planned = _plan(input._size, other._size, dtype.itemsize)
    if planned is None:
        return None
    size, stride, is_whole = planned
    one, two = input._array, other._array
    if one is None:
        one = raw_array(input)
    if two is None:
        two = raw_array(other)
    try:
        if not is_whole:
            array = HOST.launch(matrix_product, one, two, HOST.empty(dtype, size))
        elif input._contiguous and other._contiguous and len(size) < 3:
            # `dot` is the same product with less overhead: it does not look for floating-point warnings.
            array = one.dot(two)
        else:
            array = HOST.run(HOST.xp.matmul, one, two)
            if size and not array.flags.c_contiguous:
                return None
    except MemoryError:  # the plain way raises the error again, worded as PyTorch does
        return None
    if not size:
        array = HOST.xp.asarray(array)
    return result_tensor(array, dtype, HOST, CPU, size, stride)


@geometry.remembered
def _plan(
    size: tuple[int, ...], other_size: tuple[int, ...], itemsize: int
) -> tuple[tuple[int, ...], tuple[int, ...], bool] | None:
    """Size and stride of a common product, and whether one BLAS call computes it; None for all others."""
    dims = len(size), len(other_size)
    if dims not in ((1, 1), (2, 1), (2, 2), (3, 3)) or size[-1] != other_size[-2:][0]:
        return None
    batch, rows, columns = math.prod(size[:-2]), size[:-1][-1:], other_size[-1:] if len(other_size) > 1 else ()
    if size[:-2] != other_size[:-2]:
        return None
    result = (*size[:-2], *rows, *columns)
    count = math.prod(result)
    stride, is_small = geometry.contiguous_strides(result), count * itemsize < LEAST
    if dims != (2, 2):
        return (result, stride, True) if is_small and count * size[-1] <= batch * SMALL else None
    return result, stride, is_small and is_whole(size[0], size[1], columns[0])


def _added(input: Any, mat1: Any, mat2: Any) -> Tensor | None:
    """The same with a tensor added, as in a linear layer; None for all others."""
    if not (
        type(input) in PLAIN_TYPES
        and type(mat1) in PLAIN_TYPES
        and type(mat2) in PLAIN_TYPES
        and len(mat1._size) == len(mat2._size) == 2
    ):
        return None
    (rows, _), (_, columns) = mat1._size, mat2._size
    if input._dtype is not mat1._dtype or input._storage.device is not CPU:
        return None
    if input._size not in ((rows, columns), (columns,), (1, columns), (rows, 1)):
        return None
    result = product(mat1, mat2)
    if result is not None:
        array = raw_array(result)
        HOST.run(HOST.xp.add, array, raw_array(input), array)
    return result
