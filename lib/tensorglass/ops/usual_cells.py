"""``x[rows, columns]``: elements that as many index tensors name as there are dimensions, read and written.

The one idea to keep in mind: with a position for each dimension an element has one place in the row of all elements,
and there NumPy reads and writes at once: 4×4 takes 5 to 6 µs in place of 12 to 25. What is the least out of the
ordinary, positions from the end among it, is left to `advanced_indexing`.
"""

from __future__ import annotations

from typing import Any

from tensorglass import memory
from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.dtypes import WIDE_UNSIGNED, int64
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.making import result_tensor
from tensorglass.ops.scalars import number_array
from tensorglass.ops.usual_reductions import array_at_once
from tensorglass.shortcuts import shortcut
from tensorglass.tensor import Tensor, raw_array


@shortcut
def read_cells(input: Tensor, index: tuple[Any, ...]) -> Tensor | None:
    """``input[index]``, a copy, where that is the usual call and `input` is small; None for all others."""
    places = _places(input, index)
    if places is None:
        return None
    made = raw_array(input).take(places)
    memory.copied(made.nbytes)
    size = index[0]._size
    return result_tensor(made, input._dtype, HOST, input._storage.device, size, CONTIGUOUS_STRIDES[size])


@shortcut
def cells_are_written(input: Tensor, index: tuple[Any, ...], value: Any) -> bool:
    """Whether ``input[index] = value`` was done: with a number that fits, or a tensor of the index tensors' size."""
    places = _places(input, index)
    if places is None or any(each._storage is input._storage for each in index):
        return False
    if type(value) is Tensor:
        values = array_at_once(value)
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
    """Where the elements are in the row of all of them; None where one has to look closer."""
    size = input._size
    if len(index) != len(size) or input._conj or input._dtype in WIDE_UNSIGNED or input._storage._nbytes >= LEAST:
        return None
    if array_at_once(input) is None:
        return None
    found: Any = 0
    for each, length in zip(index, size, strict=True):
        if type(each) is not Tensor or each._dtype is not int64 or not each._size or each._size != index[0]._size:
            return None
        array = array_at_once(each)
        if array is None or not array.size or array.view("uint64").max() >= length:  # or below 0
            return None
        found = found * length + array
    return found
