"""Normalisation: numbers with their mean taken away, divided by their standard deviation, scaled and shifted.

Batch, layer, group and instance norm differ only in the numbers that share a mean. So the kernels get an input that is
reshaped such that they average over some dimensions, `axes`, and scales that broadcast with it.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.ops.kernels.sum import ROWS, sum_of_squares, total


class Cut(NamedTuple):
    """How the input is reshaped, and what is averaged."""

    size: tuple[int, ...]
    axes: tuple[int, ...]  #: that are averaged over
    scales: tuple[int, ...]  #: the size in which weight and bias broadcast with `size`
    eps: float  #: added to the variance


def statistics(xp: Any, input: Array, cut: Cut) -> tuple[Array, Array, Array]:
    """The mean, the input minus its mean, and the variance; averaged dimensions are kept as size 1."""
    count = prod([cut.size[axis] for axis in cut.axes])
    array = input.reshape(cut.size)
    mean = total(xp, array, cut.axes) / input.dtype.type(count)
    centred = array - mean
    squares = sum_of_squares(centred, cut.axes) if xp is HOST.xp else None
    if squares is None:
        squares = total(xp, centred * centred, cut.axes)
    return mean, centred, squares / input.dtype.type(count)


def normalize(
    xp: Any, input: Array, weight: Array | None, bias: Array | None, fixed: tuple[Array, Array] | None, cut: Cut
) -> tuple[Array, Array, Array, Array]:
    """The result, the mean, the inverse of the standard deviation, and the variance; or by a `fixed` mean and variance.

    ``(input - mean) / √(variance + eps) · weight + bias``.
    """
    if fixed is None:
        mean, normalized, variance = statistics(xp, input, cut)
    else:
        mean, variance = (statistic.reshape(cut.scales) for statistic in fixed)
        normalized = input.reshape(cut.size) - mean
    inverse = 1 / xp.sqrt(variance + input.dtype.type(cut.eps))
    xp.multiply(normalized, inverse, out=normalized)
    if weight is not None:
        xp.multiply(normalized, weight.reshape(cut.scales), out=normalized)
    if bias is not None:
        xp.add(normalized, bias.reshape(cut.scales), out=normalized)
    return normalized.reshape(input.shape), mean, inverse, variance


def input_gradient(
    xp: Any, grad: Array, input: Array, weight: Array | None, mean: Array, inverse: Array, is_fixed: bool, cut: Cut
) -> Array:
    """The gradient for the input: the result's gradient, minus the parts of it that pass through the mean and the
    variance."""
    gradients = None if is_fixed else gradients_by_sums(xp, grad, input, weight, mean, inverse, cut, [True])
    if gradients is not None and gradients[0] is not None:
        return gradients[0].reshape(grad.shape)
    scaled = grad.reshape(cut.size) * (1 if weight is None else weight.reshape(cut.scales))
    if is_fixed:
        return (scaled * inverse).reshape(grad.shape)
    count = grad.dtype.type(prod([cut.size[axis] for axis in cut.axes]))
    normal = (input.reshape(cut.size) - mean) * inverse
    along_normal = total(xp, scaled * normal, cut.axes) / count
    along_mean = total(xp, scaled, cut.axes) / count
    xp.multiply(normal, along_normal, out=normal)
    xp.subtract(scaled, normal, out=scaled)
    xp.subtract(scaled, along_mean, out=scaled)
    xp.multiply(scaled, inverse, out=scaled)
    return scaled.reshape(grad.shape)


def weight_gradient(xp: Any, grad: Array, input: Array, mean: Array, inverse: Array, is_fixed: bool, cut: Cut) -> Array:
    """The gradient for the weight: the result's gradient times the normalized input, summed."""
    gradients = None if is_fixed else gradients_by_sums(xp, grad, input, None, mean, inverse, cut, [False, True])
    if gradients is not None and gradients[1] is not None:
        return gradients[1]
    normal = (input.reshape(cut.size) - mean) * inverse
    xp.multiply(normal, grad.reshape(cut.size), out=normal)
    return total(xp, normal, shared_axes(cut)).reshape(-1)


def shared_axes(cut: Cut) -> tuple[int, ...]:
    """The dimensions along which the scales are broadcast."""
    return tuple([axis for axis, length in enumerate(cut.scales) if length == 1])


