"""Copies with a part overwritten: select_scatter, slice_scatter and others, and fill_diagonal_.

Each makes a copy, takes the view of it that its namesake takes, and writes there.
"""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.graph.derivative import derivative
from tensorglass.ops.copies.copy import clone, copy_, fill_, resolve_conj
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.view_nodes import slice_view
from tensorglass.ops.views.shape import as_strided, diagonal, select
from tensorglass.tensor.construct import make
from tensorglass.tensor.tensor import Tensor


def _copy_of(input: Tensor) -> Tensor:
    """A copy of the tensor's whole storage with the same header; a copy of the elements alone if some share memory."""
    if geometry.has_internal_overlap(input._size, input._stride) is geometry.InternalOverlap.YES:
        return clone(input)
    result = make(input._storage.clone(), input._size, input._stride, input._offset, input._dtype)
    result._conj = input._conj
    return result


def _written(result: Tensor, part: Tensor, src: Tensor) -> Tensor:
    if part._size != src._size:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src._size)}, slice size = "
            f"{list(part._size)}"
        )
    copy_(part, src)
    result._storage.version = 0
    return result


@operator("indexing")
@derivative(
    real_only="select_scatter",
    input=lambda grad, src_size, dim, index: grad.select_scatter(grad.new_zeros(src_size), dim, index),
    src=lambda grad, dim, index: grad.select(dim, index),
)
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy with `src` where ``select(dim, index)`` looks."""
    result = _copy_of(input)
    return _written(result, select(result, dim, index), src)


@operator("indexing")
@derivative(
    real_only="slice_scatter",
    input=lambda grad, src_size, dim, start, end, step: grad.slice_scatter(
        grad.new_zeros(src_size), dim, start, end, step
    ),
    src=lambda grad, dim, start, end, step: slice_view(grad, dim, start, end, step),
)
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy with `src` where the slice ``start:end:step`` of dimension `dim` looks."""
    result = _copy_of(input)
    return _written(result, slice_view(result, dim, start, end, step), src)


@operator("indexing")
@derivative(
    input=lambda grad, src_size, offset, dim1, dim2: grad.diagonal_scatter(
        grad.new_zeros(src_size), offset, dim1, dim2
    ),
    src=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2),
)
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy with `src` where ``diagonal(offset, dim1, dim2)`` looks."""
    result = _copy_of(resolve_conj(input))
    return _written(result, diagonal(result, offset, dim1, dim2), src)


@operator("indexing", function=False)
def fill_diagonal_(input: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Set the elements whose positions are equal in all dimensions; `wrap` starts again below in a tall matrix."""
    size, stride = input._size, input._stride
    if len(size) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(size) > 2 and len(set(size)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    length, step = min(size), sum(stride)
    fill_(as_strided(input, (length,), (step,), input._offset), fill_value)
    rows, columns = size[0], size[1]
    if wrap and len(size) == 2 and rows > columns + 1 and columns:
        rest = (rows * columns + columns) // (columns + 1) - length
        start = input._offset + (columns + 1) * stride[0]
        for first in range(0, rest, columns):  # one block of rows after the other, with one row between them
            block = start + (first // columns) * (columns + 1) * stride[0]
            fill_(as_strided(input, (min(columns, rest - first),), (step,), block), fill_value)
    return input
