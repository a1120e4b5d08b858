"""Cumulative operations along an axis: NumPy's own, many rows at a time, or by doubling.

Not every array module has a cumulative maximum. Without one, each round is one elementwise call on slices, and after k
rounds every element has been combined with the 2**k before it. NumPy's own functions process one element after the
other; if there are many rows, it is faster to advance all of them by one step in each call.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.ops.kernels.ordering import elements_at

_WORTH_IT = 1 << 14  # elements; below that the array module's own way is faster
_MANY = 256  # rows; from this many on, each call adds a whole row to the next
_STEPS = 64  # elements of each row that are transposed at a time


def running(xp: Any, combine: Callable[..., Array], array: Array, axis: int) -> Array:
    """The running results of ``combine``, which must be associative, along `axis`."""
    if xp is HOST.xp and isinstance(combine, xp.ufunc):
        return one_by_one(xp, combine, array, axis)
    result = xp.moveaxis(array, axis, -1).copy()
    step = 1
    while step < result.shape[-1]:
        # The right-hand side is new memory, so what is read has not been written yet.
        result[..., step:] = combine(result[..., :-step], result[..., step:])
        step *= 2
    return xp.moveaxis(result, -1, axis)


def one_by_one(xp: Any, combine: Any, array: Array, axis: int) -> Array:
    """The running results of a function of the array module, one element after the other."""
    if xp is not HOST.xp or array.size < _WORTH_IT:
        return combine.accumulate(array, axis=axis)
    length, inner = array.shape[axis], math.prod(array.shape[axis + 1 :])
    # NumPy computes sums and products of integers faster than memory delivers them.
    is_quick = inner == 1 and array.dtype.kind in "iub" and combine.__name__ in ("add", "multiply")
    if is_quick or (inner if inner > 1 else array.size // length) < _MANY:
        return combine.accumulate(array, axis=axis)
    answer = xp.empty(array.shape, array.dtype)
    if inner > 1:
        for part, result in zip(array.reshape(-1, length, inner), answer.reshape(-1, length, inner), strict=True):
            result[...] = part
            step_by_step(combine, result)
        return answer
    rows, results = array.reshape(-1, length).T, answer.reshape(-1, length).T
    for start in range(0, length, _STEPS):
        block = rows[start : start + _STEPS].copy(order="C")
        if start:
            combine(results[start - 1], block[0], out=block[0])
        step_by_step(combine, block)
        results[start : start + _STEPS] = block
    return answer


def step_by_step(combine: Any, rows: Array) -> None:
    """Replace each row after the first by `combine(previous row, row)`."""
    for place in range(1, len(rows)):
        combine(rows[place - 1], rows[place], out=rows[place])


# --- float32, in double precision ------------------------------------------------------------------------------------

# PyTorch keeps these totals in double precision. The array module adds one element after the other; the totals of
# groups of a few elements are independent, and the order of additions within a group stays the same.

#: How many neighbours make a group. The product of four float32 neither overflows in double precision nor vanishes.
_GROUPS = {"add": 8, "multiply": 4}
_BLOCK = 1 << 16  # elements at a time, which stay in the cache


def running_total(xp: Any, name: str, array: Array, axis: int) -> Array | None:
    """The running totals of the function `name` along `axis`, as float32; None where the array module's own are as
    good."""
    if xp is not HOST.xp or array.dtype != "float32" or array.size < _WORTH_IT or not array.flags.c_contiguous:
        return None
    combine, result = getattr(xp, name), HOST.empty(dtypes.float32, array.shape)
    length, inner = array.shape[axis], math.prod(array.shape[axis + 1 :])
    if inner == 1:
        rows, targets = array.reshape(-1, length), result.reshape(-1, length)
        if len(rows) >= _MANY:
            _down_columns(xp, combine, rows.T, targets.T)
        elif length >= _MANY:
            _along_rows(xp, combine, _GROUPS[name], rows, targets)
        else:
            return None
        return result
    if inner < _MANY:
        return None
    for part, target in zip(array.reshape(-1, length, inner), result.reshape(-1, length, inner), strict=True):
        _down_columns(xp, combine, part, target)
    return result


def _along_rows(xp: Any, combine: Any, group: int, rows: Array, result: Array) -> None:
    count, length = rows.shape
    whole = length // group * group
    step, several = min(whole, _BLOCK), max(1, _BLOCK // length)
    for first in range(0, count, several):
        part, target = rows[first : first + several], result[first : first + several]
        before = xp.full(len(part), combine.identity, float)
        for start in range(0, whole, step):
            stop = min(start + step, whole)
            groups = part[:, start:stop].reshape(len(part), -1, group)
            # The first elements of all groups, then the second ones, so that what is combined is contiguous.
            places = groups.transpose(2, 0, 1).astype(float, order="C")
            totals = xp.empty((len(part), groups.shape[1] + 1))
            totals[:, 0] = before
            combine.reduce(places, axis=0, out=totals[:, 1:])
            combine.accumulate(totals, axis=1, out=totals)
            combine(places[0], totals[:, :-1], out=places[0])
            step_by_step(combine, places)
            target[:, start:stop].reshape(groups.shape)[...] = places.transpose(1, 2, 0)
            before = places[-1, :, -1].copy()
        if whole < length:
            rest = part[:, whole:].astype(float)
            combine(rest[:, 0], before, out=rest[:, 0])
            target[:, whole:] = combine.accumulate(rest, axis=1)


def _down_columns(xp: Any, combine: Any, rows: Array, result: Array) -> None:
    before = combine.identity
    for start in range(0, len(rows), _STEPS):
        block = rows[start : start + _STEPS].astype(float, order="C")
        combine(block[0], before, out=block[0])
        step_by_step(combine, block)
        result[start : start + _STEPS] = block
        before = block[-1]


def extremes_so_far(xp: Any, array: Array, compute: Any, axis: int, accumulate: str) -> tuple[Array, Array]:
    """The extreme element up to each along `axis`, and where it was seen last."""
    array = array.reshape(array.shape or (1,))
    if not array.size:
        return array.copy(), xp.empty(array.shape, "int64")
    numbers = array.astype(compute, copy=False)
    extreme = running(xp, getattr(xp, accumulate), numbers, axis)
    is_new = numbers == extreme
    has_nan = numbers.dtype.kind == "f" and bool(xp.isnan(extreme.max()))
    if has_nan:
        is_new |= xp.isnan(numbers)
    if xp is HOST.xp and axis == array.ndim - 1:
        return _held(xp, array, is_new)
    # Numbers of 32 bits are compared several at a time.
    narrow = "int32" if array.shape[axis] < 2**31 else "int64"
    places = xp.arange(array.shape[axis], dtype=narrow).reshape((-1,) + (1,) * (array.ndim - axis - 1))
    positions = xp.ascontiguousarray(running(xp, xp.maximum, is_new * places, axis), "int64")
    if has_nan or not bool(extreme.all()):  # zeros and NaNs have signs
        extreme = elements_at(xp, array, positions, axis)
    return xp.ascontiguousarray(extreme, array.dtype), positions


def _held(xp: Any, array: Array, is_new: Array) -> tuple[Array, Array]:
    """For each element along the last dimension, the last element so far that is marked as new, and its position. First
    elements are new.

    Each is repeated until the next one, which is faster than a running maximum of positions.
    """
    length = array.shape[-1]
    starts = xp.nonzero(is_new.reshape(-1))[0]
    times = xp.empty_like(starts)
    times[:-1] = starts[1:] - starts[:-1]
    times[-1:] = array.size - starts[-1:]
    values, positions = array.reshape(-1)[starts], starts % length if array.size > length else starts
    return xp.repeat(values, times).reshape(array.shape), xp.repeat(positions, times).reshape(array.shape)
