"""Max pooling of images with 2×2 windows and stride 2, the most common case.

The four positions of the windows are copied to separate arrays without gaps, so that comparisons run on many cells at a
time (SIMD). If cells are equal, the left and upper ones come first, as in the plain way.
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


def _of_fours(slow: Callable[..., Pair]) -> Callable[..., Pair]:
    def max_pool_with_indices(xp: Any, array: Array, windows: Windows, counts: Lengths) -> Pair:
        if (
            xp is not XP or windows != _TWO_BY_TWO or array.dtype.char not in "fd" or plain._may_have_nan(xp, array)
            or any(2 * count > length for count, length in zip(counts, array.shape[-2:], strict=True))
        ):  # fmt: skip
            return slow(xp, array, windows, counts)
        (down, along), width = counts, array.shape[-1]
        corners = array[..., : 2 * down, : 2 * along]
        a, b, c, d = [corners[..., row::2, column::2].copy() for row in (0, 1) for column in (0, 1)]
        upper, lower = XP.greater(b, a), XP.greater(d, c)  # whether the right one is larger
        XP.maximum(a, b, out=a)
        XP.maximum(c, d, out=c)
        is_lower = XP.greater(c, a)
        is_right = upper ^ ((upper ^ lower) & is_lower)
        # The cell's offset from the window's first cell: as bytes, if they suffice.
        place = XP.multiply(is_lower, width, dtype="uint8" if width < 255 else "int64")
        XP.add(place, is_right, out=place)
        first = 2 * (XP.arange(down)[:, None] * width + XP.arange(along))
        return XP.maximum(a, c), XP.add(first, place)

    return max_pool_with_indices


def with_own_kernel(form: Callable[..., Any]) -> Callable[..., Any]:
    """Max pooling's `form` itself, with this kernel before its plain one, which handles all other calls."""
    plain.max_pool_with_indices = _of_fours(plain.max_pool_with_indices)
    return form
