"""Matrices from diagonals and blocks, and where triangles are: diag, diag_embed, diagflat, block_diag, tril_indices."""

from __future__ import annotations

from typing import Any, Unpack

from tensorglass import backends, geometry, memory
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.devices import META
from tensorglass.core.memory_format import contiguous_format
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import is_recorded, no_out_with_gradients, recorded
from tensorglass.ops.arg_parser.checks import all_tensors, check_int, not_implemented
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.creation.factory import Options, factory, new, read_options
from tensorglass.ops.creation.fill import zeros
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import refuse_overlapping_write, resize_output
from tensorglass.ops.declare.type_promotion import check_out_dtype, common_dtype
from tensorglass.ops.derivatives.view_nodes import undiagonal
from tensorglass.ops.kernels.copy import assign
from tensorglass.ops.kernels.triangle import triangle_indices
from tensorglass.ops.views.shape import diagonal, narrow
from tensorglass.tensor.construct import empty_on
from tensorglass.tensor.tensor import Tensor, array_of, raw_array


@operator("rearranging", out=True)
def diag(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The matrix that has a vector on its diagonal, or a copy of a matrix's diagonal."""
    ndim = len(input._size)
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    if ndim == 1 and out is not None and not dtypes.can_cast(input._dtype, out._dtype):
        raise RuntimeError(
            f"diag: result type {input._dtype.scalar_type} can't be cast to the desired out= type "
            f"{out._dtype.scalar_type}"
        )
    check_out_dtype(out, input._dtype)
    if out is not None and is_recorded((out,)):
        raise no_out_with_gradients(f"aten::{'diag_embed' if ndim == 1 else 'diagonal_copy'}")
    result = diag_embed(input, diagonal) if ndim == 1 else _diagonal_copy(input, diagonal)
    if out is None:
        return result
    refuse_overlapping_write(out)
    if out._size != result._size:
        resize_output(out, result._size)
    return copy_(out, result)


def _of_diagonal(grad: Tensor, input_size: tuple[int, ...], offset: int) -> Tensor:
    return undiagonal(grad, input_size, offset, 0, 1)


@recorded
@derivative(node="DiagonalBackward0_copy", input=_of_diagonal)
def _diagonal_copy(input: Tensor, offset: int) -> Tensor:
    return diagonal(input, offset).clone(memory_format=contiguous_format)


@operator("rearranging")
@derivative(input=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2))
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dimension laid on the diagonal of two new dimensions, `dim1` and `dim2`; zero elsewhere."""
    ndim = len(input._size) + 1
    first, second = geometry.wrap_dim(dim1, ndim), geometry.wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    offset = check_int("diag_embed", "offset", 2, offset)
    length = input._size[-1] + abs(offset)
    size = list(input._size[:-1])
    for place in sorted((first, second)):
        size.insert(place, length)
    result = empty_on(input.device, tuple(size), geometry.contiguous_strides(tuple(size)), input._dtype, zeroed=True)
    if second - first == 1 == ndim - second:
        result._backend.launch(_lay_diagonally, raw_array(result), array_of(input), offset)
        memory.copied(input.nbytes)
    else:
        copy_(diagonal(result, offset, first, second), input)
        result._storage.version = 0
    return result


def _lay_diagonally(xp: Any, matrices: Array, rows: Array, offset: int) -> None:
    """Write each row over a diagonal of the last two dimensions, which is a slice of all elements in a row."""
    count, side = rows.shape[-1], matrices.shape[-1]
    begin = offset if offset > 0 else -offset * side
    if rows.size:
        matrices.reshape((-1, side * side))[:, begin :: side + 1][:, :count] = rows.reshape((-1, count))


@operator("rearranging")
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The matrix that has all elements of `input`, in order, on its diagonal."""
    return diag(input.contiguous().view(-1), offset)


def _block_gradient(grad: Tensor, tensors_size: Any) -> list[Tensor]:
    parts, row, column = [], 0, 0
    for size in tensors_size:
        height, width = _as_matrix(size)
        parts.append(narrow(narrow(grad, 0, row, height), 1, column, width).reshape(size))
        row, column = row + height, column + width
    return parts


def _as_matrix(size: tuple[int, ...]) -> tuple[int, int]:
    return (1, 1) if not size else (1, size[0]) if len(size) == 1 else (size[0], size[1])


@operator("joining", method=False, signatures=None)
@derivative(tensors=_block_gradient)
def block_diag(*tensors: Tensor) -> Tensor:
    """Matrices one after the other on the diagonal of a larger one, zero elsewhere; a vector is a row."""
    all_tensors(tensors, "Give the matrices one by one: torch.block_diag(*matrices).")
    for place, tensor in enumerate(tensors):
        if len(tensor._size) > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {place} has "
                f"{len(tensor._size)} dimensions"
            )
        if tensor.device != tensors[0].device:
            raise RuntimeError(
                f"Input tensors must all be on the same device. Input 0 is on device {tensors[0].device} and input "
                f"{place} is on device {tensor.device}."
            )
    if not tensors:
        return zeros(1, 0)
    dtype = common_dtype(tensors)
    sizes = [_as_matrix(tensor._size) for tensor in tensors]
    size = (sum(height for height, _ in sizes), sum(width for _, width in sizes))
    result = empty_on(tensors[0].device, size, geometry.contiguous_strides(size), dtype, zeroed=True)
    row = column = 0
    place = raw_array(result)
    for tensor, (height, width) in zip(tensors, sizes, strict=True):
        block = place[row : row + height, column : column + width]
        result._backend.launch(assign, block, array_of(tensor).reshape(block.shape), False)
        memory.copied(tensor.numel() * dtype.itemsize)
        row, column = row + height, column + width
    return result


# --- triangles -------------------------------------------------------------------------------------------------------


@factory()
def tril_indices(row: int, col: int, offset: int = 0, **options: Unpack[Options]) -> Tensor:
    """The rows and the columns of the elements on and below diagonal `offset` of a row×col matrix, as a 2×N tensor."""
    return _triangle_indices("tril_indices", row, col, offset, options)


@factory()
def triu_indices(row: int, col: int, offset: int = 0, **options: Unpack[Options]) -> Tensor:
    """The rows and the columns of the elements on and above diagonal `offset` of a row×col matrix, as a 2×N tensor."""
    return _triangle_indices("triu_indices", row, col, offset, options)


def _triangle_indices(name: str, row: Any, col: Any, offset: Any, options: Options) -> Tensor:
    rows, columns = check_int(name, "row", 1, row), check_int(name, "col", 2, col)
    diagonal = check_int(name, "offset", 3, offset)
    place = read_options(name, options, dtypes.int64)
    for argument, length in (("row", rows), ("col", columns)):
        if length < 0:
            raise RuntimeError(f"{argument} must be non-negative, got{length}")
    if place.dtype not in (dtypes.int32, dtypes.int64):
        raise not_implemented(name, place.dtype)
    if place.device is META:
        first = diagonal if name == "tril_indices" else diagonal - 1  # below which the triangle lies, or that above it
        below = sum(min(max(row + first + 1, 0), columns) for row in range(rows))
        return new((2, below if name == "tril_indices" else rows * columns - below), place)
    backend = backends.get(place.device)
    is_lower, array_dtype = name == "tril_indices", backend.array_dtype(place.dtype)
    result = backend.launch(triangle_indices, rows, columns, diagonal, is_lower, array_dtype)
    indices = new((2, len(result[0])), place)
    array = raw_array(indices)
    array[0], array[1] = result
    return indices
