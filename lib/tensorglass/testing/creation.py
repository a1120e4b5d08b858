"""`make_tensor`: random tensors of every dtype, for tests. From the same seed they are PyTorch's."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import tensorglass as torch
from tensorglass.tensor.tensor import Tensor


def make_tensor(
    *shape: int | Sequence[int],
    dtype: Any,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor with numbers drawn uniformly from [low, high), which are -9 and 9, or 10 for integers, by default.

    `noncontiguous` takes every second element of a tensor that is twice as long; `exclude_zero` puts the smallest
    positive number in the place of zeros. ValueError for limits that the dtype does not have, or that are the wrong way
    round.
    """
    sizes: Any = shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape
    size = tuple(sizes)
    is_integer = not (dtype.is_floating_point or dtype.is_complex)
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"noncontiguous={noncontiguous!r} and memory_format={memory_format!r}"
        )
    if requires_grad and is_integer:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype!r}"
        )
    skips = noncontiguous and math.prod(size) > 1
    drawn = (*size[:-1], 2 * size[-1]) if skips else size
    least, greatest = _limits(dtype, low, high)
    if is_integer:
        result = torch.randint(math.ceil(least), math.ceil(greatest), drawn, device=device, dtype=dtype)
    else:
        result = torch.empty(drawn, device=device, dtype=dtype)
        numbers = torch.view_as_real(result) if dtype.is_complex else result
        if greatest - least >= torch.finfo(dtype).max:  # more than `uniform_` takes
            numbers.uniform_(least / 2, greatest / 2).mul_(2)
        else:
            numbers.uniform_(least, greatest)
    if skips:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = 1 if is_integer else torch.finfo(dtype).tiny
    return result.requires_grad_() if requires_grad else result


def _limits(dtype: Any, low: float | None, high: float | None) -> tuple[float, float]:
    """The limits between which numbers are drawn, within those of the dtype."""
    is_integer = not (dtype.is_floating_point or dtype.is_complex)
    lowest: float
    beyond: float
    if dtype is torch.bool:
        lowest, beyond, default = 0, 2, (0, 2)
    elif is_integer:
        lowest, default = torch.iinfo(dtype).min, (-9, 10)
        beyond = torch.iinfo(dtype).max + (dtype is not torch.int64)  # which is as far as `randint` goes
    else:
        lowest, beyond, default = torch.finfo(dtype).min, torch.finfo(dtype).max, (-9, 9)
    low, high = default[0] if low is None else low, default[1] if high is None else high
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low!r} and high={high!r}")
    if low == high and not is_integer:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 "
            "and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=3,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < lowest or low >= beyond:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports "
            f"[{lowest}, {beyond})"
        )
    return min(max(low, lowest), beyond), min(max(high, lowest), beyond)
