"""Vector norms over axes."""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.ops.kernels.sum import sum_of_squares, total


def norm(xp: Any, input: Array, axes: tuple[int, ...], *, order: float) -> Array:
    """The norm of this order over `axes`, which stay as size 1."""
    squares = sum_of_squares(input, axes) if order == 2 and xp is HOST.xp and axes else None
    if squares is not None:
        return xp.sqrt(squares, out=squares)
    lengths = xp.absolute(input)
    if order and all(input.shape[axis] == 1 for axis in axes):  # of one element, whose square might overflow
        return lengths
    if order == float("inf"):
        return xp.max(lengths, axis=axes, keepdims=True)
    if order == float("-inf"):
        return xp.min(lengths, axis=axes, keepdims=True)
    if order == 0:
        return xp.add.reduce(lengths != 0, axis=axes, keepdims=True)
    if order == 2:
        return xp.sqrt(total(xp, xp.square(lengths), axes))
    return xp.power(total(xp, xp.power(lengths, order), axes), 1 / order)


def length(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """The norm of order 2."""
    return norm(xp, input, axes, order=2)
