"""Windows, which fade a signal in and out before it is transformed: hann_window, kaiser_window and others.

A periodic window is a symmetric one of one more element, without its last.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Unpack

from tensorglass.backends import Array
from tensorglass.backends import get as get_backend
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.ops.arg_parser.checks import check_int, not_implemented
from tensorglass.ops.creation.factory import Options, factory, of_kernel, read_options
from tensorglass.tensor.set_header import point
from tensorglass.tensor.tensor import Tensor

_HOST: Any = get_backend(CPU)  # where Python's lists and numbers are


def _window(
    name: str, window_length: int, periodic: bool, options: Options, shape: Callable[..., Array], *arguments: float
) -> Tensor:
    """A window whose elements are a function of numbers from 0 to 1."""
    check_int(name, "window_length", 1, window_length)
    place = read_options(name, options)
    if place.dtype.category < dtypes.FLOATING:
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtypes.C_NAMES[place.dtype]}")
    if window_length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={window_length}")
    if place.dtype.is_complex and window_length > 1:
        raise not_implemented("arange_cpu", place.dtype)
    whole = window_length + 1 if periodic and window_length > 1 else window_length
    kind = place.dtype if place.dtype.itemsize >= 4 else dtypes.float32
    result = of_kernel((whole,), place, _elements, whole, _HOST.array_dtype(kind), shape, arguments)
    point(result, result._storage, (window_length,), (1,), 0)
    return result


def _elements(xp: Any, length: int, kind: Any, shape: Callable[..., Array], arguments: tuple[float, ...]) -> Array:
    """Computed in the window's own dtype, as PyTorch does: what should be 0 at the ends need not be."""
    if length == 1:
        return xp.ones(1)
    return shape(xp, xp.arange(length, dtype=kind) / max(length - 1, 1), *arguments)


def _triangle(xp: Any, x: Array) -> Array:
    return 1 - xp.absolute(2 * x - 1)


def _cosines(xp: Any, x: Array, *weights: float) -> Array:
    terms = [(-1) ** k * weight * xp.cos(2 * math.pi * k * x) for k, weight in enumerate(weights)]
    return sum(reversed(terms))


def _kaiser(xp: Any, x: Array, beta: float) -> Array:
    return xp.i0(beta * xp.sqrt(xp.maximum(1 - (2 * x - 1) ** 2, 0.0))) / xp.i0(xp.asarray([beta]))


@factory()
def bartlett_window(window_length: int, periodic: bool = True, **options: Unpack[Options]) -> Tensor:
    """A window that rises and falls in straight lines."""
    return _window("bartlett_window", window_length, periodic, options, _triangle)


@factory()
def hann_window(window_length: int, periodic: bool = True, **options: Unpack[Options]) -> Tensor:
    """A window of one wave of a cosine, from 0 to 1 and back."""
    return _window("hann_window", window_length, periodic, options, _cosines, 0.5, 0.5)


@factory()
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, **options: Unpack[Options]
) -> Tensor:
    """A window of one wave of a cosine of height `beta` about `alpha`, which does not reach 0."""
    return _window("hamming_window", window_length, periodic, options, _cosines, alpha, beta)


@factory()
def blackman_window(window_length: int, periodic: bool = True, **options: Unpack[Options]) -> Tensor:
    """A window of two cosines, flatter at its ends than `hann_window`."""
    return _window("blackman_window", window_length, periodic, options, _cosines, 0.42, 0.5, 0.08)


@factory()
def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, **options: Unpack[Options]) -> Tensor:
    """A window made of `i0`; the larger `beta`, the narrower."""
    return _window("kaiser_window", window_length, periodic, options, _kaiser, beta)
