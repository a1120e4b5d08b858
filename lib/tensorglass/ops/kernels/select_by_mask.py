"""Choosing one of two elements by a bit mask.

NumPy's `where` and `copyto` branch on each truth value, which is slow where the processor cannot predict the mask. A
truth value made as wide as an element is all ones or all zeros; then ``^`` and ``&`` choose, whatever the mask.
"""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST

_WORTH_IT = 1 << 14  #: elements; below that `where` is as fast
_BLOCK = 1 << 15  # elements that are chosen at a time, so that their masks stay in the cache


def are_worth_it(xp: Any, target: Array, mask: Array, *others: Array) -> bool:
    """Whether choosing by bits is faster for `target`: many contiguous elements of one dtype on the CPU."""
    return (
        xp is HOST.xp
        and target.size >= _WORTH_IT
        and target.dtype.itemsize <= 8
        and mask.dtype == bool
        and mask.shape == target.shape
        and mask.flags.c_contiguous
        and target.flags.c_contiguous
        and all(other.dtype == target.dtype and (not other.ndim or other.shape == target.shape) for other in others)
        and all(other.flags.c_contiguous for other in others)
    )


def choose(xp: Any, mask: Array, one: Array, other: Array, out: Array) -> Array:
    """`one` where `mask` is True, else `other`, in `out`, which may be either of them."""
    bits = f"i{out.dtype.itemsize}"
    truths, target = mask.reshape(-1).view("i1"), out.reshape(-1).view(bits)
    rows = [array.reshape(-1).view(bits) for array in (one, other)]
    for start in range(0, out.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        first, second = [row[part] if row.size > 1 else row for row in rows]
        wide = truths[part].astype(bits)
        xp.negative(wide, out=wide)  # all ones, or all zeros
        xp.bitwise_and(wide, xp.bitwise_xor(first, second), out=wide)
        xp.bitwise_xor(wide, second, out=target[part])
    return out


def where(xp: Any, mask: Array, one: Array, other: Array) -> Array:
    """The array module's `where`, of elements of one dtype: by bits where they are many."""
    if xp is HOST.xp and mask.size >= _WORTH_IT:
        target = xp.empty(mask.shape, one.dtype)
        # A gradient that is one number for all elements is written out.
        one, other = [array if array.flags.c_contiguous else xp.ascontiguousarray(array) for array in (one, other)]
        if are_worth_it(xp, target, mask, one, other):
            return choose(xp, mask, one, other, target)
    chosen: Array = xp.where(mask, one, other)
    return chosen


def put(xp: Any, target: Array, mask: Array, element: Array) -> None:
    """Write `element` to `target` where `mask` is True."""
    if are_worth_it(xp, target, mask, element):
        choose(xp, mask, element, target, target)
    else:
        xp.copyto(target, element, where=mask)
