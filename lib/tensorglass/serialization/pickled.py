"""Plain data in the pickle format, as `torch.save` writes it: what is in a checkpoint's ``data.pkl``.

A pickle is a program for a small stack machine. This module writes such programs for data only, in protocol 2, with
PyTorch's names for its tensors. An object that occurs several times is written once, and then fetched from the
machine's memory (`memo`).
"""

from __future__ import annotations

import pickle
import struct
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import WIDE_UNSIGNED
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.size import Size
from tensorglass.serialization.tree import not_data
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import is_parameter


class StorageKey:
    """A storage of the checkpoint, by the name of the record that holds its bytes.

    For most dtypes it is written as their old storage class. Dtypes without one are written as bytes, and each tensor
    passes its dtype to another rebuilding function.
    """

    def __init__(self, key: str, dtype: DType, location: str, nbytes: int) -> None:
        self.key = key
        self.dtype = dtype
        self.location = location
        self.is_untyped = dtype in WIDE_UNSIGNED
        self.numel = nbytes if self.is_untyped else nbytes // dtype.itemsize
        self.kind = ("torch.storage", "UntypedStorage") if self.is_untyped else ("torch", f"{dtype.scalar_type}Storage")
        self.rebuilt_by = ("torch._utils", f"_rebuild_tensor_v{3 if self.is_untyped else 2}")


#: Rebuilds a meta tensor, which has no bytes, from its dtype, size and stride.
BY_HEADER = ("torch._utils", "_rebuild_meta_tensor_no_storage")

#: The parts from which a tensor is rebuilt: its storage, offset, size, stride, and conjugate bit.
Parts = tuple[StorageKey, int, tuple[int, ...], tuple[int, ...], bool]


