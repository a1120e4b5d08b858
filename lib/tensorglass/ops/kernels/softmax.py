"""Exponentials divided by their sum along an axis, and the logarithms of those."""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array


def softmax(xp: Any, input: Array, axis: int, out: Array) -> None:
    # The largest is taken off before: that changes nothing in the quotient, and no exponential overflows.
    powers = xp.exp(xp.subtract(input, input.max(axis=axis, keepdims=True), out=out), out=out)
    xp.divide(powers, xp.add.reduce(powers, axis=axis, keepdims=True), out=out)


def log_softmax(xp: Any, input: Array, axis: int, out: Array) -> None:
    shifted = xp.subtract(input, input.max(axis=axis, keepdims=True), out=out)
    xp.subtract(shifted, xp.log(xp.add.reduce(xp.exp(shifted), axis=axis, keepdims=True)), out=out)
