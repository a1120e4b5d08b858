"""Finding values among others: isin, and searchsorted and bucketize, which look in what is sorted."""

from __future__ import annotations

import math
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import comparable
from tensorglass.ops.arg_parser.missing_dtypes import not_implemented
from tensorglass.ops.creation.tensor import tensor
from tensorglass.ops.declare.reduction import write_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.kernels.python_numbers import NUMBERS
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of

# --- isin ------------------------------------------------------------------------------------------------------------


def _as_tensor(value: Any, other: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, NUMBERS) or not isinstance(other, Tensor):
        raise TypeError("no tensor, and no number beside one")  # `arg_parser` says it in PyTorch's words
    # A number says nothing of the width; elsewhere it promotes, as a tensor of its own.
    is_like = other._dtype in dtypes.WIDE_UNSIGNED and dtypes.of_number(value).category <= dtypes.INTEGER
    return tensor(value, dtype=other._dtype if is_like else None, device=other.device)


@operator("comparison", method=False, out=True)
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False, out: Tensor | None = None
) -> Tensor:
    """Whether each of `elements` is among `test_elements`; with `invert`, whether it is not."""
    input, others = _as_tensor(elements, test_elements), _as_tensor(test_elements, elements)
    for each in (input, others):
        if each._dtype is dtypes.bool or each._dtype.is_complex:
            raise RuntimeError(f"Unsupported input type encountered for isin(): {each._dtype.scalar_type}")
    check_out_dtype(out, dtypes.bool)
    kind = dtypes.promote_types(input._dtype, others._dtype)
    # A number is compared with each element, and many elements are sorted: both of which there is.
    backend = input._storage.backend
    common = backend.array_dtype(comparable(kind))
    found = backend.launch(_isin, array_of(input), array_of(others), common, invert)
    return (
        from_array(found, dtypes.bool, input._storage)
        if out is None
        else write_out(found, input._size, out, dtypes.bool)
    )


def _isin(xp: Any, elements: Array, others: Array, common: Any, invert: bool) -> Array:
    elements, others = elements.astype(common, copy=False), others.reshape(-1).astype(common, copy=False)
    if others.size <= 16:  # comparing with each is quicker than sorting
        found = xp.zeros(elements.shape, bool)
        for place in range(others.size):
            found = found | (elements == others[place])
    else:
        ranked = xp.sort(others)
        places = xp.minimum(xp.searchsorted(ranked, elements.reshape(-1)), ranked.size - 1)
        found = (ranked[places] == elements.reshape(-1)).reshape(elements.shape)
    return xp.ascontiguousarray(~found if invert else found).reshape(elements.shape)


# --- searchsorted and bucketize --------------------------------------------------------------------------------------


@operator("sorting", method=False, out=True)
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Where each element of `input` would have to stand for `sorted_sequence` to stay sorted along its last dimension.

    Before its equals, or, with `right` or `side` "right", behind them. `sorter` is the order of a sequence that is not
    sorted, as `argsort` gives it.
    """
    ends, given = sorted_sequence, _as_tensor(input, sorted_sequence)
    name = "torch.searchsorted()"
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(f"{name}: side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(f"{name}: side and right can't be set to opposites, got side of left while right was True")
    _check_sizes(ends, given, is_number=not isinstance(input, Tensor))
    wanted = dtypes.int32 if out_int32 else dtypes.int64
    if out is not None and out._dtype is not wanted:
        raise RuntimeError(
            f"{name}: output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether "
            f"out_int32 flag is True, but we got output tensor's dtype {out._dtype.scalar_type} and out_int32 flag is "
            f"{out_int32}"
        )
    if sorter is not None:
        ends = _in_sorter_order(ends, sorter)
    common = dtypes.promote_types(ends._dtype, given._dtype)
    if (common is dtypes.bool or common.is_complex) and given.numel():
        raise not_implemented("searchsorted_out_cpu", common)
    backend = ends._storage.backend
    found = backend.launch(
        _places_in_rows,
        array_of(ends),
        array_of(given),
        backend.array_dtype(comparable(common)),
        right or side == "right",
        backend.array_dtype(wanted),
    )
    return from_array(found, wanted, ends._storage) if out is None else write_out(found, given._size, out, wanted)


def _check_sizes(ends: Tensor, given: Tensor, is_number: bool) -> None:
    """Raise unless each row of `given` has a row of `ends` to be sought in, or there is one for all."""
    name = "torch.searchsorted()"
    if is_number and len(ends._size) != 1:
        raise RuntimeError(
            f"{name}: input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries "
            f"tensor dim({len(ends._size)}) and input value's dim(0) numel(1)"
        )
    if not ends._size:
        raise RuntimeError(f"{name}: boundaries tensor should have positive dimension, but got 0 dimension")
    if len(ends._size) != 1 and ends._size[:-1] != given._size[:-1]:
        raise RuntimeError(
            f"{name}: boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and "
            f"input value tensor must match, but we got boundaries tensor {list(ends._size)} and input value tensor "
            f"{list(given._size)}"
        )


def _in_sorter_order(ends: Tensor, sorter: Tensor) -> Tensor:
    name = "torch.searchsorted()"
    if sorter._size != ends._size:
        raise RuntimeError(
            f"{name}: boundary and sorter must have the same size, but got boundary tensor {list(ends._size)}and got "
            f"sorter tensor {list(sorter._size)}"
        )
    if sorter._dtype is not dtypes.int64:
        raise RuntimeError(f"{name}: sorter must be a tensor of long dtype but got dtype {sorter._dtype.scalar_type}")
    if sorter.numel() and not 0 <= int(sorter.min()) <= int(sorter.max()) < ends._size[-1]:
        raise RuntimeError(f"{name}: sorter index out of range")
    return ends.detach().gather(-1, sorter)


def _places_in_rows(xp: Any, ends: Array, given: Array, common: Any, is_right: bool, kind: Any) -> Array:
    side = "right" if is_right else "left"
    size = given.shape
    ends, given = ends.astype(common, copy=False), given.astype(common, copy=False)
    if ends.ndim == 1:
        found = xp.searchsorted(ends, given.reshape(-1), side=side)
    else:
        count = math.prod(ends.shape[:-1])  # said, for there may be no element to tell it from
        rows, sought = ends.reshape(count, ends.shape[-1]), given.reshape(count, given.shape[-1])
        found = xp.zeros(sought.shape, kind)
        for place in range(rows.shape[0]):
            found[place] = xp.searchsorted(rows[place], sought[place], side=side)
    return xp.ascontiguousarray(xp.asarray(found).astype(kind, copy=False)).reshape(size)


@operator("sorting", method=False, out=True)
def bucketize(
    input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False, out: Tensor | None = None
) -> Tensor:
    """The number of the bucket that each element falls into: `searchsorted` of sorted, one-dimensional `boundaries`."""
    if len(boundaries._size) != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({len(boundaries._size)})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)
