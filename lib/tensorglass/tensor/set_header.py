"""Giving a tensor another storage, size, stride or offset.

Nothing here moves an element or counts as a write; operators count writes themselves.
"""

from __future__ import annotations

from tensorglass import geometry
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.version_counter import VersionCounter


def point(input: Tensor, storage: UntypedStorage, size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> None:
    """Set the header of `input`. If its storage changes, its writes are counted separately from then on."""
    if storage is not input._storage:
        if input._counter is None:
            input._counter = VersionCounter(input._storage.version)
        input._storage = storage
        storage.add_header(input)
    input._size, input._stride, input._offset = size, stride, offset
    input._array = input._contiguous = None


def make_room(storage: UntypedStorage, nbytes: int) -> None:
    """Grow the storage if it has fewer bytes; never shrink it."""
    if nbytes > storage.nbytes():
        storage.resize_(nbytes)


def resize(input: Tensor, size: tuple[int, ...], stride: tuple[int, ...]) -> None:
    """Give the header this size and stride from its offset on; the storage grows if need be."""
    input._storage.note(input)
    make_room(input._storage, geometry.storage_nbytes(size, stride, input._offset, input._dtype.itemsize))
    point(input, input._storage, size, stride, input._offset)
