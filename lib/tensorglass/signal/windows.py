"""``torch.signal.windows``: windows of a given number of elements, symmetric unless they are to be periodic.

A window is a function of evenly spaced numbers. If it is symmetric, the first and the
last of them are equally far from the middle; a periodic one leaves the last out, which would be the first again.
They are made of operators, and so are recorded where gradients are required; `torch.hann_window` and its kin are not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypedDict, Unpack

from tensorglass.core import dtypes
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.memory_format import layout as Layout
from tensorglass.core.memory_format import strided
from tensorglass.ops.creation.fill import empty, ones
from tensorglass.ops.creation.ranges import arange, linspace
from tensorglass.ops.creation.tensor import tensor
from tensorglass.ops.special.bessel import i0
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann",
    "kaiser", "nuttall",
]  # fmt: skip


class Options(TypedDict, total=False):
    """The keywords that all windows take besides their own."""

    dtype: DType | None  #: float32 or float64; None: the default dtype
    layout: Layout  #: `torch.strided`: there is no other
    device: Device | str | None
    requires_grad: bool  #: whether autograd records how the window is made


def bartlett(M: int, *, sym: bool = True, **options: Unpack[Options]) -> Tensor:
    """A window that rises and falls in straight lines."""
    place = _window_options("bartlett", M, options)
    if M < 2:
        return _short(M, place)
    return 1 - _spaced(-1, 2 / _gaps(M, sym), M, place).abs()


def blackman(M: int, *, sym: bool = True, **options: Unpack[Options]) -> Tensor:
    """A window of two cosines, flatter at its ends than `hann`."""
    _window_options("blackman", M, options)
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, **options)


def cosine(M: int, *, sym: bool = True, **options: Unpack[Options]) -> Tensor:
    """A window of half a wave of a sine; it does not begin at 0."""
    place = _window_options("cosine", M, options)
    if M == 0:
        return _short(M, place)
    step = math.pi / (_gaps(M, sym) + 1)
    return _spaced(step / 2, step, M, place).sin()


def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, **options: Unpack[Options]
) -> Tensor:
    """A window that falls exponentially on both sides of `center`, to the e-th part in `tau` elements.

    A symmetric one has its middle for its center.
    """
    place = _window_options("exponential", M, options)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if M == 0:
        return _short(M, place)
    middle = _gaps(M, sym) / 2 if center is None else center
    return (-_spaced(-middle / tau, 1 / tau, M, place).abs()).exp()


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **options: Unpack[Options]) -> Tensor:
    """A bell of standard deviation `std`, counted in elements."""
    place = _window_options("gaussian", M, options)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if M == 0:
        return _short(M, place)
    step = 1 / (std * math.sqrt(2))
    return (-(_spaced(-_gaps(M, sym) / 2 * step, step, M, place) ** 2)).exp()


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, **options: Unpack[Options]) -> Tensor:
    """A sum of cosines of 0, 1, 2, … waves, of heights `a`, every second one taken off."""
    place = _window_options("general_cosine", M, options)
    if M < 2:
        return _short(M, place)
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    at = {"dtype": place["dtype"], "device": place["device"]}
    heights = tensor([-height if wave % 2 else height for wave, height in enumerate(a)], **at)
    waves = arange(len(heights), **at)
    x = _spaced(0, 2 * math.pi / _gaps(M, sym), M, place)
    return (heights.unsqueeze(-1) * (waves.unsqueeze(-1) * x).cos()).sum(0)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Unpack[Options]) -> Tensor:
    """A window of one wave of a cosine about `alpha`, which reaches 1."""
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, **options)


def hamming(M: int, *, sym: bool = True, **options: Unpack[Options]) -> Tensor:
    """A window of one wave of a cosine, which does not reach 0."""
    return general_hamming(M, sym=sym, **options)


def hann(M: int, *, sym: bool = True, **options: Unpack[Options]) -> Tensor:
    """A window of one wave of a cosine, from 0 to 1 and back."""
    return general_hamming(M, alpha=0.5, sym=sym, **options)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **options: Unpack[Options]) -> Tensor:
    """A window made of `torch.i0`; the larger `beta`, the narrower."""
    place = _window_options("kaiser", M, options)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M < 2:
        return _short(M, place)
    height = tensor(beta, dtype=place["dtype"], device=place["device"])
    x = _spaced(-beta, 2 * beta / _gaps(M, sym), M, place)
    return i0((height * height - x**2).clamp(min=0).sqrt()) / i0(height)


def nuttall(M: int, *, sym: bool = True, **options: Unpack[Options]) -> Tensor:
    """A window of three cosines, very flat at its ends."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, **options)


def _window_options(name: str, M: int, options: Options) -> dict[str, Any]:
    """The options, checked."""
    place: dict[str, Any] = {"dtype": None, "layout": strided, "device": None, "requires_grad": False}
    for keyword in options:
        if keyword not in place:
            raise TypeError(f"{name}() got an unexpected keyword argument '{keyword}'")
    place |= options
    if place["dtype"] is None:
        place["dtype"] = dtypes.get_default_dtype()
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if place["layout"] is not strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {place['layout']}")
    if place["dtype"] not in (dtypes.float32, dtypes.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {place['dtype']}")
    return place


def _short(M: int, place: dict[str, Any]) -> Tensor:
    """A window of no element or of one."""
    return ones((1,), **place) if M else empty((0,), **place)


def _gaps(M: int, sym: bool) -> int:
    """How many steps lead from the first element to the other end of the window; none where it is the only one."""
    return M - 1 if sym or M == 1 else M


def _spaced(first: float, step: float, M: int, place: dict[str, Any]) -> Tensor:
    """`M` numbers from `first` on, `step` apart."""
    return linspace(first, first + (M - 1) * step, M, **place)
