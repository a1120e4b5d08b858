"""Storages in memory shared between processes, or in a file: which they are, and how a storage is moved there.

To share a storage is to move its bytes into a `SharedBlock`, under the headers that look at it. Another process maps
the same block and has a storage of its own on it: bytes are shared, headers and versions are not.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from tensorglass import memory
from tensorglass.backends.shared_blocks import SharedBlock, new_block
from tensorglass.core.critical_section import CriticalSection

if TYPE_CHECKING:
    from tensorglass.storage.storage import UntypedStorage

_blocks: weakref.WeakKeyDictionary[UntypedStorage, SharedBlock] = weakref.WeakKeyDictionary()
_by_token: weakref.WeakValueDictionary[bytes, UntypedStorage] = weakref.WeakValueDictionary()


#: Held while a storage moves, or while a storage is made for a block that this process has not seen before.
moving = CriticalSection()


def block_of(storage: UntypedStorage) -> SharedBlock | None:
    """The shared block that a storage lies in; None for a storage private to this process."""
    return _blocks.get(storage)


def share(storage: UntypedStorage) -> SharedBlock:
    """Move a CPU storage into shared memory, unless it is there already. Returns its block."""
    return moving.run(_moved, storage)


def _moved(storage: UntypedStorage) -> SharedBlock:
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
    """Record that the bytes of `storage` are those of `block`."""
    _blocks[storage] = block
    _by_token[block.token] = storage
    storage.is_ours = False


def known(token: bytes) -> UntypedStorage | None:
    """This process's storage on the block with this token."""
    return _by_token.get(token)
