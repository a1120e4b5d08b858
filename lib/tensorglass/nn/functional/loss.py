"""Losses as functions: how far `input` is from `target`.

`reduction` says what becomes of the losses of all elements or samples: "none" leaves them, "mean" takes their mean and
"sum" their sum. `size_average` and `reduce` are its deprecated forms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import tensorglass as torch
from tensorglass.core.errors import explained, warn
from tensorglass.graph.recorder import in_cpp
from tensorglass.nn.functional.activation import logsigmoid
from tensorglass.nn.functional.linear import linear
from tensorglass.ops.arg_parser.checks import (
    check_int,
    check_tensor,
    check_tensors,
    not_implemented,
    refuse_gradients,
)
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.declare.autocast import as_it_is, in_float32
from tensorglass.ops.declare.registry import has_shortcut
from tensorglass.ops.kernels.positions import first_outside
from tensorglass.ops.nn import loss as ops
from tensorglass.tensor.tensor import Tensor, array_of

reduced = ops.reduced


def legacy_reduction(size_average: bool | None, reduce: bool | None) -> str:
    """The `reduction` that the deprecated arguments mean, with PyTorch's warning."""
    average, reduces = size_average is None or size_average, reduce is None or reduce
    found = "none" if not reduces else "mean" if average else "sum"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.")
    return found


def _read(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> str:
    if size_average is not None or reduce is not None:
        return legacy_reduction(size_average, reduce)
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        return "mean"
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def _check_floating(kernel: str, *tensors: Tensor) -> None:
    """Raise PyTorch's error if none of the tensors is of floating-point numbers."""
    if not any(each.is_floating_point() for each in tensors):
        raise not_implemented(kernel, tensors[0]._dtype)


# --- of numbers ----------------------------------------------------------------------------------------------------


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
    _check_floating("mse_cpu", one, other)
    return ops.mse_loss(one, other, _read(reduction), ())


@in_float32
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The difference, without its sign."""
    one, other = _of_one_size(input, target)
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    if weight is not None:
        return _weighted((one - other).abs(), weight, input.size(), reduction, by_weight=True)
    return reduced((one - other).abs(), _read(reduction))


@in_float32
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """``d² / (2 beta)`` for differences d below `beta`, and ``|d| - beta / 2`` beyond (Girshick 2015)."""
    one, other = _of_one_size(input, target)
    reduction = _read(reduction, size_average, reduce)
    if beta == 0.0:
        return reduced((one - other).abs(), reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    _check_floating("smooth_l1_cpu", one, other)
    return ops.smooth_l1_loss(one, other, reduction, (beta,))


@in_float32
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """``d² / 2`` for differences d up to `delta`, and ``delta (|d| - delta / 2)`` beyond (Huber 1964)."""
    one, other = _of_one_size(input, target)
    if weight is not None:
        loss = _huber(one, other, delta, "none")
        return _weighted(loss, weight, input.size(), reduction, by_weight=False)
    return _huber(one, other, delta, _read(reduction))


@parsed("huber_loss", "input", "target", "1", "delta")
def _huber(input: Tensor, target: Tensor, delta: float, reduction: str) -> Tensor:
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    _check_floating("huber_cpu", input, target)
    return ops.huber_loss(input, target, reduction, (delta,))


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
    if not (input.is_floating_point() or target.is_floating_point()):
        raise RuntimeError(f"result type Float can't be cast to the desired output type {input._dtype.scalar_type}")
    return ops.soft_margin_loss(input, target, _read(reduction, size_average, reduce), ())


# --- of distributions ----------------------------------------------------------------------------------------------


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
    """Minus the log-likelihood of a Poisson distribution of rate `input`, or ``exp(input)`` if `log_input`.

    If `full`, with Stirling's approximation of log(target!).
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
    """Minus the log-likelihood of normal distributions of mean `input` and variance `var`, at least `eps`.

    If `full`, with the constant, log(2π) / 2.
    """
    if bool(torch.any(var < 0)) if isinstance(var, Tensor) else var < 0:
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
    """The Kullback-Leibler divergence ``target * (log(target) - input)``: `input` holds logarithms, and so does
    `target`, if `log_target`. "batchmean" divides the sum by the number of samples, as the definition does.
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
        kind = _read("sum" if reduction == "batchmean" else reduction)
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
    """``-(target * log(input) + (1 - target) * log(1 - input))`` for probabilities; logarithms are at least -100."""
    reduction = _read(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if input._dtype is not target._dtype:
        raise RuntimeError(f"Found dtype {target._dtype.scalar_type} but expected {input._dtype.scalar_type}")
    if weight is not None:
        size = torch.broadcast_shapes(target.size(), weight.size())
        weight = weight.expand(size)
        refuse_gradients("binary_cross_entropy", weight=weight)
    _check_floating("binary_cross_entropy", input)
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
    """`binary_cross_entropy` of ``sigmoid(input)``, exact where that is close to 0 or 1.

    `pos_weight` is the weight of positive targets, one for each class.
    """
    reduction = _read(reduction, size_average, reduce)
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
    return ops.binary_cross_entropy_with_logits(input, target, reduction, (weight, pos_weight))


# --- of classes ----------------------------------------------------------------------------------------------------


@in_float32
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Minus the log-probability of the right class: input (N, C), (C) or (N, C, d1, …), target (N), () or (N, d1, …).

    `weight` (C) weights the classes; targets that are `ignore_index` do not count.
    """
    check_tensors("nll_loss_nd", input=input, target=target)
    _check_options("nll_loss_nd", weight, ignore_index)
    return _nll(input, target, weight, int(ignore_index), _read(reduction, size_average, reduce))


def _nll(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str) -> Tensor:
    rank = input.dim()
    if rank < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {rank})")
    if rank != 1 and target.dim() and input.size(0) != target.size(0):
        raise ValueError(f"Expected input batch_size ({input.size(0)}) to match target batch_size ({target.size(0)}).")
    _check_classes(input, target, weight, ignore_index)
    refuse_gradients("nll_loss_forward" if rank <= 2 else "nll_loss2d_forward", weight=weight)
    _check_floating("nll_loss_out_frame", input)
    if rank <= 2 or (rank == 4 and tuple(target.shape) == (input.size(0), *input.shape[2:])):
        return ops.nll_loss(input, target, weight, reduction, ignore_index)
    rows, classes = input.flatten(2), target.flatten(1)
    loss = ops.nll_loss(rows, classes, weight, reduction, ignore_index)
    return loss.view(target.shape) if reduction == "none" else loss


