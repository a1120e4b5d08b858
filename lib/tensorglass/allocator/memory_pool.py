"""The memory pool, PyTorch's caching allocator: freed memory is kept for the next tensor, not returned to the device.

Asking a device for memory stops everything that it does, so PyTorch asks in large pieces, and keeps them. What is
*allocated* (to tensors) is therefore less than what is *reserved* (from the device), and the difference may be in
pieces too small to use: fragmentation. The rules and sizes here are those of PyTorch's CUDA allocator. The simulated
accelerator gets its memory from it, and so do the CPU's large arrays, with the operating system in place of a driver.

Source: PyTorch's notes on CUDA semantics, "Memory management".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Protocol, TypeVar

from tensorglass.allocator.blocks import Allocation, Block, Lease, Segment
from tensorglass.allocator.figures import Counters
from tensorglass.core.critical_section import CriticalSection

A = TypeVar("A", bound=Allocation)
R = TypeVar("R")

KIB, MIB = 2**10, 2**20
SMALLEST_BLOCK = 512  #: sizes are rounded up to a multiple of this
LARGEST_SMALL_BLOCK = MIB  #: up to here blocks come out of small segments
SMALL_SEGMENT = 2 * MIB
LARGE_SEGMENT = 20 * MIB
LEAST_WHOLE_SEGMENT = 10 * MIB  #: from here on a block gets a segment of its own
SEGMENT_STEP = 2 * MIB  #: the size of such a segment is a multiple of this


class NoRoom(Exception):
    """The allocator cannot find `nbytes` bytes. The caller makes PyTorch's OutOfMemoryError of it."""

    def __init__(self, nbytes: int, capacity: int, allocated: int, reserved: int) -> None:
        super().__init__(f"no room for {nbytes} bytes")
        self.nbytes, self.capacity, self.allocated, self.reserved = nbytes, capacity, allocated, reserved


class Source(Protocol):
    """Where an allocator gets its segments from: a device."""

    def reserve(self, nbytes: int) -> tuple[int, Any]:
        """The address of `nbytes` new bytes, and the object that owns them, if there is one. Raises MemoryError if
        there is no room.
        """

    def release(self, nbytes: int) -> None:
        """A segment of `nbytes` bytes is no longer used. Its owner is dropped afterwards."""


class Addresses:
    """A source without memory, for counting only: it hands out consecutive addresses."""

    def __init__(self, first: int = 0x7F00_0000_0000) -> None:
        self._next = first

    def reserve(self, nbytes: int) -> tuple[int, Any]:
        address, self._next = self._next, self._next + nbytes
        return address, None

    def release(self, nbytes: int) -> None:
        """The address is not used again."""


