"""``torch.cuda``: CUDA devices, by CuPy. Memory figures are those of CuPy's pool.

Without CuPy or without a GPU, `is_available` is False, and the other functions raise errors.
"""

from __future__ import annotations

from tensorglass.backends.cupy_backend import FAMILY
from tensorglass.core.errors import OutOfMemoryError
from tensorglass.cuda.streams import Event, Stream, current_stream, default_stream, set_stream, stream
from tensorglass.tensor.accelerator_common import Accelerator, Where

_cuda = Accelerator("cuda", FAMILY)
current_device = _cuda.current_device
device = _cuda.device
device_count = _cuda.device_count
empty_cache = _cuda.empty_cache
get_device_name = _cuda.get_device_name
get_device_properties = _cuda.get_device_properties
get_rng_state = _cuda.get_rng_state
init = _cuda.init
initial_seed = _cuda.initial_seed
is_available = _cuda.is_available
is_initialized = _cuda.is_initialized
manual_seed = _cuda.manual_seed
manual_seed_all = _cuda.manual_seed_all
max_memory_allocated = _cuda.max_memory_allocated
max_memory_reserved = _cuda.max_memory_reserved
mem_get_info = _cuda.mem_get_info
memory_allocated = _cuda.memory_allocated
memory_reserved = _cuda.memory_reserved
memory_snapshot = _cuda.memory_snapshot
memory_stats = _cuda.memory_stats
memory_summary = _cuda.memory_summary
reset_accumulated_memory_stats = _cuda.reset_accumulated_memory_stats
reset_peak_memory_stats = _cuda.reset_peak_memory_stats
seed = _cuda.seed
set_device = _cuda.set_device
set_rng_state = _cuda.set_rng_state
synchronize = _cuda.synchronize


def get_device_capability(device: Where = None) -> tuple[int, int]:
    """The compute capability, (major, minor)."""
    properties = _cuda.get_device_properties(device)
    return properties.major, properties.minor


__all__ = [
    "Event", "OutOfMemoryError", "Stream", "current_device", "current_stream", "default_stream", "device",
    "device_count", "empty_cache", "get_device_capability", "get_device_name", "get_device_properties",
    "get_rng_state", "init", "initial_seed", "is_available", "is_initialized", "manual_seed", "manual_seed_all",
    "max_memory_allocated", "max_memory_reserved", "mem_get_info", "memory_allocated", "memory_reserved",
    "memory_snapshot", "memory_stats", "memory_summary", "reset_accumulated_memory_stats",
    "reset_peak_memory_stats", "seed", "set_device", "set_rng_state", "set_stream", "stream", "synchronize",
]  # fmt: skip
