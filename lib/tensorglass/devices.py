"""Where a storage's bytes live: the name of a device, and the default one.

A device is only a name, a type and an index. What can be *done* on it is the backend's affair: `backends.get`
finds the backend of a device's type, and raises PyTorch's error where there is none.
"""

from __future__ import annotations

import threading
from typing import Any

from tensorglass.errors import explained

#: Device types whose names are understood. PyTorch's own, and "sim", tensorglass's simulated accelerator.
KNOWN_TYPES = ["cpu", "cuda", "mps", "xpu", "meta", "sim"]


class device:
    """A device: ``device("cpu")``, ``device("cuda:1")``, ``device("cuda", 1)`` or ``device("cuda", index=1)``.

    As a context manager it is the default device of the factory functions called inside.
    """

    __slots__ = ("_outer", "index", "type")

    type: str
    index: int | None

    def __init__(self, type: str | device, index: int | None = None) -> None:
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        if not isinstance(type, str) or (index is not None and not isinstance(index, int)):
            raise explained(
                TypeError(
                    f"device() received an invalid combination of arguments - got ({type.__class__.__name__}), but "
                    "expected one of:\n * (torch.device device)\n * (str type, int index = -1)\n"
                ),
                'Write device("cpu"), or device("cuda:0").',
            )
        self.type, self.index = _parse(type)
        if index is not None:
            if self.index is not None:
                raise RuntimeError(
                    f"type (string) must not include an index because index was passed explicitly: {type}"
                )
            if index < 0:
                raise RuntimeError("Device index must not be negative")
            self.index = index

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + (")" if self.index is None else f", index={self.index})")

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, device):
            return NotImplemented
        return self.type == other.type and self.index == other.index

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple[Any, ...]:
        return (device, (self.type,) if self.index is None else (self.type, self.index))

    def __enter__(self) -> device:
        self._outer = _state.device
        _state.device = self
        return self

    def __exit__(self, *exc_info: object) -> None:
        _state.device = self._outer


def _parse(text: str) -> tuple[str, int | None]:
    name, colon, digits = text.partition(":")
    if name not in KNOWN_TYPES:
        raise explained(
            RuntimeError(f"Expected one of {', '.join(KNOWN_TYPES)} device type at start of device string: {name}"),
            "tensorglass computes on 'cpu' (NumPy).",
        )
    if not colon:
        return name, None
    if not digits.isascii() or not digits.isdigit() or (len(digits) > 1 and digits[0] == "0"):
        raise RuntimeError(f"Invalid device string: '{text}'")
    return name, int(digits)


CPU = device("cpu")


class _State(threading.local):
    device: device = CPU


_state = _State()


def get_default_device() -> device:
    """The device on which factory functions make tensors when no `device` is given: the CPU at first."""
    return _state.device


def set_default_device(device_: device | str | None) -> None:
    """Make tensors on this device from now on (in this thread) where no `device` is given; None is the CPU again."""
    _state.device = CPU if device_ is None else as_device(device_)


def as_device(given: device | str | int | None) -> device:
    """`given` as a device; None is the default device, a number the accelerator of that index."""
    if given is None:
        return _state.device
    if isinstance(given, device):
        return given
    if isinstance(given, int):
        return device("cuda", given)
    return device(given)
