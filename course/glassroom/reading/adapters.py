"""One adapter per array library: a live tensor in, a plain description of its header and its memory out.

No adapter imports the library that it reads: whoever holds one of its tensors has imported it already, so it is found
in `sys.modules`. An adapter reads through the library's public, PyTorch-compatible names, and reads bytes only when
asked.
"""

from __future__ import annotations

import ctypes
import sys
import weakref
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from math import prod
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from glassroom.reading.guarded import Declared, is_a, message_of, name_of_class, refuse_at_shutdown
from glassroom.reading.storage_names import Memory, Pages, namer
from glassroom.translations.templates import word
from tensorglass import memory as tensorglass_memory

TEACHING = "show takes tensorglass and PyTorch tensors, NumPy and CuPy arrays, and lists and dicts of them"


_IN_SEVERAL = "it keeps its values in several tensors; show those, for example t.indices() and t.values()"
_WHERE = {
    "torch._mkldnn": "oneDNN keeps its values, at an address that PyTorch does not tell; show t.to_dense(), a copy",
    "torch.jagged": "it keeps its values in several tensors; show those, t.values() and t.offsets()",
}


@dataclass(frozen=True)
class Description:
    """What an adapter knows of one tensor: `pointer` is its first element's address, `strides` are bytes."""

    memory: Memory
    pointer: int
    size: tuple[int, ...]
    strides: tuple[int, ...]
    storage_offset: int | None
    dtype: str
    itemsize: int
    library: str
    contiguous: bool
    version: int | None
    requires_grad: bool
    base: object
    conjugated: bool = False
    negated: bool = False
    byte_order: str = "="


class Adapter(Protocol):
    """Reads the tensors of one library."""

    def accepts(self, value: object) -> bool:
        """Whether `value` is a tensor of this library."""

    def describe(self, value: Any) -> Description:
        """Describe `value`; raises TypeError if it has no memory that could be drawn."""


class TensorAdapter:
    """Tensors of tensorglass and of PyTorch: the same public names serve both."""

    def __init__(self, library: str) -> None:
        self.library = library

    def accepts(self, value: object) -> bool:
        tensor_class = getattr(sys.modules.get(self.library), "Tensor", None)
        # The class itself is asked: isinstance may run the object's own `__class__`.
        return tensor_class is not None and issubclass(type(value), tensor_class)

    def describe(self, value: Any) -> Description:
        try:
            if is_plain(value):
                why_not = self._why_not(value, value)
                if why_not is None:
                    return self._described(value)
            else:
                with without_overrides(self.library), without_modes(self.library):
                    seen = Declared(value, sys.modules[self.library].Tensor)
                    why_not = self._why_not(value, seen)
                    if why_not is None:
                        return self._described(seen)
        except Exception as error:  # a wrapper tensor hides its parts behind code that may raise anything
            first_line = message_of(error, "it cannot be read").partition("\n")[0]
            why_not = f"a {name_of_class(value)} without memory: {first_line}"
        raise TypeError(f"show cannot draw {why_not}")

    def _described(self, value: Any) -> Description:
        storage = value.untyped_storage()
        version = _version(value)
        itemsize = value.element_size()
        offset = value.storage_offset()
        return Description(
            memory=self._memory(storage, str(value.device), version),
            pointer=storage.data_ptr() + offset * itemsize,
            size=tuple(value.shape),
            strides=tuple(step * itemsize for step in value.stride()),
            storage_offset=offset,
            dtype=str(value.dtype).removeprefix("torch."),
            itemsize=itemsize,
            library=self.library,
            contiguous=value.is_contiguous(),
            version=version,
            requires_grad=bool(value.requires_grad),
            base=value._base,
            conjugated=_flag(value, "is_conj"),
            negated=_flag(value, "is_neg"),
        )

    def _why_not(self, tensor: Any, value: Any) -> str | None:
        """Why a tensor has no bytes to draw; None if it has some. `value` is the tensor as its library declares it."""
        if value is not tensor and is_uninitialized(tensor):
            return f"a {name_of_class(tensor)} without memory: it waits for its size"
        if value is not tensor and is_fake(tensor):  # before its storage is read: PyTorch warns of that
            return f"a {name_of_class(tensor)} without memory: it stands for a tensor of its size and dtype"
        if str(value.device).startswith("meta"):
            return f"a meta tensor, {without_data(tensor)}"
        layout = str(getattr(value, "layout", "torch.strided"))
        if layout != "torch.strided":
            return f"a tensor of layout {layout}: {_WHERE.get(layout, _IN_SEVERAL)}"
        if getattr(value, "is_quantized", False) and "x" in str(value.dtype):  # it may have several elements in a byte
            return "a quantized tensor: show t.int_repr(), the integers that it stores"
        storage = value.untyped_storage()
        if storage.nbytes() and not storage.data_ptr():
            return f"a {name_of_class(tensor)} without memory: its storage is at no address"
        return None

    def _memory(self, storage: Any, device: str, version: int | None) -> Memory:
        def read(start: int, end: int) -> bytes:
            if device == "cpu":  # a slice would be a storage of its own, and counted as one
                return ctypes.string_at(storage.data_ptr() + start, end - start)
            peek = getattr(getattr(storage, "backend", None), "peek", None)
            if peek is not None:  # on a simulated device, so that looking transfers nothing
                return peek(storage.buffer, start, end)
            return bytes(storage[start:end].tolist())

        if self.library == "tensorglass":
            reference: Callable[[], Any] = weakref.ref(storage)
            identity: Hashable = key_of(storage)
        else:
            torch = sys.modules["torch"]
            # A weak reference to PyTorch's StorageImpl: its address is not reused while we hold this.
            weak = torch.multiprocessing.reductions.StorageWeakRef(storage)
            reference = lambda: torch.UntypedStorage._new_with_weak_ptr(weak.cdata)  # noqa: E731  # one of a pair
            identity = ("torch", weak.cdata)

        def extent() -> tuple[int, int] | None:
            held = reference()
            return None if held is None else (held.data_ptr(), held.data_ptr() + held.nbytes())

        return Memory(
            device=device,
            start=storage.data_ptr(),
            nbytes=storage.nbytes(),
            identity=identity,
            extent=extent,
            read=Pages(read, storage.nbytes()),
            new_name=self._namer(reference),
            version=version,
        )

    def _namer(self, reference: Callable[[], Any]) -> Callable[[], str]:
        return namer(reference) if self.library == "tensorglass" else tensorglass_memory.next_name


