"""Sums over axes, and what is made of them: means and norms. Every reduction of the family uses `total`.

BLAS multiplies a matrix with a vector several times as fast as NumPy adds, and a sum is a product with ones: a single
one where the array is small. A sum is as exact as its longest chain of additions is short: so long sums go in pieces,
then the pieces' sums in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.geometry import remembered

_PIECE = 1024  # elements of a row: BLAS and einsum add them in 16 lanes or more, so in chains of 64 at most
LONG_PIECE = 8192  # the same for a single row, which `sdot` cuts itself, and for rows that cannot be cut evenly
_FEW = 16  # rows, which are then added up one by one
ROWS = 512  # rows that are added at a time: BLAS takes four
IN_TURN = 4  # elements; fewer are added one after the other in PyTorch, with a rounding after each
WORTH_IT = 1 << 11  # elements; below that the detour costs more than it saves
_BEYOND_CACHE = 12 << 20  # bytes; for more, einsum reads rows faster than BLAS

ONES = {char: HOST.xp.ones(LONG_PIECE, char) for char in "fd"}
Run = tuple[int, int, int]  # (number of sums, number of elements of each, the stride between them)


def total(xp: Any, array: Array, axes: tuple[int, ...]) -> Array:
    """The sum over `axes`, which stay as size 1."""
    if xp is HOST.xp and array.dtype.char in ONES:
        product = small_product(array.shape, axes, array.dtype.char)
        if product is not None:
            add, size = product
            return add(array).reshape(size)
        if array.size >= WORTH_IT:
            if array.flags.c_contiguous:
                return _packed_total(array, axes)
            if array.nbytes <= _BEYOND_CACHE or array.flags.f_contiguous:
                return _strided_total(array, axes)
    return xp.add.reduce(array, axis=axes, keepdims=True)


@remembered
def small_product(
    size: tuple[int, ...], axes: tuple[int, ...], char: str
) -> tuple[Callable[..., Any], tuple[int, ...]] | None:
    """A function that sums arrays of `size` and of a dtype's `char` over `axes` by one product, and the size of the
    sum.

    Its result does not have the axes. It can be called as NumPy's reductions are and ignores all arguments but the
    array. None where there is no such product.
    """
    if prod(size) > LONG_PIECE or char not in ONES:
        return None
    ones = ONES[char][: prod([size[axis] for axis in axes])]
    if len(ones) <= IN_TURN:
        return None
    kept = tuple([1 if axis in axes else length for axis, length in enumerate(size)])
    if len(axes) == len(size):
        return lambda array, *_: array.ravel().dot(ones), kept
    if len(size) > 2 or len(ones) > ROWS:
        return None
    if axes == (1,):
        return lambda array, *_: array.dot(ones), kept
    return lambda array, *_: ones.dot(array), kept


def sum_of_squares(array: Array, axes: tuple[int, ...]) -> Array | None:
    """`total` of the squares, without an array of them: pieces of rows are multiplied by themselves.

    None where there are no rows that can be cut evenly.
    """
    kept = array.ndim - len(axes)
    length = prod(array.shape[kept:])
    if array.size < WORTH_IT or array.dtype.char not in ONES or not array.flags.c_contiguous or min(axes) < kept:
        return None
    piece = length if length <= _PIECE else _piece(length, _PIECE)
    if length % piece:
        return None
    pieces = array.reshape(-1, length // piece, piece)
    sums = _row_sums(HOST.xp.vecdot(pieces, pieces))
    return sums.reshape(array.shape[:kept] + (1,) * len(axes))


def _strided_total(array: Array, axes: tuple[int, ...]) -> Array:
    """`total` of an array whose strides are not contiguous: axis by axis, in the order of its memory."""
    strides = array.strides
    if 0 in strides:  # broadcast elements are not to be copied
        return HOST.xp.add.reduce(array, axis=axes, keepdims=True)
    order = sorted(range(array.ndim), key=strides.__getitem__, reverse=True)
    turned = array.transpose(order)
    if turned.strides[-1] != array.itemsize:
        turned = HOST.xp.ascontiguousarray(turned)
    sums = _packed_total(turned, tuple([place for place, axis in enumerate(order) if axis in axes]))
    return sums.transpose(sorted(range(array.ndim), key=order.__getitem__))


def _packed_total(array: Array, axes: tuple[int, ...]) -> Array:
    runs, size = _plan(array.shape, axes)
    for count, length, step in runs:
        if length <= IN_TURN:
            array = _sums_in_turn(array.reshape(count, length, step))
        elif step == 1:
            array = _row_sums(array.reshape(count, length))
        else:
            array = _column_sums(array.reshape(count, length, step))
    return array.reshape(size)


@remembered
def _plan(size: tuple[int, ...], axes: tuple[int, ...]) -> tuple[tuple[Run, ...], tuple[int, ...]]:
    """The axes one after the other, neighbours as one, from the last to the first; and the size of the sum."""
    runs: list[Run] = []
    left = list(size)
    axis = len(size)
    while axis:
        axis -= 1
        if axis in axes:
            end = axis + 1
            while axis and axis - 1 in axes:
                axis -= 1
            runs.append((prod(left[:axis]), prod(left[axis:end]), prod(left[end:])))
            left[axis:end] = [1] * (end - axis)
    return tuple(runs), tuple(left)


def _sums_in_turn(matrices: Array) -> Array:
    """The sums of each matrix's few rows, one after the other."""
    sums: Array = matrices[:, 0] + 0.0  # as PyTorch begins: the sum of one -0.0 is 0.0
    for row in range(1, matrices.shape[1]):
        sums += matrices[:, row]
    return sums


