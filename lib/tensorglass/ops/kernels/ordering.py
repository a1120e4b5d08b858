"""Elements by their order along an axis: all of them, the best few, the one of a rank, the median, the extremes.

Equal elements keep their order in short rows. NaN counts as larger than every number.
"""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST

_SHORT = 64  #: elements; fewer are sorted faster than the best of them are searched for


def elements_at(xp: Any, array: Array, positions: Array, axis: int) -> Array:
    """The elements at `positions` along an axis: `take_along_axis`, with less overhead."""
    if array.ndim == 1:
        return array[positions]
    key = [xp.arange(length).reshape((-1,) + (1,) * (array.ndim - dim - 1)) for dim, length in enumerate(array.shape)]
    key[axis] = positions
    return array[tuple(key)]


def order(xp: Any, array: Array, axis: int, descending: bool) -> Array:
    """The positions of the elements in order; equal ones keep theirs."""
    if not descending:
        return xp.argsort(array, axis=axis, kind="stable")
    # Sorting the reversed array and reversing the result keeps the order of equal elements.
    backwards = (*(slice(None),) * axis, slice(None, None, -1))
    behind = xp.argsort(array[backwards], axis=axis, kind="stable")[backwards]
    return array.shape[axis] - 1 - behind


def best(xp: Any, array: Array, axis: int, k: int, largest: bool) -> Array:
    """The positions of the `k` best elements, the best first."""
    length = array.shape[axis]
    if k == 0 or not array.size:
        return xp.zeros((*array.shape[:axis], k, *array.shape[axis + 1 :]), "int64")
    if k == 1 and largest:
        return xp.expand_dims(xp.argmax(array, axis), axis)
    if xp is HOST.xp and k <= _FEW and array.size >= _MANY:
        positions = _one_after_the_other(xp, array, axis, k, largest)
        if positions is not None:
            return positions
    before: tuple[slice, ...] = (slice(None),) * axis
    if length <= _SHORT:
        return order(xp, array, axis, largest)[(*before, slice(k))]
    cut = length - k if largest else k - 1
    chosen = xp.argpartition(array, cut, axis=axis)[(*before, slice(cut, None) if largest else slice(k))]
    return elements_at(xp, chosen, order(xp, elements_at(xp, array, chosen, axis), axis, largest), axis)


_FEW, _MANY = 8, 1 << 14  #: at most this many elements are searched for one after the other, among at least this many


def _one_after_the_other(xp: Any, array: Array, axis: int, k: int, largest: bool) -> Array | None:
    """`best` by searching for the best element, then for the next best, and so on; None where that is ambiguous."""
    kind = array.dtype.kind
    if kind not in "fiu" or (kind == "f" and not largest and xp.isnan(array).any()):  # NaN is the largest, not the best
        return None
    limits = xp.iinfo(array.dtype) if kind != "f" else None
    worst = (-xp.inf if largest else xp.inf) if limits is None else limits.min if largest else limits.max
    left, find = array.copy(), "argmax" if largest else "argmin"
    positions = []
    for _ in range(k):
        place = xp.expand_dims(getattr(left, find)(axis), axis)
        if (xp.take_along_axis(left, place, axis) == worst).any():  # cannot be distinguished from those found before
            return None
        positions.append(place)
        xp.put_along_axis(left, place, worst, axis)
    return xp.concatenate(positions, axis)


def of_rank(xp: Any, array: Array, axis: int, rank: int) -> Array:
    """The position of the element of this rank, counted from 0; in short rows the one that a stable sort puts there."""
    if array.shape[axis] <= _SHORT:
        places = xp.argsort(array, axis=axis, kind="stable")
    else:
        places = xp.argpartition(array, rank, axis=axis)
    return places[(*(slice(None),) * axis, slice(rank, rank + 1))]


def median(xp: Any, array: Array, axis: int) -> Array:
    """The position of the median; of the first NaN, if there is one."""
    medians = of_rank(xp, array, axis, (array.shape[axis] - 1) // 2)
    if array.dtype.kind != "f":
        return medians
    is_nan = xp.isnan(array)
    if xp is HOST.xp and not is_nan.any():  # reading the answer from a GPU would mean waiting for it
        return medians
    first = xp.expand_dims(xp.argmax(is_nan, axis=axis), axis)
    return xp.where(xp.any(is_nan, axis=axis, keepdims=True), first, medians)


def median_of_numbers(xp: Any, array: Array, axis: int) -> Array:
    """The position of the median of the numbers that are not NaN; of a NaN if all are."""
    if array.dtype.kind != "f":
        return median(xp, array, axis)
    length = array.shape[axis]
    count = xp.sum(~xp.isnan(array), axis=axis, keepdims=True)
    rank = (xp.where(count == 0, length, count) - 1) // 2
    if xp is HOST.xp and rank.size and (rank == rank.flat[0]).all():  # as without NaNs, which come last
        return of_rank(xp, array, axis, rank.flat[0])
    return elements_at(xp, xp.argsort(array, axis=axis, kind="stable"), rank, axis)


def largest(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """The largest element; NaN if there is one."""
    if xp is HOST.xp:  # `max` calls the same function, by way of others
        return xp.maximum.reduce(input, axis=axes, keepdims=True)
    return xp.max(input, axis=axes, keepdims=True)


def smallest(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """The smallest element; NaN if there is one."""
    if xp is HOST.xp:
        return xp.minimum.reduce(input, axis=axes, keepdims=True)
    return xp.min(input, axis=axes, keepdims=True)
