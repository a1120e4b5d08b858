"""Normalization: the operators with PyTorch's defaults, and functions composed of them."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import tensorglass as torch
from tensorglass.tensor.tensor import Tensor

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "local_response_norm", "rms_norm"]


def _refuse_single(size: Sequence[int]) -> None:
    """Raise in training mode if a channel has only one value: it would equal its own mean."""
    count = size[0]
    for length in size[2:]:
        count *= length
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each channel of (N, C, …): in training by the batch's mean and variance, else by the running ones."""
    if training:
        _refuse_single(input.size())
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    return torch.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, False)


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each channel of each sample of (N, C, …) by its own mean and variance, or by the running ones."""
    if use_input_stats:
        size = input.size()
        count = 1
        for length in size[2:]:
            count *= length
        if count == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")
    return torch.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False)


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize the last dimensions, which have size `normalized_shape`."""
    return torch.layer_norm(input, normalized_shape, weight, bias, eps, False)


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Divide the last dimensions, which have size `normalized_shape`, by their root mean square."""
    return torch.rms_norm(input, normalized_shape, weight, eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Normalize each of `num_groups` groups of channels of each sample of (N, C, …) by its own mean and variance."""
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    _refuse_single([input.size(0) * input.size(1) // num_groups, num_groups, *input.size()[2:]])
    return torch.group_norm(input, num_groups, weight, bias, eps, False)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Divide each element by ``(k + alpha · mean of the squares of `size` channels around it) ** beta``.

    (N, C, …) → (N, C, …). Krizhevsky et al. 2012 (AlexNet).
    """
    from tensorglass.nn import functional as F

    dim = input.dim()
    if dim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {dim} dimensions)")
    if input.numel() == 0:
        return input
    squares = input.mul(input)
    if isinstance(size, Tensor) and size.numel() == 1:
        size = operator.index(size)
    if dim == 3:
        squares = F.pad(squares.unsqueeze(1), (0, 0, size // 2, (size - 1) // 2))
        means = F.avg_pool2d(squares, (size, 1), stride=1).squeeze(1)
    else:
        sizes = input.size()
        squares = squares.view(sizes[0], 1, sizes[1], sizes[2], -1)
        squares = F.pad(squares, (0, 0, 0, 0, size // 2, (size - 1) // 2))
        means = F.avg_pool3d(squares, (size, 1, 1), stride=1).squeeze(1)
        means = means.view(sizes)
    return input / means.mul(alpha).add(k).pow(beta)
