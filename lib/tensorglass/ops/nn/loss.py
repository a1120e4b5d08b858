"""Losses that are one node of the graph: how far a network's output is from what it should be.

An elementwise loss is declared by its value and its slope. `reduction` then keeps all elements ("none"), or takes their
mean or sum. Losses of classes (`nll_loss`, `multi_margin_loss`, …) pick elements, and `ctc_loss` sums over all ways to
align two sequences.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.derivatives.shared import no_derivative
from tensorglass.ops.indexing.where_masked import where
from tensorglass.ops.kernels.half import converted
from tensorglass.ops.nn.activation import logsigmoid
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of

Elementwise = Callable[..., Tensor]


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """The losses of all elements, or their mean or sum, as `reduction` says."""
    if reduction == "none":
        return loss
    result: Tensor = loss.mean() if reduction == "mean" else loss.sum()
    return result


def _spread(grad: Tensor, input: Tensor, reduction: str) -> Tensor:
    """The gradient of a reduced loss for each element."""
    return grad / input.numel() if reduction == "mean" and input.numel() else grad


def _of_elements(node: str, value: Elementwise, slope: Elementwise, target: Elementwise | None = None) -> Any:
    """The loss ``value(input, target, *parameters)``, whose derivatives for input and target are the other two.

    If the second is missing, the target gets no gradient.
    """

    def loss(input: Tensor, target: Tensor, reduction: str, parameters: tuple[Any, ...]) -> Tensor:
        return reduced(value(input, target, *parameters), reduction)

    def for_input(grad: Tensor, input: Tensor, target: Tensor, reduction: str, parameters: tuple[Any, ...]) -> Tensor:
        return _spread(grad, input, reduction) * slope(input, target, *parameters)

    formulas: dict[str, Any] = {"input": for_input}
    if target is not None:
        slope_of_target = target

        def for_target(
            grad: Tensor, input: Tensor, target: Tensor, reduction: str, parameters: tuple[Any, ...]
        ) -> Tensor:
            return _spread(grad, input, reduction) * slope_of_target(input, target, *parameters)

        formulas["target"] = for_target
    return recorded(derivative(node=node, **formulas)(loss))


def _difference(node: str, value: Elementwise, slope: Elementwise) -> Any:
    """A loss of ``input - target``."""
    return _of_elements(
        node,
        lambda input, target, *rest: value(input - target, *rest),
        lambda input, target, *rest: slope(input - target, *rest),
        lambda input, target, *rest: -slope(input - target, *rest),
    )


def _huber(difference: Tensor, delta: float) -> Tensor:
    distance = difference.abs()
    return where(distance <= delta, difference * difference * 0.5, (distance - 0.5 * delta) * delta)


def _smooth_l1(difference: Tensor, beta: float) -> Tensor:
    distance = difference.abs()
    return where(distance < beta, difference * difference * 0.5 / beta, distance - 0.5 * beta)


#: The square of the difference.
mse_loss = _difference("MseLossBackward0", lambda d: d * d, lambda d: d * 2)
#: Its half up to `delta`, and straight lines beyond it (Huber 1964).
huber_loss = _difference("HuberLossBackward0", _huber, lambda d, delta: d.clamp(-delta, delta))
#: The same divided by `beta`, which is the Huber loss's delta (Girshick 2015).
smooth_l1_loss = _difference(
    "SmoothL1LossBackward0",
    _smooth_l1,
    lambda d, beta: where(d.abs() >= beta, d.sign(), d / beta),
)
#: ``log(1 + exp(-target * input))``, for targets 1 and -1.
soft_margin_loss = _of_elements(
    "SoftMarginLossBackward0",
    lambda input, target: (-input).mul_(target).exp_().log1p_(),
    lambda input, target: -target * (input * -target).sigmoid(),
)


# --- cross entropy of two classes --------------------------------------------------------------------------------

_LEAST_LOG = -100.0  #: the least logarithm, so that no loss is infinite


def _binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None) -> Tensor:
    ones = (-input).log1p().clamp(min=_LEAST_LOG)
    loss = (target - 1) * ones - target * input.log().clamp(min=_LEAST_LOG)
    return loss if weight is None else loss * weight


def _probability_slope(input: Tensor, target: Tensor, weight: Tensor | None) -> Tensor:
    slope = (input - target) / ((1 - input) * input).clamp(min=1e-12)
    return slope if weight is None else slope * weight


def _probability_target_slope(input: Tensor, target: Tensor, weight: Tensor | None) -> Tensor:
    slope = (-input).log1p().clamp(min=_LEAST_LOG) - input.log().clamp(min=_LEAST_LOG)
    return slope if weight is None else slope * weight


#: ``-(target * log(input) + (1 - target) * log(1 - input))`` for probabilities.
binary_cross_entropy = _of_elements(
    "BinaryCrossEntropyBackward0", _binary_cross_entropy, _probability_slope, _probability_target_slope
)


def _with_logits(input: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None) -> Tensor:
    log_sigmoid = logsigmoid(input)
    if pos_weight is None:
        loss = (1 - target) * input - log_sigmoid
    else:
        loss = (1 - target) * input - ((pos_weight - 1) * target + 1) * log_sigmoid
    return loss if weight is None else loss * weight


def _logit_slope(input: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None) -> Tensor:
    if pos_weight is None:
        slope = input.sigmoid() - target
    else:
        positive = pos_weight * target
        slope = (positive + 1 - target) * input.sigmoid() - positive
    return slope if weight is None else slope * weight


def _logit_target_slope(input: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None) -> Tensor:
    slope = -input if pos_weight is None else logsigmoid(-input) - pos_weight * logsigmoid(input)
    return slope if weight is None else slope * weight


#: The same for logits, whose sigmoids are the probabilities; accurate even where these are close to 0 or 1.
binary_cross_entropy_with_logits = _of_elements(
    "BinaryCrossEntropyWithLogitsBackward0", _with_logits, _logit_slope, _logit_target_slope
)


# --- the log-likelihood of a class -------------------------------------------------------------------------------


def _class_weights(xp: Any, target: Array, weight: Array | None, ignore_index: int, wide: Any) -> tuple[Array, Array]:
    """The classes and the weight of each; both are 0 for ignored ones."""
    is_counted = target != ignore_index
    classes = xp.where(is_counted, target, 0)
    weights = is_counted.astype(wide) if weight is None else xp.where(is_counted, weight[classes], 0).astype(wide)
    return classes, weights


def _places(xp: Any, classes: Array) -> tuple[Array, ...]:
    """Where the elements of these classes are in an input of (N, C) or (N, C, M)."""
    rows = xp.arange(classes.shape[0])
    if classes.ndim == 1:
        return rows, classes
    return rows[:, None], classes, xp.arange(classes.shape[1])


def _nll_forward(
    xp: Any, input: Array, target: Array, weight: Array | None, reduction: str, ignore_index: int, wide: Any
) -> Array:
    classes, weights = _class_weights(xp, target, weight, ignore_index, wide)
    loss = -converted(input[_places(xp, classes)], wide) * weights
    loss = xp.where(weights == 0, xp.zeros((), wide), loss)  # an infinite loss with weight 0 must not give NaN
    if reduction == "none":
        return loss
    return loss.sum() if reduction == "sum" else loss.sum() / weights.sum()


def _nll_gradient(
    xp: Any,
    grad: Array,
    size: tuple[int, ...],
    target: Array,
    weight: Array | None,
    reduction: str,
    ignore_index: int,
    wide: Any,
) -> Array:
    classes, weights = _class_weights(xp, target, weight, ignore_index, wide)
    result = xp.zeros(size, wide)
    share = -grad.astype(wide) * weights
    result[_places(xp, classes)] = share / weights.sum() if reduction == "mean" else share
    return result


def _as_rows(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Input and target as (N, C) and (N), or (N, C, M) and (N, M)."""
    rank = len(input._size)
    if rank == 1:
        return input.unsqueeze(0), target.reshape(1)
    if rank == 2:
        return input, target
    count, classes, *others = input._size
    length = math.prod(others)
    return input.reshape(count, classes, length), target.reshape(count, length)


