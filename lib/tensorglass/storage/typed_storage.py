"""`TypedStorage`: a storage as elements of one dtype instead of bytes. PyTorch keeps it, deprecated, for old code.

A `TypedStorage` owns nothing: it reads and writes an `UntypedStorage`. But `s.byte()`, `s.long()` and the like convert
to a new storage. The old classes, one for each dtype, have no instances: ``FloatStorage(3)`` makes a `TypedStorage` of
float32, and ``isinstance(storage, FloatStorage)`` checks a typed storage's dtype.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from operator import index as as_index
from typing import TYPE_CHECKING, Any, ClassVar

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import Named, explained, type_name, warn
from tensorglass.storage.storage import UntypedStorage, _from_bytes


class TypedStorage(metaclass=Named, pytorchs="torch.storage.TypedStorage"):
    """A storage read as elements of one dtype.

    ``TypedStorage(3, dtype=torch.float32)`` has 3 uninitialized elements, ``TypedStorage([1, 2], dtype=…)`` these two,
    and ``TypedStorage(wrap_storage=untyped, dtype=…)`` is another view of bytes that exist. Methods that concern bytes,
    such as `nbytes` and `is_shared`, are forwarded to the untyped storage.
    """

    __slots__ = ("__weakref__", "_storage", "dtype")

    _storage: UntypedStorage
    dtype: DType

    def __init__(
        self,
        data: Any = 0,
        *,
        wrap_storage: UntypedStorage | None = None,
        dtype: DType | None = None,
        device: Device | str | None = None,
    ) -> None:
        warn_of_removal(stacklevel=3)
        self.dtype = dtypes.get_default_dtype() if dtype is None else dtypes.as_dtype(dtype)
        if wrap_storage is not None:
            if not isinstance(wrap_storage, UntypedStorage) or dtype is None:
                raise TypeError("TypedStorage is made of an UntypedStorage and a dtype")
            self._storage = wrap_storage
            return
        is_count = isinstance(data, int)
        if not is_count and (isinstance(data, str | bytes) or hasattr(data, "untyped_storage")):
            raise TypeError(f"TypedStorage is made of a length or a sequence of numbers, not of {type(data).__name__}")
        self._storage = UntypedStorage((data if is_count else len(data)) * self.dtype.itemsize, device=device)
        if not is_count:
            for index, element in enumerate(data):
                self[index] = element

    @classmethod
    def _of(cls, storage: UntypedStorage, dtype: DType) -> TypedStorage:
        self = object.__new__(cls)
        self._storage, self.dtype = storage, dtype
        return self

    def _array(self) -> Array:
        """The elements as the backend's array, sharing the bytes."""
        return self._storage.backend.array(self._storage.buffer, self.dtype, (self.size(),), (1,), 0)

    def __getattr__(self, name: str) -> Any:
        if name in _OF_BYTES:
            return getattr(self._storage, name)
        raise AttributeError(f"'torch.storage.TypedStorage' object has no attribute '{name}'")

    def untyped(self) -> UntypedStorage:
        """The bytes that this storage reads."""
        return self._storage

    _untyped_storage = property(untyped)  # the name that PyTorch's own code uses

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self._storage.nbytes()

    def size(self) -> int:
        """The number of elements."""
        return self._storage.nbytes() // self.dtype.itemsize

    __len__ = _size = size

    def data_ptr(self) -> int:
        """The address of the first byte. It is a method of this object: those of two storages are never equal."""
        return self._storage.data_ptr()

    def element_size(self) -> int:
        """Bytes an element."""
        return self.dtype.itemsize

    _dtype = property(lambda self: self.dtype)  # the name that older programs use

    def _is_shared(self) -> bool:
        return self._storage.is_shared()

    def _new_shared(self, size: int, *, device: Device | str | None = None) -> TypedStorage:
        """A storage of `size` elements in shared memory."""
        untyped = UntypedStorage._new_shared(size * self.dtype.itemsize, device="cpu" if device is None else device)
        return TypedStorage._of(untyped, self.dtype)

    def share_memory_(self) -> TypedStorage:
        """Move the bytes into shared memory, if they are the CPU's and not there yet. Not resizable from then on."""
        self._storage.share_memory_()
        return self

    def pin_memory(self, device: Device | str = "cuda") -> TypedStorage:
        """A copy in page-locked memory: an error where there is no accelerator."""
        return TypedStorage._of(self._storage.pin_memory(device), self.dtype)

    # --- elements ------------------------------------------------------------------------------------------------

    def __getitem__(self, index: int) -> Any:
        if isinstance(index, slice):
            raise explained(
                RuntimeError("slices are only supported in UntypedStorage.__getitem__"),
                "Take a slice of a tensor on this storage, or of untyped(), which counts bytes.",
            )
        self._storage.check_has_bytes()
        return _plain(self._array()[as_index(index)])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """The elements as a list of Python numbers."""
        self._storage.check_has_bytes()
        return _plain(self._storage.backend.to_host(self._array()))

    if TYPE_CHECKING:  # attached by `legacy_constructors`: elements are written as a tensor's are

        def __setitem__(self, index: int | slice, value: Any) -> None: ...

    def fill_(self, value: Any) -> TypedStorage:
        """Set every element to `value`."""
        self[:] = value
        return self

    def copy_(self, source: TypedStorage | UntypedStorage, non_blocking: bool = False) -> TypedStorage:
        """Overwrite the bytes with those of `source`, a storage of as many bytes. Nothing is converted."""
        self._storage.copy_(source.untyped() if isinstance(source, TypedStorage) else source, non_blocking)
        return self

    def resize_(self, size: int) -> None:
        """Make this storage `size` elements long, keeping what fits."""
        self._storage.resize_(size * self.dtype.itemsize)

    # --- copies and conversions ----------------------------------------------------------------------------------

    def clone(self) -> TypedStorage:
        """A new storage with the same elements."""
        return TypedStorage._of(self._storage.clone(), self.dtype)

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> TypedStorage:
        return TypedStorage._of(self._storage.__deepcopy__(memo), self.dtype)

    def cuda(self, device: Device | str | int | None = None, non_blocking: bool = False) -> TypedStorage:
        """This storage if it is on the GPU, else a copy of it there."""
        moved = self._storage.cuda(device, non_blocking)
        return self if moved is self._storage else TypedStorage._of(moved, self.dtype)

    def cpu(self) -> TypedStorage:
        """This storage if it is on the CPU, else a copy of it there."""
        return self.to(device="cpu")

    def to(self, *, device: Device | str, non_blocking: bool = False) -> TypedStorage:
        """This storage if it is on `device`, else a copy of it there."""
        moved = self._storage.to(device=device, non_blocking=non_blocking)
        return self if moved is self._storage else TypedStorage._of(moved, self.dtype)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the old class, "torch.FloatStorage"; given one of these, or its name, a conversion to it."""
        if dtype is None:
            name = f"torch.{self.dtype.scalar_type}Storage"
            return name if name in _BY_NAME else "torch.storage.TypedStorage"  # uint16 and wider have no old class
        wanted = _BY_NAME.get(dtype) if isinstance(dtype, str) else getattr(dtype, "dtype", None)
        if wanted is None:
            raise ValueError(f"invalid type: {dtype!r}")
        return self if wanted is self.dtype else self._converted(wanted)

    def _converted(self, dtype: DType) -> TypedStorage:
        """A new storage with the elements converted: fractions are truncated, and any nonzero value becomes True."""
        if self.dtype.is_complex and not dtype.is_complex and dtype is not dtypes.bool:
            warn("Casting complex values to real discards the imaginary part")
        backend, device = self._storage.backend, self._storage.device
        converted = TypedStorage._of(UntypedStorage.allocate(backend, device, self.size() * dtype.itemsize), dtype)
        backend.launch(_assign, converted._array(), self._array())
        return converted

    def __repr__(self) -> str:
        lines = "..." if self.device.type == "meta" else " " + "\n ".join(map(str, self.tolist()))
        return f"{lines}\n[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {len(self)}]"


_OF_BYTES = (
    "_cdata", "data_ptr", "device", "filename", "get_device", "is_cuda", "is_pinned", "is_shared", "is_sparse",
    "nbytes", "resizable",
)  # fmt: skip


def _assign(xp: Any, target: Array, source: Array) -> None:
    target[...] = source.real if source.dtype.kind == "c" != target.dtype.kind else source


def _plain(elements: Array) -> Any:
    """An array, or one element of it, as Python's own numbers."""
    if elements.dtype.itemsize == 2 and elements.dtype.kind not in "iu":
        elements = elements.astype("float32")  # exact; bfloat16 has no Python number of its own
    return elements.tolist()


