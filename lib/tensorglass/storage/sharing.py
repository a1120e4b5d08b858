"""Storages that several processes see, or that lie in a file: which they are, and how one becomes such a storage.

To share a storage is to move its bytes into a `SharedBlock`, under the headers that look at it. Another process maps
the same block and has a storage of its own on it: bytes are shared, headers and versions are not.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING

from tensorglass import memory
from tensorglass.backends.shared_blocks import SharedBlock, new_block

if TYPE_CHECKING:
    from tensorglass.storage.storage import UntypedStorage

_blocks: weakref.WeakKeyDictionary[UntypedStorage, SharedBlock] = weakref.WeakKeyDictionary()
_by_token: weakref.WeakValueDictionary[bytes, UntypedStorage] = weakref.WeakValueDictionary()


class _Lock:
    """A lock, so that no two threads move or map the same storage."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        self.lock = threading.Lock()


_lock = _Lock()
if hasattr(os, "register_at_fork"):  # another thread of the parent may hold the lock
    os.register_at_fork(after_in_child=_lock.renew)


def one_at_a_time() -> threading.Lock:
    """The lock to hold while a storage is moved, or made on a block that is new to this process."""
    return _lock.lock


def block_of(storage: UntypedStorage) -> SharedBlock | None:
    """The block that a storage lies in; None for one that is this process's alone."""
    return _blocks.get(storage)


def share(storage: UntypedStorage) -> SharedBlock:
    """Move a storage of the CPU into shared memory, unless it is there. Returns its block."""
    with one_at_a_time():
        block = _blocks.get(storage)
        if block is None:
            nbytes = storage.nbytes()
            block = new_block(nbytes)
            block.array[:] = storage.buffer
            memory.copied(nbytes)
            storage._lie_in(block.array, nbytes)
            settle(storage, block)
        return block


def settle(storage: UntypedStorage, block: SharedBlock) -> None:
    """Note that the bytes of `storage` are those of `block`."""
    _blocks[storage] = block
    _by_token[block.token] = storage
    storage.is_ours = False


def known(token: bytes) -> UntypedStorage | None:
    """The storage that this process has on the block with this token."""
    return _by_token.get(token)
