"""The settings of autocast: for each thread whether it is on, and in which dtype, for each type of device."""

from __future__ import annotations

import threading

import tensorglass as torch
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import type_name
from tensorglass.ops.declare import autocast

#: The dtypes in which autocast runs on each type of device, unless it is told another.
DEFAULTS = {"cpu": torch.bfloat16, "cuda": torch.float16, "sim": torch.float16}


class _State(threading.local):
    def __init__(self) -> None:
        self.enabled = dict.fromkeys(DEFAULTS, False)
        self.dtype = dict(DEFAULTS)
        self.cache_enabled = True
        self.nesting = 0


state = _State()


def _known(device_type: str) -> str:
    """The type of a device that has autocast; PyTorch's errors for all others."""
    kind = torch.device(device_type).type
    if kind not in DEFAULTS:
        raise RuntimeError("unknown device type for autocast in get_autocast_dispatch_key_from_device_type")
    return kind


def is_autocast_available(device_type: str) -> bool:
    """Whether this type of device has autocast."""
    return torch.device(device_type).type in DEFAULTS


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Whether autocast is on in this thread for a type of device; without one, for "cuda"."""
    return state.enabled[_known("cuda" if device_type is None else device_type)]


def set_autocast_enabled(device_type: str | bool, enabled: bool | None = None) -> None:
    """Switch autocast on or off in this thread for a type of device; called with a bool alone, for "cuda"."""
    if isinstance(device_type, bool):
        return set_autocast_enabled("cuda", device_type)
    if not isinstance(enabled, bool):
        raise TypeError(
            f"set_autocast_enabled(): argument 'enabled' (position 2) must be bool, not {type_name(enabled)}"
        )
    state.enabled[_known(device_type)] = enabled
    return _tell_operators()


def get_autocast_dtype(device_type: str) -> DType:
    """The dtype in which autocast runs products on this type of device."""
    kind = torch.device(device_type).type
    if kind not in DEFAULTS:
        raise RuntimeError("unsupported scalarType")
    return state.dtype[kind]


def set_autocast_dtype(device_type: str, dtype: DType) -> None:
    """Set the dtype in which autocast runs products on this type of device."""
    if not isinstance(dtype, DType):
        raise TypeError(
            f"set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not {type_name(dtype)}"
        )
    state.dtype[_known(device_type)] = dtype
    _tell_operators()


def get_autocast_cpu_dtype() -> DType:
    """`get_autocast_dtype` of "cpu", by its older name."""
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> DType:
    """`get_autocast_dtype` of "cuda", by its older name."""
    return get_autocast_dtype("cuda")


def set_autocast_cpu_dtype(dtype: DType) -> None:
    """`set_autocast_dtype` of "cpu", by its older name."""
    set_autocast_dtype("cpu", dtype)


def set_autocast_gpu_dtype(dtype: DType) -> None:
    """`set_autocast_dtype` of "cuda", by its older name."""
    set_autocast_dtype("cuda", dtype)


def is_autocast_cpu_enabled() -> bool:
    """`is_autocast_enabled` of "cpu", by its older name."""
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """`set_autocast_enabled` of "cpu", by its older name."""
    set_autocast_enabled("cpu", enabled)


def is_autocast_cache_enabled() -> bool:
    """Whether a parameter is cast once for a whole region, not for every operator that uses it."""
    return state.cache_enabled


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Say whether a parameter is cast once for a whole region, not for every operator that uses it."""
    state.cache_enabled = enabled
    _tell_operators()


def clear_autocast_cache() -> None:
    """Forget the parameters that have been cast."""
    autocast.state.cache.clear()


def autocast_increment_nesting() -> int:
    """Count one region that begins; returns how many are open."""
    state.nesting += 1
    return state.nesting


def autocast_decrement_nesting() -> int:
    """Count one region that ends; returns how many are open."""
    state.nesting -= 1
    return state.nesting


def _tell_operators() -> None:
    """Pass the dtypes for the device types with autocast on to the operators."""
    autocast.switch({kind: state.dtype[kind] for kind, is_on in state.enabled.items() if is_on})
    autocast.state.is_caching = state.cache_enabled
