"""How unlikely a target is under a distribution, and how far one distribution is from another."""

from __future__ import annotations

import math

import tensorglass as torch
from tensorglass.core.errors import explained, warn
from tensorglass.nn.functional.loss.reduction import check_floating, legacy_reduction, read_reduction, reduced
from tensorglass.ops.arg_parser.checks import check_tensors, refuse_gradients
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.declare.autocast import in_float32
from tensorglass.ops.nn import loss as ops
from tensorglass.tensor.tensor import Tensor


@in_float32
@parsed("poisson_nll_loss", "input", "target", "log_input", "full", "eps", "1")
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Minus the log-likelihood of a Poisson distribution with rate `input`, or ``exp(input)`` if `log_input`.

    With `full`, it includes Stirling's approximation of log(target!).
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not a valid value for reduction")
    check_tensors("poisson_nll_loss", input=input, target=target)
    if log_input:
        loss = input.exp() - target * input
    else:
        loss = input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss += stirling.masked_fill(target <= 1, 0)
    return reduced(loss, reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Minus the log-likelihood of normal distributions with mean `input` and variance `var`, at least `eps`.

    With `full`, it includes the constant log(2π) / 2.
    """
    if var < 0 if isinstance(var, float) else torch.any(var < 0):
        raise ValueError("var has negative entry/entries")
    variance: Tensor = var if isinstance(var, Tensor) else var * torch.ones_like(input)
    if variance.size() != input.size():
        if input.size()[:-1] == variance.size():
            variance = variance.unsqueeze(-1)
        elif (
            input.ndim != variance.ndim
            or sum(y for x, y in zip(input.size(), variance.size(), strict=True) if x != y) != 1
        ):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    variance = variance.clone()
    with torch.no_grad():
        variance.clamp_(min=eps)
    loss = 0.5 * (variance.log() + (input - target) ** 2 / variance)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)


@in_float32
@parsed("kl_div", "input", "target", "1", "log_target=")
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """The Kullback-Leibler divergence ``target * (log(target) - input)``, where `input` holds logarithms.

    With `log_target`, `target` holds logarithms too. "batchmean" divides the sum by the number of samples, as the
    definition does.
    """
    check_tensors("kl_div", input=input, target=target)
    if size_average is not None or reduce is not None:
        kind = legacy_reduction(size_average, reduce)
    else:
        if reduction == "mean":
            warn(
                "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' "
                "divides only by the batch size, and aligns with the KL div math definition.'mean' will be changed to "
                "behave the same as 'batchmean' in the next major release."
            )
        kind = read_reduction("sum" if reduction == "batchmean" else reduction)
    if not (input.is_floating_point() and target.is_floating_point()):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        loss = target.exp() * (target - input)
    else:
        loss = target.xlogy(target) - target * input
    loss = reduced(loss, kind)
    return loss / input.size(0) if reduction == "batchmean" and input.dim() else loss


@in_float32
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``-(target * log(input) + (1 - target) * log(1 - input))`` of probabilities; logarithms are clamped to -100."""
    reduction = read_reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if input._dtype is not target._dtype:
        raise RuntimeError(f"Found dtype {target._dtype.scalar_type} but expected {input._dtype.scalar_type}")
    if weight is not None:
        size = torch.broadcast_shapes(target.size(), weight.size())
        refuse_gradients("binary_cross_entropy", weight=weight)
        weight = weight.expand(size).to(input._dtype)
    check_floating("binary_cross_entropy", input)
    if input.numel() and not bool(((input >= 0) & (input <= 1)).all()):
        raise explained(
            RuntimeError("all elements of input should be between 0 and 1"),
            "They are probabilities. For logits there is binary_cross_entropy_with_logits.",
        )
    return ops.binary_cross_entropy(input, target, reduction, (weight,))


@in_float32
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of ``sigmoid(input)``, accurate even where the sigmoid is close to 0 or 1.

    `pos_weight` is the weight of positive targets, one for each class.
    """
    reduction = read_reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return _of_logits(input, target, weight, pos_weight, reduction)


@parsed("binary_cross_entropy_with_logits", "input", "target", "weight", "pos_weight", "1")
def _of_logits(
    input: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None, reduction: str
) -> Tensor:
    if target._dtype is torch.bool:
        raise explained(
            RuntimeError(
                "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
                "operator instead."
            ),
            "The targets are probabilities: target.float().",
        )
    if input.is_floating_point() and not (target.is_floating_point() or target.is_complex()):
        raise explained(
            RuntimeError(
                f"result type {input._dtype.scalar_type} can't be cast to the desired output type "
                f"{target._dtype.scalar_type}"
            ),
            "The targets are probabilities: target.float().",
        )
    refuse_gradients("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    if target.is_floating_point():  # PyTorch writes the loss into ``1 - target``
        weight, pos_weight = [None if tensor is None else tensor.to(target._dtype) for tensor in (weight, pos_weight)]
        input = input.to(target._dtype)
    return ops.binary_cross_entropy_with_logits(input, target, reduction, (weight, pos_weight))
