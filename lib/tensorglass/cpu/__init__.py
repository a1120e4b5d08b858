"""`torch.cpu`: what programs ask of the device that is always there, as they ask it of others."""

from __future__ import annotations

from typing import Any

from tensorglass.core.lazy_modules import fetching

__all__ = ["current_device", "device_count", "is_available", "is_initialized", "set_device", "synchronize"]

__getattr__ = fetching(globals(), {"amp": ()})


def is_available() -> bool:
    """True."""
    return True


def is_initialized() -> bool:
    """True."""
    return True


def device_count() -> int:
    """1: all cores are one device."""
    return 1


def current_device() -> str:
    """ "cpu"."""
    return "cpu"


def set_device(device: Any) -> None:
    """Nothing: there is one device."""


def synchronize(device: Any = None) -> None:
    """Nothing: the CPU's operators return when they are done."""
