"""What has a name in the graph, and none in the namespace: slices, a fresh copy cut anew, and what undoes views."""

from __future__ import annotations

from collections.abc import Callable

from tensorglass import geometry
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.tensor.construct import make, view_of
from tensorglass.tensor.tensor import Tensor, header_of

Operation = Callable[..., Tensor]


def _fill_view(whole: Tensor, view: Tensor, part: Tensor) -> Tensor:
    """`whole`, fresh zeros, once `part` is written where `view` looks."""
    view.copy_(part)
    whole._storage.version = 0
    return whole


@recorded
@derivative(node="SelectBackwardBackward0", part=lambda grad, dim, index: grad.select(dim, index))
def unselected(part: Tensor, size: tuple[int, ...], dim: int, index: int) -> Tensor:
    """The gradients of `select`, of a slice and of `diagonal`: zeros of the whole's size but where the view looks."""
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
    made = make(input._storage, size, stride, input._offset, input._dtype)
    made._conj = input._conj
    return made
