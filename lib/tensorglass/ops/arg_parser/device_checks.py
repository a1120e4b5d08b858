"""Operands must be on one device: which one, and PyTorch's error where they are not.

The one idea to keep in mind: a 0-dim tensor on the CPU goes along with others as a Python number does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tensorglass.core.devices import CPU
from tensorglass.core.devices import device as Device
from tensorglass.core.errors import explained
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.tensor import Tensor


def storage_of_result(tensors: Sequence[Tensor]) -> UntypedStorage:
    """A storage on the device where an elementwise operator on `tensors` runs; raises if there is not one such."""
    like = tensors[0]._storage
    for tensor in tensors[1:]:
        storage = tensor._storage
        if storage.device is like.device or storage.device == like.device:
            continue
        if like.device == CPU and not any(each._size for each in tensors if each._storage.device == CPU):
            like = storage
        elif storage.device != CPU or tensor._size:
            raise on_two_devices(like.device, storage.device)
    return like


def refuse_two_devices(arguments: Iterable[Any], keywords: Mapping[str, Any]) -> None:
    """Raise PyTorch's error if the tensors among the arguments of a call that failed are on two devices."""
    found = list(dict.fromkeys(_devices_of([*arguments, *keywords.values()])))
    if len(found) > 1:
        raise on_two_devices(*found[:2])


def _devices_of(arguments: Iterable[Any]) -> Iterable[Device]:
    for argument in arguments:
        if isinstance(argument, Tensor):
            yield argument._storage.device
        elif isinstance(argument, tuple | list):
            yield from _devices_of(argument)


def on_two_devices(one: Device, other: Device) -> RuntimeError:
    """PyTorch's error."""
    return explained(
        RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {one} and {other}!"
        ),
        "Move one of them first: x.to(y.device).",
        notebook="11 where a tensor lives",
    )