def _check_options(name: str, weight: Tensor | None, ignore_index: int) -> None:
    if weight is not None:
        check_tensor(name, weight, "weight", 3)
    check_int(name, "ignore_index", 5, ignore_index)


def _s(size: Any) -> str:
    return str(list(size.shape if isinstance(size, Tensor) else size))


def _check_classes(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> None:
    rank = input.dim()
    if rank <= 2:
        if target.dim() > 1:
            raise explained(
                RuntimeError("0D or 1D target tensor expected, multi-target not supported"),
                "The target holds the number of the right class of each sample.",
            )
        if rank == 1 and target.dim() == 1 and target.size(0) != 1:
            raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.size(0)}")
        if rank == 2 and target.dim() == 0:
            raise RuntimeError(f"size mismatch (got input: {_s(input)}, target: {_s(target)})")
    elif (expected := (input.size(0), *input.shape[2:])) != tuple(target.shape):
        if rank != 4:
            raise RuntimeError(f"Expected target size {_s(expected)}, got {_s(target)}")
        if target.dim() != 3:
            raise RuntimeError(
                f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {target.dim()}"
            )
        raise RuntimeError(f"size mismatch (got input: {_s(input)} , target: {_s(target)}")
    if target._dtype not in (torch.int64, torch.uint8):
        error = RuntimeError(f"expected target dtype to be Long or Byte, but got {target._dtype.scalar_type}")
        raise explained(error, "Classes are integers: target.long().")
    if weight is not None and weight._dtype is not input._dtype:
        raise RuntimeError(f"expected scalar type {input._dtype.scalar_type} but found {weight._dtype.scalar_type}")
    classes = input.size(-1 if rank == 1 else 1)
    if weight is not None and rank > 2 and weight.numel() != classes:
        raise RuntimeError("weight tensor should be defined either for all or no classes")
    if weight is not None and (weight.dim() != 1 or weight.numel() != classes):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {_s(weight)}"
        )
    wrong = target._storage.backend.launch(first_outside, array_of(target), classes, 0, ignore_index)
    if wrong is not None:
        raise explained(
            IndexError(f"Target {wrong} is out of bounds."),
            f"Classes are 0 … {classes - 1}, as many as the input has in its dimension {0 if rank == 1 else 1}.",
        )


