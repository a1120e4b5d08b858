"""Shortcuts of `gather`, `index_select` and the `scatter`s: small tensors without gaps. A tensor that is written to
must not have gradients.

An element's position in the flattened array is an index times a step, plus an offset that depends only on the sizes and
is cached.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from tensorglass import memory
from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.backends.wide_positions import take
from tensorglass.core.dtypes import WIDE_UNSIGNED, int64
from tensorglass.fast.node_rules import Kept, Rule
from tensorglass.fast.reductions import MANY, packed_array
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.ops.kernels.python_numbers import checked, number_array
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN_TYPES

Write = Callable[[Array, Array, Any], None]  #: writes values to positions of a flattened array


def gathered(input: Any, dim: Any, index: Any) -> Tensor | None:
    """`gather` of a small tensor; None for all others."""
    places = _places(input, dim, index)
    if places is None:
        return None
    taken = take(raw_array(input), places)
    return _copied_like(input, taken, index._size)


def taken_along(input: Any, indices: Any, dim: Any) -> Tensor | None:
    """`gather` if both have the same size in the other dimensions."""
    if not type(input) is type(indices) is Tensor or type(dim) is not int or not 0 <= dim < len(input._size):
        return None
    if input._meta is not None:
        return None
    sizes = [(*tensor._size[:dim], *tensor._size[dim + 1 :]) for tensor in (input, indices)]
    return gathered(input, dim, indices) if sizes[0] == sizes[1] else None


def selected(input: Any, dim: Any, index: Any) -> Tensor | None:
    """`index_select` of a small tensor; None for all others."""
    if type(input) not in PLAIN_TYPES or type(index) is not Tensor or type(dim) is not int or input._conj:
        return None
    size, rank = input._size, len(input._size)
    if rank < 2 or not -rank <= dim < rank or input._storage._nbytes >= LEAST or index._dtype is not int64:
        return None
    array, chosen = packed_array(input), packed_array(index)
    if array is None or chosen is None or chosen.ndim != 1 or not 0 < chosen.size < MANY:
        return None
    dim %= rank
    if chosen.view("uint64").max() >= size[dim]:  # or below 0
        return None
    taken = take(array, chosen, dim)
    return _copied_like(input, taken, (*size[:dim], chosen.size, *size[dim + 1 :]))


def scattered(write: Write, input: Any, dim: Any, index: Any, source: Any) -> Tensor | None:
    """A copy of a small tensor into which `write` has put a tensor of the index's size; None for all others."""
    places = _places(input, dim, index) if type(input) is Tensor and input._meta is None else None
    values = _values(input, index, source) if places is not None and type(source) is Tensor else None
    if places is None or values is None or source._meta is not None:
        return None
    copy = input._array.copy()
    write(copy.reshape(-1), places.reshape(-1), values)
    return _copied_like(input, copy, input._size)


def scattered_in_place(write: Write, input: Any, dim: Any, index: Any, source: Any) -> Tensor | None:
    """The same in place; the value may be a number, too."""
    is_tensor = type(source) is Tensor
    is_plain = type(input) is Tensor and input._meta is None and not (is_tensor and source._meta is not None)
    places = _places(input, dim, index) if is_plain else None
    if places is None or input._storage in (index._storage, source._storage if is_tensor else None):
        return None
    if is_tensor:
        values = _values(input, index, source)
    elif type(source) in (int, float):
        values = number_array(HOST, checked(source, input._dtype), input._dtype)
    else:
        return None
    if values is None:
        return None
    write(raw_array(input).reshape(-1), places.reshape(-1), values)
    input._written()
    written: Tensor = input
    return written


def _values(input: Tensor, index: Tensor, source: Tensor) -> Array | None:
    """The flattened values to write; None leaves the call to the plain way."""
    values = packed_array(source)
    if values is None or source._dtype is not input._dtype or source._size != index._size or source._conj:
        return None
    return values.reshape(-1)


def over(row: Array, places: Array, values: Array) -> None:
    """Write the values to their positions; of several values for one position, the last one stays."""
    row[places] = values


add_to = HOST.xp.add.at


def _copied_like(input: Tensor, array: Array, size: tuple[int, ...]) -> Tensor:
    result = result_tensor(array, input._dtype, HOST, input._storage.device, size, CONTIGUOUS_STRIDES[size])
    memory.copied(array.nbytes)
    return result


def _places(input: Any, dim: Any, index: Any) -> Array | None:
    """The flat positions of the elements of `input` that an index selects; None leaves the call to the plain way."""
    if type(input) not in PLAIN_TYPES or type(index) is not Tensor or type(dim) is not int or input._conj:
        return None
    if index._dtype is not int64 or index._meta is not None or input._dtype in WIDE_UNSIGNED:
        return None
    plan = _beside(input._size, index._size, dim)
    array = None if plan is None or packed_array(input) is None else packed_array(index)
    if plan is None or array is None:
        return None
    beside, step, length = plan
    if array.view("uint64").max() >= length:  # or below 0
        return None
    if step != 1:
        array = array * step
    return array if beside is None else array + beside


def _gradient(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    """The gradient of `gather` for its input: added up where several elements came from one position."""
    input, index = kept["input"], kept["index"]
    plan = _beside(input.shape, index.shape, kept["dim"])
    if plan is None or not grad.flags.c_contiguous or index.dtype.char not in "lq":
        return None
    beside, step, _ = plan
    places = index if step == 1 else index * step
    places = (places if beside is None else places + beside).reshape(-1)
    whole = HOST.xp.zeros(input.shape, grad.dtype)
    row, values = whole.reshape(-1), grad.reshape(-1)
    if index.shape[kept["dim"]] == 1:  # then no position occurs twice
        row[places] = values + 0.0  # as a sum with zero: -0.0 becomes 0.0
    else:
        add_to(row, places, values)
    return [whole]


#: By operator, as in `fast.node_rules`.
RULES: dict[str, Rule] = {"gather": _gradient}


@lru_cache(64)  # each entry holds an array
def _beside(size: tuple[int, ...], index_size: tuple[int, ...], dim: int) -> tuple[Array | None, int, int] | None:
    """The offset of each position, the step between consecutive indices, and the number of valid indices."""
    rank = len(size)
    if len(index_size) != rank or not -rank <= dim < rank or not 0 < math.prod(index_size) < MANY:
        return None
    axis = dim % rank
    beside = [
        most if place != axis else length for place, (most, length) in enumerate(zip(size, index_size, strict=True))
    ]
    if not 0 < math.prod(size) < MANY or any(n > most for n, most in zip(index_size, beside, strict=True)):
        return None
    places = HOST.xp.arange(math.prod(size)).reshape(size)
    first = take(places, [0], axis)[
        tuple([slice(None) if place == axis else slice(n) for place, n in enumerate(index_size)])
    ]
    step = math.prod(size[axis + 1 :])
    return (first if rank > 1 else None), step, size[axis]
