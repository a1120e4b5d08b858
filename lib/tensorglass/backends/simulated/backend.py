"""The simulated accelerator as a backend: one for each device, "sim:0", "sim:1", ….

Two of a GiB each are there, unless configured otherwise.

NumPy computes, immediately; what is simulated is where the bytes are, how much room there is, and how long things take.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple, cast

import numpy

from tensorglass.allocator import Addresses, CachingAllocator, NoRoom
from tensorglass.backends import transfer_log as transfers
from tensorglass.backends.base import RandomBits, forget, of_type, out_of_memory
from tensorglass.backends.mersenne_twister import HostBits
from tensorglass.backends.numpy_backend import HOST, new_bytes
from tensorglass.backends.simulated.array import BackedAllocation, SimulatedArray, root_of
from tensorglass.backends.simulated.clock import CLOCK, CostModel
from tensorglass.backends.simulated.module import SimulatedModule
from tensorglass.backends.stand_in_arrays import StandInBackend
from tensorglass.core import devices
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained

GIB = 2**30
CAPACITY = GIB  #: the memory of a simulated device, unless configured otherwise


class Properties(NamedTuple):
    """What a simulated device is."""

    name: str
    total_memory: int


class SimulatedBackend(StandInBackend):
    """One simulated device. See `Backend` for what each method promises."""

    device_type = "sim"

    def __init__(self, index: int, capacity: int = CAPACITY) -> None:
        self.device = devices.with_index("sim", index)
        self.allocator = CachingAllocator(capacity, _Driver(self, index))
        self.xp: Any = SimulatedModule(self)
        self._thread = _Thread()

    def is_available(self) -> bool:
        return True

    # --- memory ------------------------------------------------------------------------------------------------------

    def allocate(self, nbytes: int, device: Device, *, zeroed: bool = False) -> SimulatedArray:
        allocation = self._new_allocation(nbytes)
        if zeroed:
            allocation.root[:] = 0
            self.launched("zeros", nbytes)
        return SimulatedArray(allocation.root, allocation, self.xp)

    def empty(
        self, dtype: DType, size: tuple[int, ...], order: tuple[int, ...] | None = None, *, zeroed: bool = False
    ) -> SimulatedArray:
        count = 1
        for length in size:
            count *= length
        run = self.allocate(count * dtype.itemsize, self.device, zeroed=zeroed)
        cells = run.cells.view(self.array_dtype(dtype))
        if order is None:
            return SimulatedArray(cells.reshape(size), run.allocation, self.xp)
        outermost_first = cells.reshape([size[dim] for dim in order])
        rearranged = outermost_first.transpose(sorted(range(len(order)), key=order.__getitem__))
        return SimulatedArray(rearranged, run.allocation, self.xp)

    def allocation_of(self, root: numpy.ndarray) -> BackedAllocation:
        """A new allocation for the bytes of an array that NumPy has just made."""
        allocation = self._allocation(root.nbytes)
        allocation.root = root
        return allocation

    def _new_allocation(self, nbytes: int) -> BackedAllocation:
        allocation = self._allocation(nbytes)  # first, since it raises if the simulated memory is full
        allocation.root = new_bytes(nbytes)
        return allocation

    def _allocation(self, nbytes: int) -> BackedAllocation:
        try:
            return self.allocator.allocate(nbytes, BackedAllocation)
        except NoRoom as refusal:
            raise out_of_memory(self.device, refusal) from None

    def array(
        self, buffer: SimulatedArray, dtype: DType, size: tuple[int, ...], stride: tuple[int, ...], offset: int
    ) -> SimulatedArray:
        cells = HOST.array(buffer.cells, dtype, size, stride, offset)
        return SimulatedArray(cells, buffer.allocation, self.xp)

    def share_memory(self, one: SimulatedArray, other: SimulatedArray) -> bool:
        return HOST.share_memory(one.cells, other.cells)

    def buffer_of(self, array: SimulatedArray) -> SimulatedArray:
        return SimulatedArray(HOST.buffer_of(array.cells), array.allocation, self.xp)

    def data_ptr(self, buffer: SimulatedArray) -> int:
        return buffer.allocation.address_of(buffer.cells) if buffer.size else 0

    def peek(self, buffer: SimulatedArray, start: int, end: int) -> bytes:
        """Bytes as an inspector sees them: no transfer, and no simulated time."""
        seen: bytes = buffer.cells[start:end].tobytes()
        return seen

    def memory_stats(self) -> dict[str, int]:
        return self.allocator.stats()

    def memory_snapshot(self) -> list[dict[str, Any]]:
        return self.allocator.snapshot()

    def memory_free_and_total(self) -> tuple[int, int]:
        return self.allocator.capacity - self.allocator.reserved, self.allocator.capacity

    def empty_cache(self) -> None:
        self.allocator.empty_cache()

    def reset_peaks(self) -> None:
        self.allocator.reset_peaks()

    def reset_totals(self) -> None:
        self.allocator.reset_totals()

    def properties(self) -> Properties:
        return Properties("simulated accelerator", self.allocator.capacity)

    # --- kernels -----------------------------------------------------------------------------------------------------

    def pinned(self, nbytes: int) -> numpy.ndarray:
        return new_bytes(nbytes)

    def number(self, value: complex, array_dtype: Any) -> Any:
        return numpy.asarray(value, array_dtype)[()]  # goes to the device with the kernel's other arguments

    @property
    def special(self) -> Any:
        return SimulatedModule(self, HOST.special)

    @property
    def linalg(self) -> Any:
        return SimulatedModule(self, HOST.linalg)

    def launched(self, name: str, nbytes: int) -> None:
        """A kernel that reads and writes `nbytes` bytes was launched on the current stream."""
        costs = CLOCK.costs
        CLOCK.work("kernel", name, self.stream_key, nbytes, costs.launch, costs.of_kernel(nbytes), waits=False)

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
        out: SimulatedArray | None = None,
    ) -> SimulatedArray:
        if out is None:
            cells = array.copy()
            result = SimulatedArray(cells, self.allocation_of(root_of(cells)), self.xp)
        else:
            out.cells[...] = array
            result = out
        # From pageable memory, the driver first copies to its own buffer, so the host must wait.
        self._transfer("to device", array.nbytes, is_pinned, waits=not (is_pinned and non_blocking))
        return result

    def to_host(self, array: SimulatedArray, *, is_pinned: bool = False, non_blocking: bool = False) -> numpy.ndarray:
        self._transfer("to host", array.nbytes, is_pinned, waits=not (is_pinned and non_blocking))
        return array.cells.copy()

    def from_peer(self, array: SimulatedArray) -> SimulatedArray:
        """A copy on this device of an array on another simulated device."""
        cells = array.cells.copy()
        result = SimulatedArray(cells, self.allocation_of(root_of(cells)), self.xp)
        costs = CLOCK.costs
        source = array.module.backend
        CLOCK.hold(self.stream_key, CLOCK.busy_until(source.stream_key))
        cost = costs.of_transfer(array.nbytes, costs.peer_rate)
        CLOCK.work("peer", f"from {source.device}", self.stream_key, array.nbytes, costs.launch, cost, waits=False)
        transfers.happened(source.device, self.device, array.nbytes, cost, is_simulated=True, waited=False)
        return result

    def _transfer(self, kind: str, nbytes: int, is_pinned: bool, *, waits: bool) -> None:
        costs = CLOCK.costs
        rate = costs.pinned_rate if is_pinned else costs.pageable_rate
        name = "pinned memory" if is_pinned else "pageable memory"
        cost = costs.of_transfer(nbytes, rate)
        CLOCK.work(kind, name, self.stream_key, nbytes, costs.launch, cost, waits=waits)
        ends = (devices.CPU, self.device) if kind == "to device" else (self.device, devices.CPU)
        transfers.happened(*ends, nbytes, cost, is_simulated=True, is_pinned=is_pinned, waited=waits)

    # --- streams -----------------------------------------------------------------------------------------------------

    @property
    def stream(self) -> int:
        """The number of this thread's current stream."""
        return self._thread.stream

    @stream.setter
    def stream(self, number: int) -> None:
        self._thread.stream = number

    @property
    def stream_key(self) -> tuple[str, int]:
        """The clock's key for the current stream."""
        return str(self.device), self._thread.stream

    def synchronize(self, device: Device) -> None:
        CLOCK.wait_for_device(str(self.device))


