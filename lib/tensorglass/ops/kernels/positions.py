"""Questions about elements: whether all are equal, finite, or positions of a dimension.

The host's elements are looked at before it is decided how to go on; to look at those of a GPU would be to wait for it.
"""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST

_FEW = 32  #: positions that Python looks through sooner than the array module
_BEGINNING = 4096  #: elements that are compared before all the others: of most tensors that differ, some of these do


def first_outside(xp: Any, index: Array, length: int, least: int = 0) -> int | None:
    """The first element that is not from `least` up to below `length`; None if all are."""
    if index.size <= _FEW and xp is HOST.xp:
        return next((each for each in index.reshape(-1).tolist() if not least <= each < length), None)
    if least <= index.min() and index.max() < length:
        return None
    return int(index[(index < least) | (index >= length)][0])


def all_equal(xp: Any, input: Array, other: Array) -> Any:
    """Whether two arrays of one shape have the same elements."""
    if xp is HOST.xp and input.size and input.dtype == other.dtype and input.item(0) != other.item(0):
        return False  # as nearly always where they differ
    if xp is HOST.xp and input.size > 4 * _BEGINNING and len(input) >= 4:  # of fewer rows the first is no small part
        rows = max(1, _BEGINNING * len(input) // input.size)
        if not (input[:rows] == other[:rows]).all():
            return False
    return (input == other).all()


def known_finite(xp: Any, array: Array) -> bool:
    """Whether all elements are finite, as far as that is known: of a GPU's it is not."""
    return xp is HOST.xp and bool(xp.isfinite(array).all())
