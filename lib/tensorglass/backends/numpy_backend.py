"""The CPU: NumPy's arrays and kernels.

Outside of `backends`, `ops/kernels` and `fast`, only `interop.numpy`, which is about NumPy's arrays, names this backend
or imports NumPy.
"""

from __future__ import annotations

import contextvars
import math
import threading
from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from operator import attrgetter
from typing import Any

import numpy
from numpy.lib import NumpyVersion

from tensorglass.allocator import NoRoom
from tensorglass.backends import wide_positions
from tensorglass.backends.base import register
from tensorglass.backends.host_memory import LEAST, POOL, empty_bytes
from tensorglass.backends.mersenne_twister import NumpyBits
from tensorglass.backends.numpy_values import bytes_at
from tensorglass.core import dtypes
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.geometry import remembered

#: NumPy's buffer size, in elements, for operands with gaps between their rows. With the default 8192, three operands
#: exceed the L1 cache. Rows longer than half the buffer are not buffered at all, which takes less than half the time.
_BUFFERED = 2048


def _quiet_context() -> contextvars.Context:
    """A context in which NumPy's floating-point warnings are off, as PyTorch has none.

    It contains nothing else. A copy of the caller's context would contain the notebook cell that imports the library:
    Jupyter uses a context variable to find the cell for a warning, and would show all later warnings there.
    """
    context = contextvars.Context()
    context.run(numpy.seterr, all="ignore")
    context.run(numpy.setbufsize, _BUFFERED)
    return context


class _Thread(threading.local):
    # Entering a prepared context is much quicker than `with numpy.errstate(...)` in every call. A context can only be
    # entered once at a time, hence one for each thread.
    def __init__(self) -> None:
        self.run = _quiet_context().run


_array = numpy.ndarray
_xp = wide_positions.numpy  # NumPy; on platforms with 32-bit pointers, with 64-bit indices


class NumpyBackend:
    """NumPy as the backend of 'cpu'. See `Backend` for what each method promises."""

    device_type = "cpu"
    xp: Any = _xp

    def __init__(self) -> None:
        self._thread = _Thread()
        # All threads share this context; a thread that finds it in use takes its own, which is slower.
        self.attempt = _quiet_context().run
        self._array_dtypes = {dtype: numpy.dtype(dtype.name) for dtype in dtypes.ALL if dtype is not dtypes.bfloat16}
        self._dtypes = {array_dtype: dtype for dtype, array_dtype in self._array_dtypes.items()}

    def is_available(self) -> bool:
        return True

    def allocate(self, nbytes: int, device: Device, *, zeroed: bool = False) -> numpy.ndarray:
        if nbytes >= LEAST and not zeroed:
            return _from_pool(nbytes)
        return new_bytes(nbytes, zeroed=zeroed)

    def empty(
        self, dtype: DType, size: tuple[int, ...], order: tuple[int, ...] | None = None, *, zeroed: bool = False
    ) -> numpy.ndarray:
        array_dtype = self._array_dtypes.get(dtype)
        if array_dtype is None:
            array_dtype = self._load_bfloat16()
        lengths, axes = (size, None) if order is None else _outermost_first(size, order)
        nbytes = math.prod(size) * dtype.itemsize
        if nbytes >= LEAST and not zeroed:
            result = numpy.ndarray(lengths, array_dtype, _from_pool(nbytes))
        else:
            result = _new(numpy.zeros if zeroed else numpy.empty, lengths, array_dtype, nbytes)
        return result if axes is None else result.transpose(axes)

    def memory_stats(self) -> dict[str, int]:
        return POOL.stats()

    def memory_snapshot(self) -> list[dict[str, Any]]:
        return POOL.snapshot()

    def empty_cache(self) -> None:
        POOL.empty_cache()

    def array(
        self, buffer: numpy.ndarray, dtype: DType, size: tuple[int, ...], stride: tuple[int, ...], offset: int
    ) -> numpy.ndarray:
        if 0 in size:  # an empty tensor's offset may lie past the end of its storage
            return numpy.ndarray(size, self.array_dtype(dtype))
        array_dtype, itemsize = self._array_dtypes.get(dtype), dtype.itemsize
        if array_dtype is None:
            array_dtype = self._load_bfloat16()
        return _array(size, array_dtype, buffer, offset * itemsize, _byte_strides(stride, itemsize))

    def share_memory(self, one: numpy.ndarray, other: numpy.ndarray) -> bool:
        try:
            return numpy.shares_memory(one, other, max_work=10_000)  # type: ignore[arg-type]  # the stub knows 0 and -1
        except numpy.exceptions.TooHardError:
            return True

    def buffer_of(self, array: numpy.ndarray) -> numpy.ndarray:
        return array.ravel("K").view(numpy.uint8)  # in memory order: no copy

    def data_ptr(self, buffer: numpy.ndarray) -> int:
        return buffer.ctypes.data if buffer.size else 0

    reads_versioned_capsules = NumpyVersion(numpy.__version__) >= "2.1.0"

    def adopt(self, offer: Any, address: int, nbytes: int, *, is_read_only: bool) -> numpy.ndarray:
        # NumPy treats memory from an old capsule as read-only, since such capsules have no flag for it. Other
        # libraries, PyTorch among them, treat it as writable, which it nearly always is.
        return bytes_at(address, nbytes, numpy.from_dlpack(offer), is_read_only=is_read_only)

    def array_dtype(self, dtype: DType) -> numpy.dtype:
        array_dtype = self._array_dtypes.get(dtype)
        return self._load_bfloat16() if array_dtype is None else array_dtype

    def dtype_of(self, array: numpy.ndarray) -> DType:
        return self._dtypes[array.dtype]

    def find_dtype(self, array: numpy.ndarray) -> DType | None:
        """`dtype_of`, or None if there is no such dtype."""
        return self._dtypes.get(array.dtype)

    def number(self, value: complex, array_dtype: Any) -> numpy.ndarray:
        # without a warning: a number that is too large becomes infinite
        return self._thread.run(numpy.asarray, value, array_dtype)

    def launch(self, kernel: Callable[..., Any], *arrays: Any, **parameters: Any) -> Any:
        try:
            return self._thread.run(kernel, _xp, *arrays, **parameters)
        except MemoryError as error:
            POOL.empty_cache()  # for the next call; a kernel may have written already, so it is not run again
            raise _out_of_memory(_nbytes_asked_for(error)) from error

    # Returns the context's own method: a Python call in between would take longer than a small kernel.
    run = property(attrgetter("_thread.run"))

    def ufunc(self, name: str) -> Callable[..., Any]:
        return getattr(_xp, name)

    def quiet(self) -> Callable[..., Any]:
        """A private `run` for the caller, whose context nobody else can have entered."""
        return _quiet_context().run

    @cached_property
    def special(self) -> Any:
        try:
            return import_module("scipy.special")
        except ImportError:
            return import_module("tensorglass.backends.without_scipy")

    @cached_property
    def linalg(self) -> Any:
        try:
            import_module("scipy.linalg.lapack")
            return import_module("scipy.linalg")
        except ImportError as error:
            raise import_module("tensorglass.backends.without_scipy").missing("scipy.linalg") from error

    def random_bits(self, seed: int) -> NumpyBits:
        return NumpyBits(seed)

    def from_host(
        self,
        array: numpy.ndarray,
        device: Device,
        *,
        is_pinned: bool = False,
        non_blocking: bool = False,
        out: numpy.ndarray | None = None,
    ) -> numpy.ndarray:
        if out is None:
            return array.copy()
        out[...] = array
        return out

    def from_peer(self, array: numpy.ndarray) -> numpy.ndarray:
        return array.copy()

    def to_host(self, array: numpy.ndarray, *, is_pinned: bool = False, non_blocking: bool = False) -> numpy.ndarray:
        return array

    def synchronize(self, device: Device) -> None:
        """Nothing to wait for: a NumPy kernel has finished when it returns."""

    def _load_bfloat16(self) -> numpy.dtype:
        try:
            import ml_dtypes
        except ImportError as error:
            raise explained(
                RuntimeError("\"empty\" not implemented for 'BFloat16'"),
                "NumPy has no bfloat16 of its own: install the small package that adds it, `pip install ml_dtypes`.",
            ) from error
        bfloat16 = numpy.dtype(ml_dtypes.bfloat16)
        self._array_dtypes[dtypes.bfloat16] = bfloat16
        self._dtypes[bfloat16] = dtypes.bfloat16
        return bfloat16


