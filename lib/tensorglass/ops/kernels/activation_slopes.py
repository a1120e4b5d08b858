"""The slopes of the usual activations, from their results: tanh, sigmoid and relu."""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.geometry import remembered

_FEW = 1024  # elements, among which `where` is quicker


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
    # Infinity times zero is no number, so it must be chosen and not multiplied.
    is_below = xp.less_equal(input, number(xp, threshold, input.dtype))
    if out is None and input.size <= _FEW:
        return xp.where(is_below, number(xp, 0, grad_output.dtype), grad_output)
    # For many, on the bits, which are multiplied with 1 or 0 as an integer is.
    is_above = xp.logical_not(is_below, out=is_below if is_below.ndim else None)
    bits = f"u{grad_output.dtype.itemsize}"
    made = xp.multiply(grad_output.view(bits), is_above, out=None if out is None else out.view(bits))
    return made.view(grad_output.dtype) if out is None else out


def number(xp: Any, value: int, array_dtype: Any) -> Any:
    """A number for a kernel: NumPy's functions begin sooner with a 0-dim array than with a scalar."""
    return _on_host(value, array_dtype) if xp is HOST.xp else array_dtype.type(value)


@remembered
def _on_host(value: int, array_dtype: Any) -> Array:
    return HOST.xp.asarray(value, array_dtype)


def _conj(xp: Any, array: Array) -> Array:
    return xp.conj(array) if array.dtype.kind == "c" else array
