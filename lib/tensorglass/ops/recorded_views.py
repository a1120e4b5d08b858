"""Views that have a name in the graph, and none in the namespace: a slice, and the new size of a fresh copy."""

from __future__ import annotations

from tensorglass import geometry
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recording import recorded
from tensorglass.making import make, view_of
from tensorglass.tensor import Tensor, header_of


def unsliced(grad: Tensor, size: tuple[int, ...], dim: int, start: int, length: int) -> Tensor:
    """The gradient of ``narrow(dim, start, length)`` of a tensor of this size."""
    start += size[dim] if start < 0 else 0
    return grad.new_zeros(size).slice_scatter(grad, dim, start, start + length)


@derivative(
    node="SliceBackward0",
    input=lambda grad, input_size, dim, start, end, step: grad.new_zeros(input_size).slice_scatter(
        grad, dim, start, end, step
    ),
)
def _slice_view(input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    return view_of(input, *geometry.slice_(*header_of(input), dim, start, end, step))


@derivative(node="ReshapeAliasBackward0", input=lambda grad, input_size: grad.reshape(input_size))
def _alias(input: Tensor, size: tuple[int, ...], stride: tuple[int, ...]) -> Tensor:
    return view_of(input, size, stride, input._offset)


@derivative(node="UnsafeViewBackward0", input=lambda grad, input_size: grad.reshape(input_size))
def _recut(input: Tensor, size: tuple[int, ...]) -> Tensor:
    return make(input._storage, size, geometry.contiguous_strides(size), 0, input._dtype)


#: The view ``input[start:end:step]`` of dimension `dim`.
slice_view = recorded(_slice_view)
#: `input` with another size, and the strides that go with it.
reshape_alias = recorded(_alias)
#: A new header on a fresh contiguous copy that is nobody else's: it does not count as a view.
unsafe_view = recorded(_recut)
