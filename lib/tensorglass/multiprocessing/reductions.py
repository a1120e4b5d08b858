"""How tensors and storages are sent between processes: as headers, and handles to shared memory.

Pickling for another process moves a storage into shared memory and sends a file descriptor to it. Each process has at
most one storage on a block, found by the block's token, so views that were sent one by one share a storage again, and a
tensor that is sent back shares it with the original.

A sender is never told that a message will not be read: if its reader was killed, another process may still read it. So
the sender keeps what a message needs, and that must be little. A `Handle` keeps the block's descriptor, not the mapped
block: however often a storage is sent, there is one descriptor for it, even after the sender has freed the storage.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from multiprocessing import context, reduction, resource_sharer
from typing import Any

from tensorglass.backends.shared_blocks import Descriptor, mapped
from tensorglass.core.devices import CPU
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.ops.copies import copy_pickle
from tensorglass.storage import sharing
from tensorglass.storage.storage import UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage
from tensorglass.tensor.hooks import warn_if_has_hooks
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.version_counter import VersionCounter


def register() -> None:
    """Make tensors shared in everything that `multiprocessing` pickles."""
    reduction.register(Tensor, reduce_tensor)
    reduction.register(UntypedStorage, reduce_storage)
    reduction.register(TypedStorage, reduce_typed_storage)


# --- tensors ---------------------------------------------------------------------------------------------------------


def reduce_tensor(tensor: Tensor) -> tuple[Any, ...]:
    """The header of a tensor and its storage."""
    if tensor.requires_grad and not tensor.is_leaf:
        raise explained(
            RuntimeError(
                "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
                "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor "
                "before serializing (e.g., putting it on the queue)."
            ),
            "A graph is made of this process's objects, and none of them is in shared memory.",
        )
    if tensor._storage.device is not CPU:
        raise explained(
            RuntimeError(f"Cannot share a tensor on '{tensor.device}' between processes"),
            "Only the CPU's memory is shared here: send tensor.cpu(), and move it with .to(device) on the other side.",
        )
    warn_if_has_hooks(tensor)
    return rebuild_tensor, copy_pickle.parts(tensor)


def rebuild_tensor(*header: Any) -> Tensor:
    """The tensor that was sent, with its own version counter: PyTorch makes it by `set_`, which counts as one write."""
    result = copy_pickle.rebuild(*header)
    result._counter = VersionCounter(1)
    return result


# --- storages --------------------------------------------------------------------------------------------------------


def reduce_storage(storage: UntypedStorage) -> tuple[Any, ...]:
    """A handle to the bytes of a storage, which are in shared memory from now on."""
    if storage.device is not CPU:
        kind = storage.device.type.upper() if storage.is_cuda else storage.device.type
        raise explained(
            RuntimeError(f"Cannot pickle {kind} storage; try pickling a {kind} tensor instead"),
            "Only the CPU's memory is shared here: send storage.cpu().",
        )
    if not storage.nbytes():
        return UntypedStorage, ()
    block = sharing.share(storage)
    if block.descriptor is None:
        raise explained(
            OSError(errno.EBADF, os.strerror(errno.EBADF)),
            "The storage is a file's private copy: what was written to it stays with this process. Send a clone().",
        )
    return rebuild_storage, (block.token, storage.nbytes(), block.filename, handle_of(block.descriptor))


def rebuild_storage(token: bytes, nbytes: int, filename: str | None, handle: Any) -> UntypedStorage:
    """This process's storage on the bytes that were sent."""
    fd = fetch(handle)  # also where the storage is known: the sender holds the descriptor until it is fetched
    try:
        return sharing.moving.run(_storage_on, fd, token, nbytes, filename)
    finally:
        os.close(fd)


def _storage_on(fd: int, token: bytes, nbytes: int, filename: str | None) -> UntypedStorage:
    storage = sharing.known(token)
    return UntypedStorage.on_block(mapped(fd, nbytes, token, filename)) if storage is None else storage


def reduce_typed_storage(storage: TypedStorage) -> tuple[Any, ...]:
    """The bytes and the dtype of a typed storage."""
    return rebuild_typed_storage, (storage.untyped(), storage.dtype)


def rebuild_typed_storage(storage: UntypedStorage, dtype: DType) -> TypedStorage:
    """The typed storage that was sent."""
    return TypedStorage._of(storage, dtype)


# The thread that hands out what was registered. Its class is not public, but unchanged since Python 3.3.
_sharer: Any = resource_sharer._resource_sharer  # type: ignore[attr-defined]  # typeshed has public names alone


class Handle:
    """Where to ask for a block's descriptor: at the sender, once."""

    def __init__(self, descriptor: Descriptor) -> None:
        def send(connection: Any, pid: int) -> None:
            with suppress(ConnectionError):  # the receiver may have been killed since
                reduction.send_handle(connection, descriptor.fd, pid)

        self._ident = _sharer.register(send, _nothing)

    def detach(self) -> int:
        """The descriptor, which the caller must close."""
        with _sharer.get_connection(self._ident) as connection:
            return reduction.recv_handle(connection)


def handle_of(descriptor: Descriptor) -> Any:
    """What to send for a block's descriptor; a child that is being started gets a duplicate directly."""
    return Handle(descriptor) if context.get_spawning_popen() is None else reduction.DupFd(descriptor.fd)


def fetch(handle: Any) -> int:
    """The descriptor that a handle stands for, or an error that says why it is unavailable."""
    try:
        return handle.detach()
    except (OSError, EOFError) as error:
        raise explained(
            error,
            "The process that sent this storage ended before it was received: let senders wait for their receivers.",
        ) from None


def _nothing() -> None:
    """Does nothing: a descriptor is closed with its last user."""
