"""Values on their way between the two sandboxes: plain data, tensors with their storages, and functions by number.

A tensor crosses as what it is: dtype, size, stride, offset, and the number of its storage; storages cross once each, as
bytes, so that what shares memory on one side shares it on the other. A function does not cross: the other side gets a
stand-in that asks for it to be called, and then sees what the call wrote into the storages that it was handed.

What has a history (a tensor in an autograd graph) or is an object of some other class raises `CannotCross`.
"""

from __future__ import annotations

import base64
import builtins
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy

import tensorglass as torch

MOST_ITEMS = 20_000
MOST_STORAGE = 16_000_000  # bytes
LONGEST_TEXT = 100_000
_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType)

Call = Callable[[int, list[Any], dict[str, Any], "Side"], Any]


class CannotCross(BaseException):
    """A value that cannot be told as data. It is no Exception, so that no check takes it for an answer's fault.

    `foreign` says that the value is of a class that the library does not have.
    """

    def __init__(self, what: str, foreign: bool = False) -> None:
        super().__init__(what)
        self.foreign = foreign


class Side:
    """One end: which storages and functions have crossed, by the number that both ends know them by.

    `mark` tells this end's numbers from the other's. `call` carries out a call of the other end's function.
    """

    def __init__(self, mark: str, call: Call | None = None) -> None:
        self.mark = mark
        self._call = call
        self._storages: dict[str, Any] = {}  # number -> a uint8 tensor over all of it
        self._addresses: dict[int, str] = {}
        self._functions: list[Any] = []

    def encode(self, value: Any) -> dict[str, Any]:
        """The value as JSON, with the bytes of every storage under it."""
        return self.encode_all([value])

    def encode_all(self, values: list[Any]) -> dict[str, Any]:
        """Several values, sharing storages among them."""
        used: dict[str, None] = {}
        count = [0]
        items = [self._encode(value, used, count, 0) for value in values]
        return {"values": items, "storages": self.contents(list(used))}

    def contents(self, numbers: list[str]) -> dict[str, str]:
        """The present bytes of storages, by their numbers."""
        return {number: base64.b85encode(self._storages[number].numpy().tobytes()).decode() for number in numbers}

    def update(self, contents: dict[str, str]) -> None:
        """Take over the bytes that the other end has in its storages, making those that are new here."""
        for number, text in contents.items():
            content = base64.b85decode(text)
            if len(content) > MOST_STORAGE:
                raise CannotCross("a storage that is too large")
            here = self._storages.get(number)
            if here is None:
                here = torch.empty(0, dtype=torch.uint8)
                if content:
                    here = torch.frombuffer(bytearray(content), dtype=torch.uint8)
                self._storages[number] = here
                if content:
                    self._addresses[here.untyped_storage().data_ptr()] = number
            elif len(content) == here.numel():
                if content and content != here.numpy().tobytes():
                    with torch.no_grad():
                        here.copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8))
            else:
                raise CannotCross("a storage whose size has changed")

    def decode_all(self, message: dict[str, Any]) -> list[Any]:
        """The values that the other end has encoded."""
        self.update(message["storages"])
        return [self._decode(item) for item in message["values"]]

    def function(self, number: int) -> Any:
        """This end's function of that number."""
        return self._functions[number]

    def _encode(self, value: Any, used: dict[str, None], count: list[int], depth: int) -> Any:
        count[0] += 1
        if count[0] > MOST_ITEMS or depth > 12:
            raise CannotCross("more values than a check looks at")
        kind = type(value)
        if value is None or kind is bool:
            return value
        if value is ...:
            return {"is": "..."}
        if kind is int and value.bit_length() <= 4096:
            return {"int": str(value)}
        if kind is float:
            return {"float": value.hex()}
        if kind is complex:
            return {"complex": [value.real.hex(), value.imag.hex()]}
        if kind is str and len(value) <= LONGEST_TEXT:
            return {"str": value.encode("utf-8", "replace").decode()}
        if kind in (list, tuple, set, frozenset, torch.Size):
            items = [self._encode(item, used, count, depth + 1) for item in value]
            return {kind.__name__ if kind is not torch.Size else "Size": items}
        if kind is dict:
            pairs = [
                [self._encode(key, used, count, depth + 1), self._encode(item, used, count, depth + 1)]
                for key, item in value.items()
            ]
            return {"dict": pairs}
        if kind is slice:
            return {
                "slice": [self._encode(part, used, count, depth + 1) for part in (value.start, value.stop, value.step)]
            }
        if kind is range:
            return {"range": [value.start, value.stop, value.step]}
        if kind is torch.dtype:
            return {"dtype": str(value).removeprefix("torch.")}
        if kind is torch.Tensor:
            return self._encode_tensor(value, used, count, depth)
        if kind is torch.UntypedStorage:
            number = self._number_of(torch.empty(0, dtype=torch.uint8).set_(value))
            used[number] = None
            return {"storage": number}
        if kind is numpy.ndarray:
            return {"array": self._encode_tensor(self._over(value), used, count, depth)}
        if kind in _FUNCTIONS:
            self._functions.append(value)
            return {"function": len(self._functions) - 1, "name": str(getattr(value, "__name__", "function"))[:80]}
        if isinstance(value, type) and kind is type:
            name = str(value.__name__)
            if getattr(builtins, name, None) is value:
                return {"builtin": name}
        library = str(kind.__module__).split(".")[0] in ("tensorglass", "numpy", "builtins", "torch")
        raise CannotCross(f"an object of type {kind.__name__}", foreign=not library)

    def _encode_tensor(self, x: Any, used: dict[str, None], count: list[int], depth: int) -> dict[str, Any]:
        if x.grad_fn is not None or x.device.type != "cpu" or x.layout != torch.strided or x.is_conj() or x.is_neg():
            raise CannotCross("a tensor with a history, or of another device or layout")
        number = self._number_of(x)
        used[number] = None
        encoded = {
            "tensor": number,
            "dtype": str(x.dtype).removeprefix("torch."),
            "size": list(x.shape),
            "stride": list(x.stride()),
            "offset": x.storage_offset(),
        }
        if x.requires_grad:
            encoded["leaf"] = self._encode(x.grad, used, count, depth + 1)
        return encoded

    def _over(self, array: Any) -> Any:
        """A tensor on the memory of an array."""
        try:
            return torch.from_numpy(array)
        except (TypeError, ValueError, RuntimeError) as error:
            raise CannotCross("an array that no tensor can lie on") from error

    def _number_of(self, x: Any) -> str:
        storage = x.untyped_storage()
        if storage.nbytes() > MOST_STORAGE:
            raise CannotCross("a storage that is too large")
        number = self._addresses.get(storage.data_ptr()) if storage.nbytes() else None
        if number is not None and self._storages[number].numel() == storage.nbytes():
            return number
        number = f"{self.mark}{len(self._storages)}"
        self._storages[number] = torch.empty(0, dtype=torch.uint8).set_(storage)
        if storage.nbytes():
            self._addresses[storage.data_ptr()] = number
        return number

    def _decode(self, item: Any) -> Any:
        if item is None or isinstance(item, bool):
            return item
        if "tensor" in item:
            return self._decode_tensor(item)
        if "function" in item:
            return self._stand_in(int(item["function"]), str(item["name"]))
        ((kind, content),) = item.items()
        match kind:
            case "is":
                return ...
            case "int":
                return int(content)
            case "float":
                return float.fromhex(content)
            case "complex":
                return complex(*map(float.fromhex, content))
            case "str":
                return str(content)
            case "list" | "tuple" | "set" | "frozenset" | "Size":
                kinds = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "Size": torch.Size}
                return kinds[kind](self._decode(each) for each in content)
            case "dict":
                return {self._decode(key): self._decode(each) for key, each in content}
            case "slice":
                return slice(*(self._decode(part) for part in content))
            case "range":
                return range(*content)
            case "dtype":
                return _dtype(content)
            case "storage":
                return self._storages[content].untyped_storage()
            case "array":
                return self._decode(content).numpy()
            case "builtin":
                found = getattr(builtins, content)
                if isinstance(found, type):
                    return found
        raise CannotCross("what is no value")

    def _decode_tensor(self, item: dict[str, Any]) -> Any:
        over = self._storages[item["tensor"]]
        with torch.no_grad():
            x = torch.empty(0, dtype=_dtype(item["dtype"])).set_(
                over.untyped_storage(),
                int(item["offset"]),
                tuple(map(int, item["size"])),
                tuple(map(int, item["stride"])),
            )
        if "leaf" in item:
            x.requires_grad_(True)
            x.grad = self._decode(item["leaf"])
        return x

    def _stand_in(self, number: int, name: str) -> Any:
        call = self._call
        if call is None:
            raise CannotCross("a function")

        def stand_in(*args: Any, **kwargs: Any) -> Any:
            return call(number, list(args), kwargs, self)

        stand_in.__name__ = stand_in.__qualname__ = name
        return stand_in


def _dtype(name: Any) -> Any:
    found = getattr(torch, str(name), None)
    if type(found) is not torch.dtype:
        raise CannotCross("what is no dtype")
    return found
