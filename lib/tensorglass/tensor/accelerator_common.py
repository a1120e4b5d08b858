"""What `tensorglass.cuda` and `tensorglass.sim` have in common: devices, their memory, their random numbers.

An `Accelerator` is the interface of one type of device. Its methods are what PyTorch has as functions of `torch.cuda`,
and the modules `cuda` and `sim` offer them as such. How a device works is known to its backend alone.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Protocol, cast

from tensorglass import backends
from tensorglass.backends import Array, Backend, Family
from tensorglass.core import devices
from tensorglass.core.contexts import Context
from tensorglass.core.devices import device as Device
from tensorglass.tensor import generator
from tensorglass.tensor.tensor import Tensor

#: How callers name a device: the device itself, its name or its index; None for the current one.
Where = Device | str | int | None


class AcceleratorBackend(Backend, Protocol):
    """What the backend of an accelerator offers beyond `Backend`."""

    device: Device

    def memory_stats(self) -> dict[str, int]:
        """Figures of the memory, under PyTorch's names: ``allocated_bytes.all.current``."""

    def memory_snapshot(self) -> list[dict[str, Any]]:
        """The segments of the memory with their blocks."""

    def memory_free_and_total(self) -> tuple[int, int]:
        """Bytes that are free on the device, and those that it has."""

    def empty_cache(self) -> None:
        """Release cached memory that no tensor uses."""

    def reset_peaks(self) -> None:
        """Reset every peak to the current value."""

    def reset_totals(self) -> None:
        """Make the sums of all allocations start again from 0."""

    def pinned(self, nbytes: int) -> Array:
        """New host memory from which this device reads quickly, as bytes."""

    def properties(self) -> Any:
        """What the device is, as an object with `name`, `total_memory` and more."""


