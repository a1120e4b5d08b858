"""The product of two matrices, in pieces where one of them is long and thin, and in float64 where they hold integers.

NumPy multiplies with OpenBLAS, which packs matrices into blocks, except for small products. If two of the three lengths
are small, packing takes longer than multiplying, so such a product is cut into small ones. NumPy multiplies integers
without BLAS, which only has floats.
"""

from __future__ import annotations

from math import prod
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.geometry import remembered

SMALL = 10**6  #: multiplications up to which OpenBLAS uses its kernels for small matrices
# Shorter pieces cost more in calls than they save. Transposed pieces are always packed, so they must be longer.
_LEAST_PIECE, _LEAST_TURNED_PIECE = 256, 900


@remembered
def piece(rows: int, inner: int, columns: int, is_turned: bool = False) -> int:
    """The length of the pieces that the longest dimension of such a product is cut into; 0 if it should not be cut.

    `is_turned` says that the second matrix is transposed: its columns are contiguous.
    """
    count = rows * inner * columns
    if count <= SMALL:
        return 0
    longest = max(rows, inner, columns)
    length = SMALL * longest // count
    if length < (_LEAST_TURNED_PIECE if is_turned else _LEAST_PIECE):
        return 0
    return -(-longest // -(-longest // length))  # all of about one length


def is_whole(rows: int, inner: int, columns: int) -> bool:
    """Whether one call of BLAS is fastest for the product, whatever the strides of its matrices."""
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
                # Transposed, since then the wider matrix is read in place.
                turned = _in_pieces(xp, other.T, one.T, None, piece(columns, inner, rows)).T
                result = xp.empty((rows, columns), one.dtype) if out is None else out
                result[...] = turned
                return result
            return _in_pieces(xp, one, other, out, piece(rows, inner, columns, other.strides[0] < other.strides[1]))
    if xp is HOST.xp and out is None and one.dtype.kind in "iu":
        product = _integer_product(one, other)
        if product is not None:
            return product
    return xp.matmul(one, other) if out is None else xp.matmul(one, other, out)


def _in_pieces(xp: Any, one: Array, other: Array, out: Array | None, length: int) -> Array:
    """The product in pieces of this length, or whole if it is 0."""
    if not length:
        return xp.matmul(one, other) if out is None else xp.matmul(one, other, out)
    rows, inner = one.shape
    columns = other.shape[1]
    longest = max(rows, inner, columns)
    result = xp.empty((rows, columns), one.dtype) if out is None else out
    pieces = [slice(start, start + length) for start in range(0, longest, length)]
    if longest == columns:
        for part in pieces:
            xp.matmul(one, other[:, part], result[:, part])
    elif longest == rows:
        for part in pieces:
            xp.matmul(one[part], other, result[part])
    else:
        xp.matmul(one[:, pieces[0]], other[pieces[0]], result)
        for part in pieces[1:]:
            xp.add(result, xp.matmul(one[:, part], other[part]), result)
    return result


def aligned(size: tuple[int, ...], array_dtype: Any) -> Array:
    """A new array aligned to a cache line, for the right operand of small products.

    OpenBLAS reads that matrix where it lies if the product is small, by vectors of a line each.
    """
    nbytes = prod(size) * array_dtype.itemsize
    memory = HOST.xp.empty(nbytes + _LINE, "uint8")
    start = -memory.ctypes.data % _LINE
    return memory[start : start + nbytes].view(array_dtype).reshape(size)


_LINE = 64  # bytes


# --- integers --------------------------------------------------------------------------------------------------------

_EXACT = 2**53  # float64 holds every integer up to here
_LEAST_CONVERTED = 32**3  # multiplications; for fewer, checking and converting cost more than they save


def _integer_product(one: Array, other: Array) -> Array | None:
    """``one @ other`` of integers, computed in float64; None for two dtypes, and where this is not exact or not
    faster."""
    if one.dtype != other.dtype or one.ndim < 2 or other.ndim < 2 or not other.size:
        return None
    if one.size * other.shape[-1] < _LEAST_CONVERTED:
        return None
    if one.shape[-1] * _largest_size(one) * _largest_size(other) >= _EXACT:
        return None
    # Converted by way of int64, from which a smaller dtype wraps around, as the sums would have done.
    product: Array = (one.astype("float64") @ other.astype("float64")).astype("int64")
    return product if one.dtype == product.dtype else product.astype(one.dtype)


def _largest_size(array: Array) -> int:
    """The largest absolute value in `array`, or the largest that its dtype can hold if that is small."""
    if array.itemsize <= 2:
        return 1 << 16
    return max(int(array.max()), -int(array.min()))
