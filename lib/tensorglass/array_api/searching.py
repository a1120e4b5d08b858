"""The standard's functions that search, sort, and find what is unique."""

from __future__ import annotations

from typing import Literal, NamedTuple

import tensorglass as torch
from tensorglass.array_api.promoting import as_tensors
from tensorglass.tensor.tensor import Tensor

# --- searching -------------------------------------------------------------------------------------------------------


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the first of the largest elements is along `axis`, or in the flattened array."""
    return _place_of_one(torch.argmax(x, axis, keepdims and axis is not None), x, axis is None and keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the first of the smallest elements is along `axis`, or in the flattened array."""
    return _place_of_one(torch.argmin(x, axis, keepdims and axis is not None), x, axis is None and keepdims)


def _place_of_one(place: Tensor, x: Tensor, keep_all: bool) -> Tensor:
    return place.reshape((1,) * x.ndim) if keep_all else place


def count_nonzero(x: Tensor, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
    """How many elements are not 0 along `axis`, or in all."""
    if axis == ():
        return (x != 0).to(torch.int64)
    return torch.sum(x != 0, axis, keepdims)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Where the elements are that are not 0: one array of indices for each dimension. ValueError for 0-dim arrays."""
    if not x.ndim:
        raise ValueError("nonzero() is for arrays of one dimension or more")
    return tuple(torch.nonzero(x, as_tuple=True))


def searchsorted(
    x1: Tensor, x2: Tensor | float, /, *, side: Literal["left", "right"] = "left", sorter: Tensor | None = None
) -> Tensor:
    """Where each of `x2` would go in the sorted array `x1`: before its equals ("left") or behind them ("right")."""
    x1, x2 = as_tensors(x1, x2)
    return torch.searchsorted(x1, x2, side=side, sorter=None if sorter is None else sorter.to(torch.int64))


def where(condition: Tensor, x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """Elements of `x1` where `condition` is True, of `x2` elsewhere."""
    if isinstance(x1, Tensor) or isinstance(x2, Tensor):
        x1, x2 = as_tensors(x1, x2)
    return torch.where(condition, x1, x2)


def isin(x1: Tensor | complex, x2: Tensor | complex, /, *, invert: bool = False) -> Tensor:
    """Whether each element of `x1` is somewhere in `x2`; with `invert`, whether it is not."""
    x1, x2 = as_tensors(x1, x2)
    return torch.isin(x1, x2, invert=invert)


# --- sorting ---------------------------------------------------------------------------------------------------------


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The indices that sort `x` along `axis`; `stable`: equal elements stay in their order."""
    return torch.sort(x, dim=axis, descending=descending, stable=stable)[1]


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements of `x` in order along `axis`."""
    return torch.sort(x, dim=axis, descending=descending, stable=stable)[0]


# --- what is unique --------------------------------------------------------------------------------------------------


class UniqueAll(NamedTuple):
    """The result of `unique_all`."""

    values: Tensor
    indices: Tensor  #: where each value first is in the flattened array
    inverse_indices: Tensor  #: for each element, which of the values it is
    counts: Tensor


class UniqueCounts(NamedTuple):
    """The result of `unique_counts`."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """The result of `unique_inverse`."""

    values: Tensor
    inverse_indices: Tensor


def _unique(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The different elements, which of them each element is, and how often each is there."""
    if not x.is_complex():
        return torch.unique(x, return_inverse=True, return_counts=True)
    parts = torch.view_as_real(x.resolve_conj().reshape(-1))  # ours refuses complex numbers; pairs of reals it compares
    rows, inverse, counts = torch.unique(parts, return_inverse=True, return_counts=True, dim=0)
    return torch.view_as_complex(rows.contiguous()), inverse.reshape(x._size), counts


def unique_all(x: Tensor, /) -> UniqueAll:
    """The different elements, where each is first, which of them each element is, and how often each is there."""
    values, inverse, counts = _unique(x)
    in_order = torch.sort(inverse.reshape(-1), stable=True)[1]
    first = in_order[torch.cumsum(counts, 0) - counts]
    return UniqueAll(values, first, inverse, counts)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """The different elements, and how often each is there."""
    values, _, counts = _unique(x)
    return UniqueCounts(values, counts)


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """The different elements, and which of them each element is."""
    values, inverse, _ = _unique(x)
    return UniqueInverse(values, inverse)


def unique_values(x: Tensor, /) -> Tensor:
    """The different elements."""
    return _unique(x)[0]
