"""Shortcuts of ``x[…]``: rows, slices, elements and masks, of tensors without gradients.

For tensors with gradients, ints, slices and None are applied item by item, each as a view of the view before.

``x[[0, 2]]`` and ``x[positions]`` are rows of a tensor without gaps. In ``x[rows, columns]`` there is a position for
each dimension, so an element has one position in the flattened array, where NumPy reads and writes in one step.
Everything else, including negative positions, is left to the form, which also raises the error for positions out of
range.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from types import NoneType
from typing import Any

from tensorglass import geometry, memory
from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.backends.wide_positions import take
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.core.dtypes import WIDE_UNSIGNED, int64
from tensorglass.fast.copies import overwritten
from tensorglass.fast.recording import entering_view
from tensorglass.fast.reductions import packed_array
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.ops.kernels import select_by_mask
from tensorglass.ops.kernels.python_numbers import checked_alone, number_array
from tensorglass.tensor.construct import result_tensor, view_of
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, array_of, raw_array
from tensorglass.tensor.torch_function import PLAIN_TYPES

Form = Callable[..., Any]


def of_reading(form: Form) -> Form:
    """A shortcut before ``input[index]``."""

    @wraps(form)
    def getitem(input: Tensor, index: Any) -> Any:
        if type(input) is Tensor and input._meta is None:
            result, kind = None, type(index)
            if kind is int:
                result = _at(input, index)
            elif kind is slice:
                result = _slice(input, index)
            elif kind is list or kind is Tensor:
                result = read_rows(input, index)
            elif kind is tuple and index:
                if type(index[0]) is int is type(index[-1]):
                    result = _element(input, index)
                elif type(index[0]) is Tensor:
                    result = read_cells(input, index)
            if result is not None:
                return result
        elif state.grad and type(input) in PLAIN_TYPES:
            view = _followed(input, index if type(index) is tuple else (index,))
            if view is not None:
                return view
        return form(input, index)

    return getitem


def _followed(input: Tensor, items: tuple[Any, ...]) -> Tensor | None:
    """The view of a tensor with a history by ints, slices, None and one Ellipsis; None for all other items."""
    dims = ellipses = 0
    for item in items:
        if type(item) is int or type(item) is slice:
            dims += 1
        elif item is Ellipsis:
            ellipses += 1
        elif item is not None:
            return None
    rank = len(input._size)
    if dims > rank or ellipses > 1:
        return None
    enter_slice = _entering_slices()
    view: Any = input
    dim = 0
    for item in items:
        if item is Ellipsis:
            dim += rank - dims
        elif item is None:
            view = view.unsqueeze(dim)
            dim += 1
        elif type(item) is int:
            if not -view._size[dim] <= item < view._size[dim]:
                return None
            view = view.select(dim, item)
        else:
            start, stop, step = item.start, item.stop, 1 if item.step is None else item.step
            if not (type(step) is int and step > 0 and type(stop) in _BOUNDS and type(start) in _BOUNDS):
                return None
            length = view._size[dim]
            if start or step != 1 or not (stop is None or stop >= length or not length):
                values = view, dim, start or 0, stop, step
                sliced = view_of(view, *geometry.index_slice(view._size, view._stride, view._offset, dim, item))
                view = sliced if view._meta is None else enter_slice(values, sliced)
            dim += 1
    return None if view is input else view


_BOUNDS = (int, NoneType)


@cache
def _entering_slices() -> Callable[[tuple[Any, ...], Tensor], Tensor]:
    from tensorglass.ops.derivatives.view_nodes import slice_view  # declared by the time of the first call

    return entering_view(slice_view)


def of_writing(form: Form) -> Form:
    """A shortcut before ``input[index] = value``."""

    @wraps(form)
    def setitem(input: Tensor, index: Any, value: Any) -> None:
        if type(input) is Tensor and input._meta is None:
            kind, of_value = type(index), type(value)
            if of_value is float and kind is tuple and _element_is_written(input, index, value):
                return
            is_unrecorded = of_value is Tensor and (value._meta is None or not state.grad)
            if kind is Tensor or (kind is tuple and index and type(index[0]) is Tensor):
                if of_value is float or (of_value is int and -(2**63) <= value < 2**63):
                    value = checked_alone(value, input._dtype)
                    is_unrecorded = True
                write = written_by_tensor if kind is Tensor else cells_are_written
                if is_unrecorded and write(input, index, value):
                    return
            elif is_unrecorded and (kind is int or kind is slice):
                view = _at(input, index) if kind is int else _slice(input, index)
                if view is not None and overwritten(view, value):
                    return
        form(input, index, value)

    return setitem


def _element(input: Tensor, index: tuple[Any, ...]) -> Tensor | None:
    """``input[index]`` with an int for each dimension; None for all others."""
    size, offset = input._size, input._offset
    if len(index) != len(size):
        return None
    for item, length, step in zip(index, size, input._stride, strict=True):
        if type(item) is not int or not -length <= item < length:
            return None
        offset += (item if item >= 0 else item + length) * step
    return view_of(input, (), (), offset)


def _element_is_written(input: Tensor, index: tuple[Any, ...], value: float) -> bool:
    """Do ``input[index] = value`` with an int for each dimension, and return True; False if it was not done."""
    if len(index) != len(input._size) or not -_LARGEST < value < _LARGEST or input._storage.device is not CPU:
        return False
    if input._dtype is not dtypes.float32 and input._dtype is not dtypes.float64:
        return False
    for item in index:
        if type(item) is not int:
            return False
    try:
        raw_array(input)[index] = value
    except (IndexError, ValueError):  # the form meets the error again, and words it as PyTorch does
        return False
    input._written()
    return True


_LARGEST = 1e38  # of numbers that either dtype can hold


def _at(input: Tensor, index: int) -> Tensor | None:
    """``input[index]``; None if the index is out of range."""
    size, stride = input._size, input._stride
    if not size or not -size[0] <= index < size[0]:
        return None
    if index < 0:
        index += size[0]
    return view_of(input, size[1:], stride[1:], input._offset + index * stride[0])


def _slice(input: Tensor, index: slice) -> Tensor:
    return view_of(input, *geometry.index_slice(input._size, input._stride, input._offset, 0, index))


def read_rows(input: Tensor, index: Tensor | list[Any]) -> Tensor | None:
    """``input[index]`` for positions along the first dimension; None for all others."""
    if isinstance(index, Tensor):
        if index._dtype is dtypes.bool:
            return _read_masked(input, index)
        positions, own_size, own_stride = raw_array(index), index._size, index._stride
        if index._dtype is not dtypes.int64 or not own_size or index._storage.backend is not HOST:
            return None
    else:
        own_size, own_stride = (len(index),), (1,)
        if set(map(type, index)) != {int}:
            return None
    source, storage = array_of(input), input._storage
    if not input._size or not input._contiguous or storage.backend is not HOST:
        return None
    size = (*own_size, *input._size[1:])
    stride = geometry.index_strides(input._size, input._stride, 0, own_size, ((own_size, own_stride),))
    if 0 in size or stride != geometry.contiguous_strides(size):
        return None
    try:
        if isinstance(index, list):
            positions = HOST.xp.array(index, "int64")
        array = storage.backend.run(take, source, positions, 0)
    except (IndexError, OverflowError, MemoryError):  # `read` meets the error again, and words it as PyTorch does
        return None
    result = result_tensor(array, input._dtype, storage.backend, storage.device, size, stride)
    memory.copied(array.nbytes)
    return result


def _read_masked(input: Tensor, mask: Tensor) -> Tensor | None:
    """``input[mask]`` of a small `input`, with a mask of its size; None for all others."""
    if mask._size != input._size or not mask._size or input._conj or input._storage._nbytes >= LEAST:
        return None
    source, chosen = packed_array(input), packed_array(mask)
    if source is None or chosen is None:
        return None
    chosen_elements = source[chosen]
    result = result_tensor(chosen_elements, input._dtype, HOST, input._storage.device, chosen_elements.shape, (1,))
    memory.copied(chosen_elements.nbytes)
    return result


def read_cells(input: Tensor, index: tuple[Any, ...]) -> Tensor | None:
    """``input[index]`` as a copy, for common indices of a small `input`; None for all others."""
    places = _places(input, index)
    if places is None:
        return None
    taken = take(raw_array(input), places)
    size = index[0]._size
    result = result_tensor(taken, input._dtype, HOST, input._storage.device, size, CONTIGUOUS_STRIDES[size])
    memory.copied(taken.nbytes)
    return result


def cells_are_written(input: Tensor, index: tuple[Any, ...], value: Any) -> bool:
    """Do ``input[index] = value`` for a number that fits or a tensor of the index's size; say whether it was done."""
    places = _places(input, index)
    if places is None or any(positions._storage is input._storage for positions in index):
        return False
    if type(value) is Tensor:
        values = packed_array(value)
        if values is None or value._size != index[0]._size or value._dtype is not input._dtype or value._conj:
            return False
        if value._storage is input._storage:
            return False
        memory.copied(values.nbytes)
    elif type(value) in (int, float):
        values = number_array(HOST, value, input._dtype)
    else:
        return False
    raw_array(input).reshape(-1)[places] = values
    input._written()
    return True


