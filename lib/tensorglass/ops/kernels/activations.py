"""The usual activations: softmax and its logarithm, and the slopes of tanh, sigmoid and relu from their results."""

from __future__ import annotations

from math import prod
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.geometry import remembered
from tensorglass.ops.kernels.sum import total

# --- softmax ---------------------------------------------------------------------------------------------------------

_FEW_POWERS = 1 << 11  # elements; for fewer, finding the largest first saves nothing
FAR = 60  #: the exponentials of this number and of its negative, and sums of them, fit into every dtype


def softmax(xp: Any, input: Array, axis: int, out: Array) -> None:
    if xp is HOST.xp and input.size >= _FEW_POWERS and input.min() > -FAR and input.max() < FAR:
        powers = xp.exp(input, out=out)
    else:
        # Subtracting the largest element first leaves the quotient as it is, and no exponential overflows.
        powers = xp.exp(xp.subtract(input, _largest(xp, input, axis), out=out), out=out)
    xp.divide(powers, total(xp, powers, (axis % powers.ndim,)), out=out)


def log_softmax(xp: Any, input: Array, axis: int, out: Array) -> None:
    shifted = xp.subtract(input, _largest(xp, input, axis), out=out)
    xp.subtract(shifted, xp.log(total(xp, xp.exp(shifted), (axis % shifted.ndim,))), out=out)


_SHORT_ROW, _MANY_ROWS = 32, 64  #: elements of a row, and rows: limits for comparing column by column
_SHORT_RUN = 128  #: elements that lie side by side behind the axis: more are compared quickly where they lie


def _largest(xp: Any, input: Array, axis: int) -> Array:
    """The largest element along an axis, which is kept as size 1.

    Short rows are compared column by column, and so is the second of several axes if little lies behind it.
    """
    maxima: Array
    if xp is HOST.xp and input.ndim == 2 and axis in (1, -1):
        count, length = input.shape
        if count >= _MANY_ROWS and 1 < length <= _SHORT_ROW:
            maxima = xp.maximum.reduce(input.T.copy())[:, None]
            return maxima
    if xp is HOST.xp and input.ndim > 2 and axis == 1 and 1 < prod(input.shape[2:]) <= _SHORT_RUN:
        maxima = xp.maximum.reduce(input.swapaxes(0, 1).copy())[:, None]
    else:
        maxima = input.max(axis=axis, keepdims=True)
    return maxima


# --- slopes ----------------------------------------------------------------------------------------------------------

_FEW_SLOPES = 1024  # elements; for fewer, `where` is faster


def tanh_slope(xp: Any, grad_output: Array, output: Array, out: Array = None) -> Array:
    """The kernel of `tanh_backward`."""
    slope = xp.multiply(output, output)
    slope = xp.subtract(number(xp, 1, output.dtype), slope, slope if output.ndim else None)
    return xp.multiply(grad_output, _conj(xp, slope), out)


def sigmoid_slope(xp: Any, grad_output: Array, output: Array, out: Array = None) -> Array:
    """The kernel of `sigmoid_backward`."""
    slope = xp.subtract(number(xp, 1, output.dtype), output)
    slope = xp.multiply(slope, output, slope if output.ndim else None)
    return xp.multiply(grad_output, _conj(xp, slope), out)


def above_threshold(xp: Any, grad_output: Array, input: Array, threshold: int, out: Array = None) -> Array:
    """The kernel of `threshold_backward`."""
    # Infinity times zero is NaN, so the gradient must be selected rather than multiplied by a mask.
    is_below = xp.less_equal(input, number(xp, threshold, input.dtype))
    if out is None and input.size <= _FEW_SLOPES:
        return xp.where(is_below, number(xp, 0, grad_output.dtype), grad_output)
    # Large arrays are masked by their bits: all ones or all zeros, which are made fastest from bytes.
    bits = f"i{grad_output.dtype.itemsize}"
    is_below = is_below.view("i1")
    mask = xp.subtract(is_below, 1, out=is_below if is_below.ndim else None).astype(bits)
    if out is None:
        return xp.bitwise_and(grad_output.view(bits), mask, out=mask if mask.ndim else None).view(grad_output.dtype)
    xp.bitwise_and(grad_output.view(bits), mask, out=out.view(bits))
    return out


def number(xp: Any, value: int, array_dtype: Any) -> Any:
    """A number for a kernel, as a 0-dim array: NumPy's functions have less overhead for one than for a scalar."""
    return _on_host(value, array_dtype) if xp is HOST.xp else array_dtype.type(value)


@remembered
def _on_host(value: int, array_dtype: Any) -> Array:
    return HOST.xp.asarray(value, array_dtype)


def _conj(xp: Any, array: Array) -> Array:
    return xp.conj(array) if array.dtype.kind == "c" else array