@in_float32
@has_shortcut("cross_entropy")
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Minus the log-probability of the right class, where `input` holds logits: (N, C), (C) or (N, C, d1, …).

    `target` holds classes, (N), () or (N, d1, …), or probabilities, of the input's size. `label_smoothing` is the share
    of the target that is spread over all classes (Szegedy et al. 2016).
    """
    check_tensors("cross_entropy_loss", input=input, target=target)
    _check_options("cross_entropy_loss", weight, ignore_index)
    ignore_index = int(ignore_index)  # which may be a tensor of one integer
    reduction = _read(reduction, size_average, reduce)
    if input.shape == target.shape and (input.dim() or target.is_floating_point()):
        return _of_probabilities(input, target, weight, ignore_index, reduction, label_smoothing)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    class_dim = 0 if input.dim() == 1 else 1
    log_probs = input.log_softmax(class_dim)
    loss = _nll(log_probs, target, weight, ignore_index, reduction)
    if label_smoothing == 0.0:
        return loss
    is_ignored = target == ignore_index
    if weight is None:
        smooth = -log_probs.sum(class_dim)
    else:
        smooth = -(log_probs * _along(weight, input.dim(), class_dim)).sum(class_dim)
    smooth = smooth.masked_fill(is_ignored, 0.0)
    if reduction == "mean":
        if weight is None:
            smooth = smooth.masked_select(~is_ignored).mean()
        else:
            smooth = smooth.sum() / weight.gather(0, target.masked_select(~is_ignored).flatten()).sum()
    elif reduction == "sum":
        smooth = smooth.sum()
    return (1 - label_smoothing) * loss + smooth * (label_smoothing / input.size(class_dim))


def _along(weight: Tensor, rank: int, dim: int) -> Tensor:
    """One number for each class, as it broadcasts with the input."""
    return weight.view([-1 if each == dim else 1 for each in range(rank)])


@in_cpp
def _of_probabilities(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str, label_smoothing: float
) -> Tensor:
    class_dim = 0 if input.dim() == 1 else 1
    classes = input.size(class_dim)
    if not target.is_floating_point():
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {target._dtype.scalar_type}"
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    if weight is not None and (weight.dim() != 1 or weight.numel() != classes):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {_s(weight)}"
        )
    log_probs = input.log_softmax(class_dim)
    if label_smoothing > 0.0:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    loss = log_probs * target
    if weight is not None:
        loss = loss * _along(weight, input.dim(), class_dim)
    if reduction == "none":
        return -loss.sum(class_dim)
    loss = -loss.sum()
    return loss if reduction == "sum" else loss / (input.numel() / classes) if input.numel() else loss * math.nan


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """`cross_entropy` of ``linear(input, linear_weight, linear_bias)``: (N, in) or (in), and (C, …, in).

    `options`, by which PyTorch computes it in parts, are not needed here: the result is the same.
    """
    if not 1 <= input.dim() <= 2:
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if linear_weight.dim() < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {linear_weight.dim()}")
    classes, *outputs, features = linear_weight.shape
    if input.size(-1) != features:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{input.size(-1)} and {features}, respectively"
        )
    if linear_bias is not None and tuple(linear_bias.shape) != (classes, *outputs):
        raise RuntimeError(f"expected linear_bias shape {(classes, *outputs)}, got {tuple(linear_bias.shape)}")
    if outputs and input.dim() == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires batched input, "
            f"(N, {features}), got unbatched input with shape {tuple(input.shape)}"
        )
    size = (*input.shape[:-1], classes, *outputs)
    if target.shape == size and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if outputs:
        linear_weight = linear_weight.reshape((math.prod(outputs, start=classes), features))
        linear_bias = None if linear_bias is None else linear_bias.reshape(-1)
    return cross_entropy(
        linear(input, linear_weight, linear_bias).reshape(size),
        target,
        weight=weight,
        reduction=reduction,
        ignore_index=-100 if ignore_index is None else ignore_index,
        label_smoothing=label_smoothing,
    )


@in_float32
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``Σ max(0, margin - input[y] + input[i])^p / C`` over the classes i but y, the right one: (N, C) and (N)."""
    check_tensors("multi_margin_loss", input=input, target=target)
    reduction = _read(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    if input.dim() > 2 or (input.numel() == 0 and not (input.dim() == 2 and input.size(1))):
        raise RuntimeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {_s(input)}")
    samples = input.size(0) if input.dim() == 2 else 1
    if target.dim() > 1 or target.numel() != samples:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{samples}], but got {_s(target)}. Input has shape {_s(input)}."
        )
    classes = input.size(-1) if input.dim() else 1
    if weight is not None and weight.numel() != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {_s(weight)}")
    if target._dtype is not torch.int64:
        raise RuntimeError(f"expected scalar type Long but found {target._dtype.scalar_type}")
    if target._storage.backend.launch(first_outside, array_of(target), classes) is not None:
        raise RuntimeError("target out of range")
    refuse_gradients("multi_margin_loss", weight=weight)
    _check_floating("multi_margin_loss_cpu_kernel", input)
    rows = input if input.dim() == 2 else input.reshape(1, -1)
    of_one = reduction == "none" and target.dim() == 0  # whose sum is that one, without a dimension
    return ops.multi_margin_loss(rows, target.reshape(-1), p, margin, weight, "sum" if of_one else reduction)


