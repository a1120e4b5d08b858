"""Datasets longer than any list: samplers that are lazy in PyTorch are lazy here, and give the same samples."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

HUGE = 10**10
MIB = 2**20


class Numbers:
    """A dataset whose samples are their numbers."""

    def __len__(self) -> int:
        return HUGE

    def __getitem__(self, number: int) -> int:
        return number


def stream(data: Any) -> Any:
    class Stream(data.IterableDataset):  # type: ignore[misc]  # of either library
        def __iter__(self) -> Any:
            return iter(range(HUGE))

        def __len__(self) -> int:
            return HUGE

    return Stream()


def seeded(t: Any) -> Any:
    return t.Generator().manual_seed(3)


#: `t` is the library, `d` its `utils.data`.
ITERABLES: dict[str, Callable[[Any, Any], Any]] = {
    "in order": lambda t, d: d.SequentialSampler(Numbers()),
    "drawn again": lambda t, d: d.RandomSampler(Numbers(), True, generator=seeded(t)),
    "drawn again, of few": lambda t, d: d.RandomSampler(range(5), True, HUGE + 7, generator=seeded(t)),
    "drawn again, by the default generator": lambda t, d: d.RandomSampler(range(5), True, HUGE),
    "shuffled again and again": lambda t, d: d.RandomSampler(range(5), num_samples=HUGE, generator=seeded(t)),
    "weighted": lambda t, d: d.WeightedRandomSampler([0.1, 0.9], 40, generator=seeded(t)),
    "lists": lambda t, d: d.BatchSampler(d.SequentialSampler(Numbers()), 3, False),
    "whole lists": lambda t, d: d.BatchSampler(d.SequentialSampler(Numbers()), 3, True),
    "lists of lists": lambda t, d: d.BatchSampler(d.BatchSampler(range(HUGE), 2, True), 3, True),
    "batches": lambda t, d: d.DataLoader(Numbers(), 4),
    "batches drawn again": lambda t, d: d.DataLoader(
        Numbers(), 4, sampler=d.RandomSampler(Numbers(), True, generator=seeded(t))
    ),
    "single samples": lambda t, d: d.DataLoader(Numbers(), None),
    "batches of workers": lambda t, d: d.DataLoader(Numbers(), 4, num_workers=1),
    "batches of a stream": lambda t, d: d.DataLoader(stream(d), 4, drop_last=True),
    "batches of a part": lambda t, d: d.DataLoader(d.Subset(Numbers(), range(7, HUGE, 3)), 4),
    "a part": lambda t, d: d.Subset(Numbers(), range(7, HUGE, 3)),
    "one behind the other": lambda t, d: d.ConcatDataset([Numbers(), Numbers()]),
    "streams behind each other": lambda t, d: d.ChainDataset([stream(d), stream(d)]),
    "side by side": lambda t, d: d.StackDataset(Numbers(), Numbers()),
    "rows": lambda t, d: d.TensorDataset(t.tensor([2.0, 3.0]).expand(HUGE, 2)),
}


def first(t: Any, made: Callable[[Any, Any], Any]) -> tuple[list[Any], int, str]:
    """The first samples, the length, and whether iteration goes over a list."""
    t.manual_seed(5)
    iterable = made(t, t.utils.data)
    iterator = iter(iterable) if hasattr(iterable, "__iter__") else iter(map(iterable.__getitem__, range(70)))
    is_list = type(iterator) is type(iter([]))
    plain = [item.tolist() if isinstance(item, t.Tensor) else item for item in islice(iterator, 70)]
    return [repr(item).replace("torch.", "") for item in plain], len(iterable), is_list


@pytest.mark.parametrize("made", ITERABLES.values(), ids=ITERABLES)
def test_the_first_of_many(made: Callable[[Any, Any], Any]) -> None:
    expected = first(torch, made)
    first(tensorglass, made)  # the first call fills caches
    tracemalloc.start()
    try:
        assert first(tensorglass, made) == expected
        assert tracemalloc.get_traced_memory()[1] < MIB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("drop_last", [False, True])
def test_parts_for_processes(drop_last: bool) -> None:
    for size, count in ((10, 3), (2, 5), (9, 3), (1, 4), (7, 2)):
        for rank in range(count):
            for shuffle in (False, True):
                given = [
                    list(t.utils.data.DistributedSampler(range(size), count, rank, shuffle, 3, drop_last))
                    for t in (torch, tensorglass)
                ]
                assert given[0] == given[1]


def test_a_part_for_a_process_of_what_no_list_could_hold() -> None:
    sampler = tensorglass.utils.data.DistributedSampler(Numbers(), 4, 1, shuffle=False)
    assert list(islice(sampler, 3)) == [1, 5, 9]
    assert len(sampler) == HUGE // 4
