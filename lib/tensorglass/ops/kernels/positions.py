"""Positions and elements: whether positions are there, elements equal or finite; and adding at positions.

On the CPU, kernels look at the elements to choose the fastest way. On a GPU this would mean waiting for it, so only
positions are checked there: the simulated device asserts that they are in range, as CUDA's kernels do; CuPy's functions
would clip them or wrap around, so the check waits for the answer.

NumPy's `add.at` is quick along a row, and slow where it must work out which slice an element belongs to. Elements
without gaps are a row, so positions are counted through it; where no position occurs twice, `add.at` is not needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST

_FEW = 64  #: positions; Python checks fewer faster than the array module does
_BEGINNING = 4096  #: elements that are compared first: most tensors that differ do so here


def first_outside(xp: Any, index: Array, length: int, least: int = 0, ignored: int | None = None) -> int | None:
    """The first element that is neither in `least` … `length - 1` nor `ignored`; None if there is none."""
    if xp is not HOST.xp:
        if hasattr(xp, "asserted"):
            outside_index: int | None = xp.asserted(first_outside, index, length, least, ignored)
            return outside_index
    elif index.size <= _FEW:
        elements = index.reshape(-1).tolist()
        return next((element for element in elements if not (least <= element < length or element == ignored)), None)
    if not index.size or (least <= index.min() and index.max() < length):
        return None
    outside = index[(index < least) | (index >= length)]
    outside = outside if ignored is None else outside[outside != ignored]
    return int(outside[0]) if outside.size else None


def all_equal(xp: Any, input: Array, other: Array) -> Any:
    """Whether two arrays of one shape have the same elements."""
    if xp is HOST.xp and input.size and input.dtype == other.dtype and input.item(0) != other.item(0):
        return False  # most arrays that differ do so in their first element
    if xp is HOST.xp and input.size > 4 * _BEGINNING and len(input) >= 4:  # otherwise the first row is no small part
        rows = max(1, _BEGINNING * len(input) // input.size)
        if not (input[:rows] == other[:rows]).all():
            return False
    return (input == other).all()


def known_finite(xp: Any, array: Array) -> bool:
    """Whether all elements are known to be finite; False for a GPU's, which are not looked at."""
    return xp is HOST.xp and bool(xp.isfinite(array).all())


# --- adding ----------------------------------------------------------------------------------------------------------


_LONG = 256  # elements of a slice that are worth a call of their own


def add_at(xp: Any, target: Array, first: int, indices: Sequence[Array], value: Array) -> None:
    """Add `value` at `indices`, which begin at dimension `first`; both are broadcast. Repeated positions accumulate."""
    if xp is not HOST.xp or not target.flags.c_contiguous or not target.size:
        xp.add.at(target, (slice(None),) * first + tuple(indices), value)
        return
    after = first + len(indices)
    place = _raveled(xp, indices, target.shape[first:after])
    outer, inner = prod(target.shape[:first]), prod(target.shape[after:])
    slices = target.reshape(outer, -1, inner)
    size = (*target.shape[:first], *place.shape, *target.shape[after:])
    if value.shape != size:
        value = xp.broadcast_to(value, size)
    value, place = value.reshape(outer, place.size, inner), place.reshape(-1)
    if 0 < place.size <= slices.shape[1] and outer * inner > 1 and _are_apart(xp, place):
        added = xp.take(slices, place, 1)
        added += value
        slices[:, place] = added
    elif outer == 1 and inner > _LONG:
        for here, number in zip(place.tolist(), value[0], strict=True):
            slices[0, here] += number
    else:
        xp.add.at(target.reshape(-1), cells(xp, place, slices.shape), value.reshape(-1))


def _are_apart(xp: Any, place: Array) -> bool:
    """Whether no position occurs twice."""
    if place.size <= _FEW:
        return len(set(place.tolist())) == place.size
    return bool(xp.bincount(place).max() == 1)


def cells(xp: Any, place: Array, shape: tuple[int, ...]) -> Array:
    """Flat positions of the elements of the slices at `place`, an index of the middle one of three dimensions."""
    outer, length, inner = shape
    place = place.astype("int64", copy=False)
    flat = place if inner == 1 else place[:, None] * inner + xp.arange(inner)
    if outer > 1:
        flat = xp.arange(outer).reshape((-1,) + (1,) * flat.ndim) * (length * inner) + flat
    return flat.reshape(-1)


def _raveled(xp: Any, indices: Sequence[Array], lengths: tuple[int, ...]) -> Array:
    """Positions in several dimensions as positions in the flattened dimensions."""
    flat: Any = None
    for index, length in zip(indices, lengths, strict=True):
        place = index.astype("int64", copy=False)
        flat = place if flat is None else flat * length + place
        if index.size and index.min() < 0:
            flat = flat + (index < 0) * length  # the same position, counted from the front
    return flat
