"""Blocks and segments: how a caching allocator cuts up a device's memory.

A *segment* is a run of bytes that was asked from the device, which is slow, and is *reserved* from then on. A *block*
is a part of a segment, free or allocated; the blocks of a segment lie one after the other without gaps. Memory that is
reserved and not allocated is only useful in one piece, hence splitting and merging.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any


class Segment:
    """A run of bytes from the device. Its blocks are linked by `Block.before` and `Block.after`."""

    __slots__ = ("address", "first", "is_small", "memory", "nbytes")

    def __init__(self, address: int, nbytes: int, is_small: bool, memory: Any = None) -> None:
        self.address = address
        self.nbytes = nbytes
        self.is_small = is_small  #: whether it serves blocks of at most a MiB
        self.memory = memory  #: the host object that owns the bytes, if there is one
        self.first = Block(self, address, nbytes)

    def blocks(self) -> list[Block]:
        """Its blocks by address."""
        blocks_of_segment: list[Block] = []
        block: Block | None = self.first
        while block is not None:
            blocks_of_segment.append(block)
            block = block.after
        return blocks_of_segment

    @property
    def is_free(self) -> bool:
        """Whether nothing in it is allocated: only then can it be returned to the device."""
        return not self.first.is_allocated and self.first.after is None

    def described(self) -> dict[str, Any]:
        """The segment in the form of `torch.cuda.memory_snapshot`."""
        blocks = self.blocks()
        allocated = [block for block in blocks if block.is_allocated]
        return {
            "address": self.address,
            "total_size": self.nbytes,
            "allocated_size": sum(block.nbytes for block in allocated),
            "active_size": sum(block.nbytes for block in allocated),
            "requested_size": sum(block.requested for block in allocated),
            "segment_type": "small" if self.is_small else "large",
            "blocks": [
                {
                    "address": block.address,
                    "size": block.nbytes,
                    "requested_size": block.requested,
                    "state": "active_allocated" if block.is_allocated else "inactive",
                }
                for block in blocks
            ],
        }


class Block:
    """A part of a segment."""

    __slots__ = ("address", "after", "before", "is_allocated", "lease", "nbytes", "requested", "segment")

    def __init__(
        self, segment: Segment, address: int, nbytes: int, before: Block | None = None, after: Block | None = None
    ) -> None:
        self.segment = segment
        self.address = address
        self.nbytes = nbytes
        self.requested = 0  #: what was asked for, at most `nbytes`; 0 in a free block
        self.is_allocated = False
        self.lease: Lease | None = None  #: ends when the block is no longer allocated
        self.before = before
        self.after = after


class Allocation:
    """The holder of a block. The block is freed when nobody refers to this object any more."""

    __slots__ = ("__weakref__", "_life", "_settle", "block")

    block: Block
    _life: Any  #: a `Life`, until this ends

    def __init__(self, settle: Callable[[], None]) -> None:
        self._settle = settle
        self._life = Life()

    def __del__(self) -> None:
        self._life = None
        settle = getattr(self, "_settle", None)  # None: its construction was interrupted
        if settle is not None:
            settle()


class Life:
    """An object that only its `Allocation` refers to. It ends in `__del__`, or, if that was interrupted, with the
    `Allocation`.
    """

    __slots__ = ("__weakref__",)


class Lease(weakref.ref[Life]):
    """A weak reference whose callback is called when the life of a block's `Allocation` ends.

    An interrupt in a finalizer is printed and forgotten. So the callback must be a function that is not written in
    Python: those are not interrupted.
    """

    block: Block | None = None
