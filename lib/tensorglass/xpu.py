"""``torch.xpu``: the functions by which programs look for Intel's GPUs. There are none."""

from __future__ import annotations

from typing import Any

from tensorglass.core.refusing import refusing

__all__ = [
    "device_count",
    "empty_cache",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
]

__getattr__ = refusing("xpu")


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def is_initialized() -> bool:
    """False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False."""
    return False


def empty_cache() -> None:
    """Nothing."""


def manual_seed(seed: int) -> None:
    """Nothing: there is no generator of such a device."""


def manual_seed_all(seed: int) -> None:
    """Nothing: there is no generator of such a device."""


def _is_in_bad_fork() -> Any:
    return False
