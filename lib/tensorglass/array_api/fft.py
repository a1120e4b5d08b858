"""The standard's extension for Fourier transforms: ours, with the standard's names of arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import tensorglass as torch
from tensorglass.array_api.elementwise import named
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.tensor.tensor import Tensor

Norm = Literal["backward", "ortho", "forward"]


def _along_one(name: str) -> Callable[..., Tensor]:
    """The transform along one axis that ours of this name is."""
    transform = getattr(torch.fft, name)

    def function(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
        result: Tensor = transform(x, n, axis, norm)
        return result.resolve_conj()  # in memory of its own, so that other libraries can read it

    return named(function, name, transform)


def _along_several(name: str) -> Callable[..., Tensor]:
    """The transform along several axes that ours of this name is."""
    transform = getattr(torch.fft, name)

    def function(
        x: Tensor, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
    ) -> Tensor:
        return transform(x, s, axes, norm)

    return named(function, name, transform)


fft, ifft, rfft, irfft, hfft, ihfft = map(_along_one, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
fftn, ifftn, rfftn, irfftn = map(_along_several, ("fftn", "ifftn", "rfftn", "irfftn"))


def fftfreq(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: Device | str | None = None) -> Tensor:
    """The frequencies of a transform of `n` samples, `d` apart: the negative ones in the second half."""
    return torch.fft.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: Device | str | None = None) -> Tensor:
    """The frequencies of a transform of `n` real samples, `d` apart."""
    return torch.fft.rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """The elements moved so that frequency 0 is in the middle."""
    return torch.fft.fftshift(x, axes)


def ifftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """What undoes `fftshift`."""
    return torch.fft.ifftshift(x, axes)


__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft",
    "rfftfreq", "rfftn",
]  # fmt: skip
