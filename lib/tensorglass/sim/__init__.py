"""The simulated accelerator: everything about devices, on any laptop.

``torch.sim`` is to devices "sim:0" and "sim:1" what ``torch.cuda`` is to GPUs, function for function. Their memory is
out of Python's reach until it is copied back, it is limited, and kernels and transfers take simulated time, by the
costs that `configure` sets. `timeline` tells what happened when; nothing of it is measured.

>>> import tensorglass as torch
>>> a = torch.ones(1000, device="sim")
>>> torch.sim.memory_allocated(), torch.sim.memory_reserved()
(4096, 2097152)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import backends
from tensorglass.backends.simulated.clock import CLOCK, CostModel, Happening, timeline
from tensorglass.backends.simulated.devices import FAMILY, configure
from tensorglass.backends.simulated.streams import (
    Event,
    Stream,
    current_stream,
    default_stream,
    set_stream,
    stream,
)
from tensorglass.core.errors import OutOfMemoryError
from tensorglass.tensor.accelerator_common import Accelerator
from tensorglass.tensor.tensor import Tensor, raw_array

_sim = Accelerator("sim", FAMILY)
current_device = _sim.current_device
device = _sim.device
device_count = _sim.device_count
empty_cache = _sim.empty_cache
get_device_name = _sim.get_device_name
get_device_properties = _sim.get_device_properties
get_rng_state = _sim.get_rng_state
init = _sim.init
initial_seed = _sim.initial_seed
is_available = _sim.is_available
is_initialized = _sim.is_initialized
manual_seed = _sim.manual_seed
manual_seed_all = _sim.manual_seed_all
max_memory_allocated = _sim.max_memory_allocated
max_memory_reserved = _sim.max_memory_reserved
mem_get_info = _sim.mem_get_info
memory_allocated = _sim.memory_allocated
memory_reserved = _sim.memory_reserved
memory_snapshot = _sim.memory_snapshot
memory_stats = _sim.memory_stats
memory_summary = _sim.memory_summary
reset_accumulated_memory_stats = _sim.reset_accumulated_memory_stats
reset_peak_memory_stats = _sim.reset_peak_memory_stats
seed = _sim.seed
set_device = _sim.set_device
set_rng_state = _sim.set_rng_state
synchronize = _sim.synchronize


def launch(kernel: Callable[..., None], *arguments: Any) -> None:
    """Launch a custom kernel: a function of NumPy arrays, which gets the memory of the tensors among `arguments`.

    It writes its results into tensors, and returns None. However much it does, it is one launch; it takes the time
    that the bytes of the tensors take. They must be on one simulated device, else ValueError is raised.
    """
    arrays = [raw_array(each) if isinstance(each, Tensor) else each for each in arguments]
    places = {each._storage.device for each in arguments if isinstance(each, Tensor)}
    if len(places) != 1 or any(place.type != "sim" for place in places):
        raise ValueError(f"tensors on one simulated device are needed, not on {sorted(map(str, places)) or 'none'}")
    simulated: Any = backends.get(places.pop())
    simulated.xp.call(kernel.__name__, kernel, tuple(arrays), {})


def costs() -> CostModel:
    """What things cost at present; `configure` changes it."""
    return CLOCK.costs


def now() -> float:
    """The host's simulated time, in seconds."""
    return CLOCK.now


def reset() -> None:
    """Set the simulated clocks to 0 and clear the timeline. Tensors and memory stay as they are."""
    for backend in backends.of_type("sim"):
        _sim.reset_peak_memory_stats(backend.device)  # type: ignore[attr-defined]  # these are simulated backends
    CLOCK.reset()


__all__ = [
    "CostModel", "Event", "Happening", "OutOfMemoryError", "Stream", "configure", "costs", "current_device",
    "current_stream", "default_stream", "device", "device_count", "empty_cache", "get_device_name",
    "get_device_properties", "get_rng_state", "init", "initial_seed", "is_available", "is_initialized", "launch",
    "manual_seed",
    "manual_seed_all", "max_memory_allocated", "max_memory_reserved", "mem_get_info", "memory_allocated",
    "memory_reserved", "memory_snapshot", "memory_stats", "memory_summary", "now", "reset",
    "reset_accumulated_memory_stats", "reset_peak_memory_stats", "seed", "set_device", "set_rng_state", "set_stream",
    "stream", "synchronize", "timeline",
]  # fmt: skip
