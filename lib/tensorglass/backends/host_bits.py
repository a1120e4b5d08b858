"""Random bits for an accelerator: the host's generator, its numbers copied to the device.

So the same seed gives the same random numbers on every device, at the price of a transfer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from tensorglass.backends.numpy_bits import NumpyBits
from tensorglass.core.devices import device as Device

if TYPE_CHECKING:
    from tensorglass.backends.base import Array, Backend


class HostBits:
    """A stream of random bits for a device."""

    def __init__(self, backend: Backend, device: Device, seed: int) -> None:
        self._backend = backend
        self._device = device
        self._bits = NumpyBits(seed)

    @property
    def spare_normal(self) -> float | None:
        return self._bits.spare_normal

    @spare_normal.setter
    def spare_normal(self, value: float | None) -> None:
        self._bits.spare_normal = value

    def reseed(self, seed: int) -> None:
        self._bits.reseed(seed)

    def draw_32(self, count: int) -> Array:
        return self._backend.from_host(self._bits.draw_32(count), self._device)

    def draw_64(self, count: int) -> Array:
        return self._backend.from_host(self._bits.draw_64(count), self._device)

    def draw_poisson(self, rates: Array) -> Array:
        return self._backend.from_host(self._bits.draw_poisson(self._backend.to_host(rates)), self._device)

    def draw_binomial(self, counts: Array, chances: Array) -> Array:
        given = [self._backend.to_host(each) for each in (counts, chances)]
        return self._backend.from_host(self._bits.draw_binomial(*given), self._device)

    def save(self, initial_seed: int) -> numpy.ndarray:
        return self._bits.save(initial_seed)

    def load(self, state: numpy.ndarray) -> int:
        return self._bits.load(state)