def _wide(tensor: Tensor) -> Any:
    """The dtype to compute in: float32 for half types."""
    is_half = tensor._dtype.itemsize == 2
    return tensor._storage.backend.array_dtype(dtypes.float32 if is_half else tensor._dtype)


def _fresh(array: Array, like: Tensor) -> Tensor:
    backend = like._storage.backend
    return from_array(backend.xp.asarray(array, backend.array_dtype(like._dtype)), like._dtype, like._storage)


def _arrays(*tensors: Tensor | None) -> list[Array | None]:
    return [None if tensor is None else array_of(tensor) for tensor in tensors]


@derivative(
    node="NllLossBackwardBackward0",
    grad_output=lambda grad, target, weight, reduction, ignore_index: nll_loss(
        grad, target, weight, reduction, ignore_index
    ),
    input=lambda grad: grad.new_zeros(grad._size),
)
def _nll_loss_backward(
    grad_output: Tensor,
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: str,
    ignore_index: int,
) -> Tensor:
    rows, classes = _as_rows(input, target)
    if reduction == "none":
        grad_output = grad_output.reshape(classes._size)
    arrays = _arrays(grad_output, classes, weight)
    launch = grad_output._storage.backend.launch
    wide = _wide(grad_output)
    result = launch(_nll_gradient, arrays[0], rows._size, *arrays[1:], reduction, ignore_index, wide)
    return _fresh(result.reshape(input._size), grad_output)


