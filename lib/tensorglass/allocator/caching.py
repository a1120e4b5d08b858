"""The caching allocator: freed memory is kept for the next tensor and not given back to the device.

Asking a device for memory stops everything that it does, so PyTorch asks in large pieces, and keeps them. What is
*allocated* (to tensors) is therefore less than what is *reserved* (from the device), and the difference may be in
pieces too small to use: fragmentation. The rules and sizes here are those of PyTorch's CUDA allocator.

Source: PyTorch's notes on CUDA semantics, "Memory management".
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from tensorglass.allocator.blocks import Block, Segment
from tensorglass.allocator.figures import Counters

KIB, MIB = 2**10, 2**20
SMALLEST_BLOCK = 512  #: sizes are rounded up to a multiple of this
LARGEST_SMALL_BLOCK = MIB  #: up to here blocks come out of small segments
SMALL_SEGMENT = 2 * MIB
LARGE_SEGMENT = 20 * MIB
LEAST_WHOLE_SEGMENT = 10 * MIB  #: from here on a block gets a segment of its own
SEGMENT_STEP = 2 * MIB  #: of which such a segment's size is a multiple


class NoRoom(Exception):
    """The allocator cannot find `nbytes` bytes. Whoever asked makes PyTorch's OutOfMemoryError of it."""

    def __init__(self, nbytes: int, capacity: int, allocated: int, reserved: int) -> None:
        super().__init__(f"no room for {nbytes} bytes")
        self.nbytes, self.capacity, self.allocated, self.reserved = nbytes, capacity, allocated, reserved


