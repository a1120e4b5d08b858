"""A storage: one run of bytes on one device.

Tensors are headers on it. A storage knows nothing of sizes, strides or dtypes. It knows its length, how often it was
written (`version`), which tensors use it (weak references to its headers), and a short name for pictures. A tensor
keeps its storage alive, never the reverse.
"""

from __future__ import annotations

import builtins
import weakref
from collections.abc import Iterator, Sequence
from operator import index
from typing import Any

from tensorglass import backends, memory
from tensorglass.backends import Array, Backend
from tensorglass.backends import transfer_log as transfers
from tensorglass.backends.shared_blocks import SharedBlock, file_block, new_block
from tensorglass.core.devices import CPU, META, as_device, no_accelerator
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import Named, explained, type_name
from tensorglass.storage import sharing
from tensorglass.storage.headers import LookedAt

_pinned: weakref.WeakSet[UntypedStorage] = weakref.WeakSet()  # the storages in page-locked memory
_new = object.__new__
_OBJECT_SIZE = 32  # bytes of PyTorch's own object, which it adds for `sys.getsizeof`


class UntypedStorage(LookedAt, metaclass=Named, pytorchs="torch.storage.UntypedStorage"):
    """A run of bytes: ``UntypedStorage(8)`` has 8 uninitialized ones, ``UntypedStorage([1, 2])`` the bytes 1 and 2.

    Indexing reads and writes single bytes as ints in 0..255; a slice is a new storage object on the same bytes.

    >>> torch.tensor([1, 2]).untyped_storage().nbytes()
    16
    """

    __slots__ = ("__weakref__", "_array", "_buffer", "_nbytes", "backend", "device", "version")

    backend: Backend
    device: Device
    version: int  #: how many in-place writes went through tensors on it (those made by `.data` count their own)
    # Rarely changed fields have their defaults on the class, so that creating a storage takes fewer steps.
    is_ours: bool = True  #: whether this storage owns its bytes, and so may move them
    _name: str | None = None

    def __init__(self, data: int | Sequence[int] = 0, *, device: Device | str | None = None) -> None:
        if not isinstance(data, int | Sequence) or isinstance(data, str):
            raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {type_name(data)}")
        values = [] if isinstance(data, int) else [_read_byte(value) for value in data]
        nbytes = data if isinstance(data, int) else len(values)
        _check_length(nbytes)
        there = as_device(device)
        backend = backends.get(there)
        self._set_up(backend, there, nbytes, backend.allocate(nbytes, there), None, is_ours=True)
        for place, value in enumerate(values):
            self._buffer[place] = value

    def _set_up(
        self, backend: Backend, device: Device, nbytes: int, buffer: Array, array: Array, is_ours: bool
    ) -> None:
        self.backend = backend
        self.device = device
        self.version = 0
        if not is_ours:
            self.is_ours = False
        self._nbytes = nbytes
        self._buffer = buffer
        self._array = array
        self._headers = []
        memory.born(self, nbytes if is_ours and device is not META else 0)

    @classmethod
    def allocate(cls, backend: Backend, device: Device, nbytes: int, *, zeroed: bool = False) -> UntypedStorage:
        """A storage of `nbytes` new bytes: all 0 if `zeroed`, else uninitialized."""
        buffer = backend.allocate(nbytes, device, zeroed=zeroed)
        self = _new(cls)
        self._set_up(backend, device, nbytes, buffer, None, True)
        return self

    @classmethod
    def of_array(cls, backend: Backend, device: Device, array: Array, *, is_ours: bool = True) -> UntypedStorage:
        """A storage on the memory of a C-contiguous array: no bytes are copied."""
        self = _new(cls)
        self._set_up(backend, device, array.nbytes, None, array, is_ours)
        return self

    # --- the bytes -----------------------------------------------------------------------------------------------

    @property
    def buffer(self) -> Array:
        """The bytes as the backend's one-dimensional uint8 array."""
        if self._buffer is None:
            # Only views need this; most results of kernels are read through the array that the kernel returned.
            self._buffer = self.backend.buffer_of(self._array)
        return self._buffer

    def data_ptr(self) -> int:
        """The address of the first byte; 0 for an empty storage."""
        return self.backend.data_ptr(self.buffer)

    def nbytes(self) -> int:
        """The length in bytes."""
        return self._nbytes

    size = nbytes
    __len__ = nbytes

    def __sizeof__(self) -> int:
        return _OBJECT_SIZE + (0 if self.device is META else self._nbytes)

    @property
    def _cdata(self) -> int:
        """A number unique to this storage: programs compare it to see whether two tensors share their storage."""
        return id(self)

    def element_size(self) -> int:
        """1: an untyped storage's elements are bytes."""
        return 1

    @property
    def is_cuda(self) -> bool:
        return self.device.type == "cuda"

    is_sparse = False

    @property
    def filename(self) -> str | None:
        """The file that the bytes are mapped from, if writes go to that file."""
        block = sharing.block_of(self)
        return None if block is None else block.filename

    def get_device(self) -> int | None:
        """The index of the accelerator that the bytes are on; None for the CPU."""
        return None if self.device is CPU or self.device is META else self.device.index or 0

    def is_shared(self) -> bool:
        """Whether the bytes are in shared memory, in a file or on a GPU, where other processes may see them."""
        return self.is_cuda or sharing.block_of(self) is not None

    def share_memory_(self) -> UntypedStorage:
        """Move the bytes into shared memory, if they are the CPU's and not there yet. Not resizable from then on."""
        if self.device is META:
            raise RuntimeError("_share_fd_: only available on CPU")
        if self.device is CPU:
            sharing.share(self)
            _pinned.discard(self)
        return self

    @classmethod
    def _new_shared(cls, size: int, *, device: Device | str = "cpu") -> UntypedStorage:
        """A storage of `size` new bytes in shared memory."""
        return cls.on_block(new_block(size), is_new=True) if as_device(device) is CPU else cls(size, device=device)

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """A storage on the first `nbytes` bytes of a file. If `shared`, writes go to the file; else they stay in
        memory.

        If another process cuts the file short while it is mapped, the system ends this one (SIGBUS).
        """
        return cls.on_block(file_block(filename, shared, nbytes))

    @classmethod
    def on_block(cls, block: SharedBlock, *, is_new: bool = False) -> UntypedStorage:
        """A storage on a shared block. It counts as allocated by this process if the block `is_new`."""
        self = _new(cls)
        self._set_up(backends.get(CPU), CPU, len(block.array), block.array, None, is_ours=is_new)
        sharing.settle(self, block)
        return self

    def is_pinned(self, device: Device | str | None = None) -> bool:
        """Whether the bytes are page-locked host memory, from which an accelerator copies faster."""
        return self in _pinned

    def pin_memory(self, device: Device | str | None = None) -> UntypedStorage:
        """A copy in page-locked memory, or this storage if it is there already; an error without an accelerator."""
        if self.is_pinned():
            return self
        copy = UntypedStorage.pinned(self._nbytes)
        if self.device is not CPU:
            raise RuntimeError("cannot pin 'torch.storage.UntypedStorage' only CPU memory can be pinned")
        return copy.copy_(self)

    @classmethod
    def pinned(cls, nbytes: int) -> UntypedStorage:
        """A storage of `nbytes` new bytes in page-locked host memory; an error without an accelerator."""
        device_type = backends.accelerator()
        if device_type is None:
            raise no_accelerator("Pinned memory is host memory that an accelerator copies from faster.")
        host: Any = backends.get(as_device(device_type))
        self = UntypedStorage.of_array(backends.get(CPU), CPU, host.pinned(nbytes))
        _pinned.add(self)
        return self

    def resizable(self) -> bool:
        """Whether `resize_` may change the length: not if something else holds the bytes too."""
        return self.is_ours

    def resize_(self, size: int) -> UntypedStorage:
        """Make this storage `size` bytes long, keeping what fits. Headers on it stay as they are."""
        size = index(size)
        if not self.is_ours:
            raise explained(
                RuntimeError("Trying to resize storage that is not resizable"),
                "Others hold its bytes (a NumPy array, a buffer, a file, other processes): clone() the tensor first.",
                notebook="1/09 The storage object",
            )
        _check_length(size)
        buffer = self.backend.allocate(size, self.device)
        kept = min(size, self._nbytes)
        buffer[:kept] = self.buffer[:kept]
        self._lie_in(buffer, size)
        return self

    def _lie_in(self, buffer: Array, nbytes: int) -> None:
        """Replace the buffer by a newly allocated one. The caller copies the bytes."""
        self._buffer, self._array, self._nbytes = buffer, None, nbytes
        memory.resized(self, 0 if self.device is META else nbytes)
        for header in self.headers():
            header._array = None  # the cached array was derived from the old bytes

    def fill_(self, value: int) -> UntypedStorage:
        """Set every byte to `value`."""
        self.buffer[:] = _read_byte(value)
        return self

    def copy_(self, source: UntypedStorage, non_blocking: bool = False) -> UntypedStorage:
        """Overwrite the bytes with those of `source`, a storage of the same length."""
        source = source.untyped() if hasattr(source, "untyped") else source
        if not isinstance(source, UntypedStorage):
            raise TypeError(f"copy_(): argument 'src' (position 1) must be torch.Storage, not {type_name(source)}")
        if source._nbytes != self._nbytes:
            raise RuntimeError(f"size does not match, self was {self._nbytes} bytes but src was {source._nbytes} bytes")
        if source.backend is self.backend:
            self.buffer[:] = source.buffer
        else:
            with transfers.between(source, self):
                self.buffer[:] = self.backend.from_host(source.backend.to_host(source.buffer), self.device)
        memory.copied(self._nbytes)
        return self

    def clone(self) -> UntypedStorage:
        """A new storage with the same bytes."""
        return UntypedStorage(self._nbytes, device=self.device).copy_(self)

    def cpu(self) -> UntypedStorage:
        """This storage if it is on the CPU, else a copy of it there."""
        return self.to(device=CPU)

    def cuda(self, device: Device | str | int | None = None, non_blocking: bool = False) -> UntypedStorage:
        """A copy of this storage on a CUDA device."""
        return self.to(device="cuda" if device is None else device)

    def to(self, *, device: Device | str | int, non_blocking: bool = False) -> UntypedStorage:
        """This storage if it is on `device`, else a copy of it there."""
        place = as_device(device)
        return self if place == self.device else UntypedStorage(self._nbytes, device=place).copy_(self)

    def new(self) -> UntypedStorage:
        """A storage without bytes on the same device."""
        return UntypedStorage(device=self.device)

    def untyped(self) -> UntypedStorage:
        """This storage: a typed one has the same method."""
        return self

    def type(self) -> str:
        """The name of this class."""
        return "torch.storage.UntypedStorage"

    def byteswap(self, dtype: DType) -> None:
        """Reverse the bytes of each element of `dtype`: from big-endian to little-endian and back."""
        if not isinstance(dtype, DType):
            raise RuntimeError(f"expected torch.dtype, but got {builtins.type(dtype)}")
        width = dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize
        if self._nbytes % width:
            raise RuntimeError(f"the length of data is not a multiple of {width}")
        elements = self.buffer.reshape(-1, width)
        elements[:] = elements[:, ::-1].copy()

    def tolist(self) -> list[int]:
        """The bytes as a list of ints in 0..255."""
        self.check_has_bytes()
        return self.backend.to_host(self.buffer).tolist()

    # --- as a sequence -------------------------------------------------------------------------------------------

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            start, stop, step = place.indices(self._nbytes)
            if step != 1:
                raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
            part = self.buffer[start : max(start, stop)]
            return UntypedStorage.of_array(self.backend, self.device, part, is_ours=False)
        self.check_has_bytes()
        return int(self.buffer[self._place_of(place)])

    def __setitem__(self, place: int | slice, value: int) -> None:
        if isinstance(place, slice):
            self[place].fill_(value)
        else:
            self.check_has_bytes()
            self.buffer[self._place_of(place)] = _read_byte(value)

    def check_has_bytes(self) -> None:
        """Raise on the meta device, whose storages have a length but no bytes."""
        if self.device is META:
            raise NotImplementedError("Not available for 'meta' device type")

    def _place_of(self, given: Any) -> int:
        place = index(given)
        if not -self._nbytes <= place < self._nbytes:
            raise IndexError(f"index {place} out of range for storage of size {self._nbytes}")
        return place

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __repr__(self) -> str:
        lines = "..." if self.device is META else " " + "\n ".join(map(str, self.tolist()))
        return f"{lines}\n[torch.storage.UntypedStorage(device={self.device}) of size {self._nbytes}]"

    def __copy__(self) -> UntypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> UntypedStorage:
        copy = memo.get(id(self))
        if copy is None:
            copy = memo[id(self)] = self.clone()
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        if self.device is META:
            return _without_bytes, (self._nbytes,)
        return _from_bytes, (self.backend.to_host(self.buffer).tobytes(), self.device)

    # --- its name ------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The small name, S0, S1, …, given when it is first asked for and kept, see `memory.give_again`."""
        if self._name is None:
            self._name = memory.next_name(self)
        return self._name


def _read_byte(value: Any) -> int:
    """An int's lowest eight bits."""
    if not isinstance(value, int):
        raise RuntimeError(f"can only set storage content with a int types, but got {type_name(value)} instead")
    return value & 0xFF


def _check_length(nbytes: int) -> None:
    if not 0 <= nbytes < 2**63:
        raise RuntimeError(f"a storage cannot be {nbytes} bytes long")


def _without_bytes(nbytes: int) -> UntypedStorage:
    """Unpickle a storage of the meta device."""
    return UntypedStorage(nbytes, device=META)


def _from_bytes(data: bytes, device: Device) -> UntypedStorage:
    """A storage with a copy of these bytes; pickles name this function."""
    storage = UntypedStorage(len(data), device=device)
    if data:
        storage.buffer[:] = storage.backend.xp.frombuffer(data, "uint8")
    return storage