class Accelerator:
    """The devices of one type, as PyTorch's module for them shows them."""

    def __init__(self, device_type: str, family: Family) -> None:
        self.type = device_type
        self._family = family
        self.device = _context_of(self)

    def functions(self) -> dict[str, Any]:
        """What PyTorch's module of such a type offers: these methods, and the contexts `device`, by their names."""
        names = [name for name in vars(Accelerator) if not name.startswith("_")]
        return {name: getattr(self, name) for name in ("device", *names) if name not in _WITHIN}

    # --- devices -----------------------------------------------------------------------------------------------------

    def is_available(self) -> bool:
        """Whether there is a device of this type."""
        return self.device_count() > 0

    def device_count(self) -> int:
        """How many devices of this type there are."""
        return self._family.count()

    def is_initialized(self) -> bool:
        """Whether a device of this type was used already."""
        return bool(backends.of_type(self.type))

    def init(self) -> None:
        """Make the current device ready. Everything that uses a device does that itself."""
        self.backend()

    def current_device(self) -> int:
        """The index of the current device, which the type's name without an index stands for."""
        self.backend(devices.current_index(self.type))  # raises where there is no such device
        return devices.current_index(self.type)

    def set_device(self, device: Where) -> None:
        """Make this device the current one. ``with device(…)`` is usually better."""
        index = self.index_of(device)
        if index >= 0:
            self.backend(index)  # raises where there is none
            devices.set_current_index(self.type, index)

    def index_of(self, where: Where) -> int:
        """The index of a device of this type; of the current one for None."""
        if where is None:
            return self.current_device()
        if isinstance(where, int):
            return where
        named = Device(where)
        if named.type != self.type:
            raise ValueError(f"Expected a {self.type} device, but got: {named}")
        return self.current_device() if named.index is None else named.index

    def backend(self, where: Where = None) -> AcceleratorBackend:
        """The backend of a device of this type."""
        return cast(AcceleratorBackend, backends.get(devices.with_index(self.type, self.index_of(where))))

    def synchronize(self, device: Where = None) -> None:
        """Wait until the device has done everything that was launched on it, on all its streams."""
        backend = self.backend(device)
        backend.synchronize(backend.device)

    def get_device_properties(self, device: Where = None) -> Any:
        """What the device is: its `name`, its `total_memory`, …"""
        return self.backend(device).properties()

    def get_device_name(self, device: Where = None) -> str:
        """The name of the device."""
        return str(self.get_device_properties(device).name)

    # --- memory ------------------------------------------------------------------------------------------------------

    def memory_stats(self, device: Where = None) -> OrderedDict[str, int]:
        """Every figure of the device's allocator, by PyTorch's names, in alphabetical order."""
        return OrderedDict(sorted(self._stats(device).items()))

    def memory_allocated(self, device: Where = None) -> int:
        """Bytes that tensors on the device occupy now."""
        return self._stats(device).get("allocated_bytes.all.current", 0)

    def max_memory_allocated(self, device: Where = None) -> int:
        """The most bytes that tensors ever occupied, since the start or `reset_peak_memory_stats`."""
        return self._stats(device).get("allocated_bytes.all.peak", 0)

    def memory_reserved(self, device: Where = None) -> int:
        """Bytes that the allocator holds: those of tensors, and those that it keeps for the next ones."""
        return self._stats(device).get("reserved_bytes.all.current", 0)

    def max_memory_reserved(self, device: Where = None) -> int:
        """The most bytes that the allocator ever held, since the start or `reset_peak_memory_stats`."""
        return self._stats(device).get("reserved_bytes.all.peak", 0)

    def _stats(self, device: Where) -> dict[str, int]:
        return self.backend(device).memory_stats() if self.is_initialized() else {}

    def memory_summary(self, device: Where = None, abbreviated: bool = False) -> str:
        """The figures of the device's allocator as a table to be printed."""
        backend = self.backend(device)
        return summary_table(backend.memory_stats(), backend.device, abbreviated)

    def memory_snapshot(self, device: Where = None) -> list[dict[str, Any]]:
        """The allocator's segments, each with its blocks, by address."""
        return self.backend(device).memory_snapshot()

    def mem_get_info(self, device: Where = None) -> tuple[int, int]:
        """Bytes that are free on the device, and those that it has."""
        return self.backend(device).memory_free_and_total()

    def empty_cache(self) -> None:
        """Release cached memory that no tensor uses, on every device that was used."""
        for backend in backends.of_type(self.type):
            cast(AcceleratorBackend, backend).empty_cache()

    def reset_peak_memory_stats(self, device: Where = None) -> None:
        """Reset the peaks to the current values."""
        self.backend(device).reset_peaks()

    def reset_accumulated_memory_stats(self, device: Where = None) -> None:
        """Make the sums of all allocations and frees start again from 0."""
        self.backend(device).reset_totals()

    # --- random numbers ----------------------------------------------------------------------------------------------

    def manual_seed(self, seed: int) -> None:
        """Seed the current device's generator; without effect where there is no device."""
        if self.is_available():
            generator.default_of(self.backend().device).manual_seed(int(seed))

    def manual_seed_all(self, seed: int) -> None:
        """Seed the generators of all devices; without effect where there are none."""
        for index in range(self.device_count()):
            generator.default_of(devices.with_index(self.type, index)).manual_seed(int(seed))

    def seed(self) -> None:
        """Seed the current device's generator with a random number."""
        if self.is_available():
            generator.default_of(self.backend().device).seed()

    def initial_seed(self) -> int:
        """The seed of the current device's generator."""
        return generator.default_of(self.backend().device).initial_seed()

    def get_rng_state(self, device: Where = None) -> Tensor:
        """The state of the device's generator, as a tensor of bytes."""
        return generator.default_of(self.backend(device).device).get_state()

    def set_rng_state(self, new_state: Tensor, device: Where = None) -> None:
        """Restore the state that `get_rng_state` returned to the device's generator."""
        generator.default_of(self.backend(device).device).set_state(new_state)


_WITHIN = ("backend", "functions", "index_of")  # not PyTorch's


