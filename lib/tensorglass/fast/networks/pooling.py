"""The largest of two by two cells that lie side by side: the most frequent pooling of images.

Neighbours in a row are every other element of all of them, so one operation on two long rows compares all; then the
halved rows are compared with each other. Left and upper cells come first where two are equal, as in the plain way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.ops.kernels import pooling as plain
from tensorglass.ops.kernels.windows import Lengths, Windows

Pair = tuple[Array, Array]
XP = HOST.xp
_TWO_BY_TWO = Windows((2, 2), (2, 2), (0, 0), (1, 1))


def _of_pairs(slow: Callable[..., Pair]) -> Callable[..., Pair]:
    def max_pool_with_indices(xp: Any, array: Array, windows: Windows, counts: Lengths) -> Pair:
        height, width = array.shape[-2:]
        if (
            xp is not XP or windows != _TWO_BY_TWO or height % 2 or width % 2 or array.dtype.char not in "fd"
            or not array.flags.c_contiguous or plain._may_have_nan(xp, array)
        ):  # fmt: skip
            return slow(xp, array, windows, counts)
        row = array.reshape(-1)
        left, right = row[::2], row[1::2]
        halves = (*array.shape[:-2], height // 2, 2, width // 2)
        is_right = XP.greater(right, left).view("int8").reshape(halves)
        larger = XP.maximum(left, right).reshape(halves)
        upper, lower = larger[..., 0, :], larger[..., 1, :]
        is_lower = XP.greater(lower, upper)
        column = XP.where(is_lower, is_right[..., 1, :], is_right[..., 0, :])
        cell = XP.multiply(is_lower, width, dtype="int64")
        XP.add(cell, column, out=cell)
        XP.add(cell, 2 * (XP.arange(height // 2)[:, None] * width + XP.arange(width // 2)), out=cell)
        return XP.maximum(upper, lower), cell

    return max_pool_with_indices


def install() -> None:
    """Put this way before the plain kernel, which takes all others."""
    plain.max_pool_with_indices = _of_pairs(plain.max_pool_with_indices)
