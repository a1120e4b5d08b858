"""A pool that is only observed: its figures are those that the pool itself would report."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tensorglass.allocator import Addresses, CachingAllocator
from tensorglass.allocator.observed import ObservedPool

MIB = 2**20


class _Reporting(Addresses):
    """A source of segments that records what it has given."""

    def __init__(self, pool: ObservedPool) -> None:
        super().__init__()
        self._pool = pool

    def reserve(self, nbytes: int) -> tuple[int, Any]:
        address, memory = super().reserve(nbytes)
        self._pool.reserved(address, nbytes)
        return address, memory


def _told(segments: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [
        (
            segment["address"],
            segment["total_size"],
            segment["allocated_size"],
            segment["requested_size"],
            segment["blocks"],
        )
        for segment in segments
    ]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("aaafe"), st.integers(1, 24 * MIB)), max_size=50))
def test_what_was_reported_adds_up_to_the_pool(steps: list[tuple[str, int]]) -> None:
    pool = ObservedPool()
    truth = CachingAllocator(2**40, _Reporting(pool))
    held = []
    for action, number in steps:
        if action == "a":
            held.append(truth.allocate(number))
            block = held[-1].block
            pool.handed_out(block.address, block.nbytes, number)
        elif action == "f" and held:
            pool.taken_back(held.pop(number % len(held)).block.address)
        else:
            truth.empty_cache()  # which is not reported
        assert _told(pool.snapshot(truth.reserved)) == _told(truth.snapshot())
        ours, theirs = pool.stats(truth.reserved), truth.stats()
        for name in ("allocation", "allocated_bytes", "requested_bytes", "segment", "reserved_bytes"):
            assert ours[f"{name}.all.current"] == theirs[f"{name}.all.current"]
        assert ours["allocated_bytes.all.peak"] == theirs["allocated_bytes.all.peak"]


def test_a_block_from_before_anybody_looked_is_a_segment_of_its_own() -> None:
    pool = ObservedPool()
    pool.handed_out(4096, 512, 100)
    [segment] = pool.snapshot(512)
    assert (segment["address"], segment["total_size"], segment["allocated_size"]) == (4096, 512, 512)