class NumpyAdapter:
    """NumPy arrays: the storage is the memory of the array at the end of the `.base` chain."""

    library = "numpy"

    def accepts(self, value: object) -> bool:
        return issubclass(type(value), np.ndarray)

    def describe(self, value: np.ndarray) -> Description:
        return self._described(value, Declared(value, np.ndarray))

    def _described(self, array: np.ndarray, value: Any) -> Description:
        if value.dtype.kind in "OSUVTMm" and value.dtype.name != "bfloat16":
            raise TypeError(
                f"show cannot draw an array of dtype {value.dtype}: its cells are not numbers"
                + (", they are references to Python objects elsewhere" if value.dtype.kind == "O" else "")
            )
        owner, base = owner_and_base(array)
        tensor_adapter = next((adapter for adapter in _TENSOR_ADAPTERS if adapter.accepts(base)), None)
        memory = self._memory(owner) if tensor_adapter is None else tensor_adapter.describe(base).memory
        pointer = value.__array_interface__["data"][0]
        elements, rest = divmod(pointer - memory.start, value.itemsize)
        return Description(
            memory=memory,
            pointer=pointer,
            size=value.shape,
            strides=value.strides,
            storage_offset=None if rest else elements,
            dtype=value.dtype.name,
            itemsize=value.itemsize,
            library=self.library,
            contiguous=value.flags.c_contiguous,
            version=None,
            requires_grad=False,
            base=value.base,
            byte_order=value.dtype.byteorder,
        )

    def _memory(self, owner: np.ndarray) -> Memory:
        start, end = _bounds(owner)
        reference = weakref.ref(owner)

        def extent() -> tuple[int, int] | None:
            held = reference()
            return None if held is None else _bounds(held)

        def read(first: int, last: int) -> bytes:
            if reference() is None:
                raise ReferenceError("the array is gone")
            return ctypes.string_at(start + first, last - first)

        return Memory(
            device="cpu",
            start=start,
            nbytes=end - start,
            identity=("numpy", id(owner)),
            extent=extent,
            read=Pages(read, end - start),
            new_name=tensorglass_memory.next_name,
        )


