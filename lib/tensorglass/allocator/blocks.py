"""Blocks and segments: how a caching allocator cuts up a device's memory.

A *segment* is a run of bytes that was asked from the device, which is slow, and is *reserved* from then on. A *block*
is a part of a segment, free or allocated; the blocks of a segment lie one after the other without gaps. Memory that is
reserved and not allocated is only useful in one piece, hence splitting and merging.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Segment:
    """A run of bytes that the device gave. Its blocks hang together through `Block.before` and `Block.after`."""

    __slots__ = ("address", "first", "is_small", "memory", "nbytes")

    def __init__(self, address: int, nbytes: int, is_small: bool, memory: Any = None) -> None:
        self.address = address
        self.nbytes = nbytes
        self.is_small = is_small  #: whether it serves blocks of at most a MiB
        self.memory = memory  #: what keeps the bytes, where that is an object of the host's
        self.first = Block(self, address, nbytes)

    def blocks(self) -> list[Block]:
        """Its blocks by address."""
        found: list[Block] = []
        block: Block | None = self.first
        while block is not None:
            found.append(block)
            block = block.after
        return found

    @property
    def is_free(self) -> bool:
        """Whether nothing in it is allocated: then, and only then, it can go back to the device."""
        return not self.first.is_allocated and self.first.after is None


class Block:
    """A part of a segment."""

    __slots__ = ("address", "after", "before", "is_allocated", "nbytes", "requested", "segment")

    def __init__(
        self, segment: Segment, address: int, nbytes: int, before: Block | None = None, after: Block | None = None
    ) -> None:
        self.segment = segment
        self.address = address
        self.nbytes = nbytes
        self.requested = 0  #: what was asked for, at most `nbytes`; 0 in a free block
        self.is_allocated = False
        self.before = before
        self.after = after

    def split(self, nbytes: int) -> Block:
        """Keep the first `nbytes` bytes. Returns the free block that the rest becomes."""
        rest = Block(self.segment, self.address + nbytes, self.nbytes - nbytes, before=self, after=self.after)
        if self.after is not None:
            self.after.before = rest
        self.after = rest
        self.nbytes = nbytes
        return rest

    def absorb_next(self) -> None:
        """Take in the block that follows."""
        taken = self.after
        assert taken is not None
        self.nbytes += taken.nbytes
        self.after = taken.after
        if taken.after is not None:
            taken.after.before = self


class Allocation:
    """Who holds a block. It is freed when nobody holds this any more."""

    __slots__ = ("__weakref__", "_free", "block")

    def __init__(self, block: Block, free: Callable[[Block], None]) -> None:
        self.block = block
        self._free = free

    def __del__(self) -> None:
        self._free(self.block)
