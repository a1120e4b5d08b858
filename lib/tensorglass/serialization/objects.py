"""Objects of any class in checkpoints: Python's pickle, with PyTorch's names for tensors and PyTorch's classes.

PyTorch can read what is written here, if it has the classes, and the other way around. Reading such a pickle means
running it, and `load` does so only with `weights_only=False`.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import unwrap
from typing import Any

from tensorglass.core import dtypes
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.module_names import ours
from tensorglass.core.size import Size
from tensorglass.ops.copies.copy_pickle import rebuild_parameter
from tensorglass.serialization.pickled import BY_HEADER, StorageKey
from tensorglass.serialization.unpickled import MEANINGS, Stored, update
from tensorglass.storage.storage import UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage
from tensorglass.tensor.hooks import warn_if_has_hooks
from tensorglass.tensor.tensor import Tensor, header_of
from tensorglass.tensor.torch_function import is_parameter


class _Name:
    """An object that is pickled as one of PyTorch's names."""

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    def __call__(self) -> None:
        """Never called: pickle requires that a reduced object's function is callable."""


class _KeyOf:
    """An object that is pickled as a storage of the checkpoint."""

    def __init__(self, key: StorageKey) -> None:
        self.key = key


class Storages:
    """The storages that are written, whole and once each, by the numbers of their records."""

    def __init__(self) -> None:
        self.found: dict[UntypedStorage, StorageKey] = {}

    def key_of(self, storage: UntypedStorage, dtype: DType, *, untyped: bool = False) -> _KeyOf:
        """The key of the storage. RuntimeError if it has been written with another dtype."""
        key = self.found.get(storage)
        if key is None:
            key = StorageKey(str(len(self.found)), dtype, str(storage.device), storage.nbytes())
            if untyped:
                key.kind = ("torch.storage", "UntypedStorage")
            self.found[storage] = key
        elif key.dtype is not dtype:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        return _KeyOf(key)


def dumped(data: Any, storages: Storages, pickle_module: Any, protocol: int) -> bytes:
    """The pickle of any object; its tensors' storages are added to `storages`."""
    base = getattr(pickle_module, "Pickler", None)
    if not (isinstance(base, type) and issubclass(base, pickle._Pickler)):
        base = pickle._Pickler  # Python's pure-Python pickler, in which global names can be overridden

    class Writer(base):  # type: ignore[misc, valid-type]  # a class that is given
        def reducer_override(self, obj: Any) -> Any:
            reduced = _reduced(obj, storages)
            if reduced is not NotImplemented:
                return reduced
            inherited = getattr(super(), "reducer_override", None)
            return NotImplemented if inherited is None else inherited(obj)

        def persistent_id(self, obj: Any) -> Any:
            if isinstance(obj, TypedStorage):
                obj = storages.key_of(obj.untyped(), obj.dtype)
            elif isinstance(obj, UntypedStorage):
                obj = storages.key_of(obj, dtypes.uint8, untyped=True)
            elif type(obj) is not _KeyOf:
                return None
            key = obj.key
            return "storage", _Name(*key.kind), key.key, key.location, key.numel

        def save(self, obj: Any, save_persistent_id: bool = True) -> Any:
            if type(obj) is DType:
                obj = _Name("torch", obj.name)
            if type(obj) is _Name:
                self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
                return None
            return super().save(obj, save_persistent_id)

        def save_global(self, obj: Any, name: str | None = None) -> None:
            named = _pytorchs_name(obj)
            if named is None:
                super().save_global(obj, name)
            else:
                self.write(pickle.GLOBAL + f"{named.module}\n{named.name}\n".encode())
                self.memoize(obj)

    file = io.BytesIO()
    writer = Writer(file, protocol=protocol)
    writer.dispatch = {**base.dispatch, type: Writer.save_global}
    writer.dump(data)
    return file.getvalue()


def _pytorchs_name(obj: Any) -> _Name | None:
    """PyTorch's name for a class or function of this library; None for all others."""
    module = getattr(obj, "__module__", None) or ""
    if module != "tensorglass" and not module.startswith("tensorglass."):
        return None
    return _Name(module.replace("tensorglass", "torch", 1), obj.__qualname__)


def _reduced(obj: Any, storages: Storages) -> Any:
    """The reduced form of a tensor, a device or a size; NotImplemented for all others."""
    if isinstance(obj, Tensor):
        if _has_its_own(type(obj), "__reduce_ex__") and not is_parameter(obj):
            return NotImplemented  # the class defines its own
        return _reduced_tensor(obj, storages)
    if type(obj) is Device:
        return _Name("torch", "device"), (obj.type,) if obj.index is None else (obj.type, obj.index)
    if type(obj) is Size:
        return _Name("torch", "Size"), (tuple(obj),)
    return NotImplemented


def _has_its_own(kind: type, name: str) -> bool:
    """Whether a subclass of Tensor defines this method itself, beyond forwarding it to `__torch_function__`."""
    return unwrap(getattr(kind, name)) is not getattr(Tensor, name)