def owner_and_base(array: np.ndarray) -> tuple[np.ndarray, object]:
    """The array at the end of the chain of bases, and what that one's memory belongs to; None if it is its own."""
    owner, base = array, np.ndarray.base.__get__(array)
    while is_a(base, np.ndarray):
        owner, base = base, np.ndarray.base.__get__(base)
    return owner, base


class CupyAdapter:
    """CuPy arrays: the storage is the allocation that the array's memory pointer points into."""

    library = "cupy"

    def accepts(self, value: object) -> bool:
        array_class = getattr(sys.modules.get("cupy"), "ndarray", None)
        return array_class is not None and issubclass(type(value), array_class)

    def describe(self, value: Any) -> Description:
        cupy: ModuleType = sys.modules["cupy"]
        allocation = value.data.mem
        reference = weakref.ref(value)  # CuPy's memory does not support weak references, but its arrays do
        start, end = allocation.ptr, allocation.ptr + allocation.size

        def read(first: int, last: int) -> bytes:
            where = cupy.cuda.MemoryPointer(allocation, first)
            return cupy.ndarray((last - first,), cupy.uint8, memptr=where).get().tobytes()

        memory = Memory(
            device=f"cuda:{value.device.id}",
            start=start,
            nbytes=allocation.size,
            identity=("cupy", id(allocation)),
            extent=lambda: None if reference() is None else (start, end),
            read=Pages(read, allocation.size),
            new_name=tensorglass_memory.next_name,
        )
        elements, rest = divmod(value.data.ptr - allocation.ptr, value.itemsize)
        return Description(
            memory=memory,
            pointer=value.data.ptr,
            size=value.shape,
            strides=value.strides,
            storage_offset=None if rest else elements,
            dtype=value.dtype.name,
            itemsize=value.itemsize,
            library=self.library,
            contiguous=value.flags.c_contiguous,
            version=None,
            requires_grad=False,
            base=value.base,
        )


_TENSOR_ADAPTERS = (TensorAdapter("tensorglass"), TensorAdapter("torch"))
ADAPTERS: tuple[Adapter, ...] = (*_TENSOR_ADAPTERS, NumpyAdapter(), CupyAdapter())


@dataclass(frozen=True, slots=True)
class _Kind:
    """What is known of a class: its adapter, its library if it has autograd, and whether it is the library's own class
    of tensors or of parameters.
    """

    reference: weakref.ref[type] | None = None
    adapter: Adapter | None = None
    library: str | None = None
    is_own: bool = False


_OF_NO_TENSOR = _Kind()
_known_kinds: dict[int, _Kind] = {}  # by the ids of classes, since a metaclass may make classes equal


def _kind_of(value: object) -> _Kind:
    kind = type(value)
    known = _known_kinds.get(id(kind))
    if known is None or known.reference is None or known.reference() is not kind:
        adapter = next((candidate for candidate in ADAPTERS if candidate.accepts(value)), None)
        library = adapter.library if type(adapter) is TensorAdapter else None
        is_own = library is not None and any(kind is own for own in _own_classes(library))
        known = _Kind(weakref.ref(kind, partial(_forget, id(kind))), adapter, library, is_own)
        _known_kinds[id(kind)] = known
    # While Python is shutting down, libraries are gone before their tensors.
    return known if known.library is None or known.library in sys.modules else _OF_NO_TENSOR


def _own_classes(library: str) -> tuple[object, object]:
    parameters = getattr(sys.modules.get(f"{library}.nn.parameter"), "Parameter", None)
    return sys.modules[library].Tensor, parameters


def _forget(number: int, _: object) -> None:
    _known_kinds.pop(number, None)


def adapter_for(value: object) -> Adapter | None:
    """The adapter that reads `value`, or None if it is no tensor."""
    return _kind_of(value).adapter


def library_of(tensor: object) -> str | None:
    """The library of a tensor with autograd, "tensorglass" or "torch"; None for anything else."""
    return _kind_of(tensor).library