class CachingAllocator:
    """Blocks of a device's memory, handed out and taken back.

    `capacity` is the most that it may reserve, in bytes, and `most_unused` the most that it keeps while nobody uses it
    (None: no limit). Safe to use from several threads, and from the garbage collector in the middle of another call to
    this allocator: then `allocate` takes a new segment, and everything else waits until the interrupted call continues.

    It is also safe against exceptions between any two steps, such as KeyboardInterrupt. A change is first computed,
    without modifying anything; then it is recorded as decided, in one atomic step; then it is carried out by an
    idempotent function. If that is interrupted, the next call begins by carrying it out.
    """

    def __init__(self, capacity: int, source: Source | None = None, *, most_unused: int | None = None) -> None:
        self.capacity = capacity
        self.most_unused = most_unused
        self.counters = Counters()
        self._source = source or Addresses()
        self._segments: dict[int, Segment] = {}  # by address
        # The free blocks, as the keys of a dict for each size of segment: in the order in which they became free.
        self._free: dict[bool, dict[Block, None]] = {True: {}, False: {}}
        self._decided: tuple[Callable[..., None], tuple[Any, ...]] | None = None
        self._ended: deque[Lease] = deque()  # leases of blocks to be taken back
        self._amid: deque[Segment] = deque()  # segments of one block, handed out in the middle of another call
        self._section = CriticalSection()

    # --- handing out and taking back -------------------------------------------------------------------------------

    def allocate(self, nbytes: int, kind: type[A] = Allocation) -> A:  # type: ignore[assignment]  # PEP 696: 3.13
        """A block of at least `nbytes` bytes, held by a new object of class `kind`: it is freed with that object.

        It is the smallest free block that fits, else one of a new segment. Raises `NoRoom` if there is none, even
        after all unused segments were returned to the device.
        """
        holder = kind(self.settle)
        if self._section.is_entered:
            self._allocate_amid(holder, nbytes)
        else:
            self._section.run(self._allocate, holder, nbytes)
            if self._ended:
                self.settle()
        return holder

    def settle(self) -> None:
        """Take back the blocks that nobody holds. If another call is running, that call or the next one does it."""
        while self._ended and self._section.run_if_free(self._catch_up):
            pass

    def empty_cache(self) -> None:
        """Return every segment without allocated blocks to the device."""
        self._do(self._release_unused)

    def limit(self, most_unused: int | None) -> None:
        """Keep at most `most_unused` unused bytes from now on."""
        self.most_unused = most_unused
        self._do(self._keep_within_limit)

    def _do(self, work: Callable[[], None]) -> None:
        """Run `work` after catching up; skip it in the middle of another call."""

        def catch_up_and_work() -> None:
            self._catch_up()
            work()

        if not self._section.is_entered:
            self._section.run(catch_up_and_work)

    def _decide(self, carry_out: Callable[..., None], *facts: Any) -> None:
        """Commit to a change and carry it out. `carry_out` must be idempotent: it is called again if interrupted."""
        self._decided = carry_out, facts
        carry_out(*facts)
        self._decided = None

    def _catch_up(self) -> None:
        """Finish an interrupted change, and include segments and ends that were queued meanwhile."""
        if self._decided is not None:
            carry_out, facts = self._decided
            carry_out(*facts)
            self._decided = None
        while self._amid:
            segment = self._amid[0]
            block, counters = segment.first, self.counters.copy()
            counters.got_segment(segment.is_small, segment.nbytes)
            counters.handed_out(segment.is_small, block.nbytes, block.requested)
            self._decide(self._include, segment, counters)
        while self._ended:
            self._take_back(self._ended[0])

    def _allocate(self, holder: Allocation, nbytes: int) -> None:
        self._catch_up()
        rounded, is_small = _rounded(nbytes)
        new_segment = None
        block = self._best_fit(rounded, is_small)
        if block is None:
            new_segment = self._new_segment(rounded, is_small)
            if new_segment is None:
                self._count_retry()
                self._release_unused()
                new_segment = self._new_segment(rounded, is_small)
            if new_segment is None:
                raise self._no_room(nbytes)
            block = new_segment.first
        segment = block.segment
        counters = self.counters.copy()
        if new_segment is not None:
            counters.got_segment(is_small, segment.nbytes)
        elif block.nbytes != segment.nbytes:
            counters.used_up(is_small, block.nbytes)
        length, rest, unneeded = block.nbytes, None, block.nbytes - rounded
        if unneeded >= SMALLEST_BLOCK if is_small else unneeded > LARGEST_SMALL_BLOCK:  # enough to be of use
            length, rest = rounded, Block(segment, block.address + rounded, unneeded, block, block.after)
            counters.split_off(is_small, unneeded)
        counters.handed_out(is_small, length, nbytes)
        lease = Lease(holder._life, self._ended.append)
        lease.block = block
        self._decide(self._hand_out, holder, lease, new_segment, block, length, nbytes, rest, counters)

    def _hand_out(
        self,
        holder: Allocation,
        lease: Lease,
        new_segment: Segment | None,
        block: Block,
        length: int,
        requested: int,
        rest: Block | None,
        counters: Counters,
    ) -> None:
        free = self._free[block.segment.is_small]
        if new_segment is not None:
            self._segments[new_segment.address] = new_segment
        free.pop(block, None)
        if rest is not None:
            if rest.after is not None:
                rest.after.before = rest
            block.after = rest
            free[rest] = None
        block.nbytes, block.requested, block.is_allocated, block.lease = length, requested, True, lease
        holder.block = block
        self.counters = counters

    def _allocate_amid(self, holder: Allocation, nbytes: int) -> None:
        """Hand out a new segment in the middle of another call, which may be changing everything else: queue it in
        `_amid`.
        """
        segment = self._new_segment(*_rounded(nbytes))
        if segment is None:
            raise self._no_room(nbytes)
        holder.block = block = segment.first
        block.lease = lease = Lease(holder._life, self._ended.append)
        lease.block = block
        block.is_allocated, block.requested = True, nbytes
        self._amid.append(segment)

    def _include(self, segment: Segment, counters: Counters) -> None:
        self._segments[segment.address] = segment
        self.counters = counters
        if self._amid and self._amid[0] is segment:
            self._amid.popleft()

    def _take_back(self, lease: Lease) -> None:
        block = lease.block
        if block is None or block.lease is not lease or block.segment.address not in self._segments:
            self._ended.popleft()  # interrupted before the block was handed out
            return
        segment = block.segment
        counters = self.counters.copy()
        counters.taken_back(segment.is_small, block.nbytes, block.requested)
        merged, length, after = block, block.nbytes, block.after
        absorbed = []
        if after is not None and not after.is_allocated:
            counters.used_up(segment.is_small, after.nbytes)
            absorbed.append(after)
            length, after = length + after.nbytes, after.after
        if block.before is not None and not block.before.is_allocated:
            merged = block.before
            counters.used_up(segment.is_small, merged.nbytes)
            absorbed.append(merged)
            length += merged.nbytes
        if length != segment.nbytes:
            counters.split_off(segment.is_small, length)
        self._decide(self._put_back, lease, block, merged, length, after, absorbed, counters)
        self._keep_within_limit()

    def _put_back(
        self,
        lease: Lease,
        block: Block,
        merged: Block,
        length: int,
        after: Block | None,
        absorbed: list[Block],
        counters: Counters,
    ) -> None:
        free = self._free[block.segment.is_small]
        block.is_allocated, block.requested, block.lease = False, 0, None
        for start in absorbed:
            free.pop(start, None)
        merged.nbytes, merged.after = length, after
        if after is not None:
            after.before = merged
        free[merged] = None
        self.counters = counters
        if self._ended and self._ended[0] is lease:
            self._ended.popleft()

    def _best_fit(self, nbytes: int, is_small: bool) -> Block | None:
        fitting = [block for block in self._free[is_small] if block.nbytes >= nbytes]
        if len(fitting) > 1:
            return min(fitting, key=attrgetter("nbytes", "address"))
        return fitting[0] if fitting else None

    def _new_segment(self, nbytes: int, is_small: bool) -> Segment | None:
        """A segment fresh from the device, not yet in the allocator's tables; None if there is no room."""
        if is_small:
            length = SMALL_SEGMENT
        elif nbytes < LEAST_WHOLE_SEGMENT:
            length = LARGE_SEGMENT
        else:
            length = -(-nbytes // SEGMENT_STEP) * SEGMENT_STEP
        reserved = self.counters.reserved
        if self._amid:
            reserved += sum([block.nbytes for block in self._amid])
        if reserved + length > self.capacity:
            return None
        try:
            address, memory = self._source.reserve(length)
        except MemoryError:
            return None
        return Segment(address, length, is_small, memory)

    def _no_room(self, nbytes: int) -> NoRoom:
        counters = self.counters.copy()
        counters.failed()
        self.counters = counters
        return NoRoom(nbytes, self.capacity, counters.allocated, counters.reserved)

    def _count_retry(self) -> None:
        counters = self.counters.copy()
        counters.retried()
        self.counters = counters

    def _keep_within_limit(self) -> None:
        """Return unused segments until at most `most_unused` bytes are unused: the longest unused first."""
        if self.most_unused is None or self._unused() <= self.most_unused:
            return
        for block in (*self._free[False], *self._free[True]):
            if block.segment.is_free and self._unused() > self.most_unused:
                self._release_segment(block.segment)

    def _unused(self) -> int:
        return self.counters.reserved - self.counters.allocated

    def _release_unused(self) -> None:
        for segment in [segment for segment in self._segments.values() if segment.is_free]:
            self._release_segment(segment)

    def _release_segment(self, segment: Segment) -> None:
        counters = self.counters.copy()
        counters.released(segment.is_small, segment.nbytes)
        self._decide(self._let_go, segment, counters)
        self._source.release(segment.nbytes)

    def _let_go(self, segment: Segment, counters: Counters) -> None:
        self._free[segment.is_small].pop(segment.first, None)
        self._segments.pop(segment.address, None)
        # segment and block are a reference cycle, and the bytes must not wait for the garbage collector
        segment.memory = None
        self.counters = counters

    # --- what people ask -------------------------------------------------------------------------------------------

    def _look(self, look: Callable[[], R]) -> R:
        """The result of `look` after catching up, if that is possible now."""

        def catch_up_and_look() -> R:
            self._catch_up()
            return look()

        return look() if self._section.is_entered else self._section.run(catch_up_and_look)

    @property
    def allocated(self) -> int:
        """Bytes in blocks that are handed out."""
        return self._look(lambda: self.counters.allocated)

    @property
    def reserved(self) -> int:
        """Bytes asked from the device and not given back."""
        return self._look(lambda: self.counters.reserved)

    def reset_peaks(self) -> None:
        """Reset every peak to the current value."""

        def reset() -> None:
            self.counters = self.counters.with_new_peaks()

        self._do(reset)

    def reset_totals(self) -> None:
        """Reset the sums of all increases and decreases to 0."""

        def reset() -> None:
            self.counters = self.counters.with_new_totals()

        self._do(reset)

    def stats(self) -> dict[str, int]:
        """Every figure under PyTorch's name for it, such as ``allocated_bytes.all.peak``, in alphabetical order."""
        return self._look(lambda: self.counters.named())

    def snapshot(self) -> list[dict[str, Any]]:
        """The segments by address, each with its blocks, in the form of `torch.cuda.memory_snapshot`."""
        return self._look(lambda: [segment.described() for _, segment in sorted(self._segments.items())])


def _rounded(nbytes: int) -> tuple[int, bool]:
    """The length of a block for this many bytes, and whether it comes from a small segment."""
    rounded = -(-nbytes // SMALLEST_BLOCK) * SMALLEST_BLOCK or SMALLEST_BLOCK
    return rounded, rounded <= LARGEST_SMALL_BLOCK
