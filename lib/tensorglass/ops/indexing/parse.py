"""Parsing the index in ``x[...]``, once, from left to right.

Two kinds of things can stand there. *Basic* items (ints, slices, None, Ellipsis) change the header and nothing else.
*Advanced* items (tensors, lists, arrays, bools) say which positions to visit; they are collected, each at the dimension
it stands for, and the dimension stays whole until `advanced` visits it.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

from tensorglass.backends import get as get_backend
from tensorglass.backends import numpy_values
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.core.errors import explained, warn
from tensorglass.ops.arg_parser.checks import type_name
from tensorglass.ops.creation.tensor import array_dtype, nested_array
from tensorglass.ops.derivatives.view_nodes import slice_view
from tensorglass.ops.indexing.advanced import FALSE, MASKS, TRUE, Index, index_of_array, index_of_tensor
from tensorglass.ops.views.shape import select, unsqueeze
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor

_HOST: Any = get_backend(CPU)  # where Python's lists and numbers are

BASIC = "1/03 Basic indexing"


class Parsed(NamedTuple):
    """The view that basic items make, and the advanced items: None for a dimension that has none."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    advanced: list[Index | None]


def parse(input: Tensor, index: Any) -> Parsed:
    """Read what was written between the brackets of `input[index]`."""
    items = index if type(index) is tuple else as_items(index)
    size, stride, offset = input._size, input._stride, input._offset
    ndim = len(size)
    if len(items) > ndim:
        _check_number_of_items(items, ndim)
    new_size: list[int] = []
    new_stride: list[int] = []
    advanced: list[Index | None] = []
    dim = 0  # the dimension of `input` that the next item is about
    for position, item in enumerate(items):
        kind = type(item)
        if kind is not int and kind is not slice:
            item = plainer(item)
            kind = type(item)
        if kind is int:
            length = size[dim] if dim < ndim else _no_dimension(items, dim, ndim)
            if not -length <= item < length:
                raise _out_of_bounds(items, size, item, position, length)
            offset += (item if item >= 0 else item + length) * stride[dim]
            dim += 1
        elif kind is slice:
            length = size[dim] if dim < ndim else _no_dimension(items, dim, ndim)
            start, end, step = item.indices(length)
            if step < 0:
                _check_number_of_items(items, ndim)
                raise negative_step(dim)
            new_size.append((end - start + step - 1) // step if end > start else 0)
            new_stride.append(stride[dim] * step)
            offset += start * stride[dim]
            dim += 1
        elif item is None:
            new_size.append(1)
            new_stride.append(size[dim] * stride[dim] if dim < ndim else 1)
        elif item is Ellipsis:
            skipped = ndim - _check_number_of_items(items, ndim)
            new_size += size[dim : dim + skipped]
            new_stride += stride[dim : dim + skipped]
            dim += skipped
        else:
            advanced += [None] * (len(new_size) - _dims_of(advanced))
            advanced.append(item)
            if item is TRUE or item is FALSE:  # a dimension of its own, of size 1
                new_size.append(1)
                new_stride.append(size[dim] * stride[dim] if dim < ndim else 1)
            else:
                _check_number_of_items(items, ndim)
                new_size += size[dim : dim + item.dims]
                new_stride += stride[dim : dim + item.dims]
                dim += item.dims
    return Parsed((*new_size, *size[dim:]), (*new_stride, *stride[dim:]), offset, advanced)


def _dims_of(advanced: list[Index | None]) -> int:
    return sum([1 if index is None else index.dims for index in advanced])


def plainer(item: Any) -> Any:
    """An item as an int, None, Ellipsis or an `Index`; or PyTorch's error for what cannot be an index."""
    if item is None or item is Ellipsis:
        return item
    if item is True:
        return TRUE
    if item is False:
        return FALSE
    if isinstance(item, Tensor):
        if item._size:
            return index_of_tensor(item)
        if item._dtype in MASKS:
            return TRUE if item.item() else FALSE
        return item.item() if item._dtype.category == dtypes.INTEGER else index_of_tensor(item)
    if isinstance(item, numpy_values.ndarray):
        dtype = array_dtype(item)
        if item.ndim:
            return index_of_array(item, dtype)
        return int(item) if dtype not in MASKS else TRUE if item else FALSE
    try:
        return operator.index(item)
    except TypeError:
        pass
    if _is_sequence(item):
        return _index_of_sequence(item) if len(item) else _EMPTY
    raise explained(
        IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
            f"(got {type_name(item)})"
        ),
        "A position is an integer: convert it first, as in x[int(i)]." if isinstance(item, float) else
        "Lists of ints and masks of bools are indices too.",
        notebook=BASIC,
    )  # fmt: skip


