"""Masks: elements filled, selected or overwritten where one is True: masked_fill, masked_select, masked_scatter.

A mask is broadcast against the tensor here, where x[mask] wants the very sizes of the dimensions that it indexes.
"""

from __future__ import annotations

from typing import Any

from tensorglass import geometry, memory
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained, old_type_name, warn
from tensorglass.graph.derivative import derivative
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.copies.out import written_apart
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import refuse_overlapping_write
from tensorglass.ops.derivatives.formulas import masked_scatter_backward
from tensorglass.ops.indexing.advanced import check_is_bool, fill_masked, index_of_tensor
from tensorglass.tensor.construct import empty_on, from_array, view_of
from tensorglass.tensor.tensor import Tensor, array_of, header_of, raw_array

_NOTEBOOK = "04 advanced indexing copies"

_masked_fill_derivative = derivative(
    node=lambda value: f"MaskedFillBackward{int(isinstance(value, Tensor))}",
    input=lambda grad, mask: grad.masked_fill(mask, 0),
    value=lambda grad, mask: grad.masked_fill(~mask, 0).sum(),
)


@_masked_fill_derivative
def _masked_fill_(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        if value._size:
            raise RuntimeError(
                "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{len(value._size)} dimension(s)."
            )
        value = value.item()
    check_is_bool("masked_fill_", mask._dtype)
    met = geometry.broadcast_shapes(input._size, mask._size)
    if met != input._size:
        raise explained(
            RuntimeError(f"output with shape {list(input._size)} doesn't match the broadcast shape {list(met)}"),
            "An in-place operator cannot make its tensor larger: masked_fill without the underscore does.",
            notebook="08 in-place and clone",
        )
    if mask._storage is input._storage:  # asked as it was given: `fill_masked` gets it expanded
        geometry.check_no_partial_overlap(header_of(input), input._dtype.itemsize, header_of(mask), 1)
    fill_masked(input, index_of_tensor(view_of(mask, *geometry.expand(*header_of(mask), input._size))), 0, value)
    return input


@operator(
    "indexing",
    inplace=_masked_fill_,
    signatures=("(Tensor input, Tensor mask, Tensor value)", "(Tensor input, Tensor mask, Number value)"),
)
@_masked_fill_derivative
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """A copy with `value`, a number or a 0-dim tensor, where `mask` is True."""
    size = geometry.broadcast_shapes(mask._size, input._size)
    made = _masked_fill_(_expanded_copy(view_of(input, *geometry.expand(*header_of(input), size))), mask, value)
    made._storage.version = 0
    return made


def _expanded_copy(input: Tensor) -> Tensor:
    """A contiguous copy to be written to."""
    made = empty_on(input.device, input._size, geometry.contiguous_strides(input._size), input._dtype)
    return copy_(made, input)


@operator("indexing", out=True)
@derivative(input=lambda grad, input, mask: _selected_gradient(grad, input, mask))
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements where `mask`, broadcast, is True, in one dimension."""
    if mask._dtype is not dtypes.bool:
        raise explained(
            RuntimeError("masked_select: expected BoolTensor for mask"), "mask.bool() makes one.", notebook=_NOTEBOOK
        )
    if out is not None and out._dtype is not input._dtype:
        raise RuntimeError("masked_select(): self and result must have the same scalar type")
    size = geometry.broadcast_shapes(mask._size, input._size)
    source, chosen = (view_of(each, *geometry.expand(*header_of(each), size)) for each in (input, mask))
    array = input._backend.launch(_select_masked, array_of(source), array_of(chosen))
    made = from_array(array, input._dtype, input._storage)
    memory.copied(made.nbytes)
    return made if out is None else written_apart(out, made, input, mask)


def _select_masked(xp: Any, source: Array, mask: Array) -> Array:
    return source[mask]


_masked_scatter_derivative = derivative(
    input=lambda grad, mask: grad.masked_fill(mask, 0),
    source=lambda grad, mask, source_size: masked_scatter_backward(grad, mask, source_size),
)


@_masked_scatter_derivative
def _masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    refuse_overlapping_write(input)
    chosen = view_of(mask, *geometry.expand(*header_of(mask), input._size, old_type_name(mask)))
    if input._dtype is not source._dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{input._dtype.scalar_type} and {source._dtype.scalar_type}"
        )
    if mask._dtype is dtypes.uint8:
        warn(
            "masked_scatter_ received a mask with dtype torch.uint8, this behavior is now deprecated,please use a mask "
            "with dtype torch.bool instead."
        )
    if mask._dtype is not dtypes.bool:
        raise RuntimeError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype {mask._dtype.scalar_type}"
        )
    refuse_overlapping_write(input, (source,))
    count = int(input._backend.launch(_count_true, array_of(chosen)))
    if count > source.numel():
        raise explained(
            RuntimeError("Number of elements of source < number of ones in mask"),
            f"The mask is True {count} times, and source has {source.numel()} elements.",
            notebook=_NOTEBOOK,
        )
    given = array_of(source)
    input._backend.launch(
        _assign_masked, raw_array(input), array_of(chosen), given.conj() if input._conj else given, count
    )
    input._written()
    return input


@operator("indexing", inplace=_masked_scatter_)
@_masked_scatter_derivative
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy in which the elements where `mask` is True are those of `source`, in order."""
    size = geometry.broadcast_shapes(mask._size, input._size)
    made = _masked_scatter_(_expanded_copy(view_of(input, *geometry.expand(*header_of(input), size))), mask, source)
    made._storage.version = 0
    return made


def _count_true(xp: Any, mask: Array) -> Any:
    return xp.count_nonzero(mask)


def _assign_masked(xp: Any, target: Array, mask: Array, source: Array, count: int) -> None:
    target[mask] = source.reshape(-1)[:count]


def _selected_gradient(grad: Tensor, input: Tensor, mask: Tensor) -> Tensor:
    """The gradient of `masked_select` for its input: back to where the mask is True."""
    size = geometry.broadcast_shapes(mask._size, input._size)
    wide, stride, _ = geometry.expand(*header_of(input), size)
    blank = empty_on(input.device, wide, geometry.preserved_strides(wide, stride), input._dtype, zeroed=True)
    return blank.masked_scatter_(mask.expand(size), grad)
