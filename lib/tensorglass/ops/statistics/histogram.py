"""How often values occur: bincount of integers, histc and histogram of numbers in bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import C_NAMES, comparable
from tensorglass.core.memory_format import contiguous_format
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_pair, not_implemented, refuse_meta
from tensorglass.ops.creation.fill import zeros
from tensorglass.ops.creation.ranges import linspace
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.reduction import write_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.derivatives.shared import no_derivative
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of

# --- integers ---------------------------------------------------------------------------------------------------


@operator("sorting")
@derivative(node="NotImplemented", weights=no_derivative("aten::bincount"))
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each of 0, 1, 2, … occurs in a vector, or the sum of its `weights`; at least `minlength` of them."""
    if input._dtype not in (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64):
        raise not_implemented("bincount_cpu", input._dtype)
    refuse_meta("aten::bincount", input)
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input._size == (0,):
        return zeros(minlength, dtype=dtypes.int64, device=input.device)
    if len(input._size) != 1 or int(input.min()) < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and weights._size != input._size:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    backend = input._storage.backend
    if weights is None:
        return from_array(backend.launch(_count_ints, array_of(input), None, minlength), dtypes.int64, input._storage)
    kind = weights._dtype if weights._dtype is dtypes.float32 else dtypes.float64
    weighed = weights.detach().real.to(dtypes.float64) if weights._dtype.is_complex else weights.detach()
    counts = backend.launch(_count_ints, array_of(input), array_of(weighed.to(dtypes.float64)), minlength)
    return from_array(counts, dtypes.float64, input._storage).to(kind)


def _count_ints(xp: Any, array: Array, weights: Array | None, minlength: int) -> Array:
    return xp.ascontiguousarray(xp.bincount(array.astype("int64", copy=False), weights, minlength))


# --- numbers in equal bins -------------------------------------------------------------------------------------------


_TITLE = "torch.histogramdd"  #: the name in PyTorch's errors


def _bin_limits(input: Tensor, low: float, high: float, name: str) -> tuple[float, float]:
    """The limits of the bins: by default the smallest and the largest element."""
    if low == high:
        if input.numel() and not input.is_meta:
            ends = input.detach().aminmax()
            low, high = ends[0].item(), ends[1].item()
        if low == high:
            low, high = low - 1, high + 1
    for bound in (low, high):
        if not math.isfinite(bound):
            raise RuntimeError(f"{name}: range of [{low:g}, {high:g}] is not finite")
    return low, high


@operator("sorting", out=True)
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0, *, out: Tensor | None = None) -> Tensor:
    """How many elements fall into each of `bins` equal bins between `min` and `max`, or from the least to the largest.

    The counts have the dtype of `input`. Elements outside are not counted; the last bin has its upper end.
    """
    dtype = input._dtype
    if out is not None and out._dtype is not dtype:
        raise RuntimeError(
            "torch.histogram: input tensor and hist tensor should have the same dtype, but got input "
            f"{C_NAMES[dtype]} and hist {C_NAMES[out._dtype]}"
        )
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if isinstance(min, complex) or isinstance(max, complex):
        raise RuntimeError("value cannot be converted to type double without overflow")
    if max < min:
        raise RuntimeError("torch.histc: max must be larger than min")
    if not dtype.is_floating_point:
        raise not_implemented("histogram_cpu", dtype)
    low, high = _bin_limits(input, min, max, "torch.histc")
    backend = input._storage.backend
    counts = backend.launch(_equal_bins, array_of(input), bins, low, high)
    return from_array(counts, dtype, input._storage) if out is None else write_out(counts, (bins,), out, dtype)


def _equal_bins(xp: Any, array: Array, bins: int, low: float, high: float) -> Array:
    row = array.reshape(-1)
    low, high, many = (row.dtype.type(number) for number in (low, high, bins))
    row = row[(row >= low) & (row <= high)]
    places = xp.minimum(((row - low) * many / (high - low)).astype("int64"), bins - 1)  # each step rounded to its dtype
    return xp.ascontiguousarray(xp.bincount(places, minlength=bins).astype(row.dtype))


# --- numbers in any bins ---------------------------------------------------------------------------------------------


