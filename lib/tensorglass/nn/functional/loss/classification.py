"""Losses of classification: they are large if wrong classes have high scores or probabilities."""

from __future__ import annotations

import math
from typing import Any

import tensorglass as torch
from tensorglass.core.errors import explained
from tensorglass.graph.recorder import in_cpp
from tensorglass.nn.functional.activation import logsigmoid
from tensorglass.nn.functional.linear import linear
from tensorglass.nn.functional.loss.reduction import (
    check_floating,
    legacy_reduction,
    read_reduction,
    reduced,
    size_text,
)
from tensorglass.ops.arg_parser.checks import (
    check_int,
    check_tensor,
    check_tensors,
    refuse_gradients,
)
from tensorglass.ops.declare.autocast import as_it_is, in_float32
from tensorglass.ops.declare.seams import has_shortcut
from tensorglass.ops.kernels.positions import first_outside
from tensorglass.ops.nn import loss as ops
from tensorglass.tensor.tensor import Tensor, array_of


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

    `weight` (C) weights the classes; samples whose target is `ignore_index` do not count.
    """
    check_tensors("nll_loss_nd", input=input, target=target)
    _check_options("nll_loss_nd", weight, ignore_index)
    return _nll(input, target, weight, int(ignore_index), read_reduction(reduction, size_average, reduce))


def _nll(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str) -> Tensor:
    rank = input.dim()
    if rank < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {rank})")
    samples = target.size(0) if target.dim() or not input.size(0) else 0
    if rank != 1 and input.size(0) != samples:
        raise ValueError(f"Expected input batch_size ({input.size(0)}) to match target batch_size ({samples}).")
    _check_classes(input, target, weight, ignore_index)
    refuse_gradients("nll_loss_forward" if rank <= 2 else "nll_loss2d_forward", weight=weight)
    check_floating("nll_loss_out_frame", input)
    if rank <= 2 or (rank == 4 and tuple(target.shape) == (input.size(0), *input.shape[2:])):
        return ops.nll_loss(input, target, weight, reduction, ignore_index)
    rows, classes = input.flatten(2), target.flatten(1)
    loss = ops.nll_loss(rows, classes, weight, reduction, ignore_index)
    return loss.view(target.shape) if reduction == "none" else loss


def _check_options(name: str, weight: Tensor | None, ignore_index: int) -> None:
    if weight is not None:
        check_tensor(name, weight, "weight", 3)
    check_int(name, "ignore_index", 5, ignore_index)


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
    elif (expected := (input.size(0), *input.shape[2:])) != tuple(target.shape):
        if rank != 4:
            raise RuntimeError(f"Expected target size {size_text(expected)}, got {size_text(target)}")
        if target.dim() != 3:
            raise RuntimeError(
                f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {target.dim()}"
            )
        raise RuntimeError(f"size mismatch (got input: {size_text(input)} , target: {size_text(target)}")
    if target._dtype not in (torch.int64, torch.uint8):
        error = RuntimeError(f"expected target dtype to be Long or Byte, but got {target._dtype.scalar_type}")
        raise explained(error, "Classes are integers: target.long().")
    classes = input.size(-1 if rank == 1 else 1)
    if weight is not None and rank > 2 and weight.numel() != classes:
        raise RuntimeError("weight tensor should be defined either for all or no classes")
    if weight is not None and (weight.dim() != 1 or weight.numel() != classes):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {size_text(weight)}"
        )
    if weight is not None and weight._dtype is not input._dtype:
        raise RuntimeError(f"expected scalar type {input._dtype.scalar_type} but found {weight._dtype.scalar_type}")
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
    """Minus the log-probability of the right class, given logits: `input` is (N, C), (C) or (N, C, d1, …).

    `target` holds classes, (N), () or (N, d1, …), or probabilities, of the input's size. `label_smoothing` is the share
    of the target that is spread evenly over all classes (Szegedy et al. 2016).
    """
    check_tensors("cross_entropy_loss", input=input, target=target)
    _check_options("cross_entropy_loss", weight, ignore_index)
    ignore_index = int(ignore_index)  # which may be a tensor of one integer
    reduction = read_reduction(reduction, size_average, reduce)
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
    """A tensor with one number for each class, reshaped to broadcast with the input."""
    return weight.view([-1 if axis == dim else 1 for axis in range(rank)])


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
            f"weight tensor of shape: {size_text(weight)}"
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

    PyTorch's `options` make it compute the result in parts. They are accepted, and have no effect on the result.
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
    """``Σ max(0, margin - input[y] + input[i])^p / C`` over all classes i except y, the right one: (N, C) and (N)."""
    check_tensors("multi_margin_loss", input=input, target=target)
    reduction = read_reduction(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    if input.dim() > 2 or (input.numel() == 0 and not (input.dim() == 2 and input.size(1))):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {size_text(input)}"
        )
    samples = input.size(0) if input.dim() == 2 else 1
    if target.dim() > 1 or target.numel() != samples:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{samples}], but got {size_text(target)}. Input has shape {size_text(input)}."
        )
    classes = input.size(-1) if input.dim() else 1
    if weight is not None and weight.numel() != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {size_text(weight)}")
    if target._dtype is not torch.int64:
        raise RuntimeError(f"expected scalar type Long but found {target._dtype.scalar_type}")
    if target._storage.backend.launch(first_outside, array_of(target), classes) is not None:
        raise RuntimeError("target out of range")
    refuse_gradients("multi_margin_loss", weight=weight)
    check_floating("multi_margin_loss_cpu_kernel", input)
    rows = input if input.dim() == 2 else input.reshape(1, -1)
    of_one = reduction == "none" and target.dim() == 0  # the sum of one element is that element, 0-dim
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
    reduction = read_reduction(reduction, size_average, reduce)
    if input.dim() > 2 or (input.numel() == 0 and not (input.dim() == 2 and input.size(1))):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {size_text(input)}"
        )
    if input.shape != target.shape and not (input.dim() <= 1 and target.numel() == input.numel()):
        raise RuntimeError(f"inconsistent target size: {size_text(target)} for input of size: {size_text(input)}")
    if target._dtype is not torch.int64:
        raise RuntimeError(f"expected scalar type Long but found {target._dtype.scalar_type}")
    classes = input.size(-1) if input.dim() else 1
    if target._storage.backend.launch(first_outside, array_of(target), classes, -1) is not None:
        raise RuntimeError("argument #2 'target' is out of range")
    check_floating("multilabel_margin_loss_forward_out_frame", input)
    is_batch = input.dim() == 2
    rows = input if is_batch else input.reshape(1, -1)
    of_one = reduction == "none" and not is_batch  # the sum of one element is that element, 0-dim
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
    """The mean, over classes, of the binary cross entropy of ``sigmoid(input)``: (…, C) → (…)."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    loss = loss.sum(dim=input.dim() - 1) / input.size(input.dim() - 1)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    return reduced(loss, reduction)