# --- gradients by two sums -------------------------------------------------------------------------------------------

#: A mean of more standard deviations than this is too large: subtracting it from sums afterwards loses digits.
_FAR_OFF = 8


def gradients_by_sums(
    xp: Any, grad: Array, input: Array, scale: Array | None, mean: Array, inverse: Array, cut: Cut, wanted: list[bool]
) -> list[Array | None] | None:
    """The gradients of layer and batch norm for input, weight and bias, as far as they are `wanted`, on the CPU.

    They are computed from two sums: of the result's gradient, and of its product with the input. The normalized input
    is n = x·inverse - shift, so a sum of products with n follows from the sum of products with x. The input's gradient
    is then a·grad + b·x + c with three numbers, as in PyTorch. None for other norms, and where a mean is too large.
    """
    of_cut = _of_rows if cut.axes == (1,) else _of_channels if cut.axes == (0, 2) else None
    if xp is not HOST.xp or of_cut is None or not input.size:
        return None
    mean, inverse = mean.reshape(-1), inverse.reshape(-1)
    shift = mean * inverse
    if not xp.abs(shift).max() < _FAR_OFF:
        return None
    scale = None if scale is None else scale.reshape(-1)
    return of_cut(grad.reshape(cut.size), input.reshape(cut.size), scale, inverse, shift, wanted)


def _of_rows(
    grad: Array, input: Array, scale: Array | None, inverse: Array, shift: Array, wanted: list[bool]
) -> list[Array | None]:
    """The gradients where each row is normalized."""
    xp = HOST.xp
    gradients: list[Array | None] = [None] * len(wanted)
    product = xp.multiply(grad, input)
    if len(wanted) > 1 and wanted[1]:
        gradients[1] = _sum_of_rows(inverse, product) - _sum_of_rows(shift, grad)
    if len(wanted) > 2 and wanted[2]:
        gradients[2] = total(xp, grad, (0,)).reshape(-1)
    if wanted[0]:
        scales = xp.ones(grad.shape[1], grad.dtype) if scale is None else scale
        share = inverse / grad.dtype.type(grad.shape[1])
        along_mean, along_normal = grad.dot(scales) * share, product.dot(scales) * share
        along_normal = along_normal * inverse - along_mean * shift
        of_input = _combined(grad, inverse[:, None], input, (along_normal * inverse)[:, None], product, scales)
        gradients[0] = xp.add(of_input, (along_normal * shift - along_mean)[:, None], of_input)
    return gradients


def _of_channels(
    grad: Array, input: Array, scale: Array | None, inverse: Array, shift: Array, wanted: list[bool]
) -> list[Array | None]:
    """The gradients where each channel is normalized: (images, channels, cells)."""
    xp = HOST.xp
    product = xp.multiply(grad, input)
    of_bias, of_weight = [total(xp, rows, (0, 2)).reshape(-1) for rows in (grad, product)]
    of_weight = of_weight * inverse - of_bias * shift
    gradients: list[Array | None] = [None, of_weight, of_bias][: len(wanted)]
    if wanted[0]:
        factor = inverse if scale is None else inverse * scale
        share = factor / grad.dtype.type(input.size // len(inverse))
        of_input = _combined(grad, factor[:, None], input, (share * of_weight * inverse)[:, None], product)
        gradients[0] = xp.add(of_input, (share * (of_weight * shift - of_bias))[:, None], of_input)
    return [gradient if is_wanted else None for gradient, is_wanted in zip(gradients, wanted, strict=True)]


def _combined(
    grad: Array, factor: Array, input: Array, other: Array, scratch: Array, scales: Array | None = None
) -> Array:
    """``grad * factor * scales - input * other``."""
    xp = HOST.xp
    result = xp.multiply(grad, factor, HOST.empty(HOST.dtype_of(grad), grad.shape))
    if scales is not None:
        xp.multiply(result, scales, result)
    return xp.subtract(result, xp.multiply(input, other, scratch), result)


def _sum_of_rows(factors: Array, rows: Array) -> Array:
    """The sum of the rows times their factors; as exact as `total`."""
    sums = factors[:ROWS].dot(rows[:ROWS])
    for start in range(ROWS, len(rows), ROWS):
        sums += factors[start : start + ROWS].dot(rows[start : start + ROWS])
    return sums
