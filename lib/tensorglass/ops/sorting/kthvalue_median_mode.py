"""One element by its rank along a dimension: kthvalue, median, and mode, the most frequent one.

NaN counts as larger than every number. Which of several equal elements is chosen in long rows is not specified.
"""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.graph.derivative import Derivative, derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.bool_arguments import KeepDim, StatedDim
from tensorglass.ops.arg_parser.checks import check_int, not_implemented
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.reduction import axes_of, reduce, reduced_size
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.kernels import ordering
from tensorglass.ops.kernels.cumulative import running
from tensorglass.ops.kernels.ordering import elements_at, of_rank
from tensorglass.ops.reductions.max_min import (
    OutPair,
    check_outputs,
    choose,
    evenly_distribute_backward,
    paired,
    value_selecting_reduction_backward,
)
from tensorglass.ops.sorting.sort import EQUALS
from tensorglass.tensor.tensor import Tensor

# --- kthvalue --------------------------------------------------------------------------------------------------------


@operator("sorting", out=True, differs=EQUALS)
@derivative(outputs=1, real_only="kthvalue", input=value_selecting_reduction_backward)
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False, *, out: OutPair = None) -> Any:
    """The `k`-th smallest element along `dim`, and its position; `k` counts from 1."""
    axis = _axis_with_elements("kthvalue", input, dim)
    if not 1 <= check_int("kthvalue", "k", 2, k) <= (input._size[axis] if input._size else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    check_outputs(out, input._dtype)
    if input._size:
        _refuse_unordered("kthvalue_cpu", input._dtype)
    result = choose(_kth, input, axis, k)
    return paired(return_types.kthvalue, result, input, _reduced_size(input, axis, keepdim), out)


def _kth(xp: Any, array: Array, axis: int, k: int) -> Array:
    if not array.size:
        return xp.zeros((*array.shape[:axis], 1, *array.shape[axis + 1 :]), "int64")
    return of_rank(xp, array, axis, k - 1)


def _axis_with_elements(name: str, input: Tensor, dim: int) -> int:
    axis = geometry.wrap_dim(dim, max(len(input._size), 1))
    if input._size and not input._size[axis]:
        raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
    return axis


def _reduced_size(input: Tensor, axis: int, keepdim: bool) -> tuple[int, ...]:
    return reduced_size(input._size, (axis,), keepdim)


def _refuse_unordered(kernel_name: str, dtype: DType) -> None:
    if dtype.is_complex or dtype is dtypes.bool:
        raise not_implemented(kernel_name, dtype)


# --- median and nanmedian --------------------------------------------------------------------------------------------


def _median_of_all(xp: Any, array: Array, axes: tuple[int, ...], middle: Any) -> Array:
    row = array.reshape(-1)
    return row[middle(xp, row, 0)]


def _medians(pair: Any, middle: Any) -> tuple[Any, Any]:
    """The median of all elements, and the pair along a dimension."""
    name = pair.__name__

    def of_all(input: Tensor) -> Tensor:
        dtype = input._dtype
        if not input.numel():
            return input.new_full((), float("nan") if dtype.category >= dtypes.FLOATING else 0)
        _refuse_unordered("median_cpu", dtype)
        return reduce(_median_of_all, input, axes_of(len(input._size), None), False, dtype, dtype, middle=middle)

    def along(input: Tensor, dim: int, keepdim: bool, out: OutPair) -> Any:
        axis = _axis_with_elements("median", input, dim)
        check_outputs(out, input._dtype)
        _refuse_unordered("median_out", input._dtype)
        result = choose(middle, input, axis) if input.numel() else choose(_kth, input, axis, 1)
        return paired(pair, result, input, _reduced_size(input, axis, keepdim), out)

    of_all.__name__ = along.__name__ = name
    title = f"{name.title()}Backward"
    return (
        recorded(of_all, derivative=Derivative({"input": evenly_distribute_backward}, f"{title}0")),
        recorded(along, derivative=Derivative({"input": value_selecting_reduction_backward}, f"{title}1", outputs=1)),
    )


_median_of_elements, _median_along = _medians(return_types.median, ordering.median)
_nanmedian_of_all, _nanmedian_along = _medians(return_types.nanmedian, ordering.median_of_numbers)


@operator("sorting", out=True)
def median(input: Tensor, dim: StatedDim = None, keepdim: KeepDim = False, *, out: OutPair = None) -> Any:
    """The element in the middle of all, of two the lower; with `dim` a pair of those along it and their positions."""
    return _whole("median", _median_of_elements, input, out) if dim is None else _median_along(input, dim, keepdim, out)


@operator("sorting", out=True)
def nanmedian(input: Tensor, dim: StatedDim = None, keepdim: KeepDim = False, *, out: OutPair = None) -> Any:
    """`median` of those elements that are not NaN."""
    return (
        _whole("nanmedian", _nanmedian_of_all, input, out)
        if dim is None
        else _nanmedian_along(input, dim, keepdim, out)
    )


def _whole(name: str, of_all: Any, input: Tensor, out: OutPair) -> Tensor:
    if out is not None:
        raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
    return of_all(input)


# --- mode ------------------------------------------------------------------------------------------------------------


@operator("sorting", out=True, differs=EQUALS)
@derivative(outputs=1, real_only="mode", input=value_selecting_reduction_backward)
def mode(input: Tensor, dim: int = -1, keepdim: bool = False, *, out: OutPair = None) -> Any:
    """The element that occurs most often along `dim`, of several the smallest, and the last position that has it."""
    axis = _axis_with_elements("mode", input, dim)
    check_outputs(out, input._dtype)
    if input._dtype.is_complex and input._size and input.numel():
        raise not_implemented("mode_cpu", input._dtype)
    result = choose(_most_frequent, input, axis) if input.numel() else choose(_kth, input, axis, 1)
    return paired(return_types.mode, result, input, _reduced_size(input, axis, keepdim), out)


def _most_frequent(xp: Any, array: Array, axis: int) -> Array:
    is_last = axis == array.ndim - 1
    row = array if is_last else xp.moveaxis(array, axis, -1)
    order = xp.argsort(row, axis=-1, kind="stable")
    ranked = elements_at(xp, row, order, row.ndim - 1)
    places = xp.arange(row.shape[-1])
    is_new = xp.ones(row.shape, bool)
    is_new[..., 1:] = ranked[..., 1:] != ranked[..., :-1]
    begin = running(xp, xp.maximum, xp.where(is_new, places, 0), row.ndim - 1)
    longest = xp.expand_dims(xp.argmax(places - begin, axis=-1), -1)
    result = elements_at(xp, order, longest, row.ndim - 1)
    return result if is_last else xp.moveaxis(result, -1, axis)
