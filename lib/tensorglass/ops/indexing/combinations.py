"""Which elements of a vector, and which places of a tensor: combinations, unravel_index."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Any

from tensorglass.core import dtypes
from tensorglass.ops.creation.fill import empty, ones
from tensorglass.ops.creation.ranges import arange
from tensorglass.ops.creation.tensor import tensor
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.indexing.masked import masked_select
from tensorglass.ops.rearrange.cat_stack import stack
from tensorglass.ops.rearrange.meshgrid import meshgrid
from tensorglass.tensor.tensor import Tensor


@operator("joining", method=False)
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Every choice of `r` elements of a vector, in the order in which they stand, one row each.

    With `with_replacement` an element may be chosen again.
    """
    if len(input._size) != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._size)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return empty((0,), dtype=input._dtype, device=input.device)
    places = meshgrid(*[arange(len(input), device=input.device)] * r, indexing="ij")
    mask = ones((len(input),) * r, dtype=dtypes.bool, device=input.device)
    for one, other in pairwise(places):
        mask = mask & (one <= other if with_replacement else one < other)
    grids = meshgrid(*[input] * r, indexing="ij")
    return stack([masked_select(grid, mask) for grid in grids], 1)


@operator("indexing", method=False, signatures=None)
def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """The index along each dimension of a tensor of size `shape` that the flat positions `indices` name."""
    if indices.is_complex() or indices.is_floating_point() or indices._dtype is dtypes.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices._dtype}")
    lengths = _lengths(shape)
    if any(length < 0 for length in lengths):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(lengths)}")
    steps = [prod(lengths[place + 1 :]) for place in range(len(lengths))]
    whole, sizes = (tensor(each, dtype=dtypes.int64, device=indices.device) for each in (steps, lengths))
    return (indices.unsqueeze(-1).div(whole, rounding_mode="floor") % sizes).unbind(-1)


def _lengths(shape: Any) -> list[int]:
    if isinstance(shape, int):
        return [int(shape)]
    if not isinstance(shape, Sequence):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    for each in shape:
        if not isinstance(each, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(each)}")
    return [int(each) for each in shape]
