"""Losses of regression: squared differences, absolute differences, and combinations of both."""

from __future__ import annotations

from typing import Any

import tensorglass as torch
from tensorglass.core.errors import warn
from tensorglass.nn.functional.loss.reduction import check_floating, legacy_reduction, read_reduction, reduced
from tensorglass.ops.arg_parser.checks import check_tensors, refuse_gradients
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.declare.autocast import in_float32
from tensorglass.ops.nn import loss as ops
from tensorglass.tensor.tensor import Tensor


def _of_one_size(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    if target.size() == input.size():
        return input, target
    warn(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )
    input, target = torch.broadcast_tensors(input, target)
    return input, target


def _weighted(errors: Tensor, weight: Tensor, size: Any, reduction: str, by_weight: bool) -> Tensor:
    if weight.size() != size:
        raise ValueError("Weights and input must have the same size.")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")
    errors = errors * weight
    if by_weight and reduction == "mean":
        return torch.sum(errors) / torch.sum(weight)
    return reduced(errors, reduction)


@in_float32
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The squared difference."""
    one, other = _of_one_size(input, target)
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    if weight is not None:
        return _weighted((one - other).pow(2), weight, input.size(), reduction, by_weight=True)
    check_floating("mse_cpu", one, other)
    return ops.mse_loss(one, other, read_reduction(reduction), ())


@in_float32
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The absolute difference."""
    one, other = _of_one_size(input, target)
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    if weight is not None:
        return _weighted((one - other).abs(), weight, input.size(), reduction, by_weight=True)
    return reduced((one - other).abs(), read_reduction(reduction))


@in_float32
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """``d² / (2 beta)`` for differences d below `beta`, and ``|d| - beta / 2`` above (Girshick 2015)."""
    one, other = _of_one_size(input, target)
    reduction = read_reduction(reduction, size_average, reduce)
    return reduced((one - other).abs(), reduction) if beta == 0.0 else _smooth_l1(one, other, beta, reduction)


@parsed("smooth_l1_loss", "input", "target", "1", "beta")
def _smooth_l1(input: Tensor, target: Tensor, beta: float, reduction: str) -> Tensor:
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    check_floating("smooth_l1_cpu", input, target)
    return ops.smooth_l1_loss(input, target, reduction, (beta,))


@in_float32
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """``d² / 2`` for differences d up to `delta`, and ``delta (|d| - delta / 2)`` above (Huber 1964)."""
    one, other = _of_one_size(input, target)
    if weight is not None:
        loss = _huber(one, other, delta, "none")
        return _weighted(loss, weight, input.size(), reduction, by_weight=False)
    return _huber(one, other, delta, read_reduction(reduction))


@parsed("huber_loss", "input", "target", "1", "delta")
def _huber(input: Tensor, target: Tensor, delta: float, reduction: str) -> Tensor:
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    check_floating("huber_cpu", input, target)
    return ops.huber_loss(input, target.to(input._dtype), reduction, (delta,))  # the loss has the dtype of the input


@in_float32
def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``log(1 + exp(-target * input))``, for targets 1 and -1."""
    check_tensors("soft_margin_loss", input=input, target=target)
    refuse_gradients("soft_margin_loss", target=target)
    return ops.soft_margin_loss(input, target, read_reduction(reduction, size_average, reduce), ())