@operator("sorting", out=True)
@derivative(node="NotImplemented", input=no_derivative("aten::histogram"), weight=no_derivative("aten::histogram"))
def histogram(
    input: Tensor,
    bins: Any = 100,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
    out: tuple[Tensor, Tensor] | None = None,
) -> Any:
    """How many elements fall into each bin, and the bins' edges: a number of equal bins, or a tensor of edges.

    With `weight`, the sum of the elements' weights; with `density`, divided by the whole and by the bins' widths.
    """
    dtype = input._dtype
    form = "aten::histogram.bins_tensor" if isinstance(bins, Tensor) else "aten::histogram.bin_ct"
    refuse_meta(form if out is None else f"{form}_out", *[t for t in (input, bins, weight) if isinstance(t, Tensor)])
    if out is not None:
        check_pair(out)
        refuse_meta(f"{form}_out", *out)
    _check_bins(input, bins, range, weight)
    hist, edges = _in_bins(input, bins, range, weight, density)
    if out is None:
        return return_types.histogram(hist, edges)
    for target in out:
        check_out_dtype(target, dtype)
    return return_types.histogram.out(
        *[
            write_out(array_of(tensor), tensor._size, target, dtype)
            for tensor, target in zip((hist, edges), out, strict=True)
        ]
    )


def _check_bins(input: Tensor, bins: Any, limits: Sequence[float] | None, weight: Tensor | None) -> None:
    """Raise RuntimeError unless these are bins, limits and weights for the elements of `input`."""
    for name, given in (("bins", bins), ("weight", weight)):
        if isinstance(given, Tensor) and given._dtype is not input._dtype:
            names = f"{C_NAMES[input._dtype]} and {C_NAMES[given._dtype]}"
            raise RuntimeError(f"torch.histogram(): input and {name} should have the same dtype, but got {names}")
    if isinstance(bins, Tensor) and len(bins._size) != 1:
        raise RuntimeError(f"torch.histogram(): bins should be a vector, but got {len(bins._size)} dimensions")
    count = bins.numel() - 1 if isinstance(bins, Tensor) else bins
    if count <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {count} for dimension 0")
    if limits is not None and len(limits) != 2:
        raise RuntimeError(f"torch.histogram(): range should have 2 elements, but got {len(limits)}")
    if weight is not None and weight.numel() != input.numel():
        raise RuntimeError(f"torch.histogram(): {weight.numel()} weights for {input.numel()} elements")


def _equal_edges(input: Tensor, bins: int, limits: Sequence[float] | None) -> Tensor:
    """The edges of `bins` equal bins between two limits, or from the least element to the largest."""
    if limits is not None:
        low, high = limits
    elif input.numel():
        low, high = (tensor.item() for tensor in input.detach().aminmax())
    else:
        low, high = 0.0, 1.0
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"{_TITLE}: dimension 0's range [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(f"{_TITLE}: min should not exceed max, but got min {low:g} max {high:g} for dimension 0")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return linspace(low, high, bins + 1, dtype=input._dtype, device=input.device)


def _in_bins(
    input: Tensor, bins: Any, limits: Sequence[float] | None, weight: Tensor | None, density: bool
) -> tuple[Tensor, Tensor]:
    """How many elements lie in each bin, and the bins' edges."""
    dtype = input._dtype
    has_edges = isinstance(bins, Tensor)
    if not dtype.is_floating_point or (dtype.itemsize == 2 and limits is None and input.numel() and not has_edges):
        raise not_implemented("histogram_cpu", dtype)
    edges = bins.clone(memory_format=contiguous_format) if has_edges else _equal_edges(input, bins, limits)
    backend = input._storage.backend
    weights = None if weight is None else array_of(weight.detach()).reshape(-1)
    compute, kind = (backend.array_dtype(one_dtype) for one_dtype in (comparable(dtype), dtype))
    arrays = [array_of(tensor.detach()).reshape(-1).astype(compute, copy=False) for tensor in (input, edges)]
    hist = from_array(backend.launch(_count_in_bins, *arrays, weights, kind), dtype, input._storage)
    return (hist / hist.sum() / edges.detach().diff() if density else hist), edges


def _count_in_bins(xp: Any, row: Array, edges: Array, weights: Array | None, kind: Any) -> Array:
    count = len(edges) - 1
    places = xp.searchsorted(edges, row, side="right") - 1
    places = xp.where(row == edges[-1], count - 1, places)
    is_inside = (row >= edges[0]) & (row <= edges[-1])
    if weights is not None:
        weights = weights[is_inside].astype("float64")
    counts = xp.bincount(places[is_inside].astype("int64"), weights, count)
    return xp.ascontiguousarray(counts.astype(kind))
