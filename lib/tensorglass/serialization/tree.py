"""Nested plain data as JSON, with the number of a tensor in place of each tensor.

What JSON has (None, truth values, numbers, strings, lists) stands for itself; all else is an object with one key, which
says what it is: ``{"tuple": [1, 2]}``, ``{"dict": [["a", 1]]}``, ``{"tensor": 0}``.
"""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tensorglass.core import dtypes
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.core.size import Size
from tensorglass.serialization.unpickled import Keys, check_attribute, is_key
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import PLAIN_TYPES

JSON_INTS = 2**63  #: beyond, other readers of JSON lose digits
_AS_THEY_ARE = (type(None), bool, float, str)


class Tree:
    """Plain data, separated into its tensors and the rest as JSON."""

    def __init__(self, data: Any) -> None:
        self.tensors: list[Tensor] = []
        self.paths: list[tuple[Any, ...]] = []  #: for each tensor, the keys that lead to it
        self._numbers: dict[int, int] = {}
        self._around: list[int] = []  # the containers being encoded, to detect cycles
        self.rest = self._encode(data, ())
        self.attributes: list[Any] = []  #: for each tensor, the attributes that the user set, or None
        for tensor, path in zip(self.tensors, self.paths, strict=True):  # both lists grow if attributes hold tensors
            attributes = tensor.__dict__
            for attribute in attributes:
                _check_can_be_read(attribute, path)
            self.attributes.append(self._encode(attributes, (*path, "__dict__")) if attributes else None)

    def _encode(self, value: Any, path: tuple[Any, ...]) -> Any:
        kind = type(value)
        if kind in _AS_THEY_ARE:
            return value
        if kind is int:
            return value if -JSON_INTS <= value < JSON_INTS else {"int": hex(value)}
        if kind in PLAIN_TYPES:
            return {"tensor": self._number_of(value, path)}
        if kind in _LEAVES:
            name, encode = _LEAVES[kind]
            return {name: encode(value)}
        if kind not in (list, tuple, set, dict, OrderedDict):
            raise not_data(value, path)
        if id(value) in self._around:
            raise ValueError(f"{at(path)} holds itself, which a file of data cannot")
        self._around.append(id(value))
        if isinstance(value, dict):
            items = [[self._key(k, path), self._encode(v, (*path, k))] for k, v in value.items()]
            encoded: Any = {kind.__name__: items}
            if kind is OrderedDict and vars(value):  # `_metadata`, the versions of a state dictionary's modules
                encoded = {_WITH_ATTRIBUTES: [items, self._encode(vars(value), (*path, "__dict__"))]}
        elif kind is set:
            encoded = {"set": [self._key(item, path) for item in value]}
        else:
            parts = [self._encode(item, (*path, place)) for place, item in enumerate(value)]
            encoded = parts if kind is list else {kind.__name__: parts}
        self._around.pop()
        return encoded

    def _key(self, key: Any, path: tuple[Any, ...]) -> Any:
        if not is_key(key):
            raise explained(not_data(key, path), "It is a key, and keys are strings, numbers and their like.")
        return self._encode(key, path)

    def _number_of(self, tensor: Tensor, path: tuple[Any, ...]) -> int:
        if id(tensor) not in self._numbers:
            self._numbers[id(tensor)] = len(self.tensors)
            self.tensors.append(tensor)
            self.paths.append(path)
        return self._numbers[id(tensor)]


class NotData(TypeError):
    """Raised for objects that cannot be saved as data."""


def is_data(value: Any) -> bool:
    """Whether all of this can be saved as data."""
    try:
        Tree(value)
    except NotData:
        return False
    return True


def at(path: tuple[Any, ...]) -> str:
    """The path to a value, for messages: ``obj['a'][0]``."""
    return f"obj{''.join(f'[{key!r}]' for key in path)}"


