"""The caching allocator: blocks fill their segments, figures are sums of blocks, memory comes back."""

from __future__ import annotations

import gc
import threading
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorglass.allocator import CachingAllocator, NoRoom

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
    assert stats["reserved_bytes.all.current"] == sum(each["total_size"] for each in segments) == allocator.reserved
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
            allocator.free(held.pop(number % len(held)))
        else:
            allocator.empty_cache()
        check(allocator)
        assert len({block.address for block in held}) == len(held)
    for block in held:
        allocator.free(block)
    allocator.empty_cache()
    assert allocator.reserved == 0
    assert allocator.snapshot() == []


def test_a_freed_block_is_used_again() -> None:
    allocator = CachingAllocator(64 * MIB)
    first = allocator.allocate(3 * MIB)
    address = first.address
    allocator.free(first)
    assert allocator.allocate(3 * MIB - 1).address == address
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
    for block in blocks[::2]:
        allocator.free(block)
    assert allocator.reserved - allocator.allocated == 10 * MIB
    with pytest.raises(NoRoom):
        allocator.allocate(6 * MIB)
    allocator.free(blocks[1])
    assert allocator.allocate(15 * MIB).address == blocks[0].address


def test_the_cache_is_emptied_to_make_room() -> None:
    allocator = CachingAllocator(24 * MIB)
    allocator.free(allocator.allocate(20 * MIB))
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
                allocator.free(held.pop(0))
        for block in held:
            allocator.free(block)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    check(allocator)
    assert allocator.allocated == 0