@remembered
def _byte_strides(stride: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    # A stride that 64 bits cannot hold is never used: its dimension has length 1.
    return tuple([step * itemsize if step < 2**63 // itemsize else 0 for step in stride])


@remembered
def _outermost_first(size: tuple[int, ...], order: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The lengths of the dimensions in `order`, and the inverse permutation."""
    return tuple([size[dim] for dim in order]), tuple([order.index(dim) for dim in range(len(order))])


def new_bytes(nbytes: int, *, zeroed: bool = False) -> numpy.ndarray:
    """An array of bytes that does not come from the pool."""
    # The system hands out zeroed pages as they are touched, so numpy.zeros of a GiB returns immediately.
    return _new(numpy.zeros if zeroed else numpy.empty, (nbytes,), numpy.dtype(numpy.uint8), nbytes)


def _new(make: Callable[..., numpy.ndarray], size: tuple[int, ...], dtype: numpy.dtype, nbytes: int) -> numpy.ndarray:
    """A new NumPy array; the pool frees memory for it if necessary."""
    try:
        return make(size, dtype)
    except (MemoryError, ValueError):
        POOL.empty_cache()
    try:
        return make(size, dtype)
    except (MemoryError, ValueError) as error:
        raise _out_of_memory(nbytes) from error


def _from_pool(nbytes: int) -> numpy.ndarray:
    try:
        return empty_bytes(nbytes)
    except (NoRoom, ValueError) as error:
        raise _out_of_memory(nbytes) from error


def _out_of_memory(nbytes: int) -> RuntimeError:
    return explained(
        RuntimeError(
            "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: "
            f"you tried to allocate {nbytes} bytes. Error code 12 (Cannot allocate memory)"
        ),
        f"That is {nbytes / 2**30:,.1f} GiB. Nothing was allocated and no tensor was changed.",
        notebook="1/10 A memory budget",
    )


def _nbytes_asked_for(error: MemoryError) -> int:
    """The number of bytes in NumPy's MemoryError."""
    size, array_dtype = getattr(error, "shape", ()), getattr(error, "dtype", numpy.dtype("uint8"))
    return math.prod(size) * array_dtype.itemsize


HOST = NumpyBackend()  # the host's backend: for Python lists and NumPy arrays
register(HOST)
