"""Searching for values: isin, searchsorted and bucketize; and distinct values: unique and unique_consecutive."""

from __future__ import annotations

import math
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import comparable
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import not_implemented, refuse_copy_across, refuse_meta
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.creation.tensor import tensor
from tensorglass.ops.declare.reduction import write_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.derivatives.shared import no_formula
from tensorglass.ops.kernels.python_numbers import NUMBERS
from tensorglass.tensor.construct import empty_on, from_array, make
from tensorglass.tensor.tensor import Tensor, array_of, header_of

# --- isin ------------------------------------------------------------------------------------------------------------


def _as_tensor(value: Any, other: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, NUMBERS) or not isinstance(other, Tensor):
        raise TypeError("no tensor, and no number beside one")  # `arg_parser` says it in PyTorch's words
    # Here a number does not affect the width of the dtype; elsewhere it promotes, as a tensor would.
    is_like = other._dtype in dtypes.WIDE_UNSIGNED and dtypes.of_number(value).category <= dtypes.INTEGER
    dtype = other._dtype if is_like else dtypes.complex128 if isinstance(value, complex) else None
    return tensor(value, dtype=dtype, device=other.device)


@operator("comparison", method=False, out=True)
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False, out: Tensor | None = None
) -> Tensor:
    """Whether each of `elements` is among `test_elements`; with `invert`, whether it is not."""
    input, others = _as_tensor(elements, test_elements), _as_tensor(test_elements, elements)
    for operand in (input, others):
        if operand._dtype is dtypes.bool or operand._dtype.is_complex:
            raise RuntimeError(f"Unsupported input type encountered for isin(): {operand._dtype.scalar_type}")
    check_out_dtype(out, dtypes.bool)
    kind = dtypes.promote_types(input._dtype, others._dtype)
    # A number is compared with each element, and many elements are sorted; both kernels exist.
    backend = input._storage.backend
    common = backend.array_dtype(comparable(kind))
    is_in = backend.launch(_isin, array_of(input), array_of(others), common, invert)
    return (
        from_array(is_in, dtypes.bool, input._storage)
        if out is None
        else write_out(is_in, input._size, out, dtypes.bool)
    )


def _isin(xp: Any, elements: Array, others: Array, common: Any, invert: bool) -> Array:
    elements, others = elements.astype(common, copy=False), others.reshape(-1).astype(common, copy=False)
    if others.size <= 16:  # comparing with every element is faster than sorting
        is_in = xp.zeros(elements.shape, bool)
        for place in range(others.size):
            is_in = is_in | (elements == others[place])
    else:
        ranked = xp.sort(others)
        places = xp.minimum(xp.searchsorted(ranked, elements.reshape(-1)), ranked.size - 1)
        is_in = (ranked[places] == elements.reshape(-1)).reshape(elements.shape)
    return xp.ascontiguousarray(~is_in if invert else is_in).reshape(elements.shape)


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
    """The index at which each element of `input` would be inserted into `sorted_sequence`, to keep it sorted.

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
    if (ends.device.type == "meta") != (given.device.type == "meta"):  # without the data of both, no places
        places = empty_on(given.device, given._size, geometry.contiguous_strides(given._size), wanted)
        if out is None:
            return places
        refuse_copy_across(given.device, out)
        return copy_(out, places)
    backend = ends._storage.backend
    result = backend.launch(
        _places_in_rows,
        array_of(ends),
        array_of(given),
        backend.array_dtype(comparable(common)),
        right or side == "right",
        backend.array_dtype(wanted),
    )
    return from_array(result, wanted, ends._storage) if out is None else write_out(result, given._size, out, wanted)


def _check_sizes(ends: Tensor, given: Tensor, is_number: bool) -> None:
    """Raise unless `ends` has a row for each row of `given`, or one row for all."""
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
        positions = xp.searchsorted(ends, given.reshape(-1), side=side)
    else:
        count = math.prod(ends.shape[:-1])  # given explicitly, since there may be no element to infer it from
        rows, sought = ends.reshape(count, ends.shape[-1]), given.reshape(count, given.shape[-1])
        positions = xp.zeros(sought.shape, kind)
        for place in range(rows.shape[0]):
            positions[place] = xp.searchsorted(rows[place], sought[place], side=side)
    return xp.ascontiguousarray(xp.asarray(positions).astype(kind, copy=False)).reshape(size)


@operator("sorting", method=False, out=True)
def bucketize(
    input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False, out: Tensor | None = None
) -> Tensor:
    """The number of the bucket that each element falls into: `searchsorted` of sorted, one-dimensional `boundaries`."""
    if len(boundaries._size) != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({len(boundaries._size)})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)


# --- what is unique --------------------------------------------------------------------------------------------------


@operator("sorting", differs="the result is sorted, also where `sorted` is false and PyTorch's is not")
@derivative(
    node=lambda dim: "Unique2Backward0" if dim is None else "UniqueDimBackward0",
    outputs=1,
    input=lambda grad, dim: no_formula("_unique2" if dim is None else "unique_dim")(grad),
)
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Each element once, in order; also where each of `input` stands in that, and how often it occurs, if asked for.

    With `dim`, the slices along it are compared. Returns the elements alone, or a tuple of them and what was asked for.
    """
    if input._dtype.is_complex:
        raise not_implemented("unique" if dim is None else "unique_dim", input._dtype)
    refuse_meta("aten::_unique2" if dim is None else "aten::unique_dim", input)
    axis = None if dim is None else _unique_axis(input, dim)
    backend = input._storage.backend
    compute = backend.array_dtype(comparable(input._dtype))
    if axis is None and not return_inverse and not return_counts:  # without positions, which nothing needs here
        return from_array(backend.launch(_distinct, array_of(input), compute), input._dtype, input._storage)
    elements, inverse, counts = backend.launch(_unique, array_of(input), axis, compute)
    wanted = [(elements, input._dtype)]
    if return_inverse:
        wanted.append((inverse, dtypes.int64))
    if return_counts:
        wanted.append((counts, dtypes.int64))
    results = tuple([from_array(array, dtype, input._storage) for array, dtype in wanted])
    if axis:
        results = (slices_along(results[0], axis), *results[1:])
    return results[0] if len(results) == 1 else results