def _row_sums(rows: Array) -> Array:
    """The sums of a matrix's rows."""
    count, length = rows.shape
    ones = ONES[rows.dtype.char]
    if length <= _PIECE or (count == 1 and length <= LONG_PIECE):
        if rows.nbytes > _BEYOND_CACHE:
            return HOST.xp.einsum("ij->i", rows)
        return rows.dot(ones[:length])
    piece = _piece(length, _PIECE)
    even = length - length % piece
    if even == length or count == 1:
        folded = _row_sums(_row_sums(rows[:, :even].reshape(-1, piece)).reshape(count, -1))
        return folded if even == length else folded + rows[:, even:].dot(ones[: length - even])
    if count < _FEW:
        return HOST.xp.concatenate([_row_sums(row[None]) for row in rows])
    starts = range(0, length, LONG_PIECE)
    sums = [rows[:, start : start + LONG_PIECE].dot(ones[: length - start]) for start in starts]
    return sums[0] if len(sums) == 1 else _row_sums(HOST.xp.stack(sums, axis=1))


def _column_sums(matrices: Array) -> Array:
    """The sums of each matrix's columns."""
    count, length, width = matrices.shape
    ones = ONES[matrices.dtype.char]
    if length <= ROWS:
        return ones[:length].dot(matrices[0])[None] if count == 1 else HOST.xp.matmul(ones[:length], matrices)
    piece = _piece(length, ROWS)
    even = length - length % piece
    pieces = matrices[:, :even].reshape(count, -1, piece, width)
    sums = _column_sums(HOST.xp.matmul(ones[:piece], pieces))
    return sums if even == length else sums + _column_sums(matrices[:, even:])


@remembered
def _piece(length: int, most: int) -> int:
    """The length of the pieces that `length` is cut into: equal pieces, if there are some between a quarter of `most`
    and `most`."""
    return next((piece for piece in range(most, most // 4, -1) if length % piece == 0), most)


def average(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """The kernel of `mean`."""
    whole = total(xp, input, axes)
    return xp.true_divide(whole, whole.dtype.type(prod([input.shape[axis] for axis in axes])))


def count_nonzero(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """How many elements are not 0."""
    truths = input if input.dtype.kind == "b" else input != 0
    if xp is HOST.xp and len(axes) == input.ndim:
        return xp.full((1,) * input.ndim, xp.count_nonzero(truths))  # quicker than adding them up
    return xp.add.reduce(truths, axis=axes, keepdims=True, dtype="int64")


def nan_total(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """`total`, NaN counted as zero."""
    if xp is HOST.xp and input.dtype.kind == "f":
        sums = total(xp, input, axes)
        if not xp.isnan(sums).any():  # nearly always
            return sums
    return xp.nansum(input, axis=axes, keepdims=True)


# --- norms -----------------------------------------------------------------------------------------------------------


def norm(xp: Any, input: Array, axes: tuple[int, ...], *, order: float) -> Array:
    """The norm of this order over `axes`, which stay as size 1."""
    squares = sum_of_squares(input, axes) if order == 2 and xp is HOST.xp and axes else None
    if squares is not None:
        return xp.sqrt(squares, out=squares)
    lengths = xp.absolute(input)
    if order and all(input.shape[axis] == 1 for axis in axes):  # the square of a single element might overflow
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