def not_data(value: Any, path: tuple[Any, ...]) -> TypeError:
    """The error for what cannot be saved as data."""
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    error = explained(
        NotData(f"{at(path)} is of type {name}, which cannot be saved as data"),
        "save takes tensors, numbers, strings, bytes, None, torch.Size, dtypes and devices, in dicts, lists, tuples "
        "and sets. Of all other objects it would have to save how to make them, and that is code.",
    )
    if hasattr(value, "state_dict"):
        return explained(error, f"Save {at(path)}.state_dict(), which is a dictionary of tensors.")
    if hasattr(value, "__array__"):
        return explained(error, "Save torch.as_tensor(…) of it, or .item() if it is one number.")
    return error


def _check_can_be_read(attribute: str, path: tuple[Any, ...]) -> None:
    try:
        check_attribute(Tensor, attribute)
    except ValueError as error:
        raise explained(
            ValueError(f"{at(path)} has an attribute that cannot be saved: {error}"),
            f"Give it another name, or delete it: del tensor.__dict__[{attribute!r}].",
        ) from None


def decode(encoded: Any, tensor: Callable[[int], Tensor]) -> Any:
    """The data that `Tree` encoded; `tensor` gives the tensor of a number. ValueError if it is malformed."""
    if type(encoded) in (*_AS_THEY_ARE, int):
        return encoded
    if type(encoded) is list:
        return [decode(item, tensor) for item in encoded]
    if type(encoded) is not dict or len(encoded) != 1:
        raise ValueError("not an object with one key")
    ((name, inner),) = encoded.items()
    if name == "tensor" and type(inner) is int:
        return tensor(inner)
    if name in _SEQUENCES and type(inner) is list:
        return _SEQUENCES[name]([decode(item, tensor) for item in inner])
    if name in _MAPPINGS and type(inner) is list:
        keys = Keys()
        return _MAPPINGS[name]([(keys.checked(decode(key, tensor)), decode(value, tensor)) for key, value in inner])
    if name == _WITH_ATTRIBUTES and type(inner) is list and len(inner) == 2:
        result = decode({"OrderedDict": inner[0]}, tensor)
        for attribute, value in decode(inner[1], tensor).items():
            check_attribute(OrderedDict, attribute)
            setattr(result, attribute, value)
        return result
    if name in _READ:
        return _READ[name](inner)
    raise ValueError(f"{name!r} is no kind of data")


def _read_dtype(name: Any) -> DType:
    if name not in dtypes.BY_NAME:
        raise ValueError(f"{name!r} is no dtype")
    return dtypes.BY_NAME[name]


def _write_bytes(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _read_bytes(text: Any) -> bytes:
    return base64.b64decode(text, validate=True)


def _read_complex(parts: Any) -> complex:
    real, imag = parts
    if type(real) is not float or type(imag) is not float:
        raise ValueError("a complex number is made of two floats")
    return complex(real, imag)


def _set_of(members: list[Any]) -> set[Any]:
    return set(map(Keys().checked, members))


_WITH_ATTRIBUTES = "OrderedDict with attributes"
_SEQUENCES: dict[str, Callable[..., Any]] = {"tuple": tuple, "set": _set_of}
_MAPPINGS: dict[str, Callable[..., Any]] = {"dict": dict, "OrderedDict": OrderedDict}
_LEAVES: dict[type, tuple[str, Callable[[Any], Any]]] = {
    complex: ("complex", lambda value: [value.real, value.imag]),
    bytes: ("bytes", _write_bytes),
    bytearray: ("bytearray", _write_bytes),
    Size: ("Size", list),
    DType: ("dtype", lambda value: value.name),
    Device: ("device", str),
}
_READ: dict[str, Callable[[Any], Any]] = {
    "int": lambda text: int(text, 16),
    "complex": _read_complex,
    "bytes": _read_bytes,
    "bytearray": lambda text: bytearray(_read_bytes(text)),
    "Size": Size,
    "dtype": _read_dtype,
    "device": Device,
}
