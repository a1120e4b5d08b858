"""`TypedStorage`: a storage as elements of one dtype instead of bytes. PyTorch keeps it, deprecated, for old code.

A `TypedStorage` owns nothing: it reads and writes an `UntypedStorage`. But `s.byte()`, `s.long()` and the like convert,
which makes a new storage.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.devices import device as Device
from tensorglass.core.dtype_info import iinfo
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained, warn
from tensorglass.core.naming import Named, type_name
from tensorglass.storage.storage import UntypedStorage

_NAME = "<class 'torch.storage.TypedStorage'>"
#: The names of the old classes, which the wide unsigned types came too late for.
_OLD_NAMES = {each: f"{each.scalar_type}Storage" for each in dtypes.ALL if each not in dtypes.WIDE_UNSIGNED}
_BY_OLD_NAME = {f"torch.{name}": each for each, name in _OLD_NAMES.items()}


class TypedStorage(metaclass=Named, pytorchs="torch.storage.TypedStorage"):
    """A storage read as elements of one dtype.

    ``TypedStorage(3, dtype=torch.float32)`` has 3 uninitialised elements, ``TypedStorage([1, 2], dtype=…)`` these two,
    and ``TypedStorage(wrap_storage=untyped, dtype=…)`` is another view of bytes that exist.
    """

    __slots__ = ("__weakref__", "_storage", "dtype")

    _storage: UntypedStorage
    dtype: DType

    def __init__(
        self,
        *arguments: Any,
        wrap_storage: UntypedStorage | None = None,
        dtype: DType | None = None,
        device: Device | str | None = None,
    ) -> None:
        warn_of_removal(stacklevel=3)
        if dtype is not None and not isinstance(dtype, DType):
            if wrap_storage is None:
                raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
            raise TypeError(combination("TypedStorage.__init__"))
        if wrap_storage is not None:
            if not isinstance(wrap_storage, UntypedStorage):
                raise TypeError(combination("TypedStorage.__init__"))
            if arguments or device is not None or dtype is None:
                raise RuntimeError(combination("TypedStorage.__init__"))
            self._storage, self.dtype = wrap_storage, dtype
            return
        if len(arguments) > 1:
            raise RuntimeError(combination("TypedStorage.__init__"))
        self.dtype = dtypes.get_default_dtype() if dtype is None else dtype
        data = arguments[0] if arguments else 0
        if isinstance(data, int):
            self._storage = UntypedStorage(data * self.dtype.itemsize, device=device)
            return
        elements = _read_elements(data, self.dtype)
        self._storage = UntypedStorage(len(elements) * self.dtype.itemsize, device=device)
        for index, element in enumerate(elements):
            self._array()[index] = element

    @classmethod
    def _of(cls, storage: UntypedStorage, dtype: DType) -> TypedStorage:
        self = object.__new__(cls)
        self._storage, self.dtype = storage, dtype
        return self

    def _array(self) -> Array:
        """The elements as the backend's array, sharing the bytes."""
        return self._storage.backend.array(self._storage.buffer, self.dtype, (self.size(),), (1,), 0)

    # --- what it is ----------------------------------------------------------------------------------------------

    def untyped(self) -> UntypedStorage:
        """The bytes that this storage reads."""
        return self._storage

    _untyped_storage = property(untyped)  # the name that PyTorch's own code uses

    @property
    def _cdata(self) -> int:
        return self._storage._cdata

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def size(self) -> int:
        """The number of elements."""
        return self._storage.nbytes() // self.dtype.itemsize

    __len__ = size

    def nbytes(self) -> int:
        """The length in bytes."""
        return self._storage.nbytes()

    def element_size(self) -> int:
        """Bytes an element."""
        return self.dtype.itemsize

    def data_ptr(self) -> int:
        """The address of the first element; 0 for an empty storage."""
        return self._storage.data_ptr()

    @property
    def device(self) -> Device:
        return self._storage.device

    @property
    def is_cuda(self) -> bool:
        return self._storage.is_cuda

    is_sparse = False

    @property
    def filename(self) -> str | None:
        """The file that the bytes are, if what is written goes there."""
        return self._storage.filename

    def get_device(self) -> int | None:
        """The index of the accelerator that the bytes are on; None for the CPU."""
        return self._storage.get_device()

    def is_shared(self) -> bool:
        """Whether the bytes are in shared memory, in a file or on a GPU, where other processes may see them."""
        return self._storage.is_shared()

    def share_memory_(self) -> TypedStorage:
        """Move the bytes into shared memory, if they are the CPU's and not there yet. Not resizable from then on."""
        self._storage.share_memory_()
        return self

    def _new_shared(self, size: int, *, device: Device | str | None = None) -> TypedStorage:
        """A storage of `size` new elements of the same dtype in shared memory."""
        place = self.device if device is None else device
        return TypedStorage._of(UntypedStorage._new_shared(size * self.dtype.itemsize, device=place), self.dtype)

    @classmethod
    def from_file(cls, filename: str, shared: bool, size: int) -> TypedStorage:
        """The first `size` elements of a file. If `shared`, what is written goes there. Of the old classes alone."""
        if cls is TypedStorage:
            raise RuntimeError("from_file can only be called on derived classes")
        dtype: DType = vars(cls)["dtype"]  # an old class says it; a typed storage has a slot of that name
        return TypedStorage._of(UntypedStorage.from_file(filename, shared, size * dtype.itemsize), dtype)

    def is_pinned(self, device: Device | str | None = None) -> bool:
        """Whether the bytes are page-locked host memory, from which an accelerator copies faster."""
        return self._storage.is_pinned()

    def resizable(self) -> bool:
        """Whether `resize_` may change the length: not where others hold the bytes too."""
        return self._storage.resizable()

    def pin_memory(self, device: Device | str = "cuda") -> TypedStorage:
        """A copy in page-locked memory: an error where there is no accelerator."""
        return TypedStorage._of(self._storage.pin_memory(device), self.dtype)

    def pickle_storage_type(self) -> str:
        """The name of the old class of this dtype: "FloatStorage". KeyError for a dtype that has none."""
        if self.dtype not in _OLD_NAMES:
            raise KeyError(f"dtype {self.dtype} is not recognized")
        return _OLD_NAMES[self.dtype]

    # --- elements ------------------------------------------------------------------------------------------------

    def __getitem__(self, index: int) -> Any:
        if isinstance(index, slice):
            raise explained(
                RuntimeError("slices are only supported in UntypedStorage.__getitem__"),
                "Take a slice of a tensor on this storage, or of untyped(), which counts bytes.",
            )
        return _plain(self._array()[self._wrapped(index)])

    def _wrapped(self, index: Any) -> int:
        if type(index) is not int:
            kind = TypeError if isinstance(index, bool) else RuntimeError
            raise kind(f"can't index a {_NAME} with {type(index)}")
        if not -self.size() <= index < self.size():
            raise IndexError(f"index {index} out of range for storage of size {self.size()}")
        return index % self.size()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """The elements as a list of Python numbers."""
        return _plain(self._storage.backend.to_host(self._array()))

    if TYPE_CHECKING:  # attached by `legacy_constructors`: elements are written as those of a tensor

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
            return f"torch.{_OLD_NAMES.get(self.dtype, 'storage.TypedStorage')}"
        wanted = _BY_OLD_NAME.get(dtype) if isinstance(dtype, str) else getattr(dtype, "dtype", None)
        if wanted is None:
            raise ValueError(f"invalid type: {dtype!r}")
        return self if wanted is self.dtype else self._converted(wanted)

    def _converted(self, dtype: DType) -> TypedStorage:
        """A new storage with the elements converted: a fraction is cut off, what is not 0 is True."""
        if self.dtype.is_complex and not dtype.is_complex and dtype is not dtypes.bool:
            warn("Casting complex values to real discards the imaginary part")
        backend, device = self._storage.backend, self._storage.device
        converted = TypedStorage._of(UntypedStorage.allocate(backend, device, self.size() * dtype.itemsize), dtype)
        backend.launch(_assign, converted._array(), self._array())
        return converted

    # --- printing ------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        lines = "\n ".join(map(str, self.tolist()))
        return f" {lines}\n[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {len(self)}]"


