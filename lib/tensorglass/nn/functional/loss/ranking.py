"""Losses of pairs and triples: which of them is larger, or nearer, and by what margin."""

from __future__ import annotations

from collections.abc import Callable

import tensorglass as torch
from tensorglass.nn.functional.loss.reduction import read_reduction, reduced, size_text
from tensorglass.ops.arg_parser.checks import check_tensors
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.declare.autocast import in_float32
from tensorglass.tensor.tensor import Tensor


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
    """`input`, a distance, where the target is 1, and ``max(0, margin - input)`` where it is -1."""
    check_tensors("hinge_embedding_loss", input=input, target=target)
    reduction = read_reduction(reduction, size_average, reduce)
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
    """``max(0, -target * (input1 - input2) + margin)``: with a target of 1, `input1` should be larger."""
    reduction = read_reduction(reduction, size_average, reduce)
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
    """``1 - cos`` where the target is 1, ``max(0, cos - margin)`` where it is -1: (N, D), (N, D), (N)."""
    check_tensors("cosine_embedding_loss", input1=input1, input2=input2, target=target)
    reduction = read_reduction(reduction, size_average, reduce)
    if target.dim() > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    rank = target.dim() + 1
    if input1.dim() != rank or input2.dim() != rank:
        raise RuntimeError(
            f"{target.dim()}D target tensor expects {rank}D input tensors, but found inputs with sizes "
            f"{size_text(input1)} and {size_text(input2)}."
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
    """``max(0, d(anchor, positive) - d(anchor, negative) + margin)`` with the `p`-norm distance d: (…, D) → (…)."""
    check_tensors("triplet_margin_loss", anchor=anchor, positive=positive, negative=negative)
    reduction = read_reduction(reduction, size_average, reduce)
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
    """`triplet_margin_loss` with a distance function of your own.

    With `swap`, the negative's distance is the smaller of those to anchor and positive (Balntas et al. 2016).
    """
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
    if swap:  # the negative should be far from both
        far = torch.min(far, distance(positive, negative))
    return reduced((margin + near - far).clamp_min(0), reduction)
