"""Arithmetic, element by element."""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.ops.elementwise import FLOAT, PROMOTE, pointwise


@pointwise(PROMOTE, dunders=("__add__", "__radd__"))
def add(xp: Any, input: Array, other: Array, *, alpha: complex = 1, out: Array = None) -> Array:
    """Add `other`, scaled by `alpha`, to `input`."""
    return xp.add(input, other if alpha == 1 else other * alpha, out=out)


@pointwise(FLOAT)
def exp(xp: Any, input: Array, *, out: Array = None) -> Array:
    """e to the power of each element."""
    return xp.exp(input, out=out)
