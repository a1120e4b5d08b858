"""The shortcut of `einsum`: two small tensors without gradients, in an equation and with sizes seen before."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, wraps
from itertools import takewhile
from typing import Any

from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.fast.reductions import SMALL, packed_array
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.tensor.construct import result_tensor, view_of
from tensorglass.tensor.tensor import Tensor

#: For an equation and two small operands: the result's size, and its base's size if it is a view.
_RESULTS: dict[Any, tuple[tuple[int, ...], tuple[int, ...] | None]] = {}
_MOST_KEPT = 256


def of_pair(form: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A shortcut before `form`, for two small tensors without gradients whose equation and sizes were seen before.

    The array module multiplies them in one step. It does not know the layout of PyTorch's result, so the first call
    goes to `form`, and the layout of its result is remembered. Larger results may have the layout of a matrix product.
    """

    @wraps(form)
    def fast_path(*arguments: Any, **keywords: Any) -> Tensor:
        if len(arguments) != 3 or keywords or type(arguments[0]) is not str:
            return form(*arguments, **keywords)
        equation, one, other = arguments
        if not type(one) is type(other) is Tensor or one._meta is not None or other._meta is not None:
            return form(*arguments)
        first, second, dtype = packed_array(one), packed_array(other), one._dtype
        if first is None or second is None or dtype is not other._dtype or dtype not in _PLAIN:
            return form(*arguments)
        if max(first.size, second.size) >= SMALL:
            result = _as_matrices(equation, one, other)
            return form(*arguments) if result is None else result
        known = _RESULTS.get((equation, one._size, other._size))
        if known is None:
            result = form(*arguments)
            is_simple = _is_small(first.size, second.size, result.numel()) and _is_plain(equation)
            if is_simple and _is_packed(result) and len(_RESULTS) < _MOST_KEPT:
                base = None if result._base is None else result._base._size
                _RESULTS[equation, one._size, other._size] = result._size, base
            return result
        size, base = known
        array = HOST.xp.asarray(HOST.run(HOST.xp.einsum, equation, first, second, order="C"))
        whole = size if base is None else base
        result = result_tensor(array.reshape(whole), dtype, HOST, CPU, whole, CONTIGUOUS_STRIDES[whole])
        return result if base is None else view_of(result, size, CONTIGUOUS_STRIDES[size], 0)

    return fast_path


_PLAIN = (dtypes.float32, dtypes.float64)


def _as_matrices(equation: str, one: Tensor, other: Tensor) -> Tensor | None:
    """The product of two tensors without gaps whose letters are in the order of a batched matrix product.

    None for all others, and if a length is 1, since such dimensions are dropped.
    """
    counts = _counts_of_matrices(equation)
    if counts is None or not (one._contiguous and other._contiguous) or 1 in one._size or 1 in other._size:
        return None
    batch, rows, columns = counts
    if len(one._size) != batch + rows + 1 or len(other._size) != batch + 1 + columns:
        return None
    length = one._size[-1]
    if one._size[:batch] != other._size[:batch] or length != other._size[batch] or 0 in one._size or 0 in other._size:
        return None
    many, size = math.prod(one._size[:batch]), (*one._size[:-1], *other._size[batch + 1 :])
    left = (many, math.prod(one._size[batch:-1]), length)
    right = (many, length, math.prod(other._size[batch + 1 :]))
    product: Tensor = view_of(one, left, CONTIGUOUS_STRIDES[left], one._offset).bmm(
        view_of(other, right, CONTIGUOUS_STRIDES[right], other._offset),
    )
    return view_of(product, size, CONTIGUOUS_STRIDES[size], 0)


@lru_cache(256)
def _counts_of_matrices(equation: str) -> tuple[int, int, int] | None:
    """The number of letters for batch, rows and columns; None if they are in another order, which is rare."""
    left, arrow, result = equation.replace(" ", "").partition("->")
    one, comma, other = left.partition(",")
    batch = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    rows, summed, columns = one[batch:-1], one[-1:], other[batch + 1 :]
    letters = one + columns
    is_product = rows and columns and other == one[:batch] + summed + columns and result == one[:-1] + columns
    if not (arrow and comma and is_product and letters.isalpha() and len(set(letters)) == len(letters)):
        return None
    return batch, len(rows), len(columns)


def _is_plain(equation: str) -> bool:
    """Whether an equation consists of letters, commas and an arrow."""
    letters = equation.replace(",", "").replace("->", "")
    return letters.isalpha() and letters.isascii()


def _is_small(*counts: int) -> bool:
    return min(counts) > 0 and max(counts) < SMALL


def _is_packed(result: Tensor) -> bool:
    """Whether a result, and its base, are contiguous and fill their storage."""
    return all(
        tensor is None
        or (tensor._stride == CONTIGUOUS_STRIDES[tensor._size] and tensor.nbytes == result._storage._nbytes)
        for tensor in (result, result._base)
    )