@in_float32
def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``Σ max(0, 1 - input[y] + input[i]) / C`` over right classes y and others i: (N, C) and (N, C).

    A row of the target names the right classes, and ends with -1.
    """
    check_tensors("multilabel_margin_loss", input=input, target=target)
    reduction = _read(reduction, size_average, reduce)
    if input.dim() > 2 or (input.numel() == 0 and not (input.dim() == 2 and input.size(1))):
        raise RuntimeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {_s(input)}")
    if input.shape != target.shape and not (input.dim() <= 1 and target.numel() == input.numel()):
        raise RuntimeError(f"inconsistent target size: {_s(target)} for input of size: {_s(input)}")
    if target._dtype is not torch.int64:
        raise RuntimeError(f"expected scalar type Long but found {target._dtype.scalar_type}")
    classes = input.size(-1) if input.dim() else 1
    if target._storage.backend.launch(first_outside, array_of(target), classes, -1) is not None:
        raise RuntimeError("argument #2 'target' is out of range")
    _check_floating("multilabel_margin_loss_forward_out_frame", input)
    is_batch = input.dim() == 2
    rows = input if is_batch else input.reshape(1, -1)
    of_one = reduction == "none" and not is_batch  # whose sum is that one, without a dimension
    return ops.multilabel_margin_loss(
        rows, target if is_batch else target.reshape(1, -1), "sum" if of_one else reduction
    )


@as_it_is
def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over classes of the binary cross entropies of ``sigmoid(input)``: (…, C) → (…)."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    loss = loss.sum(dim=input.dim() - 1) / input.size(input.dim() - 1)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    return reduced(loss, reduction)


# --- of pairs and triples --------------------------------------------------------------------------------------------


@in_float32
@parsed("hinge_embedding_loss", "input", "target", "margin", "1")
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """A distance where the target is 1, and ``max(0, margin - input)`` where it is -1."""
    check_tensors("hinge_embedding_loss", input=input, target=target)
    reduction = _read(reduction, size_average, reduce)
    zeros = torch.zeros_like(input)
    apart = torch.where(target != 1, (margin - input).clamp_min(0), zeros)
    return reduced(apart + torch.where(target != -1, input, zeros), reduction)


@in_float32
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``max(0, -target * (input1 - input2) + margin)``: a target of 1 asks `input1` to be the larger."""
    reduction = _read(reduction, size_average, reduce)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return _ranking(input1, input2, target, margin, reduction)


