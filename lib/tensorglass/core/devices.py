"""Where a storage's bytes live: the name of a device, and the default one.

A device is only a name, a type and an index. What can be *done* on it is up to the backend: `backends.get`
finds the backend of a device's type, and raises PyTorch's error if there is none.
"""

from __future__ import annotations

import re
import threading
from typing import Any, TypeGuard

from tensorglass.core.contexts import Context
from tensorglass.core.errors import Named, explained, type_name

#: PyTorch's types of devices: their names are understood, whether there is such a device or not.
PYTORCH_TYPES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
    "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip
_DEVICE_STRING = re.compile(r"([a-zA-Z_]+)(?::(0|[1-9][0-9]*))?")
#: The entry-point group by which installed packages add devices: the type's name and its `backends.Family`.
BACKENDS = "tensorglass.backends"
_known_types = {*PYTORCH_TYPES, "sim"}  # "sim" is tensorglass's simulated accelerator


def accelerator_type() -> str | None:
    """The type of this machine's accelerator. `backends` replaces this function by its own."""
    return None


class device(Context, metaclass=Named, pytorchs="torch.device"):
    """A device: ``device("cpu")``, ``device("cuda:1")``, ``device("cuda", 1)`` or ``device("cuda", index=1)``.

    As a context manager it is the default device of the factory functions called inside.

    >>> torch.device("cuda:1").index
    1
    """

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        kind, index = _read_arguments(arguments, keywords)
        _set(self, "type", kind)
        _set(self, "index", index)

    def __setattr__(self, name: str, value: object) -> None:
        if name in device.__slots__:
            raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")
        raise AttributeError(f"'torch.device' object has no attribute '{name}'")

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

    def before(self) -> device:
        return _state.device

    def begin(self, _: device) -> device:
        _state.device = self
        return self

    def end(self, note: device) -> None:
        _state.device = note


_set = object.__setattr__

# --- reading ---------------------------------------------------------------------------------------------------------


def _read_arguments(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[str, int | None]:
    """The type and index that the arguments of `device` give."""
    names = ["device"] if keywords.keys() == {"device"} else ["type", "index"]
    for name in keywords:
        if name not in names:
            raise TypeError(f"device() got an unexpected keyword argument '{name}'")
    given = dict(zip(names, arguments, strict=False)) | keywords
    first, index = given.get(names[0]), given.get("index")
    if len(given) == 1 and isinstance(first, device):
        return first.type, first.index
    if len(given) == 1 and _is_int(first):
        return _accelerator(first), first
    if len(arguments) > 2 or not isinstance(first, str) or not (index is None or _is_int(index)):
        shown = ", ".join(map(type_name, (*arguments, *keywords.values())))
        raise explained(
            TypeError(
                f"device() received an invalid combination of arguments - got ({shown}), but expected one of:\n"
                " * (torch.device device)\n * (str type, int index = -1)\n"
            ),
            'Write device("cpu"), or device("cuda:0").',
        )
    return _read_name(first, index)


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _accelerator(index: int) -> str:
    """The accelerator's type: ``device(1)`` means the accelerator with index 1."""
    if index < 0:
        raise RuntimeError("Device index must not be negative")
    accelerator = accelerator_type()
    if accelerator is None:
        raise no_accelerator(f'A number alone means an accelerator. Write device("cuda", {index}) for its name.')
    return accelerator


def no_accelerator(note: str) -> RuntimeError:
    """The error for a call that needs an accelerator on a machine without one."""
    return explained(
        RuntimeError("Cannot access accelerator device when none is available."),
        note,
        "torch.sim.init() puts the simulated accelerator in its place.",
    )


def installed_types() -> set[str]:
    """The device types that installed packages add."""
    from importlib.metadata import entry_points  # slow, so only for names that are not built in

    return set(entry_points(group=BACKENDS).names)


def _read_name(text: str, index: int | None) -> tuple[str, int | None]:
    if not text:
        raise RuntimeError("Device string must not be empty")
    parts = _DEVICE_STRING.fullmatch(text)
    if parts is None:
        raise RuntimeError(f"Invalid device string: '{text}'")
    name, digits = parts.groups()
    if name not in _known_types and name not in installed_types():
        raise explained(
            RuntimeError(f"Expected one of {', '.join(PYTORCH_TYPES)} device type at start of device string: {name}"),
            "tensorglass computes on 'cpu' (NumPy).",
        )
    if digits is not None and index is not None:
        raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {text}")
    if index is not None and index < 0:
        raise RuntimeError("Device index must not be negative")
    if digits is not None and int(digits) >= 2**31:
        raise RuntimeError(f"Could not parse device index '{digits}' in device string '{text}'")
    return name, index if digits is None else int(digits)


# --- the default device ----------------------------------------------------------------------------------------------

CPU = device("cpu")
META = device("meta")  #: the device of tensors that have a header but no data


class _State(threading.local):
    device: device = CPU

    def __init__(self) -> None:
        self.current: dict[str, int] = {}  # the index that "cuda" or "sim" alone stands for


_state = _State()
_met: dict[tuple[str, int], device] = {}


def know(device_type: str) -> None:
    """Accept this type in names of devices."""
    _known_types.add(device_type)


def with_index(device_type: str, index: int) -> device:
    """The device of this type and index: always the same object, so that devices are compared quickly."""
    known = _met.get((device_type, index))
    if known is None:
        known = _met.setdefault((device_type, index), device(device_type, index))  # another thread may be first
    return known


def current_index(device_type: str) -> int:
    """The index of the device that the type's name alone stands for, in this thread: 0 at first."""
    return _state.current.get(device_type, 0)


def set_current_index(device_type: str, index: int) -> None:
    """Make the device of this index the one that the type's name alone stands for, in this thread."""
    _state.current[device_type] = index


def placed(given: device) -> device:
    """The device of a tensor made on `given`: there is one CPU, and "cuda" alone is the current CUDA device."""
    if given.type == "cpu":
        return CPU
    if given.type == "meta":  # there is only one meta device, too
        return META
    return with_index(given.type, current_index(given.type) if given.index is None else given.index)


def get_default_device() -> device:
    """The device on which factory functions make tensors when no `device` is given: the CPU at first.

    >>> torch.get_default_device()
    device(type='cpu')
    """
    chosen = _state.device
    return placed(chosen) if chosen.index is None else chosen


def set_default_device(device_: device | str | int | None) -> None:
    """Make tensors on this device from now on (in this thread) where no `device` is given; None is the CPU again.

    >>> torch.set_default_device("cpu")
    >>> torch.zeros(2).device
    device(type='cpu')
    """
    _state.device = CPU if device_ is None else device_ if isinstance(device_, device) else device(device_)


def as_device(given: device | str | int | None) -> device:
    """`given` as the device of a storage. None is the default device, a number the accelerator of that index; there is
    only one CPU, so "cpu:1" is that, and "cuda" is the current CUDA device.
    """
    return placed(_state.device if given is None else given if isinstance(given, device) else device(given))
