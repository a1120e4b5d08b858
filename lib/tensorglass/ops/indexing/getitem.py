"""``x[...]``: reading, writing and asking.

Ints, slices, None and Ellipsis make a view, and writing there is a `copy_` into that view. As soon as a tensor, a list
or a mask is among the items, reading makes a copy, and writing goes to the elements one by one. Where gradients flow,
``x[0, 1:, mask]`` is a select, a slice and an index, each with its own derivative; otherwise they are one step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import geometry
from tensorglass.backends import numpy_values
from tensorglass.core.errors import explained, old_type_name
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import type_name
from tensorglass.ops.copies.copy import clone, copy_, write_number
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.shared import zero_gradient
from tensorglass.ops.derivatives.view_nodes import alias, slice_view
from tensorglass.ops.indexing.advanced import read_advanced, recorded_read, recorded_write, write_advanced
from tensorglass.ops.indexing.parse import Parts, out_of_bounds, parse, take_apart
from tensorglass.ops.kernels.python_numbers import checked_alone, number_array
from tensorglass.ops.views.shape import expand, select, unsqueeze
from tensorglass.tensor.construct import from_array, view_of
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, header_of


@derivative(node="FillBackward3", input=zero_gradient, value=lambda grad: grad.sum())
def _fill_view(input: Tensor, value: Tensor) -> Tensor:
    return copy_(input, value if value._storage is not input._storage else value.clone())


#: One value written to all of a view.
_recorded_fill: Callable[..., Any] = recorded(_fill_view, is_in_place=True)


@operator("indexing", function=False, dunders=("__getitem__",), method=False)
def getitem(input: Tensor, index: Any) -> Tensor:
    """`input[index]`: a view for ints, slices, None and Ellipsis; a copy once a tensor, list or mask is among them.

    Raises IndexError for positions out of range and for invalid indices.
    """
    if input._meta is not None:
        if type(index) is int:
            _at(input, index)  # raises what indexing raises
            return select(input, 0, index)
        _refuse_scalar(input, index)
        parts = take_apart(input, index)
        if parts.advanced:
            return recorded_read(*parts)
        if parts.view is not input:
            return parts.view
        return slice_view(input, 0, None, None) if type(index) is slice else alias(input)
    kind = type(index)
    if kind is int:  # the two most common indices, without the general machinery
        size, stride, offset = _at(input, index)
        return view_of(input, size, stride, offset)
    if kind is slice:
        return view_of(input, *geometry.index_slice(input._size, input._stride, input._offset, 0, index))
    size, stride, offset, advanced = parse(input, index)
    if advanced and (size, stride, offset) == header_of(input):
        return read_advanced(input, advanced)
    view = view_of(input, size, stride, offset)
    return read_advanced(view, advanced) if advanced else view


def _at(input: Tensor, index: int) -> geometry.Header:
    size, stride = input._size, input._stride
    if not size:
        raise _index_of_scalar(index)
    length = size[0]
    if not -length <= index < length:
        if not -(2**63) <= index < 2**63:
            raise ValueError("Overflow when unpacking long long")
        raise out_of_bounds(index, 0, length)
    if index < 0:
        index += length
    return size[1:], stride[1:], input._offset + index * stride[0]


def _refuse_scalar(input: Tensor, index: Any) -> None:
    """Raise the error for a plain int or slice as an index of a 0-dim tensor."""
    if not input._size and type(index) is int:
        raise _index_of_scalar(index)
    if not input._size and type(index) is slice:
        geometry.index_slice(input._size, input._stride, input._offset, 0, index)


def _index_of_scalar(index: int) -> IndexError:
    if index:
        return out_of_bounds(index, 0, 0)
    return explained(
        IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        ),
        "It is a single number already: it has no dimension that an index could be about.",
        notebook="1/03 Basic indexing",
    )


@operator("indexing", function=False, dunders=("__setitem__",), method=False)
def setitem(input: Tensor, index: Any, value: Any) -> None:
    """`input[index] = value`: a number, or a tensor that broadcasts to ``input[index]``.

    Nothing is written unless everything can be. Raises IndexError as reading does, TypeError for a value that is no
    tensor and no number, RuntimeError for one that does not fit.
    """
    if not isinstance(value, Tensor):
        value = _number_to_write(value, input)
    if index is False:
        return
    if input._meta is not None or (isinstance(value, Tensor) and value._meta is not None and state.grad):
        _set_recorded(input, index, value)
        return
    kind = type(index)
    advanced: list[Any] | None = None
    if kind is int:
        size, stride, offset = _at(input, index)
    elif kind is slice:
        size, stride, offset = geometry.index_slice(input._size, input._stride, input._offset, 0, index)
    elif index is True:
        size, stride, offset = geometry.unsqueeze(*header_of(input), 0)
    else:
        size, stride, offset, advanced = parse(input, index)
    if advanced:
        is_whole = (size, stride, offset) == header_of(input)
        given = _without_leading_ones(value) if isinstance(value, Tensor) else value
        write_advanced(input if is_whole else view_of(input, size, stride, offset), advanced, given)
    elif isinstance(value, Tensor):
        view = view_of(input, size, stride, offset)
        view.copy_(_fitted(_of_its_own(value, view), view))
    else:
        write_number(input, value, (size, stride, offset))
        input._written()


def _set_recorded(input: Tensor, index: Any, value: Any) -> None:
    _refuse_scalar(input, index)
    taken_apart = take_apart(input, index)
    if index is True:
        taken_apart = Parts(unsqueeze(input, 0), [], ())
    view, advanced, indices = taken_apart
    if not isinstance(value, Tensor):
        value = from_array(number_array(view._backend, value, view._dtype), view._dtype, view._storage)
    if advanced:
        recorded_write(view, advanced, indices, _without_leading_ones(value))
    elif value._size or not view._size:
        copy_(view, _fitted(value, view, is_recorded=True))
    else:
        _recorded_fill(view, value)


def _of_its_own(value: Tensor, view: Tensor) -> Tensor:
    """The value, or a copy of it if it overlaps the tensor that is written."""
    return value if value._size or value._storage is not view._storage else clone(value)


def _number_to_write(value: Any, input: Tensor) -> complex:
    """A value that is no tensor as a number that `input` can hold."""
    if not isinstance(value, (int, float, complex)):
        if isinstance(value, numpy_values.integer):
            return _number_to_write(int(value), input)
        raise explained(
            TypeError(f"can't assign a {type_name(value)} to a torch.{input._dtype.scalar_type}Tensor"),
            f"Assign a number or a tensor: torch.tensor(value, dtype={input._dtype!r}).",
            notebook="1/03 Basic indexing",
        )
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise ValueError("Overflow when unpacking long long")
    return checked_alone(value, input._dtype)


def _fitted(value: Tensor, view: Tensor, is_recorded: bool = False) -> Tensor:
    """`value` expanded to the size that is written; leading dimensions of size 1 do not count."""
    if value._size == view._size:
        return value
    value = _without_leading_ones(value, is_recorded)
    if value._size == view._size:
        return value
    geometry.expand(*header_of(value), view._size, old_type_name(value))  # raises in the words that assignments use
    return expand(value, view._size)


def _without_leading_ones(value: Tensor, always_a_view: bool = False) -> Tensor:
    size = value._size
    if not always_a_view and (not size or size[0] != 1):
        return value
    first = next((dim for dim, length in enumerate(size) if length != 1), len(size))
    return value.view(size[first:])


@operator("indexing", function=False, method=False, dunders=("__delitem__",))
def delitem(input: Tensor, index: Any) -> None:
    """Refused: a tensor's elements cannot be taken out of it."""
    raise explained(
        TypeError("Tensor does not support deleting items"),
        "Keep what you want instead: x[mask], or torch.cat((x[:i], x[i + 1:])).",
        notebook="1/03 Basic indexing",
    )
