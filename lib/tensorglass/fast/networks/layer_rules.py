"""Derivatives on arrays for norms, the NLL loss and embeddings: rules as in `fast.node_rules`."""

from __future__ import annotations

from tensorglass.backends import Array
from tensorglass.fast.bare_arrays import XP
from tensorglass.fast.networks.cross_entropy import flat_places
from tensorglass.fast.node_rules import Kept, Rule
from tensorglass.ops.kernels.normalization import gradients_by_sums
from tensorglass.ops.kernels.positions import add_at


def _nll_loss(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    input, target = kept["input"], kept["target"]
    is_plain = kept["weight"] is None and kept["reduction"] == "mean" and input.ndim == target.ndim + 1 >= 2
    if not is_plain or target.dtype.char not in "lq":
        return None
    count = target.size
    is_counted = None
    if not 0 <= kept["ignore_index"] < input.shape[1] and (target.size == 0 or int(target.min()) < 0):
        return None
    if 0 <= kept["ignore_index"] < input.shape[1]:
        is_counted = target != kept["ignore_index"]
        count = int(XP.count_nonzero(is_counted))
        if not count:
            return None
    spread = XP.zeros(input.shape, input.dtype)
    share = grad.dtype.type(-grad.item() / count)
    if is_counted is not None:
        target = XP.where(is_counted, target, 0)  # as in the declared formula: zeros have a sign
    spread.reshape(-1)[flat_places(spread.shape, target)] = (
        share if is_counted is None else is_counted.reshape(-1) * share
    )
    return [spread]


def _normalized(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    """The rule for layer and batch norm: input, weight and bias together."""
    cut, scale, input = kept["norm"].cut, kept.get("weight"), kept.get("input")
    if input is None or kept.get("mean") is not None or not (input.size and input.flags.c_contiguous):
        return None
    if not grad.flags.c_contiguous or (scale is None and len(wanted) > 1):  # a bias without a weight
        return None
    if input.dtype != grad.dtype or (scale is not None and (scale.dtype != grad.dtype or scale.ndim != 1)):
        return None
    mean, inverse = kept["result1"][:2]
    answers = gradients_by_sums(XP, grad, input, scale, mean, inverse, cut, wanted)
    if answers is None:
        return None
    return [answer if answer is None or place else answer.reshape(input.shape) for place, answer in enumerate(answers)]


def _rows_taken(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    """The rule for an embedding's matrix: the gradients of each row, added up if it was used several times."""
    indices, size = kept["indices"].reshape(-1), kept["weight_size"]
    if kept["scale_grad_by_freq"] or not grad.flags.c_contiguous:
        return None
    rows = grad.reshape(len(indices), size[1])
    if kept["padding_idx"] >= 0:
        is_counted = indices != kept["padding_idx"]
        indices, rows = indices[is_counted], rows[is_counted]
    whole = XP.zeros(size, grad.dtype)
    add_at(XP, whole, 0, [indices], rows)
    return [whole]


RULES: dict[str, Rule] = {
    "_nll_loss": _nll_loss,
    "_normalized": _normalized,
    "_embedding": _rows_taken,
}
