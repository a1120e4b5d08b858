"""Every element of one vector with every element of another: meshgrid, cartesian_prod, combinations; unravel_index."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Any

from tensorglass.core import dtypes
from tensorglass.core.errors import warn
from tensorglass.ops.arg_parser.checks import all_tensors, type_name
from tensorglass.ops.creation.fill import empty, ones
from tensorglass.ops.creation.ranges import arange
from tensorglass.ops.creation.tensor import tensor
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.rearrange.cat_stack import stack
from tensorglass.tensor.tensor import Tensor


@operator("joining", method=False, signatures=None)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of a grid's points, one tensor for each of the vectors: views, expanded along the others.

    `indexing` "ij" counts the first vector along dimension 0, "xy" along dimension 1, as the axes of a drawing.
    """
    given = all_tensors(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors)
    if not isinstance(indexing, str | None):
        raise TypeError(f"meshgrid(): argument 'indexing' must be str, not {type_name(indexing)}")
    if not given:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    first = given[0]
    if any(tensor._dtype is not first._dtype for tensor in given):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if any(tensor.device != first.device for tensor in given):
        raise RuntimeError("meshgrid expects all tensors to have the same device")
    for vector in given:
        if len(vector._size) > 1:
            shown = " ".join(f"{length}" if place else f"{length} " for place, length in enumerate(vector._size))
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {shown}")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if indexing is None:
        warn("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    is_turned = indexing == "xy" and len(given) >= 2
    ordered = [given[1], given[0], *given[2:]] if is_turned else list(given)
    size = tuple([tensor.numel() for tensor in ordered])
    grids = []
    for place, vector in enumerate(ordered):
        wide = [1] * len(size)
        wide[place] = size[place]
        grids.append(vector.view(wide).expand(size))
    if is_turned:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


@operator("joining", method=False, signatures=None)
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every choice of one element of each vector, one row each; a single vector as it is."""
    given = all_tensors(tensors)
    for vector in given:
        if len(vector._size) != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(vector._size)}")
    if len(given) == 1:
        return given[0]
    return stack([grid.flatten() for grid in meshgrid(*given, indexing="ij")], 1)


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
    return stack([grid.masked_select(mask) for grid in grids], 1)


@operator("indexing", method=False, signatures=None)
def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """The index along each dimension of a tensor of size `shape` that the flat positions `indices` name."""
    if indices.is_complex() or indices.is_floating_point() or indices._dtype is dtypes.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices._dtype}")
    lengths = _lengths(shape)
    if any(length < 0 for length in lengths):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(lengths)}")
    steps = [prod(lengths[place + 1 :]) for place in range(len(lengths))]
    whole, sizes = (tensor(numbers, dtype=dtypes.int64, device=indices.device) for numbers in (steps, lengths))
    return (indices.unsqueeze(-1).div(whole, rounding_mode="floor") % sizes).unbind(-1)


def _lengths(shape: Any) -> list[int]:
    if isinstance(shape, int):
        return [int(shape)]
    if not isinstance(shape, Sequence):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    for length in shape:
        if not isinstance(length, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(length)}")
    return [int(length) for length in shape]
