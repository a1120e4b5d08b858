"""CUDA devices by CuPy: the same kernels as on the CPU, on `cupy` in place of `numpy`.

CuPy is imported when a CUDA device is first asked for, and only where there is a driver. All differences between CuPy
and NumPy are handled here, and nowhere else.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable
from functools import cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from math import prod
from time import perf_counter
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy

from tensorglass.allocator import NoRoom
from tensorglass.backends import transfer_log as transfers
from tensorglass.backends.base import RandomBits, get, out_of_memory, register_family
from tensorglass.backends.cupy_pool import observed
from tensorglass.backends.mersenne_twister import HostBits
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import devices
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained

_DRIVERS = ("libcuda.so.1", "nvcuda.dll")


class Cuda:
    """The CUDA devices as a family."""

    def count(self) -> int:
        return self._device_count

    @cached_property
    def _device_count(self) -> int:
        # A driver is looked for first: importing CuPy is slow, and this must answer quickly on a laptop.
        if find_spec("cupy") is None or not _has_driver():
            return 0
        runtime = import_module("cupy").cuda.runtime
        try:
            return int(runtime.getDeviceCount())
        except runtime.CUDARuntimeError:  # a driver without a device
            return 0

    def make(self, index: int) -> CupyBackend:
        if index < self.count():
            return CupyBackend(index)
        if self.count():
            raise explained(
                RuntimeError("CUDA error: invalid device ordinal"),
                f"There are {self.count()} CUDA devices here, cuda:0 to cuda:{self.count() - 1}.",
            )
        missing = (
            "CuPy is not installed: pip install 'tensorglass[gpu]', on a machine with an NVIDIA GPU."
            if find_spec("cupy") is None
            else "CuPy is installed, but finds no NVIDIA GPU with a driver here."
        )
        raise explained(
            AssertionError("Torch not compiled with CUDA enabled"),
            missing,
            "device='sim' is a simulated accelerator that works everywhere.",
        )


def _has_driver() -> bool:
    for name in _DRIVERS:
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return True
    return False


FAMILY = Cuda()


class CupyBackend:
    """One CUDA device. See `Backend` for what each method promises."""

    device_type = "cuda"

    def __init__(self, index: int) -> None:
        self.device = devices.with_index("cuda", index)
        self.xp: Any = import_module("cupy")
        self._place = self.xp.cuda.Device(index)
        self._pool = self.xp.get_default_memory_pool()
        self._observed = observed(self.xp, index)
        self._in_flight: deque[tuple[Any, numpy.ndarray]] = deque()

    def is_available(self) -> bool:
        return True

    # --- memory ------------------------------------------------------------------------------------------------------

    def allocate(self, nbytes: int, device: Device, *, zeroed: bool = False) -> Any:
        make = self.xp.zeros if zeroed else self.xp.empty
        return self._asking(nbytes, make, nbytes, numpy.uint8)

    def empty(
        self, dtype: DType, size: tuple[int, ...], order: tuple[int, ...] | None = None, *, zeroed: bool = False
    ) -> Any:
        make = self.xp.zeros if zeroed else self.xp.empty
        nbytes = prod(size) * dtype.itemsize
        if order is None:
            return self._asking(nbytes, make, size, self.array_dtype(dtype))
        outermost_first = self._asking(nbytes, make, [size[dim] for dim in order], self.array_dtype(dtype))
        return outermost_first.transpose(sorted(range(len(order)), key=order.__getitem__))

    def _asking(self, nbytes: int, make: Callable[..., Any], *arguments: Any) -> Any:
        try:
            with self._place:
                return make(*arguments)
        except self.xp.cuda.memory.OutOfMemoryError:
            self._observed.failed()
            free, total = self.memory_free_and_total()
            reserved = self._pool.total_bytes()
            refusal = NoRoom(nbytes, total, self._pool.used_bytes(), reserved + max(0, total - free - reserved))
            raise out_of_memory(self.device, refusal) from None

    def array(self, buffer: Any, dtype: DType, size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Any:
        itemsize = dtype.itemsize
        if 0 in size:  # an empty tensor's offset may lie past the end of its storage
            return self.empty(dtype, size)
        # A stride that 64 bits cannot hold is never used: its dimension has length 1.
        steps = tuple([step * itemsize if step < 2**63 // itemsize else 0 for step in stride])
        return self.xp.ndarray(size, self.array_dtype(dtype), buffer.data + offset * itemsize, steps)

    def share_memory(self, one: Any, other: Any) -> bool:
        return bool(self.xp.may_share_memory(one, other))

    def buffer_of(self, array: Any) -> Any:
        return self.xp.ndarray((array.nbytes,), numpy.uint8, array.data)

    reads_versioned_capsules = True

    def adopt(self, offer: Any, address: int, nbytes: int, *, is_read_only: bool) -> Any:
        with self._place:
            result = self.xp.from_dlpack(offer)
        return self.xp.ndarray((nbytes,), numpy.uint8, result.data)  # it begins at `address`; none is read-only

    def data_ptr(self, buffer: Any) -> int:
        return int(buffer.data.ptr) if buffer.size else 0

    def memory_stats(self) -> dict[str, int]:
        return self._observed.stats(self._total())

    def memory_snapshot(self) -> list[dict[str, Any]]:
        return self._observed.snapshot(self._total())

    def _total(self) -> int:
        with self._place:
            return int(self._pool.total_bytes())

    def memory_free_and_total(self) -> tuple[int, int]:
        free, total = self._place.mem_info
        return int(free), int(total)

    def empty_cache(self) -> None:
        with self._place:
            self._pool.free_all_blocks()

    def reset_peaks(self) -> None:
        self._observed.reset_peaks()

    def reset_totals(self) -> None:
        self._observed.reset_totals()

    def properties(self) -> Any:
        properties = self.xp.cuda.runtime.getDeviceProperties(self.device.index)
        return SimpleNamespace(
            name=properties["name"].decode(),
            total_memory=properties["totalGlobalMem"],
            major=properties["major"],
            minor=properties["minor"],
            multi_processor_count=properties["multiProcessorCount"],
        )

    # --- kernels -----------------------------------------------------------------------------------------------------

    def array_dtype(self, dtype: DType) -> numpy.dtype:
        return HOST.array_dtype(dtype)

    def dtype_of(self, array: Any) -> DType:
        return HOST.dtype_of(array)

    def pinned(self, nbytes: int) -> numpy.ndarray:
        with self._place:
            memory = self.xp.cuda.alloc_pinned_memory(max(nbytes, 1))
        return numpy.frombuffer(memory, numpy.uint8, nbytes)

    def number(self, value: complex, array_dtype: Any) -> Any:
        return numpy.asarray(value, array_dtype)[()]  # goes to the device with the kernel's other arguments

    def launch(self, kernel: Callable[..., Any], *arrays: Any, **parameters: Any) -> Any:
        with self._place:
            return kernel(self.xp, *arrays, **parameters)

    def run(self, function: Callable[..., Any], *arrays: Any) -> Any:
        with self._place:
            return function(*arrays)

    attempt = run

    def ufunc(self, name: str) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(self.xp, name)
        return function

    @property
    def special(self) -> Any:
        return _ByWayOfHost(import_module("cupyx.scipy.special"), HOST.special)

    @property
    def linalg(self) -> Any:
        return _ByWayOfHost(None, HOST.linalg)  # CuPy has few of LAPACK's routines, and none in batches

    def random_bits(self, seed: int) -> RandomBits:
        return HostBits(self, self.device, seed)

    # --- transfers ---------------------------------------------------------------------------------------------------

    def from_host(
        self,
        array: numpy.ndarray,
        device: Device,
        *,
        is_pinned: bool = False,
        non_blocking: bool = False,
        out: Any = None,
    ) -> Any:
        with self._place:
            fits = out is not None and out.flags.c_contiguous  # `set` writes nothing else
            result = out if fits else self._asking(array.nbytes, self.xp.empty, array.shape, array.dtype)
            start = perf_counter()
            source = numpy.ascontiguousarray(array)
            result.set(source)  # on the current stream, after all work queued there
            if non_blocking:
                self._hold(source)
            else:
                self.xp.cuda.get_current_stream().synchronize()
            seconds = None if non_blocking else perf_counter() - start
            if out is not None and not fits:
                out[...] = result
        ends = devices.CPU, self.device
        transfers.happened(*ends, array.nbytes, seconds, is_pinned=is_pinned, waited=not non_blocking)
        return result

    def _hold(self, source: numpy.ndarray) -> None:
        """Keep host memory alive that the device still reads: otherwise its pool would reuse it."""
        self._in_flight.append((self._mark(), source))
        while self._in_flight and self._in_flight[0][0].done:
            self._in_flight.popleft()

    def _mark(self) -> Any:
        """An event after all work queued on the current stream of the current device."""
        event = self.xp.cuda.Event(disable_timing=True)
        event.record()
        return event

    def to_host(self, array: Any, *, is_pinned: bool = False, non_blocking: bool = False) -> numpy.ndarray:
        with self._place:
            start = perf_counter()
            host: numpy.ndarray = self.xp.asnumpy(array)
        transfers.happened(self.device, devices.CPU, array.nbytes, perf_counter() - start, is_pinned=is_pinned)
        return host

    def from_peer(self, array: Any) -> Any:
        with array.device:
            is_made = self._mark()
        with self._place:
            # the kernel that writes the array may still be running there
            self.xp.cuda.get_current_stream().wait_event(is_made)
            result = self.xp.array(array, copy=True)
            is_copied = self._mark()
        with array.device:
            self.xp.cuda.get_current_stream().wait_event(is_copied)  # its memory is not reused before that
        source = devices.with_index("cuda", array.device.id)
        transfers.happened(source, self.device, array.nbytes, None, waited=False)
        return result

    def synchronize(self, device: Device) -> None:
        self._place.synchronize()


class _ByWayOfHost:
    """CuPy's functions; those that it lacks run on the host, with arrays copied there and back."""

    def __init__(self, own: Any, of_host: Any) -> None:
        self._own = own
        self._of_host = of_host

    def __getattr__(self, name: str) -> Any:
        if hasattr(self._own, name):
            return getattr(self._own, name)
        function = getattr(self._of_host, name)
        return (
            _ByWayOfHost(None, function) if isinstance(function, ModuleType) else partial(self._run_on_host, function)
        )

    def _run_on_host(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        xp = import_module("cupy")
        here = get(devices.with_index("cuda", xp.cuda.Device().id))
        result = function(
            *[here.to_host(argument) if isinstance(argument, xp.ndarray) else argument for argument in arguments],
            **keywords,
        )
        numbered = [
            here.from_host(array, devices.CPU) if isinstance(array, numpy.ndarray) else array
            for array in (result if isinstance(result, tuple) else (result,))
        ]
        return tuple(numbered) if isinstance(result, tuple) else numbered[0]


register_family("cuda", FAMILY)
