"""``x[...]`` where gradients flow: taken apart into the views and the one read or write that the graph shows.

``x[0, 1:, mask]`` is a select, a slice and an index, each with a derivative of its own; `indexing` does all three at
once where nothing is recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.derivatives.formulas import zero_gradient
from tensorglass.ops.derivatives.view_nodes import slice_view
from tensorglass.ops.indexing import advanced as advanced_indexing
from tensorglass.ops.indexing.advanced import FALSE, TRUE, Index
from tensorglass.ops.indexing.parse import as_items, count_dims, parse, plainer
from tensorglass.ops.views.shape import select, unsqueeze
from tensorglass.tensor.construct import from_array, view_of
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, header_of

Operation = Callable[..., Any]


class Parts(NamedTuple):
    """The view that the basic items make; the advanced items, and those of them that are tensors."""

    view: Tensor
    advanced: list[Index | None]
    indices: tuple[Tensor | None, ...]


def take_apart(input: Tensor, index: Any) -> Parts:
    """Follow an index item by item, past what takes everything. Raises what indexing raises."""
    advanced = parse(input, index).advanced
    items = as_items(index)
    plain = [item if type(item) in (int, slice) else plainer(item) for item in items]
    view, dim = input, 0
    for item in plain:
        if type(item) is int:
            view = select(view, dim, item)
        elif type(item) is slice:
            _, stop, step = item.indices(view._size[dim])
            if item.start or (stop, step) != (view._size[dim], 1):
                view = slice_view(view, dim, item.start or 0, item.stop, step)
            dim += 1
        elif item is None or item is TRUE or item is FALSE:
            view = unsqueeze(view, dim)
            dim += 1
        elif item is Ellipsis:
            dim += len(input._size) - count_dims(items)
        else:
            dim += item.dims
    return Parts(view, advanced, _indices(input, items, plain, advanced))


def _indices(input: Tensor, items: Any, plain: list[Any], advanced: list[Index | None]) -> tuple[Tensor | None, ...]:
    """The advanced items as tensors, in the places that they have among the dimensions."""
    tensors = iter([
        item if isinstance(item, Tensor) else from_array(index.array, index.dtype, input._storage)
        for item, index in zip(items, plain, strict=True)
        if isinstance(index, Index)
    ])  # fmt: skip
    return tuple([None if index is None else next(tensors) for index in advanced])


@derivative(node="AliasBackward0", input=lambda grad: grad)
def _alias(input: Tensor) -> Tensor:
    return view_of(input, *header_of(input))


@derivative(node="FillBackward3", input=zero_gradient, value=lambda grad: grad.sum())
def _fill(input: Tensor, value: Tensor) -> Tensor:
    return copy_(input, value if value._storage is not input._storage else value.clone())


@derivative(
    node="IndexBackward0",
    keeps=("advanced",),
    input=lambda grad, input_size, advanced, indices: write(
        grad.new_zeros(input_size), advanced, indices, grad, accumulate=True
    ),
)
def _read(input: Tensor, advanced: list[Index | None], indices: tuple[Tensor | None, ...]) -> Tensor:
    return advanced_indexing.read(input, advanced)


@derivative(
    node=lambda accumulate: f"IndexPut{'Impl' if state.in_formula else ''}Backward0",
    keeps=("advanced",),
    input=lambda grad, advanced, indices, accumulate, value_size: (
        grad if accumulate else write(grad.clone(), advanced, indices, grad.new_zeros(()).expand(value_size))
    ),
    value=lambda grad, advanced, indices: read(grad, advanced, indices),
)
def _write(
    input: Tensor,
    advanced: list[Index | None],
    indices: tuple[Tensor | None, ...],
    value: Tensor,
    accumulate: bool = False,
) -> Tensor:
    advanced_indexing.write(input, advanced, value, accumulate)
    return input


#: `input` as a view of itself, one value written to all of it, a copy of the elements that advanced items name, and a
#: write to them.
alias: Operation = recorded(_alias)
fill: Operation = recorded(_fill, is_in_place=True)
read: Operation = recorded(_read)
write: Operation = recorded(_write, is_in_place=True)