def _unique_axis(input: Tensor, dim: int) -> int:
    """The dimension along which slices are compared, all of which have elements."""
    axis = geometry.wrap_dim(dim, len(input._size), wrap_scalar=False)
    if 0 in input._size[:axis] + input._size[axis + 1 :]:
        if not input._size[axis]:
            raise RuntimeError("Number of zero sized dimensions is more than one, so unique cannot be applied ")
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    return axis


def slices_along(first: Tensor, axis: int) -> Tensor:
    """Slices that lie one after the other, as they are compared, along the dimension that they were taken from."""
    if not first.numel():
        size = (*first._size[1 : axis + 1], 0, *first._size[axis + 1 :])
        return make(first._storage, size, geometry.contiguous_strides(size), 0, first._dtype)
    return make(first._storage, *geometry.movedim(*header_of(first), 0, axis), first._dtype)


def _distinct(xp: Any, array: Array, compute: Any) -> Array:
    elements = xp.unique(array.astype(compute, copy=False), equal_nan=False)
    return xp.ascontiguousarray(elements, array.dtype)


def _unique(xp: Any, array: Array, axis: int | None, compute: Any) -> list[Array]:
    wide = array.astype(compute, copy=False)
    elements, inverse, counts = xp.unique(wide, axis=axis, return_inverse=True, return_counts=True, equal_nan=False)
    shape = array.shape if axis is None else (array.shape[axis],)
    elements = elements.astype(array.dtype, copy=False)
    if axis:
        elements = xp.moveaxis(elements, axis, 0)
    elements, inverse, counts = (xp.ascontiguousarray(array) for array in (elements, inverse, counts))
    return [elements, inverse.reshape(shape), counts]  # in this order: `ascontiguousarray` makes 0-dim arrays 1-dim


# --- runs ------------------------------------------------------------------------------------------------------------


@operator("sorting")
@derivative(node="UniqueConsecutiveBackward0", outputs=1, input=no_formula("unique_consecutive"))
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Each run of equal elements, or of equal slices along `dim`, as one; also each one's run, and their lengths."""
    axis = None if dim is None else _unique_axis(input, dim)
    if input._dtype.is_complex:
        is_whole = axis is None or len(input._size) == 1
        raise not_implemented("unique" if is_whole else "unique_dim", input._dtype)
    refuse_meta("aten::unique_consecutive", input)
    backend = input._storage.backend
    result = backend.launch(_runs_of_equals, array_of(input), axis, return_inverse, return_counts)
    kinds = (input._dtype, dtypes.int64, dtypes.int64)
    results = [from_array(array, dtype, input._storage) for array, dtype in zip(result, kinds, strict=False)]
    if axis:
        results[0] = slices_along(results[0], axis)
    return results[0] if len(results) == 1 else tuple(results)


def _runs_of_equals(xp: Any, array: Array, axis: int | None, return_inverse: bool, return_counts: bool) -> list[Array]:
    """One of each run; if wanted, also each element's run, and how long runs are."""
    line = array.reshape(-1) if axis is None else xp.moveaxis(array, axis, 0)
    length = line.shape[0]
    is_new = xp.ones(length, bool)
    differs = line[1:] != line[:-1]
    is_new[1:] = differs if line.ndim == 1 else differs.any(axis=tuple(range(1, line.ndim)))
    begins = xp.nonzero(is_new)[0]
    results = [xp.ascontiguousarray(line[begins])]
    if return_inverse:
        inverse = xp.cumsum(is_new.astype("int64")) - 1
        results.append(xp.ascontiguousarray(inverse).reshape(array.shape if axis is None else (length,)))
    if return_counts:
        ends = xp.concatenate([begins, xp.asarray([length])])
        results.append(xp.ascontiguousarray((ends[1:] - ends[:-1]).astype("int64")))
    return results
