"""Derivatives on arrays of norms, of the loss of classes and of an embedding: rules as those of `fast.node_rules`."""

from __future__ import annotations

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.fast.bare_arrays import XP
from tensorglass.fast.networks.cross_entropy import rows_and_places
from tensorglass.fast.node_rules import Kept, Rule
from tensorglass.ops.kernels.positions import add_at
from tensorglass.ops.kernels.sum import ROWS, total


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
    made = XP.zeros(input.shape, input.dtype)
    share = grad.dtype.type(-grad.item() / count)
    if is_counted is not None:
        target = XP.where(is_counted, target, 0)  # as the declared formula has it: zeros have a sign
    rows, places = rows_and_places(made, target)
    rows[places] = share if is_counted is None else is_counted.reshape(places[1].shape) * share
    return [made]


def _normalized(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    """For layer and batch norm: input, weight and bias, from sums of the gradient and of its product with the input.

    With n = x·inverse - shift for what was normalized, a sum of products with n is one of products with x, and the
    input's gradient is one number times the result's, plus another times x, plus a third, as in PyTorch.
    """
    cut, scale, input = kept["norm"].cut, kept.get("weight"), kept.get("input")
    if input is None or kept.get("mean") is not None or not (input.size and input.flags.c_contiguous):
        return None
    if not grad.flags.c_contiguous or (scale is None and len(wanted) > 1):  # a bias without a weight
        return None
    if input.dtype != grad.dtype or (scale is not None and (scale.dtype != grad.dtype or scale.ndim != 1)):
        return None
    mean, inverse = kept["result1"][:2]
    shift = mean * inverse
    if not XP.abs(shift).max() < _FAR_OFF:
        return None
    of_cut = _of_rows if cut.axes == (1,) else _of_channels if cut.axes == (0, 2) else None
    if of_cut is None:
        return None
    found = of_cut(grad.reshape(cut.size), input.reshape(cut.size), scale, inverse, shift, wanted)
    return [each if each is None or place else each.reshape(input.shape) for place, each in enumerate(found)]


#: A mean of so many deviations is too far off for sums that the mean's share is taken from afterwards.
_FAR_OFF = 8


def _of_rows(
    grad: Array, input: Array, scale: Array | None, inverse: Array, shift: Array, wanted: list[bool]
) -> list[Array | None]:
    """Where the numbers of a row are taken together."""
    found: list[Array | None] = [None] * len(wanted)
    product = XP.multiply(grad, input)
    if len(wanted) > 1 and wanted[1]:
        found[1] = _sum_of_rows(inverse, product) - _sum_of_rows(shift, grad)
    if len(wanted) > 2 and wanted[2]:
        found[2] = total(XP, grad, (0,)).reshape(-1)
    if wanted[0]:
        scales = XP.ones(grad.shape[1], grad.dtype) if scale is None else scale
        share = inverse / grad.dtype.type(grad.shape[1])
        along_mean, along_normal = grad.dot(scales) * share, product.dot(scales) * share
        along_normal = along_normal * inverse - along_mean * shift
        made = _combined(grad, inverse[:, None], input, (along_normal * inverse)[:, None], product, scales)
        found[0] = XP.add(made, (along_normal * shift - along_mean)[:, None], made)
    return found


def _of_channels(
    grad: Array, input: Array, scale: Array | None, inverse: Array, shift: Array, wanted: list[bool]
) -> list[Array | None]:
    """Where the numbers of a channel are taken together: (images, channels, cells)."""
    product = XP.multiply(grad, input)
    of_bias, of_weight = [total(XP, each, (0, 2)).reshape(-1) for each in (grad, product)]
    of_weight = of_weight * inverse - of_bias * shift
    found: list[Array | None] = [None, of_weight, of_bias][: len(wanted)]
    if wanted[0]:
        factor = inverse if scale is None else inverse * scale
        share = factor / grad.dtype.type(input.size // len(inverse))
        made = _combined(grad, factor[:, None], input, (share * of_weight * inverse)[:, None], product)
        found[0] = XP.add(made, (share * (of_weight * shift - of_bias))[:, None], made)
    return [each if is_wanted else None for each, is_wanted in zip(found, wanted, strict=True)]


def _combined(
    grad: Array, factor: Array, input: Array, other: Array, scratch: Array, scales: Array | None = None
) -> Array:
    """``grad * factor * scales - input * other``."""
    made = XP.multiply(grad, factor, HOST.empty(HOST.dtype_of(grad), grad.shape))
    if scales is not None:
        XP.multiply(made, scales, made)
    return XP.subtract(made, XP.multiply(input, other, scratch), made)


def _sum_of_rows(factors: Array, rows: Array) -> Array:
    """The rows times their factors, added up; as exact as `total`."""
    made = factors[:ROWS].dot(rows[:ROWS])
    for start in range(ROWS, len(rows), ROWS):
        made += factors[start : start + ROWS].dot(rows[start : start + ROWS])
    return made


def _rows_taken(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    """For an embedding's matrix: what arrives for each row, added up where several took it."""
    indices, size = kept["indices"].reshape(-1), kept["weight_size"]
    if kept["scale_grad_by_freq"] or not grad.flags.c_contiguous:
        return None
    rows = grad.reshape(len(indices), size[1])
    if kept["padding_idx"] >= 0:
        is_counted = indices != kept["padding_idx"]
        indices, rows = indices[is_counted], rows[is_counted]
    made = XP.zeros(size, grad.dtype)
    add_at(XP, made, 0, [indices], rows)
    return [made]


RULES: dict[str, Rule] = {
    "_nll_loss": _nll_loss,
    "_normalized": _normalized,
    "_embedding": _rows_taken,
}
