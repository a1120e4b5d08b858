"""Making tensors: on an existing storage, on a new one, as a view of another tensor, from a kernel's result.

The one idea to keep in mind: every tensor of the library is born here, with a storage of its own or on a storage that
notes it. What users call (`zeros`, `tensor`) is declared in `ops`.
"""

from __future__ import annotations

import weakref

from tensorglass import geometry, memory
from tensorglass.backends import Array, Backend
from tensorglass.backends import get as get_backend
from tensorglass.core.devices import META
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.autograd_meta import Creation, Meta, inference_meta
from tensorglass.tensor.grad_mode import state, watched
from tensorglass.tensor.tensor import Tensor

_new = object.__new__
_reference = weakref.ref
_figures, _ends, _add_bytes = memory.figures, memory.ends, memory.add_live_bytes
_contiguous_strides = geometry.contiguous_strides
_PLAIN, _NO_GRAD, _INFERENCE = Creation.PLAIN, Creation.NO_GRAD, Creation.INFERENCE


def make(storage: UntypedStorage, size: tuple[int, ...], stride: tuple[int, ...], offset: int, dtype: DType) -> Tensor:
    """A tensor on a storage, which is not a view of another tensor."""
    self: Tensor = _new(Tensor)
    self._storage = storage
    self._size = size
    self._stride = stride
    self._offset = offset
    self._dtype = dtype
    self._conj = False
    self._array = None
    self._contiguous = None
    self._base = None
    self._counter = None
    self._meta = None if not watched.threads_in_inference else inference_meta()
    storage.add_header(self)
    return self


def from_array(array: Array, dtype: DType, like: UntypedStorage) -> Tensor:
    """The tensor of a kernel's fresh, C-contiguous result, on the device of `like`; no bytes are copied."""
    size = array.shape
    if not size:  # NumPy answers a 0-dim kernel with a scalar, which has no memory to share
        array = like.backend.xp.asarray(array)
    return result_tensor(array, dtype, like.backend, like.device, size, _contiguous_strides(size))


def result_tensor(
    array: Array,
    dtype: DType,
    backend: Backend,
    device: Device,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    is_contiguous: bool = True,
    is_ours: bool = True,
) -> Tensor:
    """`from_array` for a caller that knows size and strides already. The elements lie without gaps, in any order.

    With `is_ours` False somebody else owns the array's memory.
    """
    # Every operator's result passes through here, so `UntypedStorage.of_array`, `memory.born` and `make` are inlined,
    # which halves the time. `tests/library/tensor/test_births.py` compares the results.
    storage = _new(UntypedStorage)
    self: Tensor = _new(Tensor)
    nbytes = array.nbytes
    counted = nbytes
    if not is_ours:
        storage.is_ours = False
        counted = 0
    elif device is META:  # a meta tensor has no bytes
        counted = 0
    end = _ends[counted]
    storage.backend = backend
    storage.device = device
    storage.version = 0
    storage._nbytes = nbytes
    storage._buffer = None
    storage._array = self._array = array
    storage._headers = None
    storage._birth = _figures.allocations = _figures.allocations + 1
    _figures.allocated_bytes += counted
    storage.__del__ = end
    live_bytes = _add_bytes(counted, 1)
    if live_bytes > _figures.peak_bytes:
        _figures.peak_bytes = live_bytes
    if _figures.observers:  # rare: looping over an empty list takes longer
        for observer in _figures.observers:
            observer.born(storage, counted)
        storage._headers = [_reference(self)]  # observers ask for it
    self._storage = storage
    self._size = size
    self._stride = stride
    self._offset = 0
    self._dtype = dtype
    self._conj = False
    self._contiguous = is_contiguous
    self._base = None
    self._counter = None
    self._meta = None if not watched.threads_in_inference else inference_meta()
    return self


def empty_on(
    device: Device, size: tuple[int, ...], stride: tuple[int, ...], dtype: DType, *, zeroed: bool = False
) -> Tensor:
    """A tensor of this layout with a new storage on `device`: all 0 if `zeroed`, else not initialized."""
    nbytes = geometry.storage_nbytes(size, stride, 0, dtype.itemsize)  # refuses what 64 bits cannot count
    backend = get_backend(device)
    if stride == _contiguous_strides(size):
        return result_tensor(backend.empty(dtype, size, zeroed=zeroed), dtype, backend, device, size, stride)
    backend.array_dtype(dtype)  # raises where the backend lacks this dtype
    return make(UntypedStorage.allocate(backend, device, nbytes, zeroed=zeroed), size, stride, 0, dtype)


def view_of(
    base: Tensor, size: tuple[int, ...], stride: tuple[int, ...], offset: int, dtype: DType | None = None
) -> Tensor:
    """A view: another header on the storage of `base`, which counts its writes together with it."""
    self: Tensor = _new(Tensor)
    self._storage = storage = base._storage
    self._size = size
    self._stride = stride
    self._offset = offset
    if dtype is None:
        self._dtype = base._dtype
        self._conj = base._conj
    else:  # the parts of complex numbers are plain
        self._dtype = dtype
        self._conj = False
    self._array = None
    self._contiguous = None
    self._base = base
    self._creation = _PLAIN
    if base._base is not None:
        self._base = base._base
        self._creation = base._creation
    if not state.grad and not state.below:
        self._creation = _INFERENCE if state.inference else _NO_GRAD
    self._counter = counter = base._counter
    self._seen = storage.version if counter is None else counter.count
    self._meta = None
    if base._meta is not None and base._meta.is_inference:  # nothing that is done to it can be recorded
        self._base = None
        self._meta = same_inference(base)
    headers = storage._headers
    if headers is None:
        storage._headers = [_reference(base), _reference(self)]
    elif headers[-1]() is None:  # the latest view is dead already, as in a loop: reuse its place
        headers[-1] = _reference(self)
    else:
        headers.append(_reference(self))
        if len(headers) > storage._prune_at:
            storage.forget_the_dead()
    return self


def reread(tensor: Tensor, size: tuple[int, ...]) -> Tensor:
    """A contiguous tensor that nobody else holds, with another size. Not a view of it, since it is not kept."""
    reshaped = make(tensor._storage, size, _contiguous_strides(size), tensor._offset, tensor._dtype)
    reshaped._conj = tensor._conj
    return reshaped


def same_inference(input: Tensor) -> Meta | None:
    """The `Meta` of a new header on the storage of `input`: it is an inference tensor if and only if `input` is."""
    return None if input._meta is None or not input._meta.is_inference else inference_meta(force=True)


def as_siblings(views: list[Tensor]) -> tuple[Tensor, ...]:
    """The views that one operator made of one tensor, marked as such: they may not be written to in place."""
    if state.grad or state.below:
        for view in views:
            if view._creation is not _INFERENCE:  # a view of such a view keeps the mark
                view._creation = Creation.MULTI_OUTPUT
    return tuple(views)
