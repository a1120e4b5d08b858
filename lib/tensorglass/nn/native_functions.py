"""PyTorch's functions of the namespace that layers are made of, with the arguments of its C++.

They compute what `nn.functional` computes under the same names; a reduction is a number here, and the order of
arguments may differ. Programs should use `nn.functional`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.nn import functional as F

REDUCTIONS = ("none", "mean", "sum")


def _dropping(name: str, function: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A dropout, ``(input, p, train)``, and its form in place."""

    def drop(input: Any, p: float, train: bool) -> Any:
        return function(input, p, train)

    def drop_(input: Any, p: float, train: bool) -> Any:
        return function(input, p, train, True)

    for each, suffix in ((drop, ""), (drop_, "_")):
        each.__name__ = each.__qualname__ = name + suffix
        each.__doc__ = f"`nn.functional`'s dropout of this kind{', in place' if suffix else ''}."
    return drop, drop_


dropout, dropout_ = _dropping("dropout", F.dropout)
alpha_dropout, alpha_dropout_ = _dropping("alpha_dropout", F.alpha_dropout)
feature_dropout, feature_dropout_ = _dropping("feature_dropout", F.dropout2d)
feature_alpha_dropout, feature_alpha_dropout_ = _dropping("feature_alpha_dropout", F.feature_alpha_dropout)


def embedding(
    weight: Any, indices: Any, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Any:
    """The rows of `weight` that `indices` names."""
    padding = None if padding_idx == -1 else padding_idx
    return F.embedding(indices, weight, padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 1
) -> Any:
    """The cross entropy of sigmoid(input) with targets from 0 to 1."""
    return F.binary_cross_entropy_with_logits(
        input, target, weight, reduction=REDUCTIONS[reduction], pos_weight=pos_weight
    )


def cosine_embedding_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 1) -> Any:
    """How far vectors are from pointing in one direction (target 1), or from not doing so (-1)."""
    return F.cosine_embedding_loss(input1, input2, target, margin, reduction=REDUCTIONS[reduction])


def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, reduction: int = 1) -> Any:
    """The input where the target is 1, and what it lacks to `margin` where that is -1."""
    return F.hinge_embedding_loss(input, target, margin, reduction=REDUCTIONS[reduction])


def kl_div(input: Any, target: Any, reduction: int = 1, *, log_target: bool = False) -> Any:
    """The Kullback-Leibler divergence of the target from the input, which is a logarithm."""
    return F.kl_div(input, target, reduction=REDUCTIONS[reduction], log_target=log_target)


def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 1) -> Any:
    """What the first input lacks to exceed the second by `margin` (target 1), or vice versa (-1)."""
    return F.margin_ranking_loss(input1, input2, target, margin, reduction=REDUCTIONS[reduction])


def poisson_nll_loss(input: Any, target: Any, log_input: bool, full: bool, eps: float, reduction: int) -> Any:
    """The negative logarithm of a Poisson distribution's probability of the target."""
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=REDUCTIONS[reduction])


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 1,
) -> Any:
    """What the negative lacks to be farther from the anchor than the positive, by `margin`."""
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap=swap, reduction=REDUCTIONS[reduction])


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Any:
    """The loss of connectionist temporal classification."""
    return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, REDUCTIONS[reduction], zero_infinity)
