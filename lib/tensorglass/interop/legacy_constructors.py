"""The old constructors: ``Tensor(2, 3)``, ``FloatTensor([1, 2])``, ``LongTensor(storage)``.

`Tensor` itself is one of them, of the default dtype. They interpret their arguments by type: ints are a size, a
sequence is data, a storage is shared. `tensor`, `empty` and `set_` each do one of these explicitly.
"""

from __future__ import annotations

import builtins
from operator import index
from typing import Any, ClassVar

from tensorglass import backends
from tensorglass.core import dtypes
from tensorglass.core import memory_format as formats
from tensorglass.core.devices import as_device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.core.size import Size
from tensorglass.interop.numpy import as_tensor
from tensorglass.ops.arg_parser.checks import invalid_combination, type_name
from tensorglass.ops.creation.factory import Place, size_tuple
from tensorglass.ops.creation.factory import new as new_in
from tensorglass.ops.creation.from_memory import on_storage
from tensorglass.ops.creation.tensor import copied
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.view_nodes import alias
from tensorglass.storage.storage import UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import on_plain_self


def construct(dtype: DType | None, arguments: tuple[Any, ...], /, *, device: Any = None, **unknown: Any) -> Tensor:
    """What an old constructor of this dtype makes of its arguments; None is `Tensor`, of the default dtype.

    They know the keywords `data` or `size`, and `device`; `dtype` and `requires_grad` are younger than they are.
    """
    if not arguments and unknown.keys() in ({"data"}, {"size"}):
        [(name, given)] = unknown.items()
        return construct(dtype, (Size(given) if name == "size" else given,), device=device)
    if unknown:
        raise explained(
            invalid_combination("new", arguments, keywords=unknown),
            f"Write torch.tensor(…, {next(iter(unknown))}=…): the class is the old way to make a tensor.",
            notebook="2/02 Creating tensors",
        )
    if device is not None and as_device(device).type != "cpu":
        raise explained(
            RuntimeError(f"legacy constructor expects device type: cpu but device type: {device} was passed"),
            "torch.tensor(data, device=…) and torch.empty(size, device=…) make tensors on any device.",
        )
    return _constructed(dtype, arguments, device)


def _constructed(dtype: DType | None, arguments: tuple[Any, ...], device: Any) -> Tensor:
    if len(arguments) == 1 and isinstance(arguments[0], Tensor):
        return _alias_of(dtype, arguments[0])
    dtype = dtype or dtypes.get_default_dtype()
    if len(arguments) == 1:
        data = arguments[0]
        if isinstance(data, TypedStorage | UntypedStorage):
            return _on_storage(dtype, data)
        if isinstance(data, Size):
            return _empty_of_size(dtype, tuple(data), device)
        if not _is_length(data):
            if isinstance(data, dict) or not hasattr(data, "__len__") or not hasattr(data, "__getitem__"):
                raise TypeError(f"new(): data must be a sequence (got {type_name(data)})")
            if hasattr(data, "__array_interface__"):  # sic: an array's memory is shared
                return as_tensor(data, dtype=dtype, device=device)
            return copied("new", data, {"dtype": dtype, "device": device})
    if not all(map(_is_length, arguments)):
        raise explained(
            invalid_combination("new", arguments), "Write torch.tensor([...]) for data, torch.empty(...) for a size."
        )
    return _empty_of_size(dtype, size_tuple("new", arguments) or (0,), device)


def _is_length(given: Any) -> bool:
    try:
        return not isinstance(given, bool) and index(given) is not None
    except TypeError:
        return False


def _alias_of(dtype: DType | None, tensor: Tensor) -> Tensor:
    """Another header on a tensor's storage, detached from it."""
    if dtype is not None and dtype is not tensor._dtype:
        raise explained(TypeError(f"expected {dtype!r} (got {tensor._dtype!r})"), "x.to(dtype) converts.")
    return on_plain_self(alias)(tensor)


def _empty_of_size(dtype: DType, size: tuple[int, ...], device: Any) -> Tensor:
    return new_in(size, Place(dtype, as_device(device), False))


def _on_storage(dtype: DType, storage: TypedStorage | UntypedStorage) -> Tensor:
    """A tensor of all elements of a storage, which it shares."""
    if isinstance(storage, TypedStorage) and storage.dtype is not dtype:
        raise explained(
            RuntimeError(
                f"Expected a Storage of type {dtype.scalar_type} or an UntypedStorage, but got type "
                f"{storage.dtype.scalar_type} for argument 1 'storage'"
            ),
            f"torch.tensor([], dtype={storage.dtype!r}).set_(storage) makes a tensor of the storage's dtype.",
        )
    return on_storage(storage.untyped(), dtype, 1)  # PyTorch makes it by set_, which counts as a write


