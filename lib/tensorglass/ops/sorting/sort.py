"""Elements in order: sort, argsort, msort; and the largest or smallest of them: topk. NaN counts as the largest.

Equal elements keep their order. Which of them `topk` chooses in long rows is not specified, as in PyTorch.
"""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import is_recorded, no_out_with_gradients
from tensorglass.ops.copies.copy import transfer
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.reduction import write_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import resize_output
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.kernels.ordering import best, elements_at, order
from tensorglass.ops.reductions.max_min import (
    OutPair,
    check_outputs,
    choose,
    paired,
    sort_backward,
)
from tensorglass.tensor.construct import empty_on
from tensorglass.tensor.tensor import Tensor, array_of, raw_array

EQUALS = "another one of equal elements may be chosen: its position differs, its value does not"


def _sorted(xp: Any, array: Array, wide: Any, axis: int, descending: bool) -> tuple[Array, Array]:
    row = array.reshape(array.shape or (1,))
    positions = order(xp, row.astype(wide, copy=False), axis, descending)
    return elements_at(xp, row, positions, axis).reshape(array.shape), positions.reshape(array.shape)


def _assign(xp: Any, target: Array, array: Array) -> None:
    target[...] = array


def _sort(input: Tensor, dim: int, descending: bool) -> tuple[Tensor, Tensor]:
    axis = geometry.wrap_dim(dim, max(len(input._size), 1))
    if input._dtype.is_complex:
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    backend = input._storage.backend
    wide = dtypes.float32 if input._dtype is dtypes.bfloat16 else input._dtype
    result = backend.launch(_sorted, array_of(input), backend.array_dtype(wide), axis, descending)
    strides = geometry.preserved_strides(input._size, input._stride)
    results = []
    for array, dtype in zip(result, (input._dtype, dtypes.int64), strict=True):
        target = empty_on(input._storage.device, input._size, strides, dtype)
        backend.launch(_assign, raw_array(target), array)
        results.append(target)
    return results[0], results[1]


@operator("sorting", out=True)
@derivative(node=lambda stable: f"SortBackward{int(stable is not None)}", outputs=1, input=sort_backward)
def sort(
    input: Tensor,
    dim: int = -1,
    descending: bool = False,
    *,
    stable: bool | None = None,
    out: tuple[Tensor, Tensor] | None = None,
) -> Any:
    """The elements in order along `dim`, and where they stood. Equals keep their order, `stable` or not."""
    result = _sort(input, dim, descending)
    if out is None:
        return return_types.sort(*result)
    check_outputs(out, input._dtype)
    for one_result, target in zip(result, out, strict=True):
        if target._size != one_result._size:
            resize_output(target, one_result._size)
        transfer(target, one_result)
        target._written()
    return return_types.sort.out(*out)


@operator("sorting", out=True)
def argsort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None, out: Tensor | None = None
) -> Tensor:
    """The positions of the elements in order along `dim`. Equals keep their order, `stable` or not."""
    result = _sort(input, dim, descending)[1]
    if out is None:
        return result
    if stable is None:
        raise TypeError("PyTorch's form with out= has stable= as well")  # `arg_parser` says it in PyTorch's words
    check_out_dtype(out, result._dtype)
    return write_out(array_of(result), result._size, out, result._dtype)


@operator("sorting", out=True)
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements in order along the first dimension."""
    check_out_dtype(out, input._dtype)
    if out is not None and is_recorded((input, out)):
        raise no_out_with_gradients("sort")
    result = sort(input, 0)[0]
    return result if out is None else write_out(array_of(result), result._size, out, result._dtype, (input,))


# --- topk ------------------------------------------------------------------------------------------------------------


@operator("sorting", out=True, differs=EQUALS)
@derivative(outputs=1, input=sort_backward)
def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *, out: OutPair = None
) -> Any:
    """The `k` largest elements along `dim`, or the smallest, in order, and the positions where they stood."""
    axis = geometry.wrap_dim(dim, max(len(input._size), 1))
    length = input._size[axis] if input._size else 1
    if not 0 <= k <= length:
        raise RuntimeError("selected index k out of range")
    if input._dtype.is_complex:
        raise RuntimeError(" topk does not support complex dtypes on CPU")
    if input._dtype is dtypes.bool:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    check_outputs(out, input._dtype)
    size = (*input._size[:axis], k, *input._size[axis + 1 :]) if input._size else ()
    result = choose(best, input, axis, k if input._size else 1, largest)
    return paired(return_types.topk, result, input, size, out)
