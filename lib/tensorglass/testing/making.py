"""Tensors to test with: `make_tensor` makes one of any size, dtype and layout, of numbers drawn evenly from a range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from tensorglass.core import dtypes
from tensorglass.core.devices import device as Device
from tensorglass.core.dtype_info import finfo, iinfo
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import warn
from tensorglass.core.memory_format import memory_format as MemoryFormat
from tensorglass.ops.creation.fill import empty
from tensorglass.ops.random.factories import randint
from tensorglass.ops.views.shape import view_as_real
from tensorglass.tensor.tensor import Tensor


class _Range(NamedTuple):
    """The numbers from `low` up to but not including `high`."""

    low: float
    high: float


def make_tensor(
    *shape: int | Sequence[int],
    dtype: DType,
    device: Device | str,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """A tensor of numbers drawn evenly from `low` up to but not including `high`.

    These are -9 and 10 for integers, of which unsigned dtypes take those from 0, 0 and 2 for bools, and -9 and 9
    for all others, unless they are given. A `noncontiguous` tensor shows every other element of its last dimension.
    With `exclude_zero`, 1 stands for 0, or the least normal number of a floating-point dtype.

    >>> torch.testing.make_tensor(2, 3, dtype=torch.int64, device="cpu", low=5, high=6)
    tensor([[5, 5, 5],
            [5, 5, 5]])
    """
    if not isinstance(dtype, DType):
        raise TypeError(
            f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor(). To request support, file "
            "an issue at: https://github.com/pytorch/pytorch/issues"
        )
    size: Any = tuple(shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape)
    is_whole = dtype.category < dtypes.FLOATING
    if noncontiguous and memory_format is not None:
        raise ValueError(
            f"The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got {noncontiguous=} and "
            f"{memory_format=}"
        )
    if requires_grad and is_whole:
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}")
    skips = noncontiguous and math.prod(size) > 1
    if skips:
        size = (*size[:-1], 2 * size[-1])
    chosen = _chosen(low, high, dtype)
    if is_whole:
        made: Any = randint(math.ceil(chosen.low), math.ceil(chosen.high), size, dtype=dtype, device=device)
    else:
        made = empty(size, dtype=dtype, device=device)
        _fill_evenly(view_as_real(made) if dtype.is_complex else made, chosen)
    if skips:
        made = made[..., 1::2]
    elif memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        made[made == 0] = 1 if is_whole else finfo(dtype).tiny
    if not is_whole:
        made.requires_grad = requires_grad
    return made


def _chosen(low: float | None, high: float | None, dtype: DType) -> _Range:
    """What was asked for, or what the dtype has where nothing was, within what it holds; ValueError for no range."""
    widest, usual = _ranges(dtype)
    low, high = usual.low if low is None else low, usual.high if high is None else high
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and dtype.category >= dtypes.FLOATING:
        warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 "
            "and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < widest.low or low >= widest.high:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports "
            f"[{widest.low}, {widest.high})"
        )
    return _Range(*[min(max(each, widest.low), widest.high) for each in (low, high)])


def _ranges(dtype: DType) -> tuple[_Range, _Range]:
    """What a dtype holds, and what is drawn from if nothing else is said."""
    if dtype is dtypes.bool:
        return _Range(0, 2), _Range(0, 2)
    if dtype.category >= dtypes.FLOATING:
        limits = finfo(dtype)
        return _Range(limits.min, limits.max), _Range(-9, 9)
    # `randint` takes 64 bits: its end cannot be beyond the largest int64.
    return _Range(iinfo(dtype).min, iinfo(dtype).max + (dtype is not dtypes.int64)), _Range(-9, 10)


def _fill_evenly(target: Any, chosen: _Range) -> None:
    if chosen.high - chosen.low >= finfo(target.dtype).max:  # more than `uniform_` can tell apart
        target.uniform_(chosen.low / 2, chosen.high / 2).mul_(2)
    else:
        target.uniform_(*chosen)
