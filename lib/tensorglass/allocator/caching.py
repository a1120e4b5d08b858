"""The caching allocator: freed memory is kept for the next tensor and not given back to the device.

Asking a device for memory stops everything that it does, so PyTorch asks in large pieces, and keeps them. What is
*allocated* (to tensors) is therefore less than what is *reserved* (from the device), and the difference may be in
pieces too small to use: fragmentation. The rules and sizes here are those of PyTorch's CUDA allocator. The simulated
accelerator has its memory from it, and so have the CPU's large arrays, for which the system is asked and no driver.

Source: PyTorch's notes on CUDA semantics, "Memory management".
"""

from __future__ import annotations

import threading
from collections import deque
from operator import attrgetter
from typing import Any, Protocol

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


class Source(Protocol):
    """What an allocator has its segments from: a device."""

    def reserve(self, nbytes: int) -> tuple[int, Any]:
        """The address of `nbytes` new bytes, and what keeps them, if that is an object. MemoryError: there are none."""

    def release(self, nbytes: int) -> None:
        """A segment of `nbytes` bytes is no longer used. What kept it is let go of afterwards."""


class Addresses:
    """The source of what is only counted: one address after the other."""

    def __init__(self, first: int = 0x7F00_0000_0000) -> None:
        self._next = first

    def reserve(self, nbytes: int) -> tuple[int, Any]:
        address, self._next = self._next, self._next + nbytes
        return address, None

    def release(self, nbytes: int) -> None:
        """The address is not used again."""


