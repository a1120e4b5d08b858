"""Normalisation: numbers with their mean taken away, divided by their standard deviation, scaled and shifted.

Which numbers are taken together is all that tells batch, layer, group and instance norm apart. So the kernels see an
input that is cut into dimensions of which some, `axes`, are averaged over, and scales that broadcast with it.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.ops.kernels.sum import sum_of_squares, total


class Cut(NamedTuple):
    """How the input is seen."""

    size: tuple[int, ...]
    axes: tuple[int, ...]  #: that are averaged over
    scales: tuple[int, ...]  #: the size in which weight and bias broadcast with `size`
    eps: float  #: added to the variance


def statistics(xp: Any, input: Array, cut: Cut) -> tuple[Array, Array, Array]:
    """The mean, the input less its mean, and the variance: of what is taken together, whose dimensions stay as 1."""
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
        mean, found, variance = statistics(xp, input, cut)
    else:
        mean, variance = (each.reshape(cut.scales) for each in fixed)
        found = input.reshape(cut.size) - mean
    inverse = 1 / xp.sqrt(variance + input.dtype.type(cut.eps))
    xp.multiply(found, inverse, out=found)
    if weight is not None:
        xp.multiply(found, weight.reshape(cut.scales), out=found)
    if bias is not None:
        xp.add(found, bias.reshape(cut.scales), out=found)
    return found.reshape(input.shape), mean, inverse, variance


def input_gradient(
    xp: Any, grad: Array, input: Array, weight: Array | None, mean: Array, inverse: Array, is_fixed: bool, cut: Cut
) -> Array:
    """The gradient for the input: that of the result, less what of it changes the mean and the variance."""
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


def weight_gradient(xp: Any, grad: Array, input: Array, mean: Array, inverse: Array, cut: Cut) -> Array:
    """The gradient for the weight: that of the result, times what the weight was multiplied with."""
    normal = (input.reshape(cut.size) - mean) * inverse
    xp.multiply(normal, grad.reshape(cut.size), out=normal)
    return total(xp, normal, shared_axes(cut)).reshape(-1)


def shared_axes(cut: Cut) -> tuple[int, ...]:
    """The dimensions in which one scale serves all."""
    return tuple([axis for axis, length in enumerate(cut.scales) if length == 1])