def _context_of(accelerator: Accelerator) -> type:
    """The class of the contexts in which another device of the type is the current one."""

    class device(Context):
        """In ``with device(index):`` the type's name alone stands for the device of this index."""

        def __init__(self, device: Where) -> None:
            self.idx = accelerator.index_of(device)

        def before(self) -> int:
            self.prev_idx = accelerator.current_device()
            return self.prev_idx

        def begin(self, _: int) -> None:
            accelerator.set_device(self.idx)

        def end(self, note: int) -> None:
            accelerator.set_device(note)

    return device


# --- the table of `memory_summary` -----------------------------------------------------------------------------------

_BYTES = ("B  ", "KiB", "MiB", "GiB", "TiB", "PiB")
_COUNTS = (" ", "K", "M")
_ROWS = (
    ("Allocated memory", "allocated_bytes", _BYTES),
    ("Active memory", "active_bytes", _BYTES),
    ("Requested memory", "requested_bytes", _BYTES),
    ("GPU reserved memory", "reserved_bytes", _BYTES),
    ("Non-releasable memory", "inactive_split_bytes", _BYTES),
    ("Allocations", "allocation", _COUNTS),
    ("Active allocs", "active", _COUNTS),
    ("GPU reserved segments", "segment", _COUNTS),
    ("Non-releasable allocs", "inactive_split", _COUNTS),
    ("Oversize allocations", "oversize_allocations", _COUNTS),
    ("Oversize GPU segments", "oversize_segments", _COUNTS),
)
_ASPECTS = ("current", "peak", "allocated", "freed")
_POOLS = (("all", ""), ("large_pool", "from large pool"), ("small_pool", "from small pool"))
_WIDTH = 75


def summary_table(stats: dict[str, int], device: Device, abbreviated: bool) -> str:
    """The figures as a table, laid out as PyTorch's. `abbreviated` leaves out the figures of either pool."""
    owner, prefix = ("Simulated", "sim") if device.type == "sim" else ("PyTorch CUDA", "cuda")
    failures = f"CUDA OOMs: {stats.get('num_ooms', 0)}" if prefix == "cuda" else f"OOMs: {stats.get('num_ooms', 0)}"
    retries = f"{prefix}Malloc retries: {stats.get('num_alloc_retries', 0)}"
    lines = [
        "=" * _WIDTH,
        f"{'':18}{f'{owner} memory summary, device ID {device.index}':<57}",
        "-" * _WIDTH,
        f"{'':12}{failures:<23} | {'':6} {retries:<28}  ",
        "=" * _WIDTH,
        "        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ",
    ]
    for label, figure, units in _ROWS:
        lines.append("-" * _WIDTH)
        is_pooled = not figure.startswith("oversize")
        of_all = [stats.get(f"{figure}.all.{aspect}" if is_pooled else f"{figure}.{aspect}", 0) for aspect in _ASPECTS]
        for pool, pool_label in _POOLS if is_pooled and not abbreviated else _POOLS[:1]:
            values = of_all if pool == "all" else [stats.get(f"{figure}.{pool}.{aspect}", 0) for aspect in _ASPECTS]
            cells = [_in_unit(value, like, units) for value, like in zip(values, of_all, strict=True)]
            name = f"      {pool_label}" if pool_label else label
            lines.append(f" {name:<21} | " + " | ".join(cells) + " ")
    lines.append("=" * _WIDTH)
    return "|" + "|\n|".join(lines) + "|\n"


def _in_unit(value: int, like: float, units: Sequence[str]) -> str:
    """`value` in the first unit in which `like`, the same figure for all memory, is a short number."""
    base, longest = (1024, 768 * 1024) if units is _BYTES else (1000, 750 * 1000)
    unit, *larger = units
    while larger and like >= longest:
        value, like, unit = value // base, like / base, larger.pop(0)
    return f"{value:6d} {unit}" if units is _BYTES else f"{value:7d} {unit} "
