"""Nodes whose operators have no public name: slices, `_unsafe_view`, and gradients of views.

`as_strided` reads the storage at given positions, so its derivative accumulates at those positions. Windows are more
regular: the first cells of all windows are one slice, the second cells another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.tensor.construct import from_array, make, view_of
from tensorglass.tensor.tensor import Tensor, array_of, header_of

Operation = Callable[..., Tensor]


def _fill_view(whole: Tensor, view: Tensor, part: Tensor) -> Tensor:
    """Write `part` into `whole`, new zeros, at the elements of `view`."""
    view.copy_(part)
    whole._storage.version = 0
    return whole


@recorded
@derivative(node="SelectBackwardBackward0", part=lambda grad, dim, index: grad.select(dim, index))
def unselected(part: Tensor, size: tuple[int, ...], dim: int, index: int) -> Tensor:
    """The gradients of `select`, of a slice and of `diagonal`: zeros of the base's size, except at the elements of the
    view."""
    whole = part.new_zeros(size)
    return _fill_view(whole, whole.select(dim, index), part)


def _slice_of(grad: Tensor, dim: int, start: int | None, end: int | None, step: int) -> Tensor:
    return slice_view(grad, dim, start, end, step)


@recorded
@derivative(node="SliceBackwardBackward0", part=_slice_of)
def unsliced(
    part: Tensor, size: tuple[int, ...], dim: int, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    whole = part.new_zeros(size)
    return _fill_view(whole, slice_view(whole, dim, start, end, step), part)


@recorded
@derivative(node="DiagonalBackwardBackward0", part=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2))
def undiagonal(part: Tensor, size: tuple[int, ...], offset: int, dim1: int, dim2: int) -> Tensor:
    whole = part.new_zeros(size)
    return _fill_view(whole, whole.diagonal(offset, dim1, dim2), part)


@recorded
@derivative(
    node="SliceBackward0",
    input=lambda grad, input_size, dim, start, end, step: unsliced(grad, input_size, dim, start, end, step),
)
def slice_view(input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    """The view ``input[start:end:step]`` of dimension `dim`."""
    return view_of(input, *geometry.slice_(*header_of(input), dim, start, end, step))


@recorded
@derivative(node="AliasBackward0", input=lambda grad: grad)
def alias(input: Tensor) -> Tensor:
    """`input` as a view of itself."""
    return view_of(input, *header_of(input))


@recorded
@derivative(node="ReshapeAliasBackward0", input=lambda grad, input_size: grad.reshape(input_size))
def reshape_alias(input: Tensor, size: tuple[int, ...], stride: tuple[int, ...]) -> Tensor:
    """`input` with another size, and the strides that go with it."""
    return view_of(input, size, stride, input._offset)


@recorded
@derivative(node="UnsafeViewBackward0", input=lambda grad, input_size: grad.reshape(input_size))
def unsafe_view(input: Tensor, size: tuple[int, ...]) -> Tensor:
    """A new header, of another size, on the elements of `input`: it does not count as a view."""
    stride = geometry.view_strides(input._size, input._stride, size) or geometry.contiguous_strides(size)
    input._storage.note(input)
    result = make(input._storage, size, stride, input._offset, input._dtype)
    result._conj = input._conj
    return result


# --- the gradient of strided views -----------------------------------------------------------------------------------


def as_strided_backward(
    grad: Tensor, input_header: geometry.Header, size: Sequence[int], stride: Sequence[int], storage_offset: int | None
) -> Tensor:
    """The gradient of ``input.as_strided(size, stride, storage_offset)`` for `input`, whose header is given."""
    if 0 in size:
        return grad.new_zeros(input_header[0])
    offset = input_header[2] if storage_offset is None else storage_offset
    return _at_cells(grad, input_header, (tuple(size), tuple(stride), offset))


def gradient_of_unfold(grad: Tensor, input_size: tuple[int, ...], dimension: int, size: int, step: int) -> Tensor:
    """The gradient of ``input.unfold(dimension, size, step)``."""
    if input_size:
        return unfold_backward(grad, input_size, dimension % len(input_size), size, step)
    header = (input_size, geometry.contiguous_strides(input_size), 0)
    return _at_cells(grad, header, geometry.unfold(*header, dimension, size, step))


@recorded
@derivative(node="UnfoldBackwardBackward0", grad_in=lambda grad, dim, size, step: grad.unfold(dim, size, step))
def unfold_backward(grad_in: Tensor, input_sizes: tuple[int, ...], dim: int, size: int, step: int) -> Tensor:
    result = grad_in._backend.launch(_windows_added, array_of(grad_in), input_sizes, dim, step)
    return from_array(result, grad_in._dtype, grad_in._storage)


def _windows_added(xp: Any, windows: Array, size: tuple[int, ...], axis: int, step: int) -> Array:
    """The cells of all windows, added up where they were read. No addition writes a cell twice."""
    count, length = windows.shape[axis], windows.shape[-1]
    before, after = (slice(None),) * axis, size[axis + 1 :]
    steps = -(-length // step)
    if steps > count:  # window by window
        result = xp.zeros(size, windows.dtype)
        for at in range(count):
            cells = result[(*before, slice(at * step, at * step + length))]
            xp.add(cells, xp.moveaxis(windows[(*before, at)], -1, axis), out=cells)
        return result
    # The first step of all windows, then the second: cut into steps, each of them is one slice.
    rows = max(count + steps - 1, -(-size[axis] // step))
    result = xp.zeros((*size[:axis], rows, step, *after), windows.dtype)
    for at in range(steps):
        part = windows[..., at * step : (at + 1) * step]
        cells = result[(*before, slice(at, at + count), slice(part.shape[-1]))]
        xp.add(cells, xp.moveaxis(part, -1, axis + 1), out=cells)
    return xp.ascontiguousarray(result.reshape((*size[:axis], rows * step, *after))[(*before, slice(size[axis]))])


def _at_cells(grad: Tensor, input: geometry.Header, view: geometry.Header) -> Tensor:
    """Accumulate `grad`, with the layout of `view`, in zeroed memory, and read that with the layout of `input`."""
    count = max(geometry.storage_nbytes(*input, 1), geometry.storage_nbytes(*view, 1))
    cells = from_array(grad._backend.launch(_counting, count), dtypes.int64, grad._storage)
    memory = grad.new_zeros(count).index_add(0, cells.as_strided(*view).reshape(-1), grad.reshape(-1))
    own = cells.as_strided(*input).reshape(-1)
    if 0 in input[1]:  # elements that share a cell share its gradient
        memory = memory / cells.new_zeros(count).index_add(0, own, own.new_ones(own.shape)).clamp_(1)
    return memory.index_select(0, own).reshape(input[0])


def _counting(xp: Any, count: int) -> Array:
    return xp.arange(count, dtype="int64")
