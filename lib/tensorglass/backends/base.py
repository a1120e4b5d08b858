"""What a backend must offer, and which backend a device has.

The rooms above know bytes, sizes and strides; only a backend knows arrays. A *buffer* is a one-dimensional uint8 array
that owns a run of bytes. An *array* is a typed, strided window on a buffer, made when a kernel is to run. A *kernel* is
a function of the backend's array module `xp` and of arrays, so that one source serves every backend whose module has
NumPy's names.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol, cast

from tensorglass.allocator import NoRoom
from tensorglass.core import devices
from tensorglass.core.critical_section import CriticalSection
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import OutOfMemoryError, explained

#: An array of a backend's module (numpy.ndarray, cupy.ndarray). The rooms above never look inside.
Array = Any


class RandomBits(Protocol):
    """A stream of random bits on a device, determined by its seed."""

    spare_normal: float | None  #: normal numbers are made in pairs: the second of the last pair, if not yet used

    def reseed(self, seed: int) -> None:
        """Begin the stream of this seed."""

    def draw_32(self, count: int) -> Array:
        """`count` integers of 32 random bits, as uint32."""

    def draw_64(self, count: int) -> Array:
        """`count` integers of 64 random bits, as uint64."""

    def draw_poisson(self, rates: Array) -> Array:
        """Poisson-distributed integers, one for each of `rates`."""

    def draw_binomial(self, counts: Array, chances: Array) -> Array:
        """Binomially distributed integers: how many of `counts` trials succeed, with the given probabilities."""

    def save(self, initial_seed: int) -> Array:
        """The whole state, as a host array of bytes."""

    def load(self, state: Array) -> int:
        """Restore a saved state. Returns the initial seed stored in it."""


class Backend(Protocol):
    """One device. Sizes, strides and offsets are counted in elements, as in a tensor's header."""

    @property
    def device_type(self) -> str:
        """The type of its device: "cpu", "cuda", "sim"."""

    @property
    def xp(self) -> Any:
        """The array module whose functions the kernels call: numpy, cupy."""

    def is_available(self) -> bool:
        """Whether a device of this type exists. Never raises, and never repeats a slow import."""

    def allocate(self, nbytes: int, device: Device, *, zeroed: bool = False) -> Array:
        """A new buffer of `nbytes` bytes: all 0 if `zeroed`, else uninitialized.

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
        """Whether the arrays overlap; True as well if that takes too long to find out."""

    def buffer_of(self, array: Array) -> Array:
        """The buffer under an array that owns its memory and has no gaps in it: its bytes, shared."""

    def data_ptr(self, buffer: Array) -> int:
        """The address of the first byte; 0 for an empty buffer."""

    def array_dtype(self, dtype: DType) -> Any:
        """The array module's name for `dtype`; raises if the module lacks it."""

    def dtype_of(self, array: Array) -> DType:
        """The dtype of an array's elements."""

    def number(self, value: complex, array_dtype: Any) -> Array:
        """A number as an operand of a kernel: 0-dim, of this dtype."""

    def launch(self, kernel: Callable[..., Any], *arrays: Any, **parameters: Any) -> Any:
        """Run ``kernel(xp, *arrays, **parameters)`` on the device, silently: no floating-point warnings."""

    @property
    def run(self) -> Callable[..., Any]:
        """``run(function, *arrays)`` calls a function of the array module on the device, as `launch` does a kernel."""

    @property
    def attempt(self) -> Callable[..., Any]:
        """The fastest form of `run`. It may raise RuntimeError, with nothing done, while another thread is in it."""

    def ufunc(self, name: str) -> Callable[..., Any]:
        """The elementwise function `name` of the array module, which accepts ``out=``."""

    def random_bits(self, seed: int) -> RandomBits:
        """A new stream of random bits on devices of this type."""

    def from_host(
        self,
        array: Array,
        device: Device,
        *,
        is_pinned: bool = False,
        non_blocking: bool = False,
        out: Array | None = None,
    ) -> Array:
        """A copy on the device of a NumPy array: in `out`, of its size and dtype, if that is given.

        From pinned memory and with `non_blocking`, the copy may still be running when this returns.
        """

    def from_peer(self, array: Array) -> Array:
        """A copy on this device of an array on another device of the same type."""

    def to_host(self, array: Array, *, is_pinned: bool = False, non_blocking: bool = False) -> Array:
        """The array as a NumPy array: the same memory on the CPU, a copy from other devices."""

    def synchronize(self, device: Device) -> None:
        """Wait until every kernel launched on `device` has finished."""


class SpeaksDLPack(Protocol):
    """What a backend offers in addition if other libraries can access its memory: its arrays have `__dlpack__`."""

    @property
    def reads_versioned_capsules(self) -> bool:
        """Whether the array module supports DLPack capsules of version 1, or only older ones."""

    def adopt(self, offer: Any, address: int, nbytes: int, *, is_read_only: bool) -> Array:
        """A buffer on the `nbytes` bytes at `address`, which belong to another library's array.

        `offer` offers that array by the DLPack protocol, once; the buffer keeps it alive.
        """


class HasSciPy(Protocol):
    """What a backend offers in addition if SciPy's functions accept its arrays."""

    @property
    def special(self) -> Any:
        """A module with the names of `scipy.special`."""

    @property
    def linalg(self) -> Any:
        """A module with the names of `scipy.linalg`, whose `lapack` and `blas` have the routines by their names."""


class Family(Protocol):
    """The devices of one type, of which there may be several, or none."""

    def count(self) -> int:
        """How many devices there are; 0 if the type is not available. Never raises, and is quick."""

    def make(self, index: int) -> Backend:
        """The backend of a device; raises PyTorch's error if there is no device with that index."""


