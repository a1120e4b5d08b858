"""The product of two matrices, in pieces where one of them is long and thin.

NumPy multiplies by OpenBLAS, which packs what it multiplies into blocks, and has another way for small products that
does without. Where two of three lengths are small there is little to do with each element, and packing takes longer
than multiplying; cut into small products it all takes a fifth to four fifths of that. 6×25 by 25×50,176, the first
convolution of LeNet: 240 µs for 690 (PyTorch 560).
"""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.geometry import remembered
from tensorglass.ops.kernels.matmul_integer import whole_product

SMALL = 10**6  #: what OpenBLAS calls small: so many multiplications
# Shorter pieces are not worth their calls. Along the inner dimension they must be added up, too.
_LEAST_PIECE, _LEAST_INNER_PIECE = 256, 900


@remembered
def piece(rows: int, inner: int, columns: int) -> int:
    """How long the pieces are that the longest dimension of such a product is cut into; 0 if it is better whole."""
    count = rows * inner * columns
    if count <= SMALL:
        return 0
    longest = max(rows, inner, columns)
    length = SMALL * longest // count
    is_worth_it = length >= (_LEAST_INNER_PIECE if longest == inner else _LEAST_PIECE) and length * 2 <= longest
    return length if is_worth_it else 0


def is_whole(rows: int, inner: int, columns: int) -> bool:
    """Whether one call of BLAS makes the product best, however its matrices lie."""
    return rows * inner * columns <= SMALL or not (piece(rows, inner, columns) or _is_wide(rows, inner, columns))


def _is_wide(rows: int, inner: int, columns: int) -> bool:
    return rows < columns <= inner


def matrix_product(xp: Any, one: Array, other: Array, out: Array | None = None) -> Array:
    """``one @ other``, in `out` if that is given."""
    if xp is HOST.xp and one.ndim == 2 and other.ndim == 2 and one.dtype.kind == "f" and one.dtype == other.dtype:
        rows, inner = one.shape
        columns = other.shape[1]
        if inner == other.shape[0] and rows * inner * columns > SMALL:
            if _is_wide(rows, inner, columns) and one.flags.c_contiguous and other.flags.f_contiguous:
                # Two thirds of the time the other way around: the wider one comes first, which is read as it lies.
                turned = _product(xp, other.T, one.T, None, piece(columns, inner, rows)).T
                made = xp.empty((rows, columns), one.dtype) if out is None else out
                made[...] = turned
                return made
            return _product(xp, one, other, out, piece(rows, inner, columns))
    if xp is HOST.xp and out is None and one.dtype.kind in "iu":
        found = whole_product(one, other)
        if found is not None:
            return found
    return xp.matmul(one, other) if out is None else xp.matmul(one, other, out)


def _product(xp: Any, one: Array, other: Array, out: Array | None, length: int) -> Array:
    """The product in pieces of this length, or whole if it is 0."""
    if not length:
        return xp.matmul(one, other) if out is None else xp.matmul(one, other, out)
    rows, inner = one.shape
    columns = other.shape[1]
    longest = max(rows, inner, columns)
    made = xp.empty((rows, columns), one.dtype) if out is None else out
    pieces = [slice(start, start + length) for start in range(0, longest, length)]
    if longest == columns:
        for part in pieces:
            xp.matmul(one, other[:, part], made[:, part])
    elif longest == rows:
        for part in pieces:
            xp.matmul(one[part], other, made[part])
    else:
        xp.matmul(one[:, pieces[0]], other[pieces[0]], made)
        for part in pieces[1:]:
            xp.add(made, xp.matmul(one[:, part], other[part]), made)
    return made