class Writer:
    """Writes one pickle; `parts` returns the parts of each tensor that has bytes."""

    def __init__(self, parts: Callable[[Tensor], Parts]) -> None:
        self._parts = parts
        self._out = bytearray()
        self._memo: dict[int, int] = {}
        self._kept: list[Any] = []  # keeps the objects alive whose ids are in the memo

    def dump(self, data: Any) -> bytes:
        self._out += pickle.PROTO + b"\x02"
        self._write(data, ())
        self._out += pickle.STOP
        return bytes(self._out)

    # --- values ------------------------------------------------------------------------------------------------------

    def _write(self, value: Any, path: tuple[Any, ...]) -> None:
        if id(value) in self._memo:
            self._out += pickle.LONG_BINGET + struct.pack("<I", self._memo[id(value)])
            return
        write = Writer._parameter if is_parameter(value) else _WRITERS.get(type(value))
        if write is None:
            raise not_data(value, path)
        write(self, value, path)

    def _none(self, value: None, path: tuple[Any, ...]) -> None:
        self._out += pickle.NONE

    def _bool(self, value: bool, path: tuple[Any, ...]) -> None:
        self._out += pickle.NEWTRUE if value else pickle.NEWFALSE

    def _int(self, value: int, path: tuple[Any, ...]) -> None:
        if -(2**31) <= value < 2**31:
            self._out += pickle.BININT + struct.pack("<i", value)
            return
        data = pickle.encode_long(value)
        if len(data) > 255:
            raise ValueError(f"a number of {len(data)} bytes is too large for a checkpoint, which takes 255")
        self._out += pickle.LONG1 + bytes([len(data)]) + data

    def _float(self, value: float, path: tuple[Any, ...]) -> None:
        self._out += pickle.BINFLOAT + struct.pack(">d", value)

    def _str(self, value: str, path: tuple[Any, ...]) -> None:
        data = value.encode("utf-8", "surrogatepass")
        self._out += pickle.BINUNICODE + struct.pack("<I", len(data)) + data
        self._remember(value)

    def _complex(self, value: complex, path: tuple[Any, ...]) -> None:
        self._call("__builtin__", "complex", value.real, value.imag)

    def _bytes(self, value: bytes, path: tuple[Any, ...]) -> None:
        self._call("_codecs", "encode", value.decode("latin1"), "latin1")
        self._remember(value)

    def _bytearray(self, value: bytearray, path: tuple[Any, ...]) -> None:
        self._call("__builtin__", "bytearray", bytes(value))
        self._remember(value)

    def _dtype(self, value: DType, path: tuple[Any, ...]) -> None:
        self._name("torch", value.name)

    def _device(self, value: Device, path: tuple[Any, ...]) -> None:
        self._call("torch", "device", value.type, *(() if value.index is None else (value.index,)))

    def _size(self, value: Size, path: tuple[Any, ...]) -> None:
        self._call("torch", "Size", tuple(value))

    # --- containers --------------------------------------------------------------------------------------------------

    def _tuple(self, value: tuple[Any, ...], path: tuple[Any, ...]) -> None:
        self._out += pickle.MARK
        for place, item in enumerate(value):
            self._write(item, (*path, place))
        self._out += pickle.TUPLE

    def _list(self, value: list[Any], path: tuple[Any, ...]) -> None:
        self._out += pickle.EMPTY_LIST
        self._remember(value)
        self._out += pickle.MARK
        for place, item in enumerate(value):
            self._write(item, (*path, place))
        self._out += pickle.APPENDS

    def _write_set(self, value: set[Any], path: tuple[Any, ...]) -> None:
        self._call("__builtin__", "set", list(value))
        self._remember(value)

    def _dict(self, value: dict[Any, Any], path: tuple[Any, ...]) -> None:
        if type(value) is OrderedDict:
            self._call("collections", "OrderedDict")
        else:
            self._out += pickle.EMPTY_DICT
        self._remember(value)
        self._out += pickle.MARK
        for key, item in value.items():
            self._write(key, (*path, key))
            self._write(item, (*path, key))
        self._out += pickle.SETITEMS
        if type(value) is OrderedDict and vars(value):  # `_metadata`, the versions of a state dictionary's modules
            self._write(vars(value), (*path, "__dict__"))
            self._out += pickle.BUILD

    def _tensor(self, value: Tensor, path: tuple[Any, ...]) -> None:
        attributes, rebuilt_by = value.__dict__, self._rebuilt_by(value)
        if attributes:
            self._name("torch._tensor", "_rebuild_from_type_v2")
            self._out += pickle.MARK
            self._name(*rebuilt_by)
            self._name("torch", "Tensor")
            self._rebuilt_of(value, value.requires_grad)
            self._write(attributes, (*path, "__dict__"))
            self._out += pickle.TUPLE
        else:
            self._name(*rebuilt_by)
            self._rebuilt_of(value, value.requires_grad)
        self._out += pickle.REDUCE
        self._remember(value)

    def _parameter(self, value: Tensor, path: tuple[Any, ...]) -> None:
        attributes = value.__dict__
        self._name("torch._utils", f"_rebuild_parameter{'_with_state' if attributes else ''}")
        self._out += pickle.MARK
        self._name(*self._rebuilt_by(value))
        self._rebuilt_of(value, False)
        self._out += pickle.REDUCE
        self._write(value.requires_grad, ())
        self._write(OrderedDict(), ())
        if attributes:
            self._write(attributes, (*path, "__dict__"))
        self._out += pickle.TUPLE + pickle.REDUCE
        self._remember(value)

    def _rebuilt_by(self, value: Tensor) -> tuple[str, str]:
        return BY_HEADER if value.is_meta else self._parts(value)[0].rebuilt_by

    def _rebuilt_of(self, value: Tensor, requires_grad: bool) -> None:
        if value.is_meta:
            self._tuple((value.dtype, tuple(value.shape), value.stride(), requires_grad), ())
            return
        storage, offset, size, stride, conj = self._parts(value)
        self._out += pickle.MARK + pickle.MARK
        self._str("storage", ())
        self._name(*storage.kind)
        for part in (storage.key, storage.location, storage.numel):
            self._write(part, ())
        self._out += pickle.TUPLE + pickle.BINPERSID
        arguments: tuple[Any, ...] = (offset, size, stride, requires_grad, OrderedDict())
        for value in arguments:
            self._write(value, ())
        if storage.is_untyped:
            self._write(storage.dtype, ())
        if conj:
            self._write({"conj": True}, ())
        self._out += pickle.TUPLE

    # --- the machine's opcodes ---------------------------------------------------------------------------------------

    def _name(self, module: str, name: str) -> None:
        self._out += pickle.GLOBAL + f"{module}\n{name}\n".encode()

    def _call(self, module: str, name: str, *arguments: Any) -> None:
        self._name(module, name)
        self._tuple(arguments, ())
        self._out += pickle.REDUCE

    def _remember(self, value: Any) -> None:
        self._out += pickle.LONG_BINPUT + struct.pack("<I", len(self._kept))
        self._memo[id(value)] = len(self._kept)
        self._kept.append(value)


_WRITERS: dict[type, Callable[..., None]] = {
    type(None): Writer._none, bool: Writer._bool, int: Writer._int, float: Writer._float, complex: Writer._complex,
    str: Writer._str, bytes: Writer._bytes, bytearray: Writer._bytearray, DType: Writer._dtype, Device: Writer._device,
    Size: Writer._size, tuple: Writer._tuple, list: Writer._list, set: Writer._write_set, dict: Writer._dict,
    OrderedDict: Writer._dict, Tensor: Writer._tensor,
}  # fmt: skip