_backends: dict[tuple[str, int | None], Backend] = {}
_families: dict[str, Family] = {}
_first_use = CriticalSection()

#: Our own lazily loaded backends: for each type, the module that calls `register_family`.
_LOADED_WHEN_NEEDED = {"sim": "tensorglass.backends.simulated", "cuda": "tensorglass.backends.cupy_backend"}


def register(backend: Backend) -> None:
    """Make `backend` serve the one device of its type."""
    _backends[backend.device_type, None] = backend


def register_family(device_type: str, family: Family) -> None:
    """Let `family` make the backends of a type's devices, each on first use."""
    devices.know(device_type)
    _families[device_type] = family


def family(device_type: str) -> Family | None:
    """The family of a device type; None if it is unknown."""
    if device_type not in _families and device_type in _LOADED_WHEN_NEEDED:
        import_module(_LOADED_WHEN_NEEDED[device_type])
    if device_type not in _families:
        _first_use.run(_find_installed, device_type)
    return _families.get(device_type)


def _find_installed(device_type: str) -> None:
    """Look for the family of a type among installed packages."""
    if device_type not in _families:
        from importlib.metadata import entry_points  # slow: only for other types than our own

        for plugin in entry_points(group=devices.BACKENDS, name=device_type):
            register_family(device_type, plugin.load())


def accelerator() -> str | None:
    """The type of this machine's accelerator: CUDA if there is a GPU, else one that is in use; else None."""
    cuda = family("cuda")
    if cuda is not None and cuda.count():
        return "cuda"
    return next((device_type for device_type in list(_families) if of_type(device_type)), None)


devices.accelerator_type = accelerator  # `core` only knows names


def get(device: Device) -> Backend:
    """The backend of `device`; raises PyTorch's error if there is none."""
    return _backends.get((device.type, device.index)) or _first_of(device)


def _first_of(device: Device) -> Backend:
    """Make the backend of a device on first use."""
    if device.type == "meta":
        import_module("tensorglass.backends.meta")
    if (device.type, None) in _backends:
        return _backends[device.type, None]
    family_of_type = family(device.type)
    if family_of_type is None:
        if device.type == "xpu":
            raise AssertionError("Torch not compiled with XPU enabled")
        raise explained(
            NotImplementedError(
                f"Could not run 'aten::empty.memory_format' with arguments from the '{device.type.upper()}' backend."
            ),
            f"tensorglass has no backend for '{device.type}' devices here; tensors on 'cpu' work everywhere, and "
            "'sim' is a simulated accelerator.",
        )
    index = devices.current_index(device.type) if device.index is None else device.index
    return _first_use.run(_make_backend, device.type, index, family_of_type)


def _make_backend(device_type: str, index: int, family: Family) -> Backend:
    backend = _backends.get((device_type, index))
    if backend is None:
        backend = _backends[device_type, index] = family.make(index)
    return backend


def special(xp: Any) -> Any:
    """In a kernel: `scipy.special` for the arrays of its module `xp`."""
    return _with_scipy(xp).special


def linalg(xp: Any) -> Any:
    """In a kernel: `scipy.linalg` for the arrays of its module `xp`."""
    return _with_scipy(xp).linalg


def has_linalg(xp: Any) -> bool:
    """In a kernel: whether `linalg` is available."""
    try:
        return _with_scipy(xp).linalg is not None
    except (ImportError, NotImplementedError):
        return False


def _with_scipy(xp: Any) -> HasSciPy:
    backend = next(backend for backend in _backends.values() if backend.xp is xp)
    if not hasattr(backend, "special"):
        raise NotImplementedError(f"the backend of '{backend.device_type}' devices has no SciPy: move the tensor first")
    return cast(HasSciPy, backend)


def of_type(device_type: str) -> list[Backend]:
    """The backends of a type's devices that were used so far."""
    return [backend for (type_, _), backend in list(_backends.items()) if type_ == device_type]


def forget(backend: Backend) -> None:
    """Drop a device's backend: it is made again on next use, if the device still exists."""
    for key in [key for key, backend_or_skip in list(_backends.items()) if backend_or_skip is backend]:
        _backends.pop(key, None)


def out_of_memory(device: Device, refusal: NoRoom) -> OutOfMemoryError:
    """PyTorch's out-of-memory error: what was requested, the capacity, and what is in use."""
    capacity, allocated, reserved = refusal.capacity, refusal.allocated, refusal.reserved
    return explained(
        OutOfMemoryError(
            f"{'CUDA' if device.type == 'cuda' else device.type} out of memory. Tried to allocate "
            f"{_amount(refusal.nbytes)}. {'GPU' if device.type == 'cuda' else 'Simulated device'} {device.index} has a "
            f"total capacity of {_amount(capacity)} of which {_amount(capacity - reserved)} is free. Of the allocated "
            f"memory {_amount(allocated)} is allocated by tensors, and {_amount(reserved - allocated)} is reserved but "
            "unallocated."
        ),
        "Nothing was changed. Let go of tensors (del, smaller batches, no_grad) and try again.",
        "Reserved but unallocated memory that is in pieces too small to use is fragmentation: "
        f"{device.type}.empty_cache() gives whole unused segments back.",
        notebook="2/17 Out of memory",
    )


def _amount(nbytes: int) -> str:
    """A number of bytes for people: 512 bytes, 1.50 KiB, 20.00 MiB, 1.00 GiB."""
    if nbytes < 1024:
        return f"{nbytes} bytes"
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if nbytes >= unit:
            return f"{nbytes / unit:.2f} {name}"
    raise AssertionError
