"""Pooling: one number for each window. The operators, with a flag for the indices, and functions composed of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorglass as torch
from tensorglass.ops.declare.autocast import in_float32
from tensorglass.ops.nn import avg_pool
from tensorglass.ops.nn import max_pool as largest
from tensorglass.ops.nn.arguments import each_of
from tensorglass.tensor.tensor import Tensor

Ints = int | Sequence[int]

avg_pool1d = torch.avg_pool1d
avg_pool2d = avg_pool.avg_pool2d
avg_pool3d = avg_pool.avg_pool3d
adaptive_avg_pool1d = torch.adaptive_avg_pool1d

# --- the largest -----------------------------------------------------------------------------------------------------


def _max_pool(plain: Callable[..., Tensor], with_indices: Callable[..., Any], name: str, what: str) -> Any:
    def pool(
        input: Tensor,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        dilation: Ints = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        function = with_indices if return_indices else plain
        return function(input, kernel_size, () if stride is None else stride, padding, dilation, ceil_mode)

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"`torch.{name}` {what}; with `return_indices` the cells of the largest elements too."
    return pool


max_pool1d = _max_pool(torch.max_pool1d, torch.max_pool1d_with_indices, "max_pool1d", "of signals")
max_pool2d = _max_pool(torch.max_pool2d, largest.max_pool2d_with_indices, "max_pool2d", "of images")
max_pool3d = _max_pool(torch.max_pool3d, largest.max_pool3d_with_indices, "max_pool3d", "of volumes")
max_pool1d_with_indices = torch.max_pool1d_with_indices
max_pool2d_with_indices = largest.max_pool2d_with_indices
max_pool3d_with_indices = largest.max_pool3d_with_indices


def _adaptive(output_size: Any, size: Sequence[int]) -> Any:
    """The lengths asked for, with the input's in place of None."""
    if isinstance(output_size, int):
        return output_size
    if len(size) <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    kept = zip(output_size, size[-len(output_size) :], strict=False)
    return [length if size is None else size for size, length in kept]


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of `output_size` parts of signals: (N, C, L) → (N, C, output_size)."""
    pooled = torch.adaptive_max_pool1d(input, output_size)
    return pooled if return_indices else pooled[0]


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of ``H' · W'`` parts of images: (N, C, H, W) → (N, C, H', W')."""
    pooled = largest.adaptive_max_pool2d(input, _adaptive(output_size, input.size()))
    return pooled if return_indices else pooled[0]


@in_float32
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of ``D' · H' · W'`` parts of volumes."""
    pooled = largest.adaptive_max_pool3d(input, _adaptive(output_size, input.size()))
    return pooled if return_indices else pooled[0]


adaptive_max_pool1d_with_indices = torch.adaptive_max_pool1d
adaptive_max_pool2d_with_indices = largest.adaptive_max_pool2d
adaptive_max_pool3d_with_indices = largest.adaptive_max_pool3d


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of each of ``H' · W'`` parts of images: (N, C, H, W) → (N, C, H', W'). None keeps a length."""
    return avg_pool.adaptive_avg_pool2d(input, _adaptive(output_size, input.size()))


@in_float32
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of each of ``D' · H' · W'`` parts of volumes. None keeps a length."""
    return avg_pool.adaptive_avg_pool3d(input, _adaptive(output_size, input.size()))


# --- windows at random places (Graham 2014, "Fractional Max-Pooling") ------------------------------------------------


def _fractional(
    rank: int, input: Tensor, kernel_size: Ints, output_size: Any, output_ratio: Any, samples: Tensor | None
) -> tuple[Tensor, Tensor]:
    name = f"fractional_max_pool{rank}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if output_size is None:
        ratios = output_ratio if isinstance(output_ratio, (tuple, list)) else (output_ratio,) * rank
        if len(ratios) > rank:
            raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
        output_size = [int(input.size(dim) * ratios[dim]) for dim in range(-rank, 0)]
    if samples is None:
        batch = 1 if input.dim() == rank + 1 else input.size(0)
        samples = torch.rand(batch, input.size(-rank - 1), rank, dtype=input.dtype, device=input.device)
    pool = largest.fractional_max_pool2d if rank == 2 else largest.fractional_max_pool3d
    return pool(input, kernel_size, output_size, samples)


@in_float32
def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Ints,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """`fractional_max_pool2d`, and the cells of the largest elements."""
    return _fractional(2, input, kernel_size, output_size, output_ratio, _random_samples)


