"""`histogramdd`: points in a space of several dimensions, counted in boxes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from tensorglass.backends import Array
from tensorglass.core.dtypes import comparable
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.statistics.histogram import (
    TITLE,
    check_edges_dtype,
    check_weight_dtype,
    equal_edges,
    refuse_without_kernel,
)
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of


def _samples() -> Iterator[Sample]:
    yield sample(values(20, 2), [3, 2])
    yield sample(values(20, 3), 2)
    yield sample(values(2, 6, 2), [3, 2], range=[-2.0, 2.0, -1.0, 3.0], density=True)
    yield sample(values(12, 1), [4], weight=values(12, seed=1))
    yield sample(values(0, 2), [2, 2])


def _read_bins(input: Tensor, bins: Any) -> list[Any]:
    """For each dimension the number of bins, or their edges."""
    dimensions = input._size[-1] if input._size else 0
    if isinstance(bins, int):
        bins = [bins] * dimensions
    if len(input._size) < 2:
        raise RuntimeError(f"{TITLE}: input tensor should have at least 2 dimensions")
    if len(bins) != dimensions:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    if isinstance(bins, Tensor) or any(isinstance(each, Tensor) is not isinstance(bins[0], Tensor) for each in bins):
        raise TypeError("edges in no list, or for some dimensions alone")  # `calls` says it in PyTorch's words
    for place, each in enumerate(bins):
        if not isinstance(each, Tensor) and each <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {each} for dimension {place}")
        if isinstance(each, Tensor):
            check_edges_dtype(input, each, place)
    return list(bins)


def _check_weight(input: Tensor, weight: Tensor) -> None:
    check_weight_dtype(input, weight)
    if weight._size != input._size[:-1]:
        raise RuntimeError(
            f"{TITLE}: if weight tensor is provided it should have the same shape as the input tensor excluding its "
            f"innermost dimension, but got input with shape {list(input._size)} and weight with shape "
            f"{list(weight._size)}"
        )


def _edges(points: Tensor, place: int, bins: Any, limits: Sequence[float] | None) -> Tensor:
    if isinstance(bins, Tensor):
        return bins
    return equal_edges(points.select(1, place), bins, limits and limits[2 * place : 2 * place + 2], place)


@operator("sorting", method=False, samples=_samples)
def histogramdd(
    input: Tensor, bins: Any, range: Sequence[float] | None = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """How many points fall into each box, and the edges of the boxes along each dimension.

    The innermost dimension of `input` holds the coordinates. `bins` is a number, one for each coordinate, or a tensor
    of edges for each; `range` a lower and an upper end for each. With `weight`, the sum of the points' weights; with
    `density`, divided by the whole and by the boxes' volumes.
    """
    check_tensor("histogramdd", input)
    chosen = _read_bins(input, bins)
    dimensions = len(chosen)
    if range is not None and len(range) != 2 * dimensions:
        raise RuntimeError(
            f"{TITLE}: for a {dimensions}-dimensional histogram range should have {2 * dimensions} elements, but got "
            f"{len(range)}"
        )
    if weight is not None:
        _check_weight(input, weight)
    has_edges = any(isinstance(each, Tensor) for each in chosen)
    refuse_without_kernel(input, has_edges, range)
    points = input.detach().reshape(-1, dimensions)
    edges = tuple([_edges(points, place, each, range) for place, each in enumerate(chosen)])
    backend = input._storage.backend
    weights = None if weight is None else array_of(weight.detach()).reshape(-1)
    compute, kind = (backend.array_dtype(each) for each in (comparable(input._dtype), input._dtype))
    arrays = [array_of(each).astype(compute, copy=False) for each in (points, *edges)]
    counts = backend.launch(_count, arrays[0], arrays[1:], weights, kind)
    hist = from_array(counts, input._dtype, input._storage)
    if density:
        hist = hist / hist.sum()
        for place, each in enumerate(edges):
            widths = each.diff()
            hist = hist / widths.reshape([-1, *[1] * (dimensions - 1 - place)])
    return return_types.histogramdd(hist, edges)


def _count(xp: Any, points: Array, edges: list[Array], weights: Array | None, kind: Any) -> Array:
    sizes = [each.shape[0] - 1 for each in edges]
    place = xp.zeros(points.shape[0], "int64")
    is_inside = xp.ones(points.shape[0], bool)
    for axis, each in enumerate(edges):
        column = xp.ascontiguousarray(points[:, axis])
        found = xp.searchsorted(each, column, side="right") - 1
        found = xp.where(column == each[-1], sizes[axis] - 1, found)
        is_inside = is_inside & (column >= each[0]) & (column <= each[-1])
        place = place * sizes[axis] + found
    if weights is not None:
        weights = weights[is_inside].astype("float64")
    counts = xp.bincount(place[is_inside].astype("int64"), weights, math.prod(sizes))
    return xp.ascontiguousarray(counts.astype(kind)).reshape(sizes)
