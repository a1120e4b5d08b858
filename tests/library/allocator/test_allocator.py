"""The caching allocator: blocks fill their segments, figures are sums of blocks, memory comes back."""

from __future__ import annotations

import gc
import threading
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorglass.allocator import Addresses, Allocation, CachingAllocator, NoRoom

MIB = 2**20


def check(allocator: CachingAllocator) -> None:
    """What must hold of an allocator at any time."""
    stats = allocator.stats()
    segments = allocator.snapshot()
    allocated = 0
    for segment in segments:
        address = segment["address"]
        for block, after in zip(segment["blocks"], [*segment["blocks"][1:], None], strict=True):
            assert block["address"] == address
            assert block["size"] % 512 == 0
            assert block["requested_size"] <= block["size"]
            address += block["size"]
            if block["state"] == "active_allocated":
                allocated += block["size"]
            else:
                assert after is None or after["state"] != "inactive", "two free blocks side by side were not merged"
        assert address == segment["address"] + segment["total_size"]
    for one, other in pairwise(segments):
        assert one["address"] + one["total_size"] <= other["address"]
    assert stats["allocated_bytes.all.current"] == allocated == allocator.allocated
    assert (
        stats["reserved_bytes.all.current"] == sum(segment["total_size"] for segment in segments) == allocator.reserved
    )
    assert allocator.reserved <= allocator.capacity
    for name, value in stats.items():
        if name.endswith(".all.current"):
            pools = [stats[name.replace(".all.", f".{pool}.")] for pool in ("small_pool", "large_pool")]
            assert value == sum(pools) >= 0
            assert stats[name.replace("current", "peak")] >= value
            figure = name.removesuffix("current")
            assert stats[f"{figure}allocated"] - stats[f"{figure}freed"] == value


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("aaafe"), st.integers(0, 24 * MIB)), max_size=60))
def test_blocks_fill_segments_and_figures_add_up(steps: list[tuple[str, int]]) -> None:
    allocator = CachingAllocator(128 * MIB)
    held = []
    for action, number in steps:
        if action == "a":
            with suppress(NoRoom):
                held.append(allocator.allocate(number))
        elif action == "f" and held:
            held.pop(number % len(held))
        else:
            allocator.empty_cache()
        check(allocator)
        assert len({allocation.block.address for allocation in held}) == len(held)
    held.clear()
    allocator.empty_cache()
    assert allocator.reserved == 0
    assert allocator.snapshot() == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("aaff"), st.integers(0, 24 * MIB)), max_size=60), st.integers(0, 64 * MIB))
def test_whole_segments_are_kept_up_to_the_limit(steps: list[tuple[str, int]], limit: int) -> None:
    allocator = CachingAllocator(2**40, most_unused=limit)
    held = []
    for action, number in steps:
        if action == "a":
            held.append(allocator.allocate(number))
        elif held:
            held.pop(number % len(held))
            unused = allocator.reserved - allocator.allocated
            whole = [segment for segment in allocator.snapshot() if segment["allocated_size"] == 0]
            assert unused <= limit or not whole, "a segment in which nothing lives was kept beyond the limit"
        check(allocator)
    held.clear()
    assert allocator.allocated == 0
    assert allocator.reserved <= limit


class _Scarce(Addresses):
    """A source of a limited number of bytes, which then reports that it has none."""

    def __init__(self, nbytes: int) -> None:
        super().__init__()
        self.left = nbytes

    def reserve(self, nbytes: int) -> tuple[int, Any]:
        if nbytes > self.left:
            raise MemoryError
        self.left -= nbytes
        return super().reserve(nbytes)

    def release(self, nbytes: int) -> None:
        self.left += nbytes


def test_a_source_without_memory_is_asked_again_once_the_cache_is_empty() -> None:
    allocator = CachingAllocator(2**40, _Scarce(40 * MIB))
    allocator.allocate(30 * MIB)  # and free it
    held = allocator.allocate(36 * MIB)
    assert allocator.stats()["num_alloc_retries"] == 1
    with pytest.raises(NoRoom):
        allocator.allocate(20 * MIB)
    del held
    check(allocator)
    assert allocator.allocate(40 * MIB).block.nbytes == 40 * MIB


