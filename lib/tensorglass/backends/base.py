"""What a backend must offer, and which backend a device has.

The one idea to keep in mind: floors above know bytes, sizes and strides; only a backend knows arrays. A *buffer* is
a one-dimensional uint8 array that owns a run of bytes. An *array* is a typed, strided window on a buffer, made when
a kernel is to run. A *kernel* is a function of the backend's array module `xp` and of arrays, so that one source
serves every backend whose module speaks NumPy's names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from tensorglass.devices import device as Device
from tensorglass.dtypes import dtype as DType
from tensorglass.errors import explained

#: An array of a backend's module (numpy.ndarray, cupy.ndarray). The floors above never look inside.
Array = Any


class RandomBits(Protocol):
    """A stream of random bits on a device, determined by its seed."""

    spare_normal: float | None  #: normal numbers are made in pairs: the second of the last one, if not yet handed out

    def reseed(self, seed: int) -> None:
        """Begin the stream of this seed."""

    def draw_32(self, count: int) -> Array:
        """`count` whole numbers of 32 random bits, as uint32."""

    def draw_64(self, count: int) -> Array:
        """`count` whole numbers of 64 random bits, as uint64."""

    def draw_poisson(self, rates: Array) -> Array:
        """Poisson-distributed whole numbers, one for each of `rates`."""

    def save(self, initial_seed: int) -> Array:
        """The whole state, as a host array of bytes."""

    def load(self, state: Array) -> int:
        """Go on from a saved state. Returns the initial seed that is kept in it."""


class Backend(Protocol):
    """One type of device. Sizes, strides and offsets are counted in elements, as in a tensor's header."""

    @property
    def device_type(self) -> str:
        """The type of its devices: "cpu"."""

    @property
    def xp(self) -> Any:
        """The array module whose functions the kernels call: numpy, cupy."""

    def is_available(self) -> bool:
        """Whether a device of this type is there; never raises, never imports what is slow to import twice."""

    def allocate(self, nbytes: int, device: Device, *, zeroed: bool = False) -> Array:
        """A new buffer of `nbytes` bytes: all 0 if `zeroed`, else with whatever was there before.

        Raises PyTorch's out-of-memory error for the device.
        """

    def empty(
        self, dtype: DType, size: tuple[int, ...], order: tuple[int, ...] | None = None, *, zeroed: bool = False
    ) -> Array:
        """A new array without gaps: row-major, or with its dimensions in `order` from the outermost. All 0 if `zeroed`.

        Raises PyTorch's out-of-memory error for the device.
        """

    def array(self, buffer: Array, dtype: DType, size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Array:
        """The array that a header describes: a window on `buffer`, sharing its bytes."""

    def share_memory(self, one: Array, other: Array) -> bool:
        """Whether some cell belongs to both arrays; true as well where that takes too long to find out."""

    def buffer_of(self, array: Array) -> Array:
        """The buffer under an array that owns its memory and has no gaps in it: its bytes, shared."""

    def data_ptr(self, buffer: Array) -> int:
        """The address of the first byte; 0 for an empty buffer."""

    def array_dtype(self, dtype: DType) -> Any:
        """The array module's name for `dtype`; raises if the module lacks it."""

    def dtype_of(self, array: Array) -> DType:
        """The dtype of an array's elements."""

    def launch(self, kernel: Callable[..., Any], *arrays: Any, **parameters: Any) -> Any:
        """Run ``kernel(xp, *arrays, **parameters)`` on the device, silently: no floating-point warnings."""

    @property
    def run(self) -> Callable[..., Any]:
        """``run(function, *arrays)`` calls a function of the array module on the device, as `launch` does a kernel."""

    def ufunc(self, name: str) -> Callable[..., Any]:
        """The elementwise function `name` of the array module, which accepts ``out=``."""

    def random_bits(self, seed: int) -> RandomBits:
        """A new stream of random bits on devices of this type."""

    def from_host(self, array: Array, device: Device) -> Array:
        """A copy on the device of a NumPy array."""

    def to_host(self, array: Array) -> Array:
        """The array as a NumPy array: the same memory on the CPU, a copy from other devices."""

    def synchronize(self, device: Device) -> None:
        """Wait until every kernel launched on `device` has finished."""


_backends: dict[str, Backend] = {}


def register(backend: Backend) -> None:
    """Make `backend` serve the devices of its type."""
    _backends[backend.device_type] = backend


def get(device: Device) -> Backend:
    """The backend that serves `device`, or PyTorch's error where there is none."""
    found = _backends.get(device.type)
    if found is not None:
        return found
    note = f"tensorglass has no backend for '{device.type}' devices here; tensors on 'cpu' work everywhere."
    if device.type in ("cuda", "xpu"):
        raise explained(AssertionError(f"Torch not compiled with {device.type.upper()} enabled"), note)
    raise explained(
        NotImplementedError(
            f"Could not run 'aten::empty.memory_format' with arguments from the '{device.type.upper()}' backend."
        ),
        note,
    )