def _index_of_sequence(item: Any) -> Index:
    try:
        return index_of_array(*nested_array(item, None))
    except ValueError as error:
        # PyTorch does not look into strings that are elements of an index
        if str(error) == "too many dimensions 'str'":
            raise TypeError("new(): invalid data type 'str'") from None
        raise


#: x[[]] chooses nothing: an empty list has no dtype of its own, and here counts as one of ints.
_EMPTY = index_of_array(_HOST.xp.zeros(0, "int64"), dtypes.int64)


def _is_sequence(item: Any) -> bool:
    kind = type(item)
    return hasattr(kind, "__getitem__") and hasattr(kind, "__len__") and not hasattr(kind, "keys")


# --- what is not a tuple ---------------------------------------------------------------------------------------------


def as_items(index: Any) -> tuple[Any, ...]:
    """The items of an index that is not a tuple: the index itself, unless it is a list that old code uses as a
    tuple.
    """
    if isinstance(index, tuple):
        return tuple(index)
    if (
        isinstance(index, Tensor | numpy_values.ndarray | numpy_values.generic)
        or not _is_sequence(index)
        or len(index) >= 32
    ):
        return (index,)
    for item in index:
        if item is None or item is Ellipsis or isinstance(item, Tensor | slice) or _is_sequence(item):
            warn(
                "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch "
                "2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, "
                "x[torch.tensor(seq)], which will result either in an error or a different result"
            )
            return tuple(index)
    return (index,)


# --- errors ----------------------------------------------------------------------------------------------------------


def count_dims(items: tuple[Any, ...]) -> int:
    """How many dimensions of a tensor the items are about. A NumPy array counts as one, as in PyTorch, even a mask."""
    number = 0
    for item in items:
        if isinstance(item, Tensor) and item._dtype in MASKS:
            number += len(item._size)
        elif item is not None and item is not Ellipsis and item is not True and item is not False:
            number += 1
    return number


def _check_number_of_items(items: tuple[Any, ...], ndim: int) -> int:
    """`count_dims`; raises if the tensor has fewer dimensions."""
    number = count_dims(items)
    if number > ndim:
        raise explained(
            IndexError(f"too many indices for tensor of dimension {ndim}"),
            f"The index is about {number} dimensions, the tensor has {ndim}. A mask counts with all of its dimensions; "
            "None and ... count nothing.",
            notebook=BASIC,
        )
    return number


def _no_dimension(items: tuple[Any, ...], dim: int, ndim: int) -> int:
    """Raise the error that PyTorch gives for a second Ellipsis."""
    _check_number_of_items(items, ndim)
    low, high = (-ndim, ndim - 1) if ndim else (-1, 0)
    raise explained(
        IndexError(f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})"),
        "Write ... once only: each one stands for all dimensions that no item is about.",
        notebook=BASIC,
    )


def _out_of_bounds(items: tuple[Any, ...], size: tuple[int, ...], item: int, position: int, length: int) -> Exception:
    _check_number_of_items(items, len(size))
    if not -(2**63) <= item < 2**63:
        return ValueError("Overflow when unpacking long long")
    return out_of_bounds(item, position, length)


def out_of_bounds(index: int, dim: int, length: int) -> IndexError:
    """PyTorch's error for a position that dimension `dim` does not have."""
    allowed = (
        f"Positions there go from 0 to {length - 1}, or from the end, -1 to {-length}."
        if length
        else "That dimension is empty: it has no position at all."
    )
    return explained(
        IndexError(f"index {index} is out of bounds for dimension {dim} with size {length}"), allowed, notebook=BASIC
    )


def negative_step(dim: int) -> ValueError:
    """PyTorch's error for x[::-1]."""
    return explained(
        ValueError("step must be greater than zero"),
        "A PyTorch stride is never negative: no view can walk the storage backwards.",
        f"To reverse dimension {dim}, write tensor.flip({dim}): it copies.",
        notebook=BASIC,
    )


# --- where gradients flow ---------------------------------------------------------------------------------------------


class Parts(NamedTuple):
    """The view that the basic items make; the advanced items, and those of them that are tensors."""

    view: Tensor
    advanced: list[Index | None]
    indices: tuple[Tensor | None, ...]


def take_apart(input: Tensor, index: Any) -> Parts:
    """Apply an index item by item, skipping items that select everything. Raises the errors of indexing."""
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