class _CallingBack(Addresses):
    """A source that uses the allocator while it answers, as a finalizer or a signal handler may."""

    allocator: CachingAllocator
    held: list[Allocation]
    times = 0

    def reserve(self, nbytes: int) -> tuple[int, Any]:
        if self.times < 3:
            self.times += 1
            self.held.append(self.allocator.allocate(3 * MIB))
            self.allocator.stats()
            self.allocator.empty_cache()
        return super().reserve(nbytes)


def test_the_allocator_may_be_called_amid_itself() -> None:
    source = _CallingBack()
    source.allocator, source.held = CachingAllocator(2**40, source), []
    blocks = [source.allocator.allocate(nbytes * MIB) for nbytes in (1, 5, 30)]
    every = [*blocks, *source.held]
    assert len({allocation.block.address for allocation in every}) == len(every) == 3 + len(source.held)
    check(source.allocator)
    for holders in (blocks, source.held, every):
        holders.clear()
    check(source.allocator)
    source.allocator.empty_cache()
    assert source.allocator.reserved == 0


def test_blocks_may_be_freed_by_the_collector_amid_a_call() -> None:
    allocator = CachingAllocator(2**40, most_unused=8 * MIB)

    class InACycle(Allocation):
        __slots__ = ("itself",)

    def leave_garbage() -> None:
        allocation = allocator.allocate(MIB, InACycle)
        allocation.itself = allocation

    threshold = gc.get_threshold()
    gc.set_threshold(1)  # the collector runs whenever anything is made, so in the midst of the allocator too
    try:
        for _ in range(500):
            leave_garbage()
    finally:
        gc.set_threshold(*threshold)
    gc.collect()
    check(allocator)
    assert allocator.allocated == 0


def test_a_freed_block_is_used_again() -> None:
    allocator = CachingAllocator(64 * MIB)
    first = allocator.allocate(3 * MIB)
    address = first.block.address
    del first
    assert allocator.allocate(3 * MIB - 1).block.address == address
    assert allocator.stats()["num_device_alloc"] == 1


@pytest.mark.parametrize(
    ("nbytes", "segment"),
    [(1, 2 * MIB), (MIB, 2 * MIB), (MIB + 1, 20 * MIB), (10 * MIB, 10 * MIB), (11 * MIB, 12 * MIB)],
)
def test_segments_have_pytorchs_sizes(nbytes: int, segment: int) -> None:
    allocator = CachingAllocator(64 * MIB)
    allocator.allocate(nbytes)
    assert allocator.reserved == segment


def test_fragments_cannot_serve_what_is_larger_than_each() -> None:
    allocator = CachingAllocator(20 * MIB)
    blocks = [allocator.allocate(5 * MIB) for _ in range(4)]
    address = blocks[0].block.address
    del blocks[2], blocks[0]
    assert allocator.reserved - allocator.allocated == 10 * MIB
    with pytest.raises(NoRoom):
        allocator.allocate(6 * MIB)
    del blocks[0]
    assert allocator.allocate(15 * MIB).block.address == address


def test_the_cache_is_emptied_to_make_room() -> None:
    allocator = CachingAllocator(24 * MIB)
    allocator.allocate(20 * MIB)  # and free it
    allocator.allocate(24 * MIB)
    stats = allocator.stats()
    assert (stats["num_alloc_retries"], stats["num_ooms"]) == (1, 0)


def test_threads_may_allocate_and_free_at_once() -> None:
    allocator = CachingAllocator(512 * MIB)

    def work(seed: int) -> None:
        held = []
        for step in range(300):
            held.append(allocator.allocate((seed * 7919 + step * 104729) % MIB))
            if step % 3:
                held.pop(0)
        held.clear()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    check(allocator)
    assert allocator.allocated == 0