class _Driver(Addresses):
    """The source of the device's segments; reserving takes simulated time."""

    def __init__(self, backend: SimulatedBackend, index: int) -> None:
        super().__init__(0x7F00_0000_0000 + (index << 36))
        self._backend = backend

    def reserve(self, nbytes: int) -> tuple[int, Any]:
        CLOCK.stop_host(CLOCK.costs.reserve, "reserve", self._backend.stream_key, nbytes)
        return super().reserve(nbytes)

    def release(self, nbytes: int) -> None:
        CLOCK.stop_host(CLOCK.costs.reserve, "release", self._backend.stream_key, nbytes)


class _Thread(threading.local):
    stream = 0


# --- which devices there are -----------------------------------------------------------------------------------------

_capacities = [CAPACITY, CAPACITY]


class Simulated:
    """The simulated devices: they are always there."""

    def count(self) -> int:
        return len(_capacities)

    def make(self, index: int) -> SimulatedBackend:
        if index < len(_capacities):
            return SimulatedBackend(index, _capacities[index])
        raise explained(
            RuntimeError("sim error: invalid device ordinal"),
            f"There are {len(_capacities)} simulated devices, sim:0 to sim:{len(_capacities) - 1}; "
            "sim.configure(devices=…) makes more of them.",
        )


FAMILY = Simulated()


def configure(devices: int | None = None, memory: int | None = None, **costs: float) -> CostModel:
    """Change the simulated machine; omitted options stay. Returns its cost model.

    `devices` is their number and `memory` the bytes of each; to change them is refused while a device holds tensors.
    `costs` are those of `CostModel`, in seconds and bytes per second.
    """
    model = CLOCK.costs.changed(**costs)
    if devices is not None or memory is not None:
        number = len(_capacities) if devices is None else devices
        capacity = _capacities[0] if memory is None else memory
        if not isinstance(number, int) or number < 1 or not isinstance(capacity, int) or capacity < 1:
            raise ValueError(f"devices and memory must be integers above zero, not {devices!r} and {memory!r}")
        if _capacities != [capacity] * number:
            _make_anew(number, capacity)
    CLOCK.costs = model
    return model


def _make_anew(number: int, capacity: int) -> None:
    """Have so many devices, each of so many bytes."""
    used = [cast(SimulatedBackend, backend) for backend in of_type("sim")]
    for backend in used:
        backend.allocator.empty_cache()
        if held := backend.allocator.allocated:
            raise RuntimeError(f"{backend.device} still holds {held} bytes of tensors: let go of them first")
    for backend in used:
        backend.allocator.capacity = capacity
        if (backend.device.index or 0) >= number:
            forget(backend)
    _capacities[:] = [capacity] * number