def _set_elements(self: TypedStorage, index: int | slice, value: Any) -> None:
    """Write elements of a typed storage, as to a tensor; it does not count as a write."""
    _on_storage(self.dtype, self)[index] = value


TypedStorage.__setitem__ = _set_elements  # type: ignore[method-assign]  # attached: storages know no tensors


def _construct_default(cls: builtins.type[Tensor], *arguments: Any, **keywords: Any) -> Tensor:
    result = construct(None, arguments, **keywords)
    if cls is not Tensor:
        result.__class__ = cls
    return result


Tensor.__new__ = _construct_default  # type: ignore[assignment, method-assign]  # attached, as the operators are


class _OldTensorType(builtins.type):
    """The type of `FloatTensor` and its siblings, whose instances are the tensors of their dtype."""

    dtype: DType

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance._dtype is cls.dtype

    def __call__(cls, *arguments: Any, **keywords: Any) -> Tensor:
        return construct(cls.dtype, arguments, **keywords)

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


class _OldTensor(metaclass=_OldTensorType):
    dtype: ClassVar[DType]


FloatTensor = _OldTensorType("FloatTensor", (_OldTensor,), {"dtype": dtypes.float32})
DoubleTensor = _OldTensorType("DoubleTensor", (_OldTensor,), {"dtype": dtypes.float64})
HalfTensor = _OldTensorType("HalfTensor", (_OldTensor,), {"dtype": dtypes.float16})
BFloat16Tensor = _OldTensorType("BFloat16Tensor", (_OldTensor,), {"dtype": dtypes.bfloat16})
LongTensor = _OldTensorType("LongTensor", (_OldTensor,), {"dtype": dtypes.int64})
IntTensor = _OldTensorType("IntTensor", (_OldTensor,), {"dtype": dtypes.int32})
ShortTensor = _OldTensorType("ShortTensor", (_OldTensor,), {"dtype": dtypes.int16})
CharTensor = _OldTensorType("CharTensor", (_OldTensor,), {"dtype": dtypes.int8})
ByteTensor = _OldTensorType("ByteTensor", (_OldTensor,), {"dtype": dtypes.uint8})
BoolTensor = _OldTensorType("BoolTensor", (_OldTensor,), {"dtype": dtypes.bool})


class _CudaTensorType(_OldTensorType):
    """The type of ``torch.cuda.FloatTensor`` and its siblings, whose instances lie on a GPU."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) and instance.device.type == "cuda"

    def __call__(cls, *arguments: Any, **keywords: Any) -> Tensor:
        family = backends.family("cuda")
        if family is None or not family.count():
            raise TypeError(f"type torch.cuda.{cls.__name__} not available. Torch not compiled with CUDA enabled.")
        return construct(cls.dtype, arguments, **keywords).to("cuda")

    def __repr__(cls) -> str:
        return f"<class 'torch.cuda.{cls.__name__}'>"


class _CudaTensor(metaclass=_CudaTensorType):
    dtype: ClassVar[DType]


def of_cuda() -> dict[str, _CudaTensorType]:
    """``torch.cuda.FloatTensor`` and its siblings, by name."""
    names = {old.__name__: old.dtype for old in _OldTensor.__subclasses__()}
    return {name: _CudaTensorType(name, (_CudaTensor,), {"dtype": dtype}) for name, dtype in names.items()}


_BY_NAME = {f"torch.{old.__name__}": old.dtype for old in _OldTensor.__subclasses__()}
_BY_NAME |= {f"torch.{dtype.scalar_type}Tensor": dtype for dtype in dtypes.WIDE_UNSIGNED}  # names without constructors
_BY_NAME["torch.Tensor"] = dtypes.float32


@operator("creation", function=False, signatures=None)
def new(self: Tensor, *arguments: Any, size: Any = None, device: Any = None) -> Tensor:
    """What the old constructor of this tensor's dtype makes: ``x.new(2, 3)``, ``x.new([1, 2])``."""
    return _constructed(self._dtype, arguments if size is None else (Size(size),), device or self.device)


@operator("copy", function=False)
def type(
    self: Tensor,
    dtype: Any = None,
    non_blocking: bool = False,
    *,
    memory_format: formats.memory_format | None = formats.preserve_format,
) -> Any:
    """The name of the old class, "torch.FloatTensor"; given a dtype, an old class or its name, the tensor converted."""
    if dtype is None:
        return f"torch.{'meta.' if self.is_meta else ''}{self._dtype.scalar_type}Tensor"
    if isinstance(dtype, str):
        if dtype not in _BY_NAME:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = _BY_NAME[dtype]
    elif isinstance(dtype, _OldTensorType):
        dtype = dtype.dtype
    elif dtype is Tensor:
        dtype = dtypes.get_default_dtype()
    elif not isinstance(dtype, DType):
        raise TypeError("dtype must be a type, str, or dtype object")
    return self.to(dtype, memory_format=memory_format or formats.preserve_format)