_nll_backward: Any = recorded(_nll_loss_backward)


@derivative(
    node=lambda input: "NllLossBackward0" if len(input._size) < 3 else "NllLoss2DBackward0",
    input=lambda grad, input, target, weight, reduction, ignore_index: _nll_backward(
        grad, input, target, weight, reduction, ignore_index
    ),
)
def _nll_loss(input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, ignore_index: int) -> Tensor:
    launch = input._storage.backend.launch
    rows, classes = _as_rows(input, target)
    result = launch(_nll_forward, *_arrays(rows, classes, weight), reduction, ignore_index, _wide(input))
    return _fresh(result.reshape(target._size if reduction == "none" else ()), input)


#: Minus the element of its class: input (N, C) and target (N), (C) and (), or (N, C, H, W) and (N, H, W).
nll_loss: Any = recorded(_nll_loss)


# --- margins between classes -------------------------------------------------------------------------------------


def _multi_margin(input: Tensor, target: Tensor, p: int, margin: float, weight: Tensor | None) -> Tensor:
    """For input (N, C): by how much each other class is closer to the right one than `margin`, weighted."""
    right = input.gather(1, target.unsqueeze(1))
    gap = (input - right + margin).clamp(min=0)
    loss = gap if p == 1 else gap * gap
    if weight is not None:
        loss = loss * weight[target].unsqueeze(1)
    return loss.scatter(1, target.unsqueeze(1), 0.0)


def _multi_margin_slope(
    grad: Tensor, input: Tensor, target: Tensor, p: int, margin: float, weight: Tensor | None, reduction: str
) -> Tensor:
    places = target.unsqueeze(1)
    gap = input - input.gather(1, places) + margin
    slope = (gap > 0).to(input._dtype) if p == 1 else gap.clamp(min=0) * 2
    if weight is not None:
        slope = slope * weight[target].unsqueeze(1)
    slope = slope.scatter(1, places, 0.0)
    slope = slope.scatter_add(1, places, -slope.sum(1, True)) / input.size(1)
    return slope * grad.unsqueeze(1) if reduction == "none" else slope * _spread(grad, target, reduction)


@derivative(node="MultiMarginLossBackward0", input=_multi_margin_slope)
def _multi_margin_loss(
    input: Tensor, target: Tensor, p: int, margin: float, weight: Tensor | None, reduction: str
) -> Tensor:
    return reduced(_multi_margin(input, target, p, margin, weight).sum(1) / input.size(1), reduction)


#: ``Σ max(0, margin - input[y] + input[i])^p / C`` over all classes i but the right one, y: input (N, C), target (N).
multi_margin_loss: Any = recorded(_multi_margin_loss)


