"""The accelerator of this machine: CUDA where there is a GPU, else the simulated one once it is in use.

``torch.accelerator.is_available()`` is False on a machine without a GPU, so that a program which asks stays on the
CPU; it is True there only after a tensor was put on "sim", or ``torch.sim.init()`` was called.
"""

from __future__ import annotations

from typing import Any

from tensorglass import backends, cuda, sim
from tensorglass.core import devices
from tensorglass.core.devices import device as Device
from tensorglass.core.errors import explained

_MODULES: dict[str | None, Any] = {"cuda": cuda, "sim": sim}


def _current() -> Any:
    """The module of the accelerator; None where there is none."""
    return _MODULES.get(backends.accelerator())


def _there() -> Any:
    found = _current()
    if found is None:
        raise explained(
            RuntimeError("Cannot access accelerator device when none is available."),
            "There is no GPU here. torch.sim.init() puts the simulated accelerator in its place.",
        )
    return found


def is_available() -> bool:
    """Whether there is one."""
    return _current() is not None


def current_accelerator(check_available: bool = False) -> Device | None:
    """Its type as a device without an index; None where there is none."""
    found = _current()
    return None if found is None else devices.device(found.__name__.rpartition(".")[2])


def device_count() -> int:
    """How many devices of its type there are."""
    found = _current()
    return 0 if found is None else int(found.device_count())


def current_device_index() -> int:
    """The index of the current device."""
    return int(_there().current_device())


def set_device_index(device: Device | str | int | None) -> None:
    """Make this device the one that the type's name alone stands for."""
    _there().set_device(device)


def synchronize(device: Device | str | int | None = None) -> None:
    """Wait until the device has done everything that was launched on it."""
    _there().synchronize(device)


def current_stream(device: Device | str | int | None = None) -> Any:
    """The stream on which this thread's work on a device goes."""
    return _there().current_stream(device)


def set_stream(stream: Any) -> None:
    """Make this the stream of this thread's work on its device."""
    _there().set_stream(stream)


def memory_allocated(device: Device | str | int | None = None) -> int:
    """Bytes that tensors on the device occupy now."""
    return int(_there().memory_allocated(device))


def max_memory_allocated(device: Device | str | int | None = None) -> int:
    """The most bytes that tensors ever occupied."""
    return int(_there().max_memory_allocated(device))


def memory_reserved(device: Device | str | int | None = None) -> int:
    """Bytes that the allocator holds."""
    return int(_there().memory_reserved(device))


def max_memory_reserved(device: Device | str | int | None = None) -> int:
    """The most bytes that the allocator ever held."""
    return int(_there().max_memory_reserved(device))


def memory_stats(device: Device | str | int | None = None) -> Any:
    """Every figure of the device's allocator."""
    return _there().memory_stats(device)


def empty_cache() -> None:
    """Release cached memory that no tensor uses."""
    _there().empty_cache()


def reset_peak_memory_stats(device: Device | str | int | None = None) -> None:
    """Make the peaks start again from what is there now."""
    _there().reset_peak_memory_stats(device)
