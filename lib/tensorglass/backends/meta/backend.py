"""The meta device as a backend: lengths are counted, nothing is allocated."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy

from tensorglass.backends.meta.array import MetaArray
from tensorglass.backends.meta.module import MetaModule
from tensorglass.backends.numpy_backend import HOST
from tensorglass.backends.stand_in_arrays import StandInBackend
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained


class MetaBackend(StandInBackend):
    """The one device of its type. See `Backend` for what each method promises."""

    device_type = "meta"
    linalg = None  # kernels use their paths without LAPACK

    def __init__(self) -> None:
        self.xp: Any = MetaModule()

    def is_available(self) -> bool:
        return True

    def allocate(self, nbytes: int, device: Device, *, zeroed: bool = False) -> MetaArray:
        return MetaArray((nbytes,), numpy.uint8)

    def empty(
        self, dtype: DType, size: tuple[int, ...], order: tuple[int, ...] | None = None, *, zeroed: bool = False
    ) -> MetaArray:
        return MetaArray(size, HOST.array_dtype(dtype))

    def array(
        self, buffer: MetaArray, dtype: DType, size: tuple[int, ...], stride: tuple[int, ...], offset: int
    ) -> MetaArray:
        return MetaArray(size, HOST.array_dtype(dtype))

    def share_memory(self, one: MetaArray, other: MetaArray) -> bool:
        return False

    def buffer_of(self, array: MetaArray) -> MetaArray:
        return MetaArray((array.nbytes,), numpy.uint8)

    def data_ptr(self, buffer: MetaArray) -> int:
        return 0

    def number(self, value: complex, array_dtype: Any) -> Any:
        return HOST.number(value, array_dtype)[()]

    @cached_property
    def special(self) -> Any:
        return MetaModule(HOST.special, "special.")

    def random_bits(self, seed: int) -> MetaBits:
        return MetaBits()

    def from_host(
        self,
        array: numpy.ndarray,
        device: Device,
        *,
        is_pinned: bool = False,
        non_blocking: bool = False,
        out: MetaArray | None = None,
    ) -> MetaArray:
        return MetaArray(array.shape, array.dtype) if out is None else out

    def from_peer(self, array: MetaArray) -> MetaArray:
        return array

    def to_host(self, array: MetaArray, *, is_pinned: bool = False, non_blocking: bool = False) -> numpy.ndarray:
        raise explained(
            NotImplementedError("Cannot copy out of meta tensor; no data!"),
            "A tensor on 'meta' is a header alone: it has a size, strides and a dtype, and its storage has no bytes.",
            "torch.empty_like(x, device='cpu') makes memory of its layout; a module's to_empty(device='cpu') does so "
            "for its parameters, and load_state_dict(state, assign=True) puts tensors with data in their place.",
        )

    def synchronize(self, device: Device) -> None:
        """Nothing ever runs."""


class MetaBits:
    """A stream of random bits that never draws any."""

    spare_normal: float | None = None

    def reseed(self, seed: int) -> None:
        """Nothing to begin."""

    def draw_32(self, count: int) -> MetaArray:
        return MetaArray((count,), numpy.uint32)

    def draw_64(self, count: int) -> MetaArray:
        return MetaArray((count,), numpy.uint64)

    def draw_poisson(self, rates: MetaArray) -> MetaArray:
        return MetaArray(rates.shape, numpy.int64)

    def draw_binomial(self, counts: MetaArray, chances: MetaArray) -> MetaArray:
        return MetaArray(numpy.broadcast_shapes(counts.shape, chances.shape), numpy.int64)

    def save(self, initial_seed: int) -> numpy.ndarray:
        return numpy.zeros(0, numpy.uint8)

    def load(self, state: numpy.ndarray) -> int:
        return 0
