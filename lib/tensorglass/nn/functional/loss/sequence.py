"""Losses of sequences whose labels are not aligned with time steps (connectionist temporal classification)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import tensorglass as torch
from tensorglass.nn.functional.loss.reduction import read_reduction
from tensorglass.ops.arg_parser.checks import not_implemented
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.declare.autocast import in_float32
from tensorglass.ops.nn import loss as ops
from tensorglass.tensor.tensor import Tensor


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

    `log_probs` (T, N, C) or (T, C), from `log_softmax`; `targets` (N, S), or all targets concatenated; lengths (N).
    "mean" first divides each loss by the length of its target.
    """
    reduction = read_reduction(reduction)
    is_batch = log_probs.dim() == 3
    if not is_batch:
        log_probs = log_probs.unsqueeze(1)
    device = log_probs.device
    if not (isinstance(input_lengths, Tensor) and isinstance(target_lengths, Tensor)) and not (
        isinstance(input_lengths, Sequence) and isinstance(target_lengths, Sequence)
    ):
        raise TypeError("lengths are two tensors, or two sequences")  # `parsed` rewords it as PyTorch does
    for name, lengths in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if isinstance(lengths, Tensor) and lengths.is_floating_point():
            raise RuntimeError(f"{name} must be integral")
    of_input, of_target = (
        torch.as_tensor(lengths, dtype=torch.int64, device=device).reshape(-1)
        for lengths in (input_lengths, target_lengths)
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
    """The targets as (N, S), filled up with blanks."""
    count = lengths.numel()
    longest = int(lengths.max()) if count else 0
    if targets.dim() == 2 or not is_batch:
        rows = list(targets.reshape(count, -1) if count else [])
    else:
        rows = list(targets.split(lengths.tolist()))
    padded = torch.full((count, longest), blank, dtype=torch.int64, device=targets.device)
    for place, (row, length) in enumerate(zip(rows, lengths.tolist(), strict=True)):
        padded[place, :length] = row[:length]
    return padded