class CachingAllocator:
    """Blocks of a device's memory, handed out and taken back; `capacity` is the most that it may reserve, in bytes.

    `reserve` is called with the size of each segment that is asked from the device, and `release` with that of each
    which goes back: what these cost is the device's affair. Safe to use from several threads. `free` may be called at
    any moment, also by the garbage collector in the midst of another call here: it only leaves a note.
    """

    def __init__(
        self,
        capacity: int,
        *,
        base_address: int = 0x7F00_0000_0000,
        reserve: Callable[[int], None] = lambda nbytes: None,
        release: Callable[[int], None] = lambda nbytes: None,
    ) -> None:
        self.capacity = capacity
        self.counters = Counters()
        self._segments: list[Segment] = []
        self._free: dict[bool, list[Block]] = {True: [], False: []}
        self._next_address = base_address
        self._reserve, self._release = reserve, release
        self._returned: deque[Block] = deque()
        self._lock = threading.RLock()

    # --- handing out and taking back -------------------------------------------------------------------------------

    def allocate(self, nbytes: int) -> Block:
        """A block of at least `nbytes` bytes: the smallest free one that fits, else one of a new segment.

        Raises `NoRoom` if there is none, even after everything unused has gone back to the device.
        """
        with self._lock:
            self._take_back()
            rounded = max(SMALLEST_BLOCK, -(-nbytes // SMALLEST_BLOCK) * SMALLEST_BLOCK)
            is_small = rounded <= LARGEST_SMALL_BLOCK
            block = self._best_fit(rounded, is_small) or self._of_new_segment(rounded, is_small)
            if block is None:
                self.counters.retries += 1
                self._release_unused()
                block = self._of_new_segment(rounded, is_small)
            if block is None:
                self.counters.failures += 1
                raise NoRoom(nbytes, self.capacity, self.allocated, self.reserved)
            self._cut(block, rounded)
            block.is_allocated, block.requested = True, nbytes
            self._count(block, 1)
            return block

    def free(self, block: Block) -> None:
        """Take a block back. It stays reserved."""
        self._returned.append(block)

    def empty_cache(self) -> None:
        """Give every segment in which nothing is allocated back to the device."""
        with self._lock:
            self._take_back()
            self._release_unused()

    def _best_fit(self, nbytes: int, is_small: bool) -> Block | None:
        fitting = [block for block in self._free[is_small] if block.nbytes >= nbytes]
        if not fitting:
            return None
        best = min(fitting, key=lambda block: (block.nbytes, block.address))
        self._forget_free(best)
        return best

    def _of_new_segment(self, nbytes: int, is_small: bool) -> Block | None:
        if is_small:
            length = SMALL_SEGMENT
        elif nbytes < LEAST_WHOLE_SEGMENT:
            length = LARGE_SEGMENT
        else:
            length = -(-nbytes // SEGMENT_STEP) * SEGMENT_STEP
        if self.reserved + length > self.capacity:
            return None
        self._reserve(length)
        segment = Segment(self._next_address, length, is_small)
        self._next_address += length
        self._segments.append(segment)
        self.counters.device_allocations += 1
        self.counters.change("segment", is_small, 1)
        self.counters.change("reserved_bytes", is_small, length)
        return segment.first

    def _cut(self, block: Block, nbytes: int) -> None:
        """Split off what is not needed, if it is enough to be of use."""
        rest = block.nbytes - nbytes
        if rest >= SMALLEST_BLOCK if block.segment.is_small else rest > LARGEST_SMALL_BLOCK:
            self._remember_free(block.split(nbytes))

    def _take_back(self) -> None:
        while self._returned:
            block = self._returned.popleft()
            self._count(block, -1)
            block.is_allocated, block.requested = False, 0
            if block.after is not None and not block.after.is_allocated:
                self._forget_free(block.after)
                block.absorb_next()
            if block.before is not None and not block.before.is_allocated:
                block = block.before
                self._forget_free(block)
                block.absorb_next()
            self._remember_free(block)

    def _release_unused(self) -> None:
        for segment in [each for each in self._segments if each.is_free]:
            self._forget_free(segment.first)
            self._segments.remove(segment)
            self._release(segment.nbytes)
            self.counters.device_frees += 1
            self.counters.change("segment", segment.is_small, -1)
            self.counters.change("reserved_bytes", segment.is_small, -segment.nbytes)

    def _remember_free(self, block: Block) -> None:
        self._free[block.segment.is_small].append(block)
        self._count_split(block, 1)

    def _forget_free(self, block: Block) -> None:
        self._free[block.segment.is_small].remove(block)
        self._count_split(block, -1)

    def _count(self, block: Block, sign: int) -> None:
        change, is_small = self.counters.change, block.segment.is_small
        change("allocation", is_small, sign)
        change("active", is_small, sign)
        change("allocated_bytes", is_small, sign * block.nbytes)
        change("active_bytes", is_small, sign * block.nbytes)
        change("requested_bytes", is_small, sign * block.requested)

    def _count_split(self, block: Block, sign: int) -> None:
        if block.nbytes != block.segment.nbytes:
            self.counters.change("inactive_split", block.segment.is_small, sign)
            self.counters.change("inactive_split_bytes", block.segment.is_small, sign * block.nbytes)

    # --- what people ask -------------------------------------------------------------------------------------------

    @property
    def allocated(self) -> int:
        """Bytes in blocks that are handed out."""
        return self._now("allocated_bytes")

    @property
    def reserved(self) -> int:
        """Bytes asked from the device and not given back."""
        return self._now("reserved_bytes")

    def _now(self, name: str) -> int:
        with self._lock:
            self._take_back()
            return self.counters.figures[name, "all"].current

    def reset_peaks(self) -> None:
        """Let every peak start again from what is there now."""
        with self._lock:
            self._take_back()
            self.counters.reset_peaks()

    def reset_totals(self) -> None:
        """Let the sums of all increases and decreases start again from 0."""
        with self._lock:
            self._take_back()
            self.counters.reset_totals()

    def stats(self) -> dict[str, int]:
        """Every figure under PyTorch's name for it, such as ``allocated_bytes.all.peak``, in alphabetical order."""
        with self._lock:
            self._take_back()
            return self.counters.named()

    def snapshot(self) -> list[dict[str, Any]]:
        """The segments by address, each with its blocks, in the form of `torch.cuda.memory_snapshot`."""
        with self._lock:
            self._take_back()
            return [_described(segment) for segment in sorted(self._segments, key=lambda each: each.address)]


def _described(segment: Segment) -> dict[str, Any]:
    blocks = segment.blocks()
    allocated = [block for block in blocks if block.is_allocated]
    return {
        "address": segment.address,
        "total_size": segment.nbytes,
        "allocated_size": sum(block.nbytes for block in allocated),
        "active_size": sum(block.nbytes for block in allocated),
        "requested_size": sum(block.requested for block in allocated),
        "segment_type": "small" if segment.is_small else "large",
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
