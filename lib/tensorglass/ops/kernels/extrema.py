"""The largest and the smallest over axes, which stay as size 1."""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST


def largest(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """NaN if there is one."""
    if xp is HOST.xp:  # whose `max` comes to this later
        return xp.maximum.reduce(input, axis=axes, keepdims=True)
    return xp.max(input, axis=axes, keepdims=True)


def smallest(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """NaN if there is one."""
    if xp is HOST.xp:
        return xp.minimum.reduce(input, axis=axes, keepdims=True)
    return xp.min(input, axis=axes, keepdims=True)
