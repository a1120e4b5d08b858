"""Tensors on memory that is there already: an array's, a storage's (which even `tensor` shares), a file's."""

from __future__ import annotations

from typing import Any, Unpack

from tensorglass import geometry
from tensorglass.backends import Array, numpy_values
from tensorglass.backends import get as get_backend
from tensorglass.backends.numpy_values import bytes_at
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.graph.tensor_fields import set_requires_grad
from tensorglass.ops.creation.factory import Options, factory, read_options
from tensorglass.storage.storage import UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage
from tensorglass.tensor.construct import make, result_tensor
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.version_counter import VersionCounter

_HOST: Any = get_backend(CPU)  # where Python's lists and numbers are


def of_storage(data: UntypedStorage | TypedStorage, dtype: DType | None) -> Tensor:
    """A tensor of all elements of a storage, which it shares; bytes that no dtype is given for are read as int64."""
    if isinstance(data, TypedStorage):
        dtype = dtype or dtypes.get_default_dtype()
        if data.dtype is not dtype:
            raise RuntimeError(
                f"Expected a Storage of type {dtype.scalar_type} or an UntypedStorage, but got {data.dtype.scalar_type}"
            )
    return on_storage(data.untyped(), dtype or dtypes.int64, 0)


def on_storage(storage: UntypedStorage, dtype: DType, version: int) -> Tensor:
    """A tensor of as many elements as a storage has room for, which counts its own writes from `version` on."""
    tensor = make(storage, (storage.nbytes() // dtype.itemsize,), (1,), 0, dtype)
    tensor._counter = VersionCounter(version)
    return tensor


def strides_of(array: Array) -> tuple[int, ...]:
    """The array's strides counted in elements."""
    itemsize, strides = array.itemsize, array.strides
    if itemsize > 1 and any(step % itemsize for step in strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the "
            "memory."
        )
    return tuple([step // itemsize for step in strides])


def on_array(array: Array, dtype: DType, stride: tuple[int, ...]) -> Tensor:
    """A tensor on a NumPy array's own memory, whose dtype and strides, none of them negative, the caller has asked."""
    size, flags = array.shape, array.flags
    if flags.c_contiguous and type(array) is numpy_values.ndarray:
        # The array itself, under a header of its own, which is quicker than a new one.
        return result_tensor(array.view(), dtype, _HOST, CPU, size, stride, is_ours=False)
    nbytes = geometry.storage_nbytes(size, stride, 0, dtype.itemsize)
    run = bytes_at(array.ctypes.data, nbytes, array, is_read_only=not flags.writeable)
    return make(UntypedStorage.of_array(_HOST, CPU, run, is_ours=False), size, stride, 0, dtype)


# --- a file ----------------------------------------------------------------------------------------------------------


@factory()
def from_file(filename: str, shared: bool | None = None, size: int | None = 0, **options: Unpack[Options]) -> Tensor:
    """A 1-dim tensor of the first `size` elements of a file.

    If `shared`, what is written goes to the file, which is made or made longer where that is needed. If not, the file
    is only read, and what is written stays with this process. If another process cuts the file short while it is
    mapped, the system ends this one (SIGBUS).
    """
    if options.get("pin_memory"):
        raise RuntimeError("tensors constructed from a file cannot be pinned")
    dtype, device, requires_grad, _ = read_options("from_file", options)
    if device is not CPU:
        raise explained(
            NotImplementedError(
                f"Could not run 'aten::from_file' with arguments from the '{device.type.upper()}' backend."
            ),
            f"A file is mapped into the host's memory: torch.from_file(…).to('{device}') copies it.",
        )
    if not isinstance(shared, bool | None):
        raise TypeError  # explained by the operator's signature
    length = size or 0
    tensor = make(UntypedStorage.from_file(filename, bool(shared), length * dtype.itemsize), (length,), (1,), 0, dtype)
    set_requires_grad(tensor, requires_grad)
    return tensor
