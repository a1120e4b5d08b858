"""Conditions: where elements are nonzero, choosing one tensor or another by that, and reading and writing by masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import geometry, memory
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained, old_type_name, warn
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_tensor, refuse_meta
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.copies.out import written_apart
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import refuse_overlapping_write, resize_output
from tensorglass.ops.declare.type_promotion import common_dtype
from tensorglass.ops.derivatives.view_nodes import unsliced
from tensorglass.ops.indexing.advanced import check_is_bool, fill_masked, index_of_tensor
from tensorglass.ops.kernels import select_by_mask
from tensorglass.ops.kernels.python_numbers import NUMBERS, fitting_array
from tensorglass.tensor.construct import empty_on, from_array, view_of
from tensorglass.tensor.tensor import Tensor, array_of, header_of, raw_array


def masked_scatter_backward(grad: Tensor, mask: Tensor, size: tuple[int, ...]) -> Tensor:
    """The gradient of `masked_scatter` for its source: the elements that were taken, and zeros for the rest."""
    if grad.is_meta:
        return grad.new_zeros(size)
    taken = grad.masked_select(mask)
    return unsliced(taken, (geometry.numel(size),), 0, 0, taken.numel()).reshape(size)


# --- nonzero and argwhere --------------------------------------------------------------------------------------------


@operator("indexing", out=True)
def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Any:
    """The positions of the elements that are not 0: one row each; with `as_tuple` one index tensor a dimension."""
    check_tensor("nonzero", input)
    if as_tuple:
        if out is not None:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        positions = _positions(input if input._size else view_of(input, (1,), (1,), input._offset))
        return tuple([view_of(positions, positions._size[:1], (1,), dim * positions._size[0])
                      for dim in range(positions._size[1])])  # fmt: skip
    if out is not None and out._dtype is not dtypes.int64:
        raise RuntimeError(
            f"nonzero: Expected out tensor to have scalar type Long but got scalar type{out._dtype.scalar_type}"
        )
    places = _positions(input)
    return places if out is None else written_apart(out, places, input)


def _positions(input: Tensor) -> Tensor:
    """Positions as columns: those along one dimension are contiguous, as an index tensor should be."""
    if input._size or input.is_meta:  # the kernel raises there
        columns = input._backend.launch(_positions_in_columns, array_of(input))
        result = from_array(columns, dtypes.int64, input._storage)
    else:
        result = empty_on(input.device, (0, int(bool(input.item()))), (1, 1), dtypes.int64)
    dims, count = result._size
    result._size, result._stride = (count, dims), (1, count)
    result._array = result._contiguous = None
    if not input._size:
        result._stride = (1, 1) if count else (1, 0)
    return result


def _positions_in_columns(xp: Any, array: Array) -> Array:
    return xp.stack(xp.nonzero(array))


@operator("indexing")
def argwhere(input: Tensor) -> Tensor:
    """The positions of the elements that are not 0, one row each."""
    check_tensor("argwhere", input)
    return _positions(input)


# --- where -----------------------------------------------------------------------------------------------------------


def _where_method(input: Tensor, condition: Tensor, other: Any) -> Tensor:
    if not isinstance(condition, Tensor) or not isinstance(other, (Tensor, *NUMBERS)):
        raise TypeError("where() takes a tensor, and a tensor or a number")  # `arg_parser` says it in PyTorch's words
    return where(condition, input, other)


@operator("indexing", out=True, method_form=_where_method)
@derivative(
    wraps_numbers=True,
    input=lambda grad, condition: _where_backward(condition, grad, 0),
    other=lambda grad, condition: _where_backward(condition, 0, grad),
)
def where(condition: Tensor, input: Any = None, other: Any = None, *, out: Tensor | None = None) -> Any:
    """`input` where `condition` is True, else `other`, broadcast and promoted; alone, `nonzero(as_tuple=True)`."""
    if isinstance(condition, Tensor) and input is None and other is None and out is None:
        return nonzero(condition, as_tuple=True)
    operands = (input, other)
    if not isinstance(condition, Tensor) or not all(isinstance(operand, (Tensor, *NUMBERS)) for operand in operands):
        raise TypeError("where() takes a tensor, and two tensors or numbers")  # `arg_parser` says it in PyTorch's words
    _check_condition(condition)
    dtype = common_dtype(operands)
    for position, (name, value) in enumerate((("input", input), ("other", other)), start=2):
        if out is not None:
            check_tensor("where", value, name, position)
    if out is not None and out._dtype is not dtype:
        raise RuntimeError(f"Expected out type to be {dtype.scalar_type} but got {out._dtype.scalar_type}")
    tensors = [value for value in (condition, *operands) if isinstance(value, Tensor)]
    size = geometry.broadcast_shapes(*[tensor._size for tensor in tensors])
    headers = [(tensor._size, tensor._stride) for tensor in tensors]
    # PyTorch converts them to 0-dim tensors, which affect the strides of the result
    numbers = len(operands) + 1 - len(tensors)
    strides = geometry.elementwise_strides(size, [*headers, *[((), ())] * numbers])
    if out is None:
        out = empty_on(condition.device, size, strides, dtype)
    else:
        refuse_overlapping_write(out, tensors)
        if out._size != size and any(out is tensor for tensor in tensors):
            raise RuntimeError(f"output with shape {list(out._size)} doesn't match the broadcast shape {list(size)}")
        if out._size != size:
            resize_output(out, size, strides)
        out._written()
    backend = out._backend
    values = [
        array_of(operand) if isinstance(operand, Tensor) else fitting_array(backend, operand, dtype)
        for operand in operands
    ]
    if out._conj:
        values = [value.conj() for value in values]
    chosen = array_of(condition)
    # `_choose` still reads them after it has begun to write
    if any(tensor._storage is out._storage for tensor in tensors):
        chosen, *values = [array.copy() for array in (chosen, *values)]
    backend.launch(_choose, raw_array(out), chosen, *values)
    return out


def _check_condition(condition: Tensor) -> None:
    if condition._dtype is dtypes.uint8:
        warn(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
            "version of PyTorch. Use a boolean condition instead."
        )
    elif condition._dtype is not dtypes.bool:
        raise explained(
            RuntimeError(
                "where expected condition to be a boolean tensor, but got a tensor with dtype "
                f"{condition._dtype.scalar_type}"
            ),
            "Write a comparison, as in torch.where(x > 0, x, 0), or condition.bool().",
        )


def _where_backward(condition: Tensor, input: Any, other: Any) -> Tensor:
    """The gradient of `where` for one of the two operands: zero where the other was chosen."""
    return where(condition, input, other)


def _choose(xp: Any, target: Array, condition: Array, input: Any, other: Any) -> None:
    condition = condition.astype(bool, copy=False)
    if select_by_mask.are_worth_it(xp, target, condition, input, other):
        select_by_mask.choose(xp, condition, input, other, target)
        return
    target[...] = other
    xp.copyto(target, input, where=condition, casting="unsafe")


# --- masked_fill, masked_select, masked_scatter ----------------------------------------------------------------------


_NOTEBOOK = "1/04 Advanced indexing copies"

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
        value = 0 if value.is_meta else value.item()
    check_is_bool("masked_fill_", mask._dtype)
    met = geometry.broadcast_shapes(input._size, mask._size)
    if met != input._size:
        raise explained(
            RuntimeError(f"output with shape {list(input._size)} doesn't match the broadcast shape {list(met)}"),
            "An in-place operator cannot make its tensor larger: masked_fill without the underscore does.",
            notebook="1/08 In-place and clone",
        )
    if mask._storage is input._storage:  # checked as it was given, since `fill_masked` gets it expanded
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
    return _written(_masked_fill_, input, mask, value)


def _written(write: Callable[..., Tensor], input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """A contiguous copy of the input, expanded to the mask, to which `write` has written the value where it is True."""
    size = geometry.broadcast_shapes(mask._size, input._size)
    copied = empty_on(input.device, size, geometry.contiguous_strides(size), input._dtype)
    result = write(copy_(copied, view_of(input, *geometry.expand(*header_of(input), size))), mask, value)
    result._storage.version = 0
    return result


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
    if out is None:
        refuse_meta("aten::masked_select", input, mask)
    else:
        refuse_meta("aten::masked_select.out", input, mask, out)
    size = geometry.broadcast_shapes(mask._size, input._size)
    source, chosen = (view_of(tensor, *geometry.expand(*header_of(tensor), size)) for tensor in (input, mask))
    array = input._backend.launch(_select_masked, array_of(source), array_of(chosen))
    result = from_array(array, input._dtype, input._storage)
    memory.copied(result.nbytes)
    return result if out is None else written_apart(out, result, input, mask)


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
    return _written(_masked_scatter_, input, mask, source)


def _count_true(xp: Any, mask: Array) -> Any:
    return xp.count_nonzero(mask)


def _assign_masked(xp: Any, target: Array, mask: Array, source: Array, count: int) -> None:
    target[mask] = source.reshape(-1)[:count]


def _selected_gradient(grad: Tensor, input: Tensor, mask: Tensor) -> Tensor:
    """The gradient of `masked_select` for its input: the elements go back to where the mask is True."""
    size = geometry.broadcast_shapes(mask._size, input._size)
    wide, stride, _ = geometry.expand(*header_of(input), size)
    blank = empty_on(input.device, wide, geometry.preserved_strides(wide, stride), input._dtype, zeroed=True)
    return blank.masked_scatter_(mask.expand(size), grad)
