"""`index_reduce`: slices that are combined with those at the positions that they are meant for.

It is `scatter_reduce` of an index that is the same for all elements of a slice.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

from tensorglass import geometry
from tensorglass.core import dtypes
from tensorglass.core.errors import warn
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.missing_dtypes import not_implemented
from tensorglass.ops.declare.overlap_checks import refuse_shared_cells
from tensorglass.ops.indexing import scatter_backward
from tensorglass.ops.indexing.gather import check_positions
from tensorglass.ops.indexing.index_add_copy_fill import (
    check_slices,
    declare_out_of_place,
    written_array,
    written_in_place,
)
from tensorglass.ops.indexing.scatter import max_places, mean_places, min_places, multiply_places
from tensorglass.ops.kernels.add_at import cells
from tensorglass.tensor.tensor import Tensor, array_of

_KERNELS = {"prod": multiply_places, "mean": mean_places, "amax": max_places, "amin": min_places}


def _everywhere(source: Tensor, dim: int, index: Tensor) -> Tensor:
    """The index for each element of `source`."""
    shape = [1] * max(len(source._size), 1)
    shape[dim] = index.numel()
    return index.reshape(shape).expand(source._size or (1,)).to(dtypes.int64)


def _on_every_element(of: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def formula(
        grad: Tensor, input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool,
        result: Tensor,
    ) -> Tensor:  # fmt: skip
        return of(grad, input, dim, _everywhere(source, dim, index), source, reduce, include_self, result)

    return formula


@derivative(
    real_only="index_reduce",
    input=_on_every_element(scatter_backward.for_input),
    source=_on_every_element(partial(scatter_backward.for_named_source, "source")),
)
def _index_reduce_(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    if reduce not in _KERNELS:
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    axis = geometry.wrap_dim(dim, len(input._size))
    check_slices("index_reduce_()", input, axis, index, source)
    refuse_shared_cells(input, index, source)
    warn("index_reduce() is in beta and the API may change at any time.")
    _check_kernel(input, reduce, include_self)
    length = input._size[axis] if input._size else 1
    check_positions(index, length, axis, "index out of range in self", IndexError)
    positions = array_of(index).reshape(-1)
    return written_in_place(
        input, _at_slices, positions, written_array(source, input), axis, _KERNELS[reduce], include_self
    )


def _check_kernel(input: Tensor, reduce: str, include_self: bool) -> None:
    """Raise where PyTorch has no such kernel."""
    dtype = input._dtype
    if not include_self and (dtype is dtypes.bool or dtype.is_complex):
        raise not_implemented("index_reduce_func_exclude_input_init", dtype)
    if len(input._size) <= 1 and (dtype is dtypes.bool or dtype.is_complex):
        raise not_implemented("index_func_", dtype)
    if reduce == "mean" and dtype is dtypes.bool:
        raise not_implemented("div_floor_cpu", dtype)
    if reduce in ("amax", "amin") and dtype.is_complex:
        raise not_implemented("maximum_cpu" if reduce == "amax" else "minimum_cpu", dtype)


def _at_slices(xp: Any, target: Any, index: Any, source: Any, axis: int, kernel: Any, include_self: bool) -> None:
    values = source.reshape(source.shape or (1,))
    if target.flags.c_contiguous and target.size:
        shape = prod(target.shape[:axis]), target.shape[axis], prod(target.shape[axis + 1 :])
        kernel(xp, target.reshape(-1), cells(xp, index, shape), values.reshape(-1), include_self)
    else:
        kernel(xp, target, (slice(None),) * axis + (index,), values, include_self)


declare_out_of_place(
    _index_reduce_,
    "A copy whose slices at the positions `index` along `dim` are combined with those of `source`: multiplied, the "
    "mean, the largest or the smallest, as `reduce` says ('prod', 'mean', 'amax', 'amin'); without `include_self` the "
    "slices of `source` with each other alone.",
)
