"""Quantiles: the element below which a given fraction of all elements lies, interpolated between neighbours."""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.ops.arg_parser.checks import holds_somewhere
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.creation.tensor import tensor
from tensorglass.ops.declare.reduction import reduced_size
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import refuse_overlapping_write, resize_output
from tensorglass.ops.kernels.ordering import elements_at
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of

_WAYS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(
    input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, out: Tensor | None, *, skips_nan: bool
) -> Tensor:
    if not input.numel():
        raise RuntimeError("quantile() input tensor must be non-empty")
    is_number = not isinstance(q, Tensor)
    if is_number:
        if not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
        q = tensor(q, dtype=input._dtype if input._dtype.is_floating_point else None, device=input.device)
    elif len(q._size) > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if interpolation not in _WAYS:
        raise RuntimeError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
            f"{interpolation}"
        )
    if input._dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if q._dtype is not input._dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if not is_number and q.numel() and holds_somewhere(~((q >= 0) & (q <= 1))):
        raise RuntimeError("quantile() q values must be in the range [0, 1]")
    if out is not None and out._dtype is not input._dtype:
        raise RuntimeError("quantile() out tensor must be same dtype as the input tensor")
    size = _reduced(input._size, dim, keepdim)
    if input._meta is None and q._meta is None:
        axis = None if dim is None else geometry.wrap_dim(dim, max(len(input._size), 1))
        array = input._backend.launch(_between, array_of(input), axis, array_of(q), interpolation, skips_nan)
        array = input._backend.xp.ascontiguousarray(array)
        quantiles = from_array(array.reshape((*size, array.shape[-1])), input._dtype, input._storage)
        if interpolation in ("linear", "midpoint"):
            quantiles._written()  # PyTorch interpolates in place
    else:
        ranked = _ordered(input, dim)
        quantiles = _elements_at_ranks(
            ranked.view(*size, ranked._size[-1]), q if q._size else q.unsqueeze(0), interpolation, skips_nan
        )
    result = quantiles.unsqueeze_(0).transpose_(0, -1).squeeze_(-1) if q._size else quantiles.squeeze_(-1)
    if out is None:
        return result
    refuse_overlapping_write(out)
    if out._size != result._size:
        resize_output(out, result._size)
    return copy_(out, result)


def _between(xp: Any, array: Array, axis: int | None, q: Array, interpolation: str, skips_nan: bool) -> Array:
    """The same as `_ordered` and `_elements_at_ranks`, on arrays, for use without a gradient."""
    rows = array.reshape(-1) if axis is None or not array.ndim else xp.moveaxis(array, axis, -1)
    ranked = xp.sort(rows, axis=-1, kind="stable")
    q, last = q.reshape(-1), ranked.shape[-1] - 1
    if skips_nan:
        ranks = q * (xp.sum(~xp.isnan(ranked), axis=-1, keepdims=True) - 1).astype(q.dtype)
        ranks = xp.where(ranks < 0, q.dtype.type(0), ranks)
    else:  # NaNs are sorted to the end
        ranks = xp.where(xp.isnan(ranked[..., -1:]), q.dtype.type(last), q * q.dtype.type(last))
    if interpolation in ("lower", "higher", "nearest"):
        way = {"lower": xp.floor, "higher": xp.ceil, "nearest": xp.rint}[interpolation]
        return elements_at(xp, ranked, way(ranks).astype("int64"), ranked.ndim - 1)
    places = ranks.astype("int64")
    weights = xp.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - places.astype(q.dtype)
    below = elements_at(xp, ranked, places, ranked.ndim - 1)
    above = elements_at(xp, ranked, xp.ceil(ranks).astype("int64"), ranked.ndim - 1)
    step = above - below
    return xp.where(weights < 0.5, below + weights * step, above - step * (1 - weights))


def _ordered(input: Tensor, dim: int | None) -> Tensor:
    """The elements in order along the last dimension."""
    if dim is None:
        return input.flatten().sort()[0]
    axis = geometry.wrap_dim(dim, max(len(input._size), 1))
    if axis == len(input._size) - 1:
        return input.sort()[0]
    return input.unsqueeze(-1).transpose(axis, -1).sort()[0]


def _elements_at_ranks(ranked: Tensor, q: Tensor, interpolation: str, skips_nan: bool) -> Tensor:
    """The elements at each fraction of `q`, interpolated, along a new last dimension."""
    if skips_nan:
        ranks = q * (ranked.isnan().logical_not().sum(-1, keepdim=True) - 1)
        ranks = ranks.masked_fill(ranks < 0, 0)
    else:
        last = ranked._size[-1] - 1
        ranks = (q * last).expand(*ranked._size[:-1], len(q))
        ranks = ranks.masked_fill(ranked.isnan().any(-1, keepdim=True), last)
    if interpolation in ("lower", "higher", "nearest"):
        ranks = {"lower": ranks.floor, "higher": ranks.ceil, "nearest": ranks.round}[interpolation]()
        return ranked.gather(-1, ranks.long())
    below = ranks.long()
    weights = ranks.new_full(ranks._size, 0.5) if interpolation == "midpoint" else ranks - below
    return ranked.gather(-1, below).lerp_(ranked.gather(-1, ranks.ceil().long()), weights)


def _reduced(size: tuple[int, ...], dim: int | None, keepdim: bool) -> tuple[int, ...]:
    if dim is None or not size:
        return (1,) * len(size) if keepdim else ()
    return reduced_size(size, (geometry.wrap_dim(dim, len(size)),), keepdim)


@operator("sorting", out=True)
def quantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """The value at each part `q` (from 0 to 1) of the way through the elements in order, along `dim` or of all.

    Between two elements, `interpolation` says what it is. A tensor `q` gives a first dimension to the result. NaN where
    there is one.
    """
    return _quantile(input, q, dim, keepdim, interpolation, out, skips_nan=False)


@operator("sorting", out=True)
def nanquantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """`quantile` of those elements that are not NaN."""
    return _quantile(input, q, dim, keepdim, interpolation, out, skips_nan=True)