class Turns:
    """One call after the other. A call that comes amid another one of the same thread is told that it is not the first.

    Such a call is made by the garbage collector, or by a signal: code that it runs may use the allocator as well.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._depth = 0

    def __enter__(self) -> bool:
        self.lock.acquire()
        self._depth += 1
        return self._depth == 1

    def __exit__(self, *exc_info: object) -> None:
        self._depth -= 1
        self.lock.release()


class CachingAllocator:
    """Blocks of a device's memory, handed out and taken back.

    `capacity` is the most that it may reserve, in bytes, and `most_unused` the most that it keeps while nobody uses it
    (None: no limit). Safe to use from several threads, and by the garbage collector in the midst of another call here:
    then `free` only leaves a note, and `allocate` takes a new segment.
    """

    def __init__(self, capacity: int, source: Source | None = None, *, most_unused: int | None = None) -> None:
        self.capacity = capacity
        self.most_unused = most_unused
        self.counters = Counters()
        self._allocated, self._reserved = [
            self.counters.figures[name, "all"] for name in ("allocated_bytes", "reserved_bytes")
        ]
        self._source = source or Addresses()
        self._segments: list[Segment] = []
        self._free: dict[bool, list[Block]] = {True: [], False: []}  # in the order in which they became free
        self._returned: deque[Block] = deque()
        self.turns = Turns()

    # --- handing out and taking back -------------------------------------------------------------------------------

    def allocate(self, nbytes: int) -> Block:
        """A block of at least `nbytes` bytes: the smallest free one that fits, else one of a new segment.

        Raises `NoRoom` if there is none, even after everything unused has gone back to the device.
        """
        with self.turns as is_first:
            if is_first and self._returned:
                self._take_back()
            rounded = -(-nbytes // SMALLEST_BLOCK) * SMALLEST_BLOCK or SMALLEST_BLOCK
            is_small = rounded <= LARGEST_SMALL_BLOCK
            block = (is_first and self._best_fit(rounded, is_small)) or self._of_new_segment(rounded, is_small)
            if block is None and is_first:
                self.counters.retries += 1
                self._release_unused()
                block = self._of_new_segment(rounded, is_small)
            if block is None:
                self.counters.failures += 1
                raise NoRoom(nbytes, self.capacity, self._allocated.current, self._reserved.current)
            if block.nbytes != rounded and is_first:
                self._cut(block, rounded)
            block.is_allocated, block.requested = True, nbytes
            self.counters.handed_out(is_small, block.nbytes, nbytes)
        if self._returned:
            self._settle()
        return block

    def free(self, block: Block) -> None:
        """Take a block back. It stays reserved, unless there is more that is unused than should be."""
        self._returned.append(block)
        self._settle()

    def _settle(self) -> None:
        # Whoever holds the lock now settles what was noted meanwhile when he has done: nobody waits here, where the
        # garbage collector may have called.
        while self._returned and self.turns.lock.acquire(blocking=False):
            try:
                with self.turns as is_first:
                    if not is_first:
                        return
                    self._take_back()
            finally:
                self.turns.lock.release()

    def empty_cache(self) -> None:
        """Give every segment in which nothing is allocated back to the device."""
        with self.turns as is_first:
            if is_first:
                self._take_back()
                self._release_unused()

    def limit(self, most_unused: int | None) -> None:
        """Keep at most `most_unused` unused bytes from now on."""
        with self.turns as is_first:
            self.most_unused = most_unused
            if is_first:
                self._take_back()
                self._keep_within_limit()

    def _best_fit(self, nbytes: int, is_small: bool) -> Block | None:
        fitting = [block for block in self._free[is_small] if block.nbytes >= nbytes]
        if not fitting:
            return None
        best = fitting[0] if len(fitting) == 1 else min(fitting, key=attrgetter("nbytes", "address"))
        self._forget_free(best)
        return best

    def _of_new_segment(self, nbytes: int, is_small: bool) -> Block | None:
        if is_small:
            length = SMALL_SEGMENT
        elif nbytes < LEAST_WHOLE_SEGMENT:
            length = LARGE_SEGMENT
        else:
            length = -(-nbytes // SEGMENT_STEP) * SEGMENT_STEP
        if self._reserved.current + length > self.capacity:
            return None
        try:
            address, memory = self._source.reserve(length)
        except MemoryError:
            return None
        segment = Segment(address, length, is_small, memory)
        self._segments.append(segment)
        self.counters.reserved(is_small, length)
        return segment.first

    def _cut(self, block: Block, nbytes: int) -> None:
        """Split off what is not needed, if it is enough to be of use."""
        rest = block.nbytes - nbytes
        if rest >= SMALLEST_BLOCK if block.segment.is_small else rest > LARGEST_SMALL_BLOCK:
            self._remember_free(block.split(nbytes))

    def _take_back(self) -> None:
        while self._returned:
            block = self._returned.popleft()
            self.counters.taken_back(block.segment.is_small, block.nbytes, block.requested)
            block.is_allocated, block.requested = False, 0
            if block.after is not None and not block.after.is_allocated:
                self._forget_free(block.after)
                block.absorb_next()
            if block.before is not None and not block.before.is_allocated:
                block = block.before
                self._forget_free(block)
                block.absorb_next()
            self._remember_free(block)
            if self.most_unused is not None:
                self._keep_within_limit()

    def _keep_within_limit(self) -> None:
        """Give segments that nobody uses back until no more is unused than should be: the longest unused first."""
        if self.most_unused is None or self._unused() <= self.most_unused:
            return
        for block in (*self._free[False], *self._free[True]):
            if block.segment.is_free and self._unused() > self.most_unused:
                self._release_segment(block.segment)

    def _unused(self) -> int:
        return self._reserved.current - self._allocated.current

    def _release_unused(self) -> None:
        for segment in [each for each in self._segments if each.is_free]:
            self._release_segment(segment)

    def _release_segment(self, segment: Segment) -> None:
        self._forget_free(segment.first)
        self._segments.remove(segment)
        segment.memory = None  # segment and block hold each other, and the bytes shall not wait for the collector
        self._source.release(segment.nbytes)
        self.counters.released(segment.is_small, segment.nbytes)

    def _remember_free(self, block: Block) -> None:
        segment = block.segment
        self._free[segment.is_small].append(block)
        if block.nbytes != segment.nbytes:
            self.counters.split_off(segment.is_small, block.nbytes)

    def _forget_free(self, block: Block) -> None:
        segment = block.segment
        self._free[segment.is_small].remove(block)
        if block.nbytes != segment.nbytes:
            self.counters.used_up(segment.is_small, block.nbytes)

    # --- what people ask -------------------------------------------------------------------------------------------

    @property
    def allocated(self) -> int:
        """Bytes in blocks that are handed out."""
        with self.turns as is_first:
            if is_first:
                self._take_back()
            return self._allocated.current

    @property
    def reserved(self) -> int:
        """Bytes asked from the device and not given back."""
        with self.turns as is_first:
            if is_first:
                self._take_back()
            return self._reserved.current

    def reset_peaks(self) -> None:
        """Let every peak start again from what is there now."""
        with self.turns as is_first:
            if is_first:
                self._take_back()
            self.counters.reset_peaks()

    def reset_totals(self) -> None:
        """Let the sums of all increases and decreases start again from 0."""
        with self.turns as is_first:
            if is_first:
                self._take_back()
            self.counters.reset_totals()

    def stats(self) -> dict[str, int]:
        """Every figure under PyTorch's name for it, such as ``allocated_bytes.all.peak``, in alphabetical order."""
        with self.turns as is_first:
            if is_first:
                self._take_back()
            return self.counters.named()

    def snapshot(self) -> list[dict[str, Any]]:
        """The segments by address, each with its blocks, in the form of `torch.cuda.memory_snapshot`."""
        with self.turns as is_first:
            if is_first:
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
