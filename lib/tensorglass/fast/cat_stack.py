"""Shortcuts of `cat`, `stack` and their like: small tensors of one size without gaps, that no gradient flows to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass import geometry, memory
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.tensor import Tensor, raw_array


def joined(tensors: Any, dim: Any = 0) -> Tensor | None:
    """Small tensors of one size without gaps, joined; None for all others."""
    if (type(tensors) is not list and type(tensors) is not tuple) or not tensors or type(dim) is not int:
        return None
    first = tensors[0]
    if type(first) is not Tensor:
        return None
    size, dtype, storage, arrays = first._size, first._dtype, first._storage, []
    if not 0 <= dim < len(size) <= 3 or 0 in size or dtype.is_complex:
        return None
    for each in tensors:
        if type(each) is not Tensor or each._size != size or each._dtype is not dtype or each._meta is not None:
            return None
        array = each._array
        if array is None:
            array = raw_array(each)
        if not each._contiguous or each._storage.backend is not HOST or each._storage._nbytes >= LEAST:
            return None
        arrays.append(array)
    if len(arrays) * arrays[0].nbytes >= LEAST:
        return None
    array = HOST.xp.concatenate(arrays, dim)
    size = (*size[:dim], size[dim] * len(arrays), *size[dim + 1 :])
    made = result_tensor(array, dtype, HOST, storage.device, size, geometry.CONTIGUOUS_STRIDES[size])
    memory.copied(array.nbytes)
    return made


def stacked(tensors: Sequence[Tensor], dim: int = 0) -> Tensor | None:
    """Small tensors joined as for `cat`; then the joined dimension is cut in two."""
    made = joined(tensors, dim)
    if made is not None:
        size = tensors[0]._size
        size = (*size[:dim], len(tensors), *size[dim:])
        made._array = raw_array(made).reshape(size)
        made._size, made._stride = size, geometry.CONTIGUOUS_STRIDES[size]
    return made


def side_by_side(tensors: Sequence[Tensor]) -> Tensor | None:
    """`hstack`, as for `cat`."""
    return joined(tensors, 0 if _are_vectors(tensors) else 1)


def one_below_the_other(tensors: Sequence[Tensor]) -> Tensor | None:
    """`vstack`, as for `cat`."""
    return stacked(tensors) if _are_vectors(tensors) else joined(tensors, 0)


def _are_vectors(tensors: Any) -> bool:
    """Whether the first is one; `joined` looks at the others."""
    first = tensors[0] if type(tensors) in (list, tuple) and tensors else None
    return type(first) is Tensor and len(first._size) == 1