def _assign(xp: Any, target: Array, source: Array) -> None:
    target[...] = source.real if source.dtype.kind == "c" != target.dtype.kind else source


def _plain(elements: Array) -> Any:
    """An array, or one element of it, as Python's own numbers."""
    if elements.dtype.itemsize == 2 and elements.dtype.kind not in "iu":
        elements = elements.astype("float32")  # exact; bfloat16 has no Python number of its own
    return elements.tolist()


def _read_elements(data: Any, dtype: DType) -> list[Any]:
    """The elements of a sequence, each converted to what an element of `dtype` can hold."""
    if isinstance(data, str | bytes):
        raise TypeError(f"new(): invalid data type '{type_name(data)}'")
    if not isinstance(data, Iterable) or hasattr(data, "untyped_storage"):
        raise TypeError(combination("TypedStorage.__init__"))
    elements = []
    for value in data:
        if not isinstance(value, int | float | complex) and not hasattr(value, "item"):
            raise TypeError(f"must be real number, not {type_name(value)}")
        elements.append(_element(value, dtype))
    return elements


def _element(value: Any, dtype: DType) -> Any:
    """`value`, a number or a tensor of one element, as an element of `dtype`; raises where it does not fit."""
    item = getattr(value, "item", None)
    number = value if item is None else item()
    if not isinstance(number, int | float | complex):
        raise TypeError(f"can't assign a {type_name(value)} to a torch.{dtype.scalar_type}Tensor")
    if dtype is dtypes.bool:
        return bool(number)
    if dtype.category != dtypes.INTEGER:
        return number
    whole = int(number)  # type: ignore[arg-type]  # a complex number raises Python's own TypeError
    limits = iinfo(dtype)
    if not (limits.min if dtype.is_signed else -limits.max) <= whole <= limits.max:
        raise explained(
            RuntimeError(f"value cannot be converted to type {dtype.name} without overflow"),
            f"{dtype!r} holds integers from {limits.min} to {limits.max}.",
        )
    return whole if dtype.is_signed else whole & limits.max


def combination(function: str) -> str:
    """PyTorch's message for arguments that fit none of a constructor's signatures."""
    return (
        f"{function} received an invalid combination of arguments. Expected one of:\n"
        " * no arguments\n * (int size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage)"
    )


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
