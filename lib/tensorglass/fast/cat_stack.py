"""Shortcuts of `cat`, `stack`, `hstack` and `vstack`: small tensors without gaps."""

from __future__ import annotations

from typing import Any

from tensorglass import geometry, memory
from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN_TYPES


def joined(tensors: Any, dim: Any = 0) -> Tensor | None:
    """Small tensors without gaps, joined; None for all others."""
    array = _concatenated(tensors, dim)
    return None if array is None else _made(tensors[0], array)


def _made(first: Tensor, array: Array) -> Tensor:
    size = array.shape
    result = result_tensor(array, first._dtype, HOST, first._storage.device, size, geometry.CONTIGUOUS_STRIDES[size])
    memory.copied(array.nbytes)
    return result


def _concatenated(tensors: Any, dim: Any) -> Array | None:
    if (type(tensors) is not list and type(tensors) is not tuple) or not tensors or type(dim) is not int:
        return None
    first = tensors[0]
    if type(first) not in PLAIN_TYPES:
        return None
    size, dtype = first._size, first._dtype
    rank = len(size)
    if not -rank <= dim < rank or 0 in size or dtype.is_complex:
        return None
    if rank > 3 and geometry.suggests_channels_last(size, first._stride):  # the result may be channels-last, too
        return None
    if dim < 0:
        dim += rank
    arrays, nbytes = [], 0
    for tensor in tensors:
        if type(tensor) not in PLAIN_TYPES or tensor._dtype is not dtype:
            return None
        own = tensor._size
        if own != size and (len(own) != rank or own[:dim] != size[:dim] or own[dim + 1 :] != size[dim + 1 :]):
            return None
        array = tensor._array
        if array is None:
            array = raw_array(tensor)
        if not tensor._contiguous or tensor._storage.backend is not HOST:
            return None
        nbytes += array.nbytes
        arrays.append(array)
    joined_array: Array | None = None if nbytes >= LEAST else HOST.xp.concatenate(arrays, dim)
    return joined_array


def stacked(tensors: Any, dim: Any = 0) -> Tensor | None:
    """Small tensors of one size, concatenated as by `cat`; then the dimension is split in two."""
    if (type(tensors) is not list and type(tensors) is not tuple) or not tensors or type(tensors[0]) not in PLAIN_TYPES:
        return None
    size = tensors[0]._size
    rank = len(size)
    if type(dim) is not int or rank > 3 or not -rank - 1 <= dim <= rank:
        return None
    for tensor in tensors:
        if type(tensor) not in PLAIN_TYPES or tensor._size != size:
            return None
    dim %= rank + 1
    is_last = dim == rank
    array = _concatenated(tensors, 0 if is_last else dim)
    if array is None:
        return None
    if is_last:
        array = HOST.xp.ascontiguousarray(array.reshape(len(tensors), *size).transpose(*range(1, rank + 1), 0))
    else:
        array = array.reshape(*size[:dim], len(tensors), *size[dim:])
    return _made(tensors[0], array)


def hstack(tensors: Any) -> Tensor | None:
    """`hstack`, as for `cat`, of tensors without gradients."""
    return joined(tensors, min(_rank(tensors) - 1, 1)) if _rank(tensors) else None


def vstack(tensors: Any) -> Tensor | None:
    """`vstack`, as for `cat`, of tensors without gradients."""
    rank = _rank(tensors)
    return stacked(tensors) if rank == 1 else joined(tensors, 0) if rank else None


def _rank(tensors: Any) -> int:
    """The number of dimensions of all of them; 0 unless they are tensors of one rank, none with a `Meta`."""
    if type(tensors) not in (list, tuple) or any(
        type(tensor) is not Tensor or tensor._meta is not None for tensor in tensors
    ):
        return 0
    ranks = {len(tensor._size) for tensor in tensors}
    return ranks.pop() if len(ranks) == 1 else 0
