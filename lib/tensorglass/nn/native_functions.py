"""Functions of the namespace, such as ``torch.celu``, that PyTorch's layers call, with the arguments of its C++.

They compute what `nn.functional` computes under the same names. A reduction is a number here, by default 0 (none),
although PyTorch's signatures say that the mean is the default. The order of arguments may differ. Programs should use
`nn.functional`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.geometry.dims import wrap_dim
from tensorglass.nn import functional as F
from tensorglass.nn.functional.dropout import of_channels, of_channels_alpha, of_elements, of_elements_alpha
from tensorglass.nn.functional.loss.reduction import REDUCTIONS
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.reductions.softmax import softmax_backward


def _dropping(name: str, function: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A dropout, ``(input, p, train)``, and its form in place."""

    def drop(input: Any, p: float, train: bool) -> Any:
        return function(input, p, train, False)

    def drop_(input: Any, p: float, train: bool) -> Any:
        return function(input, p, train, True)

    for variant, suffix in ((drop, ""), (drop_, "_")):
        variant.__name__ = variant.__qualname__ = name + suffix
        variant.__doc__ = f"`nn.functional`'s dropout of this kind{', in place' if suffix else ''}."
    return parsed(name)(drop), parsed(f"{name}_")(drop_)


dropout, dropout_ = _dropping("dropout", of_elements)
alpha_dropout, alpha_dropout_ = _dropping("alpha_dropout", of_elements_alpha)
feature_dropout, feature_dropout_ = _dropping("feature_dropout", of_channels)
feature_alpha_dropout, feature_alpha_dropout_ = _dropping("feature_alpha_dropout", of_channels_alpha)


@parsed("_softmax_backward_data")
def _softmax_backward_data(grad_output: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    """The gradient for the input of a softmax along `dim`, whose result is `output`."""
    if input_dtype is not grad_output.dtype:
        wanted, given = grad_output.dtype.scalar_type, input_dtype.scalar_type
        raise RuntimeError(f"expected scalar type {wanted} but found {given}")
    return softmax_backward(grad_output, output, wrap_dim(dim, output.dim()))


@parsed("celu")
def celu(input: Any, alpha: float = 1.0) -> Any:
    """`nn.functional.celu`, not in place."""
    return F.celu(input, alpha)


@parsed("selu")
def selu(input: Any) -> Any:
    """`nn.functional.selu`, not in place."""
    return F.selu(input)


@parsed("rrelu")
def rrelu(input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None) -> Any:
    """`nn.functional.rrelu`, not in place."""
    return F.rrelu(input, lower, upper, training, generator=generator)


@parsed("embedding")
def embedding(
    weight: Any, indices: Any, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Any:
    """The rows of `weight` at `indices`."""
    padding = None if padding_idx == -1 else padding_idx
    return F.embedding(indices, weight, padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


@parsed("binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 0
) -> Any:
    """The cross entropy of sigmoid(input) with targets from 0 to 1."""
    return F.binary_cross_entropy_with_logits(
        input, target, weight, reduction=REDUCTIONS[reduction], pos_weight=pos_weight
    )


@parsed("cosine_embedding_loss")
def cosine_embedding_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 0) -> Any:
    """Small if vectors point in the same direction (target 1), or if they do not (target -1)."""
    return F.cosine_embedding_loss(input1, input2, target, margin, reduction=REDUCTIONS[reduction])


@parsed("hinge_embedding_loss")
def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, reduction: int = 0) -> Any:
    """`self`, a distance, where the target is 1; how much it falls short of `margin` where the target is -1."""
    return F.hinge_embedding_loss(input, target, margin, reduction=REDUCTIONS[reduction])


@parsed("kl_div")
def kl_div(input: Any, target: Any, reduction: int = 0, *, log_target: bool = False) -> Any:
    """The Kullback-Leibler divergence of the target from the input, which holds logarithms."""
    return F.kl_div(input, target, reduction=REDUCTIONS[reduction], log_target=log_target)


@parsed("margin_ranking_loss")
def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 0) -> Any:
    """How much the first input falls short of exceeding the second by `margin` (target 1), or vice versa (-1)."""
    return F.margin_ranking_loss(input1, input2, target, margin, reduction=REDUCTIONS[reduction])


@parsed("poisson_nll_loss")
def poisson_nll_loss(input: Any, target: Any, log_input: bool, full: bool, eps: float, reduction: int) -> Any:
    """The negative logarithm of a Poisson distribution's probability of the target."""
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=REDUCTIONS[reduction])


@parsed("triplet_margin_loss")
def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 0,
) -> Any:
    """How much the negative falls short of being farther from the anchor than the positive, by `margin`."""
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap=swap, reduction=REDUCTIONS[reduction])


@parsed("ctc_loss")
def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 0,
    zero_infinity: bool = False,
) -> Any:
    """The loss of connectionist temporal classification."""
    return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, REDUCTIONS[reduction], zero_infinity)