def is_plain(tensor: Any) -> bool:
    """Whether this is a strided tensor or parameter of its library's own class with nothing set on it, which no
    function mode watches: reading its attributes runs the library's code alone.
    """
    known = _kind_of(tensor)
    if not known.is_own or tensor.__dict__:
        return False
    if known.library == "tensorglass":  # which has no modes, and no other layouts
        return True
    torch = sys.modules["torch"]
    try:
        return (
            not torch._C._len_torch_function_stack()
            and tensor.layout is torch.strided
            and not (tensor.is_quantized or tensor.is_nested)
        )
    except RuntimeError:  # within a transformation of functions
        return False


def described(tensor: object) -> Description:
    """The description of a tensor. Raises TypeError for anything else, or if it has no memory that could be drawn."""
    refuse_at_shutdown()
    adapter = adapter_for(tensor)
    if adapter is None:
        raise TypeError(word(f"{TEACHING}, not {name_of_class(tensor)}"))
    return adapter.describe(tensor)


def described_if_there(tensor: object) -> Description | None:
    """The description of a tensor; None for anything else, or if it has no readable memory."""
    try:
        return None if sys.is_finalizing() else described(tensor)
    except TypeError:
        return None


def is_on_meta(tensor: Any) -> bool:
    """Whether a tensor is on the meta device, and so only a header."""
    library = library_of(tensor)
    assert library is not None
    with without_overrides(library), without_modes(library):
        return str(declared(tensor).device).startswith("meta")


def needed_by(tensor: Any) -> int:
    """The bytes that the elements of a tensor on meta would need."""
    plain = declared(tensor)
    return prod(plain.shape) * int(plain.element_size())


def without_data(tensor: Any) -> str:
    """A tensor on meta in words: `on meta: no data, 24 bytes needed`."""
    nbytes = needed_by(tensor)
    return f"on meta: no data, {nbytes:,} {'byte' if nbytes == 1 else 'bytes'} needed"


def declared(tensor: Any) -> Any:
    """A tensor of tensorglass or PyTorch, read by its library's own attributes, not by a subclass's overrides."""
    library = library_of(tensor)
    assert library is not None
    return Declared(tensor, sys.modules[library].Tensor)


def is_fake(tensor: object) -> bool:
    """Whether this is one of PyTorch's fake tensors, which `torch.compile` makes and keeps."""
    module = sys.modules.get("torch._subclasses.fake_tensor")
    return module is not None and issubclass(type(tensor), module.FakeTensor)


def is_uninitialized(tensor: Any) -> bool:
    """Whether a parameter has no size yet, as those of lazy modules."""
    modules = (sys.modules.get(f"{adapter.library}.nn.parameter") for adapter in _TENSOR_ADAPTERS)
    waiting = [getattr(module, "UninitializedTensorMixin", None) for module in modules]
    return is_a(tensor, tuple(filter(None, waiting)))


def key_of(storage: Any) -> Hashable:
    """The key of a tensorglass storage's memory, valid as long as it lives."""
    return "tensorglass", id(storage)


def without_overrides(library: str) -> AbstractContextManager[object]:
    """A context in which no `__torch_function__` of a class or mode sees what is read.

    PyTorch's blocks are C objects, which end at an interrupt whenever it comes. A generator around them would keep them
    on as long as the traceback is kept.
    """
    c = sys.modules[library]._C
    # tensorglass is not asked for the other name: to answer that it has none takes it long.
    switch = None if library == "tensorglass" else getattr(c, "DisableTorchFunction", None)
    block: AbstractContextManager[object] = (switch or c.DisableTorchFunctionSubclass)()
    return block


def without_modes(library: str) -> AbstractContextManager[object]:
    """A context in which no dispatch mode of PyTorch sees what is read."""
    c = sys.modules[library]._C
    if library == "torch" and c._len_torch_dispatch_stack():
        guard: AbstractContextManager[object] = c._ExcludeDispatchKeyGuard(c.DispatchKeySet(c.DispatchKey.Python))
        return guard
    return nullcontext()


def _bounds(array: np.ndarray) -> tuple[int, int]:
    plain = np.ndarray.view(array, np.ndarray)
    return np.lib.array_utils.byte_bounds(plain) if plain.size else (plain.ctypes.data, plain.ctypes.data)


def _version(tensor: Any) -> int | None:
    try:
        return tensor._version
    except RuntimeError:  # inference tensors have no version
        return None


def _flag(tensor: Any, question: str) -> bool:
    return bool(getattr(tensor, question, lambda: False)())