def _labels(target: Tensor) -> tuple[Tensor, Tensor]:
    """A row for each sample: its labels up to the first negative one, then 0; and a mask of the labels that count."""
    is_label = (target >= 0).to(dtypes.int64).cumprod(1).to(dtypes.bool)
    return where(is_label, target, 0), is_label


def _multilabel_gaps(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """``1 - input[label] + input[i]`` for every label and every class i, and which of them count: (N, labels, C)."""
    labels, is_label = _labels(target)
    marked = input.detach().new_zeros(input._size).scatter_add(1, labels, is_label.to(input._dtype))
    counts = is_label.unsqueeze(2) & (marked == 0).unsqueeze(1)
    return 1 - input.gather(1, labels).unsqueeze(2) + input.unsqueeze(1), counts, labels


def _multilabel_slope(grad: Tensor, input: Tensor, target: Tensor, reduction: str) -> Tensor:
    gaps, counts, labels = _multilabel_gaps(input, target)
    pushed = (counts & (gaps > 0)).to(input._dtype)
    slope = pushed.sum(1).scatter_add(1, labels, -pushed.sum(2)) / input.size(1)
    return slope * grad.unsqueeze(1) if reduction == "none" else slope * _spread(grad, input.select(1, 0), reduction)


@derivative(node="MultilabelMarginLossBackward0", input=_multilabel_slope)
def _multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str) -> Tensor:
    gaps, counts, _ = _multilabel_gaps(input, target)
    return reduced((gaps.clamp(min=0) * counts).sum((1, 2)) / input.size(1), reduction)


#: The same for several right classes: target (N, C) names them, and ends with -1.
multilabel_margin_loss: Any = recorded(_multilabel_margin_loss)


# --- sequences ---------------------------------------------------------------------------------------------------


def _extended(xp: Any, targets: Array, blank: int) -> tuple[Array, Array]:
    """Each target with blanks between and around its labels, (N, 2 S + 1), and where a blank may be skipped."""
    count, length = targets.shape
    labels = xp.full((count, 2 * length + 1), blank)
    labels[:, 1::2] = targets
    may_skip = xp.zeros(labels.shape, bool)
    may_skip[:, 3::2] = labels[:, 3::2] != labels[:, 1:-2:2]
    return labels, may_skip


def _log_add(xp: Any, *terms: Array) -> Array:
    """The logarithm of a sum, from logarithms."""
    most = terms[0]
    for term in terms[1:]:
        most = xp.maximum(most, term)
    base = xp.where(most == -xp.inf, 0, most)
    total = sum(xp.exp(term - base) for term in terms)
    return xp.log(total) + base


def _shifted(xp: Any, array: Array, by: int) -> Array:
    """Each row shifted by `by` places, filled with -inf."""
    result = xp.full(array.shape, -xp.inf, array.dtype)
    result[:, by:] = array[:, : array.shape[1] - by]
    return result


def _ctc_alphas(
    xp: Any, log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int
) -> tuple[Array, Array]:
    """α of Graves et al. 2006, (T, N, 2 S + 1): the logarithm of the probability of all ways to the label s at time t.

    The second result is minus the log-probability of the whole target, for each sample.
    """
    steps, count, _ = log_probs.shape
    labels, may_skip = _extended(xp, targets, blank)
    rows = xp.arange(count)[:, None]
    alphas = xp.full((steps, *labels.shape), -xp.inf, log_probs.dtype)
    last = 2 * target_lengths
    if steps:
        alphas[0, :, :2] = log_probs[0][rows, labels[:, :2]]
        alphas[0, :, 1:2][target_lengths == 0] = -xp.inf
    for t in range(1, steps):
        before = alphas[t - 1]
        skipped = xp.where(may_skip, _shifted(xp, before, 2), -xp.inf)
        alphas[t] = _log_add(xp, before, _shifted(xp, before, 1), skipped) + log_probs[t][rows, labels]
    flat = xp.arange(count)
    ends = alphas[xp.maximum(input_lengths - 1, 0), flat] if steps else xp.full(labels.shape, -xp.inf)
    at_label = xp.where(target_lengths > 0, ends[flat, xp.maximum(last - 1, 0)], -xp.inf)
    log_likelihood = _log_add(xp, ends[flat, last], at_label)
    nothing = xp.where(target_lengths == 0, xp.zeros((), log_probs.dtype), -xp.inf)
    return alphas, -xp.where(input_lengths == 0, nothing, log_likelihood).astype(log_probs.dtype)


