"""Which attributes and keys a file may name.

The values in a file are harmless data, but a name can make other programs act on a value. NumPy reads and writes at the
address that an attribute ``__array_interface__`` holds, ctypes passes ``_as_parameter_`` to C, and a method that an
attribute hides is not called any more. Keys can cost time: a dictionary whose keys all have one hash takes quadratic
time to fill.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import Any

from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.tensor.tensor import Tensor

_KEYS = (type(None), bool, float, str, int, complex, bytes, DType, Device)
#: Keys of one container that may have one hash. Honest keys have few: 68 floats of ±2ⁿ share a hash, and none more.
_MOST_ALIKE = 100


def check_attribute(kind: type, name: Any) -> None:
    """ValueError if a file may not set this attribute of an instance of `kind`.

    These are names that mean something to others than the user: what the class has, names that begin with two
    underscores, and names that begin and end with one.
    """
    if type(name) is not str:
        raise ValueError(f"{name!r} is not a name of an attribute")
    if name.startswith("__") or (name.startswith("_") and name.endswith("_")):
        raise ValueError(f"{name!r} is a name of Python's and other programs' protocols, which no file may set")
    if any(name in vars(each) for each in kind.__mro__):  # which hasattr denies of what raises when it is looked at
        raise ValueError(f"{name!r} is a {kind.__name__}'s own")


def set_attributes(tensor: Tensor, attributes: Any) -> None:
    """Give a tensor the attributes that were saved with it. ValueError if a file may not set one of them."""
    if type(attributes) not in (dict, OrderedDict):
        raise ValueError(f"attributes are a dictionary, not a {type(attributes).__name__}")
    for name in attributes:
        check_attribute(Tensor, name)
    tensor.__dict__.update(attributes)


def is_key(value: Any) -> bool:
    """Whether this may be a key, or in a set: of a type that is always quick to hash."""
    return type(value) in _KEYS or (type(value) is tuple and all(type(each) in _KEYS for each in value))


class Keys:
    """The keys that one container gets, counted by their hashes."""

    def __init__(self) -> None:
        self._alike: Counter[int] = Counter()

    def checked(self, key: Any) -> Any:
        """`key`. ValueError if it cannot be one, or has the hash of too many others of this container."""
        if not is_key(key):
            raise ValueError(f"A key is of type {type(key).__name__}.")
        if type(key) is str or type(key) is bytes:  # their hashes depend on a secret of this process
            return key
        number = hash(key)
        self._alike[number] += 1
        if self._alike[number] > _MOST_ALIKE:
            raise ValueError(f"More than {_MOST_ALIKE} keys of one container have the hash {number}.")
        return key