@in_float32
def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Ints,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """`fractional_max_pool3d`, and the cells of the largest elements."""
    return _fractional(3, input, kernel_size, output_size, output_ratio, _random_samples)


@in_float32
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Ints,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest element of windows at random places: (N, C, H, W) → (N, C, *output_size), or that part of H and W."""
    pooled = _fractional(2, input, kernel_size, output_size, output_ratio, _random_samples)
    return pooled if return_indices else pooled[0]


@in_float32
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Ints,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest element of windows at random places of volumes."""
    pooled = _fractional(3, input, kernel_size, output_size, output_ratio, _random_samples)
    return pooled if return_indices else pooled[0]


# --- unpooling -------------------------------------------------------------------------------------------------------


def _unpooled_size(
    input: Tensor, kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int], output_size: Any
) -> list[int]:
    rank = len(kernel)
    default = [
        (input.size()[dim - rank] - 1) * stride[dim] + kernel[dim] - 2 * padding[dim] for dim in range(rank)
    ]  # too few strides raise IndexError, as in PyTorch
    if output_size is None:
        return default
    if len(output_size) == rank + 2:
        output_size = output_size[2:]
    if len(output_size) != rank:
        raise ValueError(
            f"output_size should be a sequence containing {rank} or {rank + 2} elements, but it has a length of "
            f"'{len(output_size)}'"
        )
    for dim in range(rank):
        least, most = default[dim] - stride[dim], default[dim] + stride[dim]
        if not least < output_size[dim] < most:
            raise ValueError(f'invalid output_size "{output_size}" (dim {dim} must be between {least} and {most})')
    return list(output_size)


def _unpool(
    rank: int, input: Tensor, indices: Tensor, kernel_size: Ints, stride: Any, padding: Ints, output_size: Any
) -> Tensor:
    kernel, before = each_of(kernel_size, rank), each_of(padding, rank)
    step = kernel if stride is None else each_of(stride, rank)
    size = _unpooled_size(input, kernel, step, before, output_size)
    if rank == 1:
        return largest.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]).squeeze(-1)
    if rank == 2:
        return largest.max_unpool2d(input, indices, size)
    return largest.max_unpool3d(input, indices, size, step, before)


@in_float32
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Undo `max_pool1d` of signals: put its results where `indices` say that they were, and zeros elsewhere."""
    return _unpool(1, input, indices, kernel_size, stride, padding, output_size)


@in_float32
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Undo `max_pool2d` of images: put its results where `indices` say that they were, and zeros elsewhere."""
    return _unpool(2, input, indices, kernel_size, stride, padding, output_size)


@in_float32
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Undo `max_pool3d` of volumes: put its results where `indices` say that they were, and zeros elsewhere."""
    return _unpool(3, input, indices, kernel_size, stride, padding, output_size)


# --- the norm --------------------------------------------------------------------------------------------------------


def _lp_pool(
    rank: int,
    pool: Callable[..., Tensor],
    input: Tensor,
    norm_type: float,
    kernel_size: Ints,
    stride: Any,
    ceil_mode: bool,
) -> Tensor:
    # The mean of the powers, times their number, is their sum.
    count = 1
    for size in (kernel_size,) if rank == 1 else each_of(kernel_size, rank):
        count *= size
    powers = input.pow(norm_type)
    if stride is not None:
        averages = pool(powers, kernel_size, stride, 0, ceil_mode)
    else:
        averages = pool(powers, kernel_size, padding=0, ceil_mode=ceil_mode)
    return (torch.sign(averages) * torch.relu(torch.abs(averages))).mul(count).pow(1.0 / norm_type)


def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: int, stride: Ints | None = None, ceil_mode: bool = False
) -> Tensor:
    """``(Σ xᵖ)^(1/p)`` over each window of signals, where p is `norm_type`: the sum for 1, the largest for infinity."""
    return _lp_pool(1, avg_pool1d, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Ints, stride: Ints | None = None, ceil_mode: bool = False
) -> Tensor:
    """The same of images."""
    return _lp_pool(2, avg_pool2d, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Ints, stride: Ints | None = None, ceil_mode: bool = False
) -> Tensor:
    """The same of volumes."""
    return _lp_pool(3, avg_pool3d, input, norm_type, kernel_size, stride, ceil_mode)