def _ctc_loss(
    xp: Any, log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int
) -> Array:
    return _ctc_alphas(xp, log_probs, targets, input_lengths, target_lengths, blank)[1]


def _ctc_gradient(
    xp: Any,
    grad: Array,
    log_probs: Array,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    blank: int,
    zero_infinity: bool,
) -> Array:
    """The gradient for the input of the `log_softmax` that gave the log-probabilities, from α and β, which is computed
    backward in time."""
    steps, count, classes = log_probs.shape
    alphas, loss = _ctc_alphas(xp, log_probs, targets, input_lengths, target_lengths, blank)
    labels, may_skip = _extended(xp, targets, blank)
    rows, width = xp.arange(count)[:, None], labels.shape[1]
    last = (2 * target_lengths)[:, None]
    places = xp.arange(width)[None]
    is_end = (places == last) | ((places == last - 1) & (last > 0))
    is_inside = places <= last
    may_be_skipped = xp.zeros(labels.shape, bool)
    may_be_skipped[:, :-2] = may_skip[:, 2:]
    shares = xp.empty((steps, *labels.shape), log_probs.dtype)
    betas = xp.full(labels.shape, -xp.inf, log_probs.dtype)
    for t in range(steps - 1, -1, -1):
        here = log_probs[t][rows, labels]
        is_last = (input_lengths - 1 == t)[:, None]
        after, next_but_one = (_shifted(xp, betas[:, ::-1], by)[:, ::-1] for by in (1, 2))
        moved = _log_add(xp, betas, after, xp.where(may_be_skipped, next_but_one, -xp.inf)) + here
        betas = xp.where(is_last, xp.where(is_end, here, -xp.inf), moved)
        betas = xp.where(is_inside & (t < input_lengths)[:, None], betas, -xp.inf)
        share = xp.exp(alphas[t] + betas + loss[:, None] - 2 * here)
        shares[t] = xp.where(is_inside, share, 0)
    taken = xp.zeros((steps, count, classes), log_probs.dtype)
    for place in range(width):  # the same label may occur several times
        taken[:, rows[:, 0], labels[:, place]] += shares[:, :, place]
    probability = xp.exp(log_probs)
    is_read = xp.arange(steps)[:, None] < input_lengths
    result = xp.where(is_read[..., None], probability - taken * probability, 0) * grad[None, :, None]
    return xp.where((loss == xp.inf)[None, :, None], 0, result) if zero_infinity else result


@derivative(
    node="NotImplemented",
    grad_output=no_derivative("aten::_ctc_loss_backward"),
    log_probs=no_derivative("aten::_ctc_loss_backward"),
)
def _ctc_backward(
    grad_output: Tensor,
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: int,
    zero_infinity: bool,
) -> Tensor:
    arrays = _arrays(grad_output, log_probs, targets, input_lengths, target_lengths)
    return _fresh(log_probs._storage.backend.launch(_ctc_gradient, *arrays, blank, zero_infinity), log_probs)


_ctc_loss_backward: Any = recorded(_ctc_backward)


@derivative(
    node="CtcLossBackward0",
    log_probs=lambda grad, log_probs, targets, input_lengths, target_lengths, blank, zero_infinity, result: (
        _ctc_loss_backward(grad, log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)
    ),
)
def _ctc(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: int,
    zero_infinity: bool,
) -> Tensor:
    arrays = _arrays(log_probs, targets, input_lengths, target_lengths)
    return _fresh(log_probs._storage.backend.launch(_ctc_loss, *arrays, blank), log_probs)


#: Connectionist temporal classification (Graves et al. 2006): log_probs (T, N, C), targets (N, S), lengths (N) → (N).
ctc_loss: Any = recorded(_ctc)
