"""Running results along an axis: NumPy's own, or by doubling: after k rounds every element has met the 2**k before it.

Array modules have running sums, but no running maximum on every device. Where there is none, each round is one
elementwise call on slices, so the same source runs everywhere, in log2(n) rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST


def running(xp: Any, combine: Callable[..., Array], array: Array, axis: int) -> Array:
    """``combine`` of all elements up to each, along `axis`; it must not matter how they are grouped."""
    if xp is HOST.xp and isinstance(combine, xp.ufunc):
        return combine.accumulate(array, axis=axis)
    result = xp.moveaxis(array, axis, -1).copy()
    step = 1
    while step < result.shape[-1]:
        # The right-hand side is new memory, so what is read has not been written yet.
        result[..., step:] = combine(result[..., :-step], result[..., step:])
        step *= 2
    return xp.moveaxis(result, -1, axis)