_warned = False


def warn_of_removal(stacklevel: int) -> None:
    """Warn, the first time in a process, that typed storages will go."""
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
            "class. This should only matter to you if you are using storages directly.  To access UntypedStorage "
            "directly, use tensor.untyped_storage() instead of tensor.storage()",
            UserWarning,
            stacklevel=stacklevel,
        )


# --- conversions by name, of typed storages and of bytes --------------------------------------------------------------


def _conversion(name: str, dtype: DType) -> Any:
    def convert(self: TypedStorage | UntypedStorage) -> TypedStorage:
        typed = self if isinstance(self, TypedStorage) else TypedStorage._of(self, dtypes.uint8)
        return typed._converted(dtype)

    convert.__name__ = name
    convert.__doc__ = f"A new typed storage with the elements (of an untyped storage, the bytes) as {dtype.name}."
    return convert


for _dtype, _name in {
    dtypes.uint8: "byte", dtypes.int8: "char", dtypes.int16: "short", dtypes.int32: "int", dtypes.int64: "long",
    dtypes.float16: "half", dtypes.bfloat16: "bfloat16", dtypes.float32: "float", dtypes.float64: "double",
    dtypes.bool: "bool", dtypes.complex64: "complex_float", dtypes.complex128: "complex_double",
}.items():  # fmt: skip
    for _kind in (TypedStorage, UntypedStorage):
        setattr(_kind, _name, _conversion(_name, _dtype))