def _reduced_tensor(tensor: Tensor, storages: Storages) -> Any:
    warn_if_has_hooks(tensor)
    is_wrapped = is_parameter(tensor)
    call, arguments = _rebuilt_by(tensor, tensor.requires_grad and not is_wrapped, storages)
    attributes = tensor.__dict__
    if is_wrapped:
        data = _Call(call, arguments)
        if attributes:
            with_state = _Name("torch._utils", "_rebuild_parameter_with_state")
            return with_state, (data, tensor.requires_grad, OrderedDict(), attributes)
        return _Name("torch._utils", "_rebuild_parameter"), (data, tensor.requires_grad, OrderedDict())
    if type(tensor) is not Tensor or attributes:
        kind = _Name("torch", "Tensor") if type(tensor) is Tensor else type(tensor)
        return _Name("torch._tensor", "_rebuild_from_type_v2"), (call, kind, arguments, attributes)
    return call, arguments


def _rebuilt_by(tensor: Tensor, requires_grad: bool, storages: Storages) -> tuple[_Name, tuple[Any, ...]]:
    """The function that makes a tensor again, and its arguments."""
    size, stride, offset = header_of(tensor)
    if tensor.is_meta:
        return _Name(*BY_HEADER), (tensor.dtype, tuple(size), tuple(stride), requires_grad)
    stored = storages.key_of(tensor._storage, tensor.dtype)
    arguments: tuple[Any, ...] = (stored, offset, tuple(size), tuple(stride), requires_grad)
    arguments += (OrderedDict(), tensor.dtype) if stored.key.is_untyped else (OrderedDict(),)
    if tensor.is_conj():
        arguments += ({"conj": True},)
    return _Name(*stored.key.rebuilt_by), arguments


class _Call:
    """An object that is pickled as a call of a function."""

    def __init__(self, function: _Name, arguments: tuple[Any, ...]) -> None:
        self.function = function
        self.arguments = arguments

    def __reduce__(self) -> Any:
        return self.function, self.arguments


# --- reading ---------------------------------------------------------------------------------------------------------


def loaded(
    data: bytes,
    rebuilders: Mapping[str, Callable[..., Any]],
    storage: Callable[..., Stored],
    pickle_module: Any = pickle,
    **options: Any,
) -> Any:
    """The result of running a pickle. `rebuilders` make tensors, `storage` returns the storage of an id."""

    class Reader(pickle_module.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            full = f"{module}.{name}"
            if full in rebuilders:
                return unwrapping(rebuilders[full])
            if full in MEANINGS and type(MEANINGS[full]) is DType:
                return MEANINGS[full]
            if full in MEANINGS and MEANINGS[full].dtype is not None:
                return MEANINGS[full]
            if module.partition(".")[0] in ("torch", "tensorglass"):
                return _found_here(module, name)
            return super().find_class(module, name)

        def persistent_load(self, saved_id: Any) -> Any:
            _, storage_type, key, location, numel = saved_id
            stored = storage(storage_type.dtype, key, location, numel)
            if storage_type.name.endswith("UntypedStorage"):
                return stored.storage
            return TypedStorage._of(stored.storage, stored.dtype)

    return Reader(io.BytesIO(data), **options).load()


def _found_here(module: str, name: str) -> Any:
    """The class or function that PyTorch has under this module and name; found by its public name if moved here."""
    here = module if module.startswith("tensorglass") else ours(module)
    try:
        result: Any = import_module(here)
        for part in name.split("."):
            result = getattr(result, part)
        return result
    except (ImportError, AttributeError):
        parent = module.rpartition(".")[0]
        if not parent:
            raise
        return _found_here(parent, name)


def unwrapping(rebuild: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes tensors, called with storages as a program has them."""

    def rebuilt(*arguments: Any) -> Any:
        return rebuild(*map(_as_stored, arguments))

    return rebuilt


def _as_stored(value: Any) -> Any:
    if isinstance(value, TypedStorage):
        return Stored(value.untyped(), value.dtype)
    return Stored(value, dtypes.uint8) if isinstance(value, UntypedStorage) else value


def rebuilt_from_type(function: Any, kind: Any, arguments: Any, state: Any) -> Tensor:
    """`torch._tensor._rebuild_from_type_v2`, of a class that was looked up."""
    result = function(*arguments)
    if kind is not type(result):
        result = result.as_subclass(kind)
    if _has_its_own(kind, "__setstate__"):
        result.__setstate__(state)
    else:
        update(result, state)
    return result


def rebuilt_parameter(data: Tensor, requires_grad: bool, hooks: Any, state: Any = None) -> Tensor:
    """`torch._utils._rebuild_parameter`, with all attributes that were saved."""
    parameter = rebuild_parameter(data, requires_grad)
    parameter.__dict__.update(state or {})
    return parameter
