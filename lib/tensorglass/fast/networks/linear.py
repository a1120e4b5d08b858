"""The shortcut of linear layers: one product and one sum; the graph shows the operators that they stand for."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.fast.recording import Enter, entering, entering_view
from tensorglass.fast.views import enter_view
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.graph.recorder import recorder_of
from tensorglass.ops.kernels.matmul import SMALL, matrix_product
from tensorglass.tensor.construct import result_tensor, view_of
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN_TYPES

XP = HOST.xp
_enter_sum: Enter | None = None
_enter_transpose: Any = None


def of_linear(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A shortcut before `form`, a linear map with a bias, of a matrix or of more dimensions without gaps."""

    @wraps(form)
    def linear_first(*arguments: Any, **keywords: Any) -> Tensor:
        if len(arguments) == 3 and not keywords:
            result = _linear(*arguments)
            if result is not None:
                return result
        return form(*arguments, **keywords)

    return linear_first


def _linear(input: Any, weight: Any, bias: Any) -> Tensor | None:
    if not (type(input) in PLAIN_TYPES and type(weight) in PLAIN_TYPES and type(bias) in PLAIN_TYPES):
        return None
    dtype, size = input._dtype, input._size
    if (dtype is not dtypes.float32 and dtype is not dtypes.float64) or len(size) < 2 or len(weight._size) != 2:
        return None
    columns, inner = weight._size
    if not weight._dtype is dtype is bias._dtype or bias._size != (columns,) or size[-1] != inner or 0 in size:
        return None
    if not input._storage.device is weight._storage.device is bias._storage.device is CPU:
        return None
    given = raw_array(input)
    is_matrix = len(size) == 2
    if not (is_matrix or input._contiguous):
        return None
    rows = size[0] if is_matrix else math.prod(size[:-1])
    try:
        product = HOST.run(
            _affine, given if is_matrix else given.reshape(rows, inner), raw_array(weight), raw_array(bias)
        )
    except MemoryError:  # the plain way raises the error again, worded as PyTorch does
        return None
    if not product.flags.c_contiguous:
        return None
    flat = result_tensor(product, dtype, HOST, CPU, (rows, columns), CONTIGUOUS_STRIDES[rows, columns])
    if state.grad and not input._meta is weight._meta is bias._meta is None:
        return _entered(input, weight, bias, flat)
    return flat if is_matrix else view_of(flat, (*size[:-1], columns), CONTIGUOUS_STRIDES[*size[:-1], columns], 0)


def _affine(input: Array, weight: Array, bias: Array) -> Array:
    rows, columns = len(input), len(weight)
    if rows * columns * weight.shape[1] <= SMALL and rows * columns * input.itemsize < LEAST:
        product = input.dot(weight.T)  # the same product as `matmul`, with less overhead
    else:
        product = matrix_product(XP, input, weight.T, _empty(input.dtype, rows, columns))
    return XP.add(product, bias, product)


def _empty(array_dtype: Any, rows: int, columns: int) -> Array:
    return HOST.empty(dtypes.float32 if array_dtype.itemsize == 4 else dtypes.float64, (rows, columns))


def _entered(input: Tensor, weight: Tensor, bias: Tensor, result: Tensor) -> Tensor:
    """The result, recorded as `addmm` between views."""
    global _enter_sum, _enter_transpose
    if _enter_sum is None:
        from tensorglass.ops.linalg.addmm import addmm  # declared by the time of the first call
        from tensorglass.ops.views.shape import t

        _enter_sum = entering(recorder_of(addmm)[0], (1, 1, None), 3, is_elementwise=False)
        _enter_transpose = entering_view(t)
    turned = view_of(weight, weight._size[::-1], weight._stride[::-1], weight._offset)
    if weight._meta is not None:
        _enter_transpose((weight,), turned)
    size = input._size
    if len(size) == 2:
        return _enter_sum((bias, input, turned), result)
    inner = (result._size[0], size[-1])
    flat = view_of(input, inner, CONTIGUOUS_STRIDES[inner], input._offset)
    if input._meta is not None:
        enter_view((input, inner), flat)
    result = _enter_sum((bias, flat, turned), result)
    outer = (*size[:-1], result._size[1])
    return enter_view((result, outer), view_of(result, outer, CONTIGUOUS_STRIDES[outer], 0))
