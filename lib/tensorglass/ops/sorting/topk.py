"""The largest or smallest elements along a dimension: topk. NaN counts as larger than every number."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import C_NAMES
from tensorglass.core.dtypes import dtype as DType
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.arg_parser.missing_dtypes import refuse_unwritten
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.kernels import tie_breaking as among_equals
from tensorglass.ops.kernels.host import on_host
from tensorglass.ops.reductions.values_and_indices import (
    OutPair,
    check_outputs,
    choose,
    elements_at,
    paired,
    sort_backward,
)
from tensorglass.ops.sorting.kthvalue_median_mode import EQUALS
from tensorglass.tensor.tensor import Tensor

_SHORT = 64  # elements, of which all are put in order sooner than the best are found


def _topk_samples() -> Iterator[Sample]:
    yield sample(values(7), 3)
    yield sample(values(3, 4), 2, 0)
    yield sample(values(3, 4), 4, -1, False)
    yield sample(values(2, 3, 4), 1, 1, largest=False)
    yield sample(values(2, 0), 0)
    yield sample(values(), 1)


def _out_expected(target: Tensor, wanted: DType, role: str) -> Exception:
    return RuntimeError(
        f"Expected out tensor to have dtype {C_NAMES[wanted]}, but got {C_NAMES[target._dtype]} instead"
    )


@operator("sorting", out=True, samples=_topk_samples, differs=EQUALS)
@derivative(outputs=1, input=sort_backward)
def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *, out: OutPair = None
) -> Any:
    """The `k` largest elements along `dim`, or the smallest, in order, and the positions where they stood."""
    check_tensor("topk", input)
    axis = geometry.wrap_dim(dim, max(len(input._size), 1))
    length = input._size[axis] if input._size else 1
    if not 0 <= k <= length:
        raise RuntimeError("selected index k out of range")
    if input._dtype.is_complex:
        raise RuntimeError(" topk does not support complex dtypes on CPU")
    if input._dtype is dtypes.bool:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    check_outputs(out, input._dtype, _out_expected)
    if input._size:
        refuse_unwritten("topk_cpu", input._dtype)
    size = (*input._size[:axis], k, *input._size[axis + 1 :]) if input._size else ()
    found = choose(_best, input, axis, k if input._size else 1, largest, bool(sorted))
    return paired(return_types.topk, found, input, size, out)


def _best(xp: Any, array: Array, axis: int, k: int, largest: bool, is_sorted: bool) -> Array:
    """The positions of the `k` best elements, the best first."""
    length = array.shape[axis]
    if k == 0 or not array.size:
        return xp.zeros((*array.shape[:axis], k, *array.shape[axis + 1 :]), "int64")
    before: tuple[slice, ...] = (slice(None),) * axis
    best = slice(-1, -k - 1, -1) if largest else slice(k)
    is_by_swaps = among_equals.is_by_swaps(k, length)
    if k == 1 and largest and not is_by_swaps:  # the first of the largest is what a heap of one comes to
        return xp.expand_dims(xp.argmax(array, axis), axis)
    if on_host(xp) and k <= _FEW and array.size >= _MANY:
        found = _one_after_the_other(xp, array, axis, k, largest)
        if found is not None:
            return found
    is_small = among_equals.is_small(xp, array) and is_by_swaps
    if is_small or length <= _SHORT:
        order = xp.argsort(array, axis=axis, kind="stable")
        if is_small and (not is_sorted or among_equals.has_equals(elements_at(xp, array, order, axis), axis)):
            return among_equals.along(xp, array, axis, functools.partial(_listed, k, largest, is_sorted))
        return order[(*before, best)]
    cut = length - k if largest else k - 1
    chosen = xp.argpartition(array, cut, axis=axis)[(*before, slice(cut, None) if largest else slice(k))]
    order = xp.argsort(elements_at(xp, array, chosen, axis), axis=axis, kind="stable")
    return elements_at(xp, chosen, order[(*before, best)], axis)


def _listed(k: int, largest: bool, is_sorted: bool, keys: list[int]) -> list[int]:
    return among_equals.least([-key for key in keys] if largest else keys, k, is_sorted)


_FEW, _MANY = 8, 1 << 14  #: elements that are looked for, and among how many, so that looking for each is worth it


def _one_after_the_other(xp: Any, array: Array, axis: int, k: int, largest: bool) -> Array | None:
    """`_best` by looking for the best, again without it, and so on; None where that does not tell them apart.

    Two of each of 1000 rows of 1000 take 0.7 ms, where to part the rows takes 8.
    """
    kind = array.dtype.kind
    if kind not in "fiu" or (kind == "f" and not largest and xp.isnan(array).any()):  # NaN is the largest, not the best
        return None
    limits = xp.iinfo(array.dtype) if kind != "f" else None
    worst = (-xp.inf if largest else xp.inf) if limits is None else limits.min if largest else limits.max
    left, find = array.copy(), "argmax" if largest else "argmin"
    found = []
    for _ in range(k):
        place = xp.expand_dims(getattr(left, find)(axis), axis)
        if (xp.take_along_axis(left, place, axis) == worst).any():  # what was found before looks just so
            return None
        found.append(place)
        xp.put_along_axis(left, place, worst, axis)
    return xp.concatenate(found, axis)