# --- the old classes -------------------------------------------------------------------------------------------------


class _OldStorageType(type):
    """The type of `FloatStorage` and its siblings, whose instances are the typed storages of their dtype."""

    dtype: DType

    def __instancecheck__(cls, instance: Any) -> bool:
        return type(instance) is TypedStorage and instance.dtype is cls.dtype

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


class _OldStorage(metaclass=_OldStorageType):
    dtype: ClassVar[DType]

    def __new__(cls, data: Any = 0, *, wrap_storage: UntypedStorage | None = None) -> Any:
        warn_of_removal(stacklevel=3)
        return TypedStorage(data, wrap_storage=wrap_storage, dtype=cls.dtype)

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, size: int = 0) -> TypedStorage:
        """A storage on the first `size` elements of a file. If `shared`, writes go to the file."""
        return TypedStorage._of(UntypedStorage.from_file(filename, shared, size * cls.dtype.itemsize), cls.dtype)

    @classmethod
    def _new_shared(cls, size: int) -> TypedStorage:
        return TypedStorage._of(UntypedStorage._new_shared(size * cls.dtype.itemsize), cls.dtype)

    @classmethod
    def from_buffer(cls, buffer: Any, byte_order: str | None = None, count: int = -1, offset: int = 0) -> TypedStorage:
        """A storage with a copy of the bytes of a buffer, from `offset` on: all, or `count` elements.

        `byte_order` says how numbers of several bytes lie in it: "native", "little" or "big".
        """
        size = cls.dtype.itemsize
        if byte_order is None and size > 1:
            raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
        if byte_order not in (None, "native", "little", "big"):
            raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
        try:
            taken = bytes(memoryview(buffer))
        except TypeError:
            raise TypeError(f"a bytes-like object is required, not '{type_name(buffer)}'") from None
        if not 0 <= offset <= len(taken):
            raise ValueError(
                f"offset must be non-negative and no greater than buffer length ({offset}) , but got {len(taken)}"
            )
        if count < 0 and (len(taken) - offset) % size:
            raise ValueError(f"buffer size ({len(taken)}) must be a multiple of element size ({size})")
        end = len(taken) if count < 0 else offset + count * size
        if end > len(taken):
            raise ValueError(
                f"buffer has only {(len(taken) - offset) // size} elements after offset {offset}, but specified "
                f"a size of {count}"
            )
        untyped = _from_bytes(taken[offset:end], CPU)
        if byte_order not in (None, "native", sys.byteorder):
            untyped.byteswap(cls.dtype)
        return TypedStorage._of(untyped, cls.dtype)


FloatStorage = _OldStorageType("FloatStorage", (_OldStorage,), {"dtype": dtypes.float32})
DoubleStorage = _OldStorageType("DoubleStorage", (_OldStorage,), {"dtype": dtypes.float64})
HalfStorage = _OldStorageType("HalfStorage", (_OldStorage,), {"dtype": dtypes.float16})
BFloat16Storage = _OldStorageType("BFloat16Storage", (_OldStorage,), {"dtype": dtypes.bfloat16})
LongStorage = _OldStorageType("LongStorage", (_OldStorage,), {"dtype": dtypes.int64})
IntStorage = _OldStorageType("IntStorage", (_OldStorage,), {"dtype": dtypes.int32})
ShortStorage = _OldStorageType("ShortStorage", (_OldStorage,), {"dtype": dtypes.int16})
CharStorage = _OldStorageType("CharStorage", (_OldStorage,), {"dtype": dtypes.int8})
ByteStorage = _OldStorageType("ByteStorage", (_OldStorage,), {"dtype": dtypes.uint8})
BoolStorage = _OldStorageType("BoolStorage", (_OldStorage,), {"dtype": dtypes.bool})
ComplexFloatStorage = _OldStorageType("ComplexFloatStorage", (_OldStorage,), {"dtype": dtypes.complex64})
ComplexDoubleStorage = _OldStorageType("ComplexDoubleStorage", (_OldStorage,), {"dtype": dtypes.complex128})

#: The old class of each dtype.
OLD_CLASSES = {old.dtype: old for old in _OldStorage.__subclasses__()}
_BY_NAME = {f"torch.{old.__name__}": old.dtype for old in _OldStorage.__subclasses__()}
