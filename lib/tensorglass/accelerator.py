"""The accelerator of this machine: CUDA where there is a GPU, else the simulated one once it is in use.

``torch.accelerator.is_available()`` is False on a machine without a GPU, so that a program which asks stays on the
CPU; it is True there only after a tensor was put on "sim", or ``torch.sim.init()`` was called.
"""

from __future__ import annotations

import functools
from typing import Any

from tensorglass import backends, cuda, sim
from tensorglass.core import devices
from tensorglass.core.devices import device as Device

_MODULES: dict[str | None, Any] = {"cuda": cuda, "sim": sim}


def _current() -> Any:
    """The module of the accelerator; None where there is none."""
    return _MODULES.get(backends.accelerator())


def _there() -> Any:
    backend = _current()
    if backend is None:
        raise devices.no_accelerator("There is no GPU here.")
    return backend


def is_available() -> bool:
    """Whether there is an accelerator."""
    return _current() is not None


def current_accelerator(check_available: bool = False) -> Device | None:
    """The type of the accelerator, as a device without an index; None if there is none."""
    backend = _current()
    return None if backend is None else devices.device(backend.__name__.rpartition(".")[2])


def device_count() -> int:
    """How many devices of its type there are."""
    backend = _current()
    return 0 if backend is None else int(backend.device_count())


def current_device_index() -> int:
    """The index of the current device."""
    return int(_there().current_device())


def set_device_index(device: Device | str | int | None) -> None:
    """Make this device the current one of its type."""
    _there().set_device(device)


def _of_the_accelerator(name: str) -> Any:
    """The function of this name of the accelerator's module."""

    @functools.wraps(getattr(sim, name))
    def call(*arguments: Any, **keywords: Any) -> Any:
        return getattr(_there(), name)(*arguments, **keywords)

    return call


for _name in (
    "current_stream", "empty_cache", "max_memory_allocated", "max_memory_reserved", "memory_allocated",
    "memory_reserved", "memory_stats", "reset_peak_memory_stats", "set_stream", "synchronize",
):  # fmt: skip
    globals()[_name] = _of_the_accelerator(_name)
