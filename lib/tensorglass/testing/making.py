"""`make_tensor`: a tensor of numbers drawn by chance, of the size, dtype and range that a test asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import tensorglass as torch
from tensorglass import dtypes
from tensorglass.devices import device as Device
from tensorglass.dtype_info import finfo, iinfo
from tensorglass.dtypes import dtype as DType
from tensorglass.errors import warn
from tensorglass.formats import memory_format as MemoryFormat
from tensorglass.tensor import Tensor


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
    """A tensor with elements from `low` up to, but not including, `high`; those of a complex one in both parts.

    The range is [-9, 9) for floating-point numbers and [-9, 10) for whole ones, [0, 10) where none are negative. With
    `exclude_zero` the smallest number above 0 stands in its place.

    >>> torch.testing.make_tensor(2, 3, dtype=torch.int64, device="cpu", low=5, high=6)
    tensor([[5, 5, 5],
            [5, 5, 5]])
    """
    if not isinstance(dtype, DType):
        raise TypeError(
            f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor(). To request support, file "
            "an issue at: https://github.com/pytorch/pytorch/issues"
        )
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got noncontiguous=True and "
            f"memory_format={memory_format!r}"
        )
    is_whole = dtype.category < dtypes.FLOATING
    if requires_grad and is_whole:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype!r}"
        )
    size: Any = shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape
    first, end = _range(dtype, low, high)
    if is_whole:
        made = torch.randint(math.ceil(first), math.ceil(end), size, dtype=dtype, device=device)
    elif dtype.is_complex:
        parts = torch.empty((*size, 2), dtype=dtype.to_real(), device=device).uniform_(first / 2, end / 2).mul_(2)
        made = torch.view_as_complex(parts)
    else:
        made = torch.empty(size, dtype=dtype, device=device).uniform_(first / 2, end / 2).mul_(2)
    if exclude_zero:
        made[made == 0] = 1 if is_whole else finfo(dtype).tiny
    if noncontiguous and made.numel() > 1:
        made = made.repeat_interleave(2, dim=-1)[..., ::2]
    elif memory_format is not None:
        made = made.clone(memory_format=memory_format)
    return made.requires_grad_(requires_grad)


def _range(dtype: DType, low: float | None, high: float | None) -> tuple[float, float]:
    """Where elements begin and end: what was asked for, or is usual, within what the dtype holds."""
    is_whole = dtype.category < dtypes.FLOATING
    least: float
    most: float
    if dtype is dtypes.bool:
        usual, least, most = (0.0, 2.0), 0, 2
    elif is_whole:
        limits = iinfo(dtype)
        usual = -9.0, 10.0
        least, most = limits.min, limits.max + (dtype.itemsize < 8)
    else:
        usual, least, most = (-9.0, 9.0), finfo(dtype).min, finfo(dtype).max
    first = int(usual[0]) if low is None else low
    end = int(usual[1]) if high is None else high
    if math.isnan(first) or math.isnan(end):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low} and high={high}")
    if first == end and not is_whole:
        warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 "
            "and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
        )
    elif first >= end:
        raise ValueError(f"`low` must be less than `high`, but got {first} >= {end}")
    if end < least or first >= most:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{first}, {end}), but {dtype!r} only supports "
            f"[{least}, {most})"
        )
    return max(first, least), min(end, most)
