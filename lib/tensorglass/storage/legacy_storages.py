"""The old storage classes, one a dtype: FloatStorage, LongStorage and their siblings.

They have no instances: ``FloatStorage(3)`` makes a `TypedStorage` of float32, and
``isinstance(storage, FloatStorage)`` asks a typed storage for its dtype.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.storage.storage import UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage, combination, warn_of_removal


class _OldStorageType(type):
    """The type of `FloatStorage` and its siblings, whose instances are the typed storages of their dtype."""

    dtype: DType

    def __instancecheck__(cls, instance: Any) -> bool:
        return type(instance) is TypedStorage and instance.dtype is cls.dtype

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


class _OldStorage(metaclass=_OldStorageType):
    dtype: ClassVar[DType]

    def __new__(cls, *arguments: Any, wrap_storage: UntypedStorage | None = None, **keywords: Any) -> Any:
        warn_of_removal(stacklevel=3)
        wrong = combination(f"{cls!r}.__new__")
        if keywords.keys() - {"dtype", "device"}:
            unknown = min(keywords.keys() - {"dtype", "device"})
            raise TypeError(f"TypedStorage.__new__() got an unexpected keyword argument '{unknown}'")
        if keywords or len(arguments) > 1 or (arguments and wrap_storage is not None):
            raise RuntimeError(wrong)
        if wrap_storage is not None:
            if not isinstance(wrap_storage, UntypedStorage):
                raise TypeError(wrong)
            return TypedStorage._of(wrap_storage, cls.dtype)
        if arguments and hasattr(arguments[0], "untyped_storage"):
            raise TypeError(wrong)
        if arguments and not isinstance(arguments[0], int | Iterable):
            raise TypeError(wrong)
        return TypedStorage(*arguments, dtype=cls.dtype)

    @classmethod
    def from_buffer(cls, buffer: Any, byte_order: str = "", count: int = -1, offset: int = 0) -> TypedStorage:
        """A storage with a copy of `count` elements of a buffer, from byte `offset` on (-1: all of them)."""
        untyped = UntypedStorage.from_buffer(buffer, byte_order, count=count, offset=offset, dtype=cls.dtype)
        return TypedStorage._of(untyped, cls.dtype)

    @classmethod
    def _new_shared(cls, size: int) -> TypedStorage:
        """A storage of `size` new elements in shared memory."""
        return TypedStorage._of(UntypedStorage._new_shared(size * cls.dtype.itemsize), cls.dtype)

    from_file = vars(TypedStorage)["from_file"]  # the same method, on a class that has a dtype


class FloatStorage(_OldStorage):
    dtype = dtypes.float32


class DoubleStorage(_OldStorage):
    dtype = dtypes.float64


class HalfStorage(_OldStorage):
    dtype = dtypes.float16


class BFloat16Storage(_OldStorage):
    dtype = dtypes.bfloat16


class LongStorage(_OldStorage):
    dtype = dtypes.int64


class IntStorage(_OldStorage):
    dtype = dtypes.int32


class ShortStorage(_OldStorage):
    dtype = dtypes.int16


class CharStorage(_OldStorage):
    dtype = dtypes.int8


class ByteStorage(_OldStorage):
    dtype = dtypes.uint8


class BoolStorage(_OldStorage):
    dtype = dtypes.bool


class ComplexFloatStorage(_OldStorage):
    dtype = dtypes.complex64


class ComplexDoubleStorage(_OldStorage):
    dtype = dtypes.complex128


#: The old class of each dtype.
OLD_CLASSES = {old.dtype: old for old in _OldStorage.__subclasses__()}