@parsed("margin_ranking_loss", "input1", "input2", "target", "margin", "1")
def _ranking(input1: Tensor, input2: Tensor, target: Tensor, margin: float, reduction: str) -> Tensor:
    return reduced((-target * (input1 - input2) + margin).clamp_min_(0), reduction)


@in_float32
@parsed("cosine_embedding_loss", "input1", "input2", "target", "margin", "1")
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``1 - cos`` of the angle where the target is 1, ``max(0, cos - margin)`` where it is -1: (N, D), (N, D), (N)."""
    check_tensors("cosine_embedding_loss", input1=input1, input2=input2, target=target)
    reduction = _read(reduction, size_average, reduce)
    if target.dim() > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    rank = target.dim() + 1
    if input1.dim() != rank or input2.dim() != rank:
        raise RuntimeError(
            f"{target.dim()}D target tensor expects {rank}D input tensors, but found inputs with sizes "
            f"{_s(input1)} and {_s(input2)}."
        )
    dim, eps = rank - 1, 1e-12
    length1, length2 = (input1 * input1).sum(dim) + eps, (input2 * input2).sum(dim) + eps
    cos = (input1 * input2).sum(dim) / (length1 * length2).sqrt()
    zeros = torch.zeros_like(cos)
    near = torch.where(target == 1, 1 - cos, zeros)
    return reduced(near + torch.where(target == -1, (cos - margin).clamp_min(0), zeros), reduction)


@in_float32
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``max(0, d(anchor, positive) - d(anchor, negative) + margin)``, d the distance of the `p`-norm: (…, D) → (…)."""
    check_tensors("triplet_margin_loss", anchor=anchor, positive=positive, negative=negative)
    reduction = _read(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _triplet_by_norm(anchor, positive, negative, margin, p, eps, swap, reduction)


@parsed("triplet_margin_loss", "anchor", "positive", "negative", "margin", "p", "eps", "swap", "1")
def _triplet_by_norm(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float, p: float, eps: float, swap: bool, reduction: str
) -> Tensor:
    def distance(one: Tensor, other: Tensor) -> Tensor:
        return torch.pairwise_distance(one, other, p, eps)

    return _triplet(anchor, positive, negative, distance, margin, swap, reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with a distance of your own. If `swap`, that of positive and negative counts too."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _triplet(anchor, positive, negative, distance_function or torch.pairwise_distance, margin, swap, reduction)


def _triplet(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance: Callable[[Tensor, Tensor], Tensor],
    margin: float,
    swap: bool,
    reduction: str,
) -> Tensor:
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs"
        )
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:  # the negative is to be far from both (Balntas et al. 2016)
        far = torch.min(far, distance(positive, negative))
    return reduced((margin + near - far).clamp_min(0), reduction)


# --- of sequences ----------------------------------------------------------------------------------------------------


@in_float32
@parsed("ctc_loss", "log_probs", "targets", "input_lengths", "target_lengths", "blank", "1", "zero_infinity")
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Connectionist temporal classification (Graves et al. 2006): minus the log-probability of all alignments.

    `log_probs` (T, N, C) or (T, C), from `log_softmax`; `targets` (N, S), or all one after another; lengths (N).
    "mean" divides each loss by its target's length first.
    """
    reduction = _read(reduction)
    is_batch = log_probs.dim() == 3
    if not is_batch:
        log_probs = log_probs.unsqueeze(1)
    device = log_probs.device
    if not (isinstance(input_lengths, Tensor) and isinstance(target_lengths, Tensor)) and not (
        isinstance(input_lengths, Sequence) and isinstance(target_lengths, Sequence)
    ):
        raise TypeError("lengths are two tensors, or two sequences")  # `parsed` says it in PyTorch's words
    for name, lengths in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if isinstance(lengths, Tensor) and lengths.is_floating_point():
            raise RuntimeError(f"{name} must be integral")
    of_input, of_target = (
        torch.as_tensor(each, dtype=torch.int64, device=device).reshape(-1) for each in (input_lengths, target_lengths)
    )
    _check_ctc(log_probs, targets, of_input, of_target, blank, is_batch)
    padded = _padded(targets, of_target, is_batch, blank)
    loss = ops.ctc_loss(log_probs, padded, of_input, of_target, blank, zero_infinity)
    if zero_infinity:
        loss = torch.where(loss == math.inf, torch.zeros((), dtype=loss.dtype, device=device), loss)
    if reduction == "mean":
        return (loss / of_target.clamp(min=1).to(loss.dtype)).mean()
    if reduction == "sum":
        return loss.sum()
    return loss if is_batch else loss.squeeze(0)


def _check_ctc(
    log_probs: Tensor, targets: Tensor, of_input: Tensor, of_target: Tensor, blank: int, is_batch: bool
) -> None:
    place, of_targets = " (while checking arguments for ctc_loss_allocate_outputs)", " for argument #2 'targets'"
    if not log_probs.numel():
        raise RuntimeError("log_probs tensor must not be empty")
    if log_probs._dtype not in (torch.float32, torch.float64):
        raise not_implemented("ctc_loss_cpu", log_probs._dtype)
    if log_probs.dim() != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {log_probs.dim()}-dimensional tensor for argument #1 'log_probs'"
            f"{place}"
        )
    if not 1 <= targets.dim() <= 2:
        raise RuntimeError(f"Expected 1 to 2 dimensions, but got {targets.dim()}-dimensional tensor{of_targets}{place}")
    steps, count, classes = log_probs.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    longest = {}
    for name, lengths in (("target_lengths", of_target), ("input_lengths", of_input)):
        if lengths.numel() != count:
            raise RuntimeError(f"{name} must be of size batch_size")
        if int(lengths.min()) < 0:
            negative = int(lengths[lengths < 0][0])
            raise RuntimeError(f"Expected {name} to have value at least 0, but got value {negative}{place}")
        longest[name] = int(lengths.max())
    if longest["input_lengths"] > steps:
        too_long = int(of_input[of_input > steps][0])
        raise RuntimeError(f"Expected input_lengths to have value at most {steps}, but got value {too_long}{place}")
    rows = count if targets.dim() == 2 else int(of_target.sum())
    if is_batch and targets.size(0) != rows:
        raise RuntimeError(
            f"Expected tensor to have size {rows} at dimension 0, but got size {targets.size(0)}{of_targets}{place}"
        )
    if targets.dim() == 2 and targets.size(1) < longest["target_lengths"]:
        raise RuntimeError(
            f"Expected tensor to have size at least {longest['target_lengths']} at dimension 1, but got size "
            f"{targets.size(1)}{of_targets}{place}"
        )


def _padded(targets: Tensor, lengths: Tensor, is_batch: bool, blank: int) -> Tensor:
    """The targets as (N, S): what comes after each is blank."""
    count = lengths.numel()
    longest = int(lengths.max()) if count else 0
    if targets.dim() == 2 or not is_batch:
        rows = list(targets.reshape(count, -1) if count else [])
    else:
        rows = list(targets.split(lengths.tolist()))
    made = torch.full((count, longest), blank, dtype=torch.int64, device=targets.device)
    for place, (row, length) in enumerate(zip(rows, lengths.tolist(), strict=True)):
        made[place, :length] = row[:length]
    return made
