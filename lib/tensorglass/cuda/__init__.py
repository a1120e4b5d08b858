"""``torch.cuda``: CUDA devices, by CuPy. Memory figures are those of CuPy's pool.

Without CuPy or without a GPU, `is_available` is False, and the other functions raise errors.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from tensorglass.backends.cupy_backend import FAMILY
from tensorglass.core.errors import OutOfMemoryError
from tensorglass.core.refusing import refusing
from tensorglass.cuda.streams import Event, Stream, current_stream, default_stream, set_stream, stream
from tensorglass.tensor.accelerator_common import Accelerator, Where
from tensorglass.tensor.tensor import Tensor

_refuse = refusing("cuda")


def __getattr__(name: str) -> Any:
    if name == "amp":  # older names of `torch.amp`, which stands above
        return import_module("tensorglass.amp.cuda")
    if name in ("memory", "random"):  # PyTorch's modules, whose names are here
        return import_module("tensorglass.cuda")
    if name == "_initialized":  # asked before the states of random generators are saved
        return _cuda.is_initialized()
    if name.endswith("Tensor"):
        from tensorglass.interop.legacy_constructors import of_cuda

        globals().update(of_cuda())
        if name in globals():
            return globals()[name]
    return _refuse(name)


_cuda = Accelerator("cuda", FAMILY)
globals().update(_cuda.functions())


def get_device_capability(device: Where = None) -> tuple[int, int]:
    """The compute capability, (major, minor)."""
    properties = _cuda.get_device_properties(device)
    return properties.major, properties.minor


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether there is a GPU that computes in bfloat16, by itself or by way of other dtypes."""
    return _cuda.is_available() and (including_emulation or get_device_capability() >= (8, 0))


def is_tf32_supported() -> bool:
    """Whether there is a GPU with PyTorch's TF32, of which NumPy and CuPy know nothing."""
    return _cuda.is_available() and get_device_capability() >= (8, 0)


def get_arch_list() -> list[str]:
    """For which GPUs kernels were compiled: none, since CuPy compiles them for the GPU that it finds."""
    return []


def get_gencode_flags() -> str:
    """The compiler's flags for them: none."""
    return ""


def ipc_collect() -> None:
    """Nothing: no memory of a GPU is shared with other processes."""
    _cuda.init()


def _is_in_bad_fork() -> bool:
    """False: a process that is forked starts the driver anew when it first needs a GPU."""
    return False


def get_rng_state_all() -> list[Tensor]:
    """The states of the generators of all GPUs."""
    return [_cuda.get_rng_state(index) for index in range(_cuda.device_count())]


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """Restore what `get_rng_state_all` returned."""
    for index, state in enumerate(new_states):
        _cuda.set_rng_state(state, index)


def seed_all() -> None:
    """Seed the generators of all GPUs with one random number."""
    if _cuda.is_available():
        _cuda.seed()
        _cuda.manual_seed_all(_cuda.initial_seed())


def memory_cached(device: Where = None) -> int:
    """The older name of `memory_reserved`."""
    _warn_of_name("memory_cached", "memory_reserved")
    return _cuda.memory_reserved(device)


def max_memory_cached(device: Where = None) -> int:
    """The older name of `max_memory_reserved`."""
    _warn_of_name("max_memory_cached", "max_memory_reserved")
    return _cuda.max_memory_reserved(device)


def _warn_of_name(old: str, new: str) -> None:
    warnings.warn(f"`torch.cuda.{old}` has been renamed to `torch.cuda.{new}`", FutureWarning, stacklevel=3)


def reset_max_memory_allocated(device: Where = None) -> None:
    """The older name of `reset_peak_memory_stats`."""
    _reset_peaks("reset_max_memory_allocated", device)


def reset_max_memory_cached(device: Where = None) -> None:
    """The older name of `reset_peak_memory_stats`."""
    _reset_peaks("reset_max_memory_cached", device)


def _reset_peaks(old: str, device: Where) -> None:
    warnings.warn(
        f"torch.cuda.{old} now calls torch.cuda.reset_peak_memory_stats, which resets /all/ peak memory stats.",
        FutureWarning,
        stacklevel=3,
    )
    _cuda.reset_peak_memory_stats(device)


__all__ = [
    "Event", "OutOfMemoryError", "Stream", "current_stream", "default_stream", "get_arch_list", "get_device_capability",
    "get_gencode_flags", "get_rng_state_all", "ipc_collect", "is_bf16_supported", "is_tf32_supported",
    "max_memory_cached", "memory_cached", "reset_max_memory_allocated", "reset_max_memory_cached", "seed_all",
    "set_rng_state_all", "set_stream",
    "stream", *_cuda.functions(),
]  # fmt: skip
