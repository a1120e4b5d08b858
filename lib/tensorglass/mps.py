"""``torch.mps``: the functions by which programs look for Apple's GPUs. There are none."""

from __future__ import annotations

from tensorglass.core.refusing import refusing

__all__ = ["device_count", "is_available"]

__getattr__ = refusing("mps")


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0
