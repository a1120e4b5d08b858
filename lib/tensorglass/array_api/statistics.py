"""The standard's statistics, running sums, and questions about all elements.

``axis=()`` reduces nothing, where PyTorch's ``dim=()`` reduces all: it is answered along a new dimension of size 1.
"""

from __future__ import annotations

import tensorglass as torch
from tensorglass import geometry
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.tensor.tensor import Tensor

Axes = int | tuple[int, ...] | None


def _reduced_along(x: Tensor, axis: Axes, keepdims: bool) -> tuple[Tensor, Axes, bool]:
    """The arguments for our operator, in its order."""
    return (x.unsqueeze(0), 0, False) if axis == () else (x, axis, keepdims)


def _summed_in(x: Tensor, dtype: DType | None) -> DType | None:
    """The dtype to sum in: uint64 for unsigned integers if none is given; None if our operator chooses the same."""
    is_unsigned = dtype is None and x._dtype.category == dtypes.INTEGER and not x._dtype.is_signed
    return dtypes.uint64 if is_unsigned else dtype


def all(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Whether every element is True, or not 0, along `axis`."""
    answer: Tensor = torch.all(*_reduced_along(x, axis, keepdims))
    return answer.to(torch.bool)  # PyTorch answers for uint8 in uint8


def any(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Whether some element is True, or not 0, along `axis`."""
    answer: Tensor = torch.any(*_reduced_along(x, axis, keepdims))
    return answer.to(torch.bool)


def max(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The largest element along `axis`; NaN if there is one."""
    x, axis, keepdims = _reduced_along(x, axis, keepdims)
    return torch.amax(x, () if axis is None else axis, keepdims)


def min(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The smallest element along `axis`; NaN if there is one."""
    x, axis, keepdims = _reduced_along(x, axis, keepdims)
    return torch.amin(x, () if axis is None else axis, keepdims)


def mean(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The mean along `axis`."""
    return torch.mean(*_reduced_along(x, axis, keepdims))


def var(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The variance along `axis`: the sum of squares is divided by the number of elements less `correction`."""
    x, axis, keepdims = _reduced_along(x, axis, keepdims)
    return torch.var(x, axis, correction=correction, keepdim=keepdims)


def std(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The square root of the variance along `axis`."""
    x, axis, keepdims = _reduced_along(x, axis, keepdims)
    return torch.std(x, axis, correction=correction, keepdim=keepdims)


def sum(x: Tensor, /, *, axis: Axes = None, dtype: DType | None = None, keepdims: bool = False) -> Tensor:
    """The sum along `axis`; integers are summed in int64, unsigned ones in uint64."""
    return torch.sum(*_reduced_along(x, axis, keepdims), dtype=_summed_in(x, dtype))


def prod(x: Tensor, /, *, axis: Axes = None, dtype: DType | None = None, keepdims: bool = False) -> Tensor:
    """The product along `axis`; integers are multiplied in int64, unsigned ones in uint64."""
    dtype = _summed_in(x, dtype)
    x, axis, keepdims = _reduced_along(x, axis, keepdims)
    if isinstance(axis, int):
        return torch.prod(x, axis, keepdims, dtype=dtype)
    dims = sorted(range(x.ndim) if axis is None else [geometry.wrap_dim(dim, x.ndim) for dim in axis], reverse=True)
    if not dims:
        return torch.prod(x, dtype=dtype)
    for dim in dims:  # ours takes one dimension at a time; from the last, so that the others keep their numbers
        x = torch.prod(x, dim, keepdims, dtype=dtype)
    return x


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False
) -> Tensor:
    """The running sums along `axis`, which a 1-dim array need not have; with a 0 before them if `include_initial`."""
    dim = _only_axis(x, axis)
    return _with_first(torch.cumsum(x, dim, dtype=_summed_in(x, dtype)), 0, dim, include_initial)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False
) -> Tensor:
    """The running products along `axis`, which a 1-dim array need not have; after a 1 if `include_initial`."""
    dim = _only_axis(x, axis)
    return _with_first(torch.cumprod(x, dim, dtype=_summed_in(x, dtype)), 1, dim, include_initial)


def _only_axis(x: Tensor, axis: int | None) -> int:
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"an axis is needed for an array of {x.ndim} dimensions")
        return 0
    return axis


def _with_first(running: Tensor, number: int, dim: int, include_initial: bool) -> Tensor:
    if not include_initial:
        return running
    size = list(running._size)
    size[dim] = 1
    return torch.cat([running.new_full(size, number), running], dim)


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The differences of neighbours along `axis`, `n` times; `prepend` and `append` are put before and behind first."""
    return torch.diff(x, n, axis, prepend, append)