def _places(input: Tensor, index: tuple[Any, ...]) -> Array | None:
    """The flat positions of the elements; None leaves the call to the plain way."""
    size = input._size
    if len(index) != len(size) or input._conj or input._dtype in WIDE_UNSIGNED or input._storage._nbytes >= LEAST:
        return None
    if packed_array(input) is None:
        return None
    place: Any = 0
    for tensor, length in zip(index, size, strict=True):
        if (
            type(tensor) is not Tensor
            or tensor._dtype is not int64
            or not tensor._size
            or tensor._size != index[0]._size
        ):
            return None
        array = packed_array(tensor)
        if array is None or not array.size or array.view("uint64").max() >= length:  # or below 0
            return None
        place = place * length + array
    return place


def written_by_tensor(input: Tensor, index: Tensor, value: Any) -> bool:
    """Do ``input[index] = value`` for tensors on the CPU without gaps; return whether it was done."""
    if (
        input._dtype in dtypes.WIDE_UNSIGNED
        or index._meta is not None
        or input._conj
        or index._storage is input._storage
        or not input._size
    ):
        return False
    target, chosen = packed_array(input), packed_array(index)
    if target is None or chosen is None:
        return False
    if type(value) is not Tensor:
        if index._dtype is not dtypes.bool or index._size != input._size or type(value) not in (int, float):
            return False
        HOST.run(select_by_mask.put, HOST.xp, target, chosen, number_array(HOST, value, input._dtype))
    else:
        if index._dtype is not dtypes.int64 or value._dtype is not input._dtype or value._storage is input._storage:
            return False
        rows = packed_array(value)
        if rows is None or value._size != (*index._size, *input._size[1:]) or value._conj or not index._size:
            return False
        try:
            target[chosen] = rows
        except IndexError:  # `indexing.advanced` meets the error again, and words it as PyTorch does
            return False
        memory.copied(rows.nbytes)
    input._written()
    return True
