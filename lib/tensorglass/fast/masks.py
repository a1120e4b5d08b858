"""Shortcuts of `where` and `masked_fill`: small tensors of one size without gaps. A tensor that is written to must not
have gradients.
"""

from __future__ import annotations

from typing import Any

from tensorglass import geometry, memory
from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.fast.bare_arrays import MOST_BARE, is_spread
from tensorglass.fast.node_rules import Kept, Rule
from tensorglass.ops.kernels import select_by_mask
from tensorglass.ops.kernels.python_numbers import checked, fitting_array, number_array
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, raw_array

_CATEGORY = {int: dtypes.INTEGER, float: dtypes.FLOATING}  # exact types of numbers, without subclasses


def chosen(condition: Any, input: Any, other: Any) -> Tensor | None:
    """`where` of small tensors of one size without gaps; None for all others.

    `other` may be a number that does not promote.
    """
    if not type(condition) is type(input) is Tensor:
        return None
    if type(other) is not Tensor:
        return _where_or_number(condition, input, other)
    size, dtype, storage = input._size, input._dtype, input._storage
    if not condition._size == size == other._size or other._dtype is not dtype or condition._dtype is not dtypes.bool:
        return None
    arrays = raw_array(condition), raw_array(input), raw_array(other)
    is_plain = condition._contiguous and input._contiguous and other._contiguous and not dtype.is_complex and size
    is_here = condition._storage.backend is storage.backend is other._storage.backend is HOST
    if not is_plain or not is_here or storage._nbytes >= LEAST:
        return None
    array = HOST.xp.where(*arrays)
    return result_tensor(array, dtype, HOST, storage.device, size, geometry.CONTIGUOUS_STRIDES[size])


def _where_or_number(condition: Tensor, input: Tensor, other: Any) -> Tensor | None:
    size, dtype, storage = input._size, input._dtype, input._storage
    category = _CATEGORY.get(type(other), dtypes.COMPLEX)
    if category > dtype.category or dtype.is_complex:
        return None
    arrays = raw_array(condition), raw_array(input)
    stride = geometry.CONTIGUOUS_STRIDES[size]
    if condition._size != size or not condition._stride == stride == input._stride or 0 in size or not size:
        return None  # with a number, the strides of dimensions of size 1 matter too
    if condition._dtype is not dtypes.bool or not condition._storage.backend is storage.backend is HOST:
        return None
    if storage._nbytes >= LEAST:
        return None
    array = HOST.xp.where(*arrays, fitting_array(HOST, other, dtype))
    return result_tensor(array, dtype, HOST, storage.device, size, stride)


def _mask_arrays(input: Any, mask: Any, value: Any) -> tuple[Array, Array, Array] | None:
    """A tensor without gaps, a mask of its size and a number, as arrays; None for all others."""
    if not (type(input) is type(mask) is Tensor and type(value) in (int, float) and mask._dtype is dtypes.bool):
        return None
    dtype, storage = input._dtype, input._storage
    if mask._size != input._size or not storage.backend is mask._storage.backend is HOST or not input._size:
        return None
    if storage is mask._storage or dtype.is_complex or dtype in dtypes.WIDE_UNSIGNED:
        return None
    array, where = raw_array(input), raw_array(mask)
    if not input._contiguous or not mask._contiguous:
        return None
    return array, where, number_array(HOST, checked(value, dtype), dtype)


def filled(input: Any, mask: Any, value: Any) -> Tensor | None:
    """`masked_fill` of a small tensor without gaps by a mask of its size; None for all others."""
    arrays = _mask_arrays(input, mask, value)
    if arrays is None or input._storage._nbytes >= LEAST:
        return None
    copy = arrays[0].copy()
    select_by_mask.put(HOST.xp, copy, *arrays[1:])
    size, stride = input._size, geometry.CONTIGUOUS_STRIDES[input._size]
    result = result_tensor(copy, input._dtype, HOST, input._storage.device, size, stride)
    memory.copied(copy.nbytes)
    return result


def filled_in_place(input: Any, mask: Any, value: Any) -> Tensor | None:
    """`masked_fill_` of a tensor without gaps, by a mask of its size; None for all others."""
    if type(input) is not Tensor or (input._meta is not None and (state.grad or input._meta.is_inference)):
        return None
    arrays = _mask_arrays(input, mask, value)
    if arrays is None:
        return None
    HOST.launch(select_by_mask.put, *arrays)
    input._written()
    return input


def _lies_as(mask: Array, grad: Array) -> bool:
    """Whether a mask has a small gradient's size, and both are row-major or the gradient is one expanded number."""
    if mask.dtype != bool or mask.shape != grad.shape or grad.nbytes > MOST_BARE:
        return False
    return bool(mask.flags.c_contiguous and (grad.flags.c_contiguous or is_spread(grad)))


def _towards_chosen(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    """The gradients of both operands of `where`: the incoming gradient where each was chosen, else zero."""
    condition = kept["condition"]
    if not _lies_as(condition, grad):
        return None
    zero = grad.dtype.type(0)
    return [
        HOST.xp.where(condition, grad, zero) if wanted[0] else None,
        HOST.xp.where(condition, zero, grad) if wanted[1] else None,
    ]


def _towards_kept(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    """The gradient of `masked_fill` for its tensor (not for a value tensor): zero where it was overwritten."""
    mask = kept["mask"]
    if any(wanted[1:]) or not _lies_as(mask, grad):
        return None
    return [HOST.xp.where(mask, grad.dtype.type(0), grad)]


#: By operator, as in `fast.node_rules`.
RULES: dict[str, Rule] = {"masked_fill": _towards_kept, "where": _towards_chosen}
