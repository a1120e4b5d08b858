"""Operands must be on one device: PyTorch's error where they are not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tensorglass.core.devices import device as Device
from tensorglass.core.errors import explained
from tensorglass.tensor.tensor import Tensor


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
