"""A row beside a matrix, as a bias beside a batch: repeated, so that the array module's loop is longer than one row.

The array module sets up its loop anew for each row of the matrix. Beside a row that is repeated some times, as many of
the matrix's rows count as one.
"""

from __future__ import annotations

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.geometry import remembered

_LONG = 8192  # elements, from which on a longer row gains nothing
_WORTH_IT = 1 << 14


def widened(arrays: tuple[Array, ...], made: Array) -> tuple[tuple[Array, ...], Array]:
    """Operands and result of an elementwise function, in wider rows where one operand is a row; else as they are."""
    if len(arrays) != 2 or made.size < _WORTH_IT or made.ndim < 2 or not made.flags.c_contiguous:
        return arrays, made
    one, other = arrays
    length = made.shape[-1]
    matrix, row = (other, one) if one.size == length else (one, other)
    times = _repetitions(made.size // length, length)
    is_row = row.shape[-1:] == (length,) and row.size == length
    if not times or not is_row or matrix.shape != made.shape or not matrix.flags.c_contiguous:
        return arrays, made
    repeated = HOST.xp.empty((times, length), row.dtype)
    repeated[...] = row.reshape(length)
    wide, repeated = matrix.reshape(-1, times * length), repeated.reshape(-1)
    return (repeated, wide) if row is one else (wide, repeated), made.reshape(-1, times * length)


@remembered
def _repetitions(count: int, length: int) -> int:
    """How often a row of this length is repeated beside `count` of them; 0 where that gains nothing."""
    return next((times for times in range(min(_LONG // length, count), 1, -1) if count % times == 0), 0)
