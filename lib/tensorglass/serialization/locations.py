"""The device of a loaded storage: the one it was saved from, or the one that `map_location` gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import backends
from tensorglass.core.devices import device as Device
from tensorglass.core.errors import explained
from tensorglass.storage.storage import UntypedStorage

#: Takes a storage on the CPU, and the name of the device that it was saved from.
Placing = Callable[[UntypedStorage, str], UntypedStorage]


#: What `map_location` may be, for annotations.
MAP_LOCATION = Callable[[UntypedStorage, str], UntypedStorage] | Device | str | dict[str, str] | None


def placing(map_location: Any) -> Placing:
    """The function that moves loaded storages to their device."""
    if map_location is None:
        return _restore
    if isinstance(map_location, dict):
        return lambda storage, location: _restore(storage, map_location.get(location, location))
    if isinstance(map_location, str | Device) and str(map_location).partition(":")[0] == "meta":
        return without_data
    if isinstance(map_location, str | Device):
        return lambda storage, location: _restore(storage, str(map_location))
    return lambda storage, location: _asked(map_location, storage, location)


def without_data(storage: UntypedStorage, location: Any) -> UntypedStorage:
    """A storage of the same size on `meta`. Readers that place all storages by this function read no bytes."""
    return storage if storage.device.type == "meta" else UntypedStorage(storage.nbytes(), device="meta")


def _asked(map_location: Any, storage: UntypedStorage, location: str) -> UntypedStorage:
    placed = map_location(storage, location)
    if placed is None:
        return _restore(storage, location)
    if not isinstance(placed, UntypedStorage):
        raise TypeError(f"map_location must return an UntypedStorage, but got {type(placed)}")
    return placed


def default_restore_location(storage: UntypedStorage, location: str) -> UntypedStorage:
    """What `load` does with a storage unless `map_location` says otherwise: it goes to the device it was saved from."""
    return _restore(storage, location)


def _restore(storage: UntypedStorage, location: Any) -> UntypedStorage:
    if location == "cpu":
        return storage
    if str(location).partition(":")[0] == "meta":
        return without_data(storage, location)
    try:
        device = Device(location)
        family = backends.family(device.type)
    except (RuntimeError, TypeError):
        family = None
    if family is None:
        raise explained(
            RuntimeError(
                "don't know how to restore data location of torch.storage.UntypedStorage (tagged with "
                f"{location if isinstance(location, str) else repr(location)})"
            ),
            "map_location='cpu' loads what was saved on any device.",
        )
    name, count = device.type.upper(), family.count()
    if not count:
        raise RuntimeError(
            f"Attempting to deserialize object on a {name} device but torch.{device.type}.is_available() is False. If "
            "you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map "
            "your storages to the CPU."
        )
    if (device.index or 0) >= count:
        raise RuntimeError(
            f"Attempting to deserialize object on {name} device {device.index} but torch.{device.type}.device_count() "
            f"is {count}. Please use torch.load with map_location to map your storages to an existing device."
        )
    return storage.to(device=device)
