"""The sum of a matrix's diagonal, and products over paired dimensions: trace, kron."""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import is_recorded, no_out_with_gradients
from tensorglass.ops.copies.copy import contiguous
from tensorglass.ops.declare.reduction import write_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.view_nodes import unsafe_view
from tensorglass.ops.pointwise.arithmetic import mul
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of


def _trace_gradient(grad: Tensor, rows: int, columns: int) -> Tensor:
    places = [row * columns + row for row in range(min(rows, columns))]
    flat = grad.new_zeros(rows * columns).index_fill(0, grad.new_tensor(places, dtype=dtypes.int64), grad)
    return flat.view(rows, columns)


@operator("linear algebra")
@derivative(input=lambda grad, input_size: _trace_gradient(grad, *input_size))
def trace(input: Tensor) -> Tensor:
    """The sum of the elements on a matrix's diagonal. Integers are added as int64."""
    dtype = input._dtype
    if dtype is dtypes.bool:
        raise NotImplementedError("\"trace\" not implemented for 'Bool'")
    if len(input._size) != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {len(input._size)}")
    result = dtype if dtype.category >= dtypes.FLOATING else dtypes.int64
    backend = input._storage.backend
    wide = dtypes.float32 if dtype.is_floating_point and dtype.itemsize == 2 else result
    array = backend.launch(_trace, array_of(input), backend.array_dtype(wide), backend.array_dtype(result))
    return from_array(array, result, input._storage)


def _trace(xp: Any, array: Array, wide: Any, result: Any) -> Array:
    return xp.asarray(xp.trace(array.astype(wide, copy=False))).astype(result, copy=False)


@operator("linear algebra", out=True, differs="operands of every layout are multiplied; PyTorch refuses some")
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: `other` as often as `input` has elements, each copy multiplied by its element."""
    ndim = max(len(input._size), len(other._size))
    sizes = [(1,) * (ndim - len(each._size)) + each._size for each in (input, other)]
    outer = tuple([length for pair in zip(sizes[0], (1,) * ndim, strict=True) for length in pair])
    inner = tuple([length for pair in zip((1,) * ndim, sizes[1], strict=True) for length in pair])
    if out is not None and is_recorded((input, other)):
        raise no_out_with_gradients("mul")
    product = mul(unsafe_view(input, outer), unsafe_view(other, inner))
    size = tuple([a * b for a, b in zip(*sizes, strict=True)])
    if geometry.view_strides(product._size, product._stride, size) is None:
        product = contiguous(product)
    result: Tensor = unsafe_view(product, size)
    return result if out is None else write_out(array_of(result), result._size, out, result._dtype, (input, other))
