"""Exponentials divided by their sum along an axis, and the logarithms of those."""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.ops.kernels.sum import total

_FEW = 1 << 11  # elements, below which looking at all of them saves nothing
FAR = 60  #: of which the exponential, and that of its negative, is a number of every dtype, and so is a sum of such


def softmax(xp: Any, input: Array, axis: int, out: Array) -> None:
    if xp is HOST.xp and input.size >= _FEW and input.min() > -FAR and input.max() < FAR:
        powers = xp.exp(input, out=out)
    else:
        # The largest is taken off before: that changes nothing in the quotient, and no exponential overflows.
        powers = xp.exp(xp.subtract(input, input.max(axis=axis, keepdims=True), out=out), out=out)
    xp.divide(powers, total(xp, powers, (axis % powers.ndim,)), out=out)


def log_softmax(xp: Any, input: Array, axis: int, out: Array) -> None:
    shifted = xp.subtract(input, input.max(axis=axis, keepdims=True), out=out)
    xp.subtract(shifted, xp.log(total(xp, xp.exp(shifted), (axis % shifted.ndim,))), out=out)
