"""Triangles of matrices, and the positions of their elements."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST

_FEW = 4096  # elements; up to here a mask is cached and selects among them


def tril(xp: Any, array: Array, diagonal: int) -> Array:
    return _keep_by_bits(xp, array, diagonal, False) if _has_bits(xp, array) else xp.tril(array, diagonal)


def triu(xp: Any, array: Array, diagonal: int) -> Array:
    return _keep_by_bits(xp, array, diagonal - 1, True) if _has_bits(xp, array) else xp.triu(array, diagonal)


def _has_bits(xp: Any, array: Array) -> bool:
    return xp is HOST.xp and array.dtype.itemsize <= 8


def _keep_by_bits(xp: Any, array: Array, diagonal: int, is_above: bool) -> Array:
    """The elements above a diagonal, or on and below it: their bits, where a mask has ones."""
    rows, columns = array.shape[-2:]
    bits = f"i{array.dtype.itemsize}"
    mask = (_mask if rows * columns <= _FEW else _new_mask)(xp, rows, columns, diagonal, is_above, bits)
    return xp.bitwise_and(array.view(bits), mask).view(array.dtype)


def _new_mask(xp: Any, rows: int, columns: int, diagonal: int, is_above: bool, bits: str) -> Array:
    """All ones in the elements that are kept, and all zeros elsewhere."""
    below = xp.tri(rows, columns, diagonal, bool).view("i1").astype(bits)
    return below - xp.ones((), bits) if is_above else -below


_mask = lru_cache(64)(_new_mask)  # making one takes longer than using it


def run_numbers(xp: Any, lengths: Array, total: int) -> Array:
    """For each of `total` elements the number of the run that it is in, where the runs have these `lengths`."""
    if xp is HOST.xp:
        return xp.repeat(xp.arange(len(lengths), dtype=lengths.dtype), lengths)
    # A place belongs to the run whose number is how many runs have ended before it.
    return xp.searchsorted(xp.cumsum(lengths), xp.arange(total), side="right").astype(lengths.dtype)


def triangle_indices(xp: Any, rows: int, columns: int, diagonal: int, is_lower: bool, array_dtype: Any) -> Any:
    """The positions of a triangle's elements, row by row: for large matrices faster than testing every cell."""
    row = xp.arange(rows, dtype=array_dtype)
    if xp is HOST.xp and rows * columns <= _FEW:
        column, edge = xp.arange(columns), row[:, None] + diagonal
        return xp.nonzero(column <= edge if is_lower else column >= edge)
    first = xp.zeros_like(row) if is_lower else xp.clip(row + diagonal, 0, columns)
    counts = (xp.clip(row + diagonal + 1, 0, columns) if is_lower else columns - first).astype("int64")
    before = first - (xp.cumsum(counts) - counts)
    place = xp.arange(int(counts.sum()))
    of_row = run_numbers(xp, counts, len(place))
    return xp.stack([of_row, place + before[of_row]])
