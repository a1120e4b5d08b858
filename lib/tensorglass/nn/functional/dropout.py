"""Dropout: elements, or whole channels, are zeroed at random during training (Srivastava et al. 2014).

The others are scaled up, so that the expected sum stays the same. With `inplace` the input is overwritten.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import tensorglass as torch
from tensorglass.core.errors import warn
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.tensor.tensor import Tensor


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero each element with probability `p`, and divide the others by ``1 - p``. In evaluation, return the input."""
    _check_chance(p)
    return of_elements(input, p, training, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout for networks with `selu`: it keeps mean 0 and variance 1 (Klambauer et al. 2017)."""
    _check_chance(p)
    return of_elements_alpha(input, p, training, inplace)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels: (N, C, …)."""
    _check_chance(p)
    return of_channels_alpha(input, p, training, inplace)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels: (N, C, L) or (C, L)."""
    _check_chance(p)
    rank = input.dim()
    if rank not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {rank}D input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension (i.e. 2D or 3D inputs)."
        )
    return _of_batch(input, p, training, inplace, rank == 3)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels: (N, C, H, W). Three dimensions are read as (N, C, L)."""
    _check_chance(p)
    rank = input.dim()
    if rank not in (3, 4):
        _warn_of_rank("dropout2d", rank, 2, "3D or 4D")
    if rank == 3:
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a "
            "future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain "
            "the 1D channel-wise dropout behavior, please switch to using dropout1d instead."
        )
    return of_channels(input, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels: (N, C, D, H, W) or (C, D, H, W)."""
    _check_chance(p)
    rank = input.dim()
    if rank not in (4, 5):
        _warn_of_rank("dropout3d", rank, 3, "4D or 5D")
    return _of_batch(input, p, training, inplace, rank == 5)


def _warn_of_rank(name: str, rank: int, spatial: int, ranks: str) -> None:
    warn(
        f"{name}: Received a {rank}-D input to {name}, which is deprecated and will result in an error in a future "
        f"release. To retain the behavior and silence this warning, please use dropout instead. Note that {name} "
        f"exists to provide channel-wise dropout on inputs with {spatial} spatial dimensions, a channel dimension, and "
        f"an optional batch dimension (i.e. {ranks} inputs)."
    )


def _check_chance(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _of_batch(input: Tensor, p: float, training: bool, inplace: bool, is_batch: bool) -> Tensor:
    """Dropout of whole channels, of a batch or of a single sample."""
    if is_batch:
        return of_channels(input, p, training, inplace)
    batch = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = of_channels(batch, p, training, inplace)
    return result.squeeze_(0) if inplace else result.squeeze(0)


#: The limit of `selu` at -∞, negated. Its negative replaces dropped elements.
_ALPHA = 1.7580993408473766


def _dropped(
    input: Tensor, p: float, training: bool, inplace: bool, of_channels: bool = False, is_alpha: bool = False
) -> Tensor:
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not training or not input.numel():
        return input
    if p == 1:
        zero = torch.zeros((), dtype=input.dtype, device=input.device)
        return input.mul_(zero) if inplace else input.mul(zero)
    noise = torch.empty_like(input, requires_grad=False) if not of_channels else _channel_noise(input)
    noise.bernoulli_(1 - p)
    if not is_alpha:
        noise.div_(1 - p)
        return input.mul_(noise) if inplace else input.mul(noise)
    a = 1.0 / math.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    shift = noise.add(-1).mul_(_ALPHA * a).add_(_ALPHA * a * p)
    noise.mul_(a)
    return (input.mul_(noise) if inplace else input.mul(noise)).add_(shift)


def _channel_noise(input: Tensor) -> Tensor:
    if input.dim() < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    size = (input.size(0), input.size(1), *[1] * (input.dim() - 2))
    return torch.empty(size, dtype=input.dtype, device=input.device)


def _operator(name: str, of_channels: bool = False, is_alpha: bool = False) -> Callable[..., Tensor]:
    """PyTorch's operator `name`, and with an underscore the one in place."""

    def drop(input: Tensor, p: float, train: bool, inplace: bool) -> Tensor:
        check_tensor(name, input)
        return _dropped(input, p, train, inplace, of_channels, is_alpha)

    forms = [parsed(form, "input", "p", "train")(drop) for form in (name, f"{name}_")]
    return lambda input, p, train, inplace: forms[bool(inplace)](input, p, train, inplace)


of_elements, of_elements_alpha = _operator("dropout"), _operator("alpha_dropout", is_alpha=True)
of_channels = _operator("feature_dropout", of_channels=True)
of_channels_alpha = _operator("feature_alpha_dropout", of_channels=True, is_alpha=True)
