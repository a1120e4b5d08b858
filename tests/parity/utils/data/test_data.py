"""Datasets, samplers and loaders give what PyTorch's give: the same samples in the same order, and the same words."""

from __future__ import annotations

import collections
import os
import random
import re
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

BOTH = (torch, tensorglass)
Point = collections.namedtuple("Point", "x y")  # what users write


class Numbers:
    """A dataset without a base class: it has a length, and samples by number."""

    def __init__(self, library: Any, length: int = 20) -> None:
        self.torch, self.length = library, length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Any:
        if not 0 <= index < self.length:
            raise IndexError(index)
        return self.torch.full((2,), float(index)), index, {"name": f"n{index}", "half": index / 2}


class Noise(Numbers):
    def __getitem__(self, index: int) -> Any:
        return index, self.torch.rand(()), random.random(), float(np.random.random())


def by_whole_batches(library: Any) -> Any:
    """A loader whose dataset is given all numbers of a batch at once, as other libraries write it."""

    class Loader(library.utils.data.DataLoader):  # type: ignore[misc]  # of either library
        @property
        def _auto_collation(self) -> bool:
            return False

        @property
        def _index_sampler(self) -> Any:
            return self.batch_sampler

    return Loader


class Failing(Numbers):
    error: type[Exception]

    def __getitem__(self, index: int) -> Any:
        if index == 7:
            raise self.error("no such sample")
        return index


class Dying(Numbers):
    def __getitem__(self, index: int) -> Any:
        if index == 7:
            os.kill(os.getpid(), signal.SIGKILL)
        return index


def stream(library: Any, length: int, promised: int | None = None) -> Any:
    class Stream(library.utils.data.IterableDataset):
        def __iter__(self) -> Iterator[int]:
            info = library.utils.data.get_worker_info()
            first, step = (0, 1) if info is None else (info.id, info.num_workers)
            return iter(range(first, length, step))

    if promised is not None:
        Stream.__len__ = lambda self: promised
    return Stream()


def plain(value: Any) -> Any:
    if isinstance(value, (torch.Tensor, tensorglass.Tensor)):
        return ("tensor", str(value.dtype), value.tolist())
    if isinstance(value, dict):
        return type(value).__name__, {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [plain(item) for item in value]
    return type(value).__name__, str(value)


def outcome(act: Callable[[Any], Any], library: Any) -> Any:
    """What comes of it: a value, or the refusal."""
    library.manual_seed(5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = plain(act(library))
        except Exception as error:  # the error is compared
            return type(error).__name__, str(error).replace("tensorglass", "torch").splitlines()[0]
    return result, [re.sub("0x[0-9a-f]+", "", str(warning.message)).splitlines()[0] for warning in caught]


ACTS: dict[str, Callable[[Any], Any]] = {
    "tensors": lambda t: list(t.utils.data.TensorDataset(t.arange(3), t.ones(3, 2))),
    "tensors of two lengths": lambda t: t.utils.data.TensorDataset(t.arange(3), t.ones(2)),
    "side by side": lambda t: t.utils.data.StackDataset(Numbers(t, 3), range(3)).__getitems__([2, 0]),
    "side by side by name": lambda t: t.utils.data.StackDataset(a=range(3), b=Numbers(t, 3))[1],
    "nothing side by side": lambda t: t.utils.data.StackDataset(),
    "both ways side by side": lambda t: t.utils.data.StackDataset([1], a=[2]),
    "one behind the other": lambda t: [(t.utils.data.ConcatDataset([range(3), range(10, 14)]))[i] for i in (0, 3, -1)],
    "too far back": lambda t: t.utils.data.ConcatDataset([range(3)])[-4],
    "none behind the other": lambda t: t.utils.data.ConcatDataset([]),
    "sum": lambda t: len(t.utils.data.TensorDataset(t.arange(3)) + t.utils.data.TensorDataset(t.arange(2))),
    "chain": lambda t: list(stream(t, 3) + stream(t, 2)),
    "chain of others": lambda t: list(t.utils.data.ChainDataset([range(2)])),
    "subset": lambda t: [t.utils.data.Subset(t.arange(10, 20), [3, 1])[i] for i in (0, 1, [1, 0])],
    "split": lambda t: [part.indices for part in t.utils.data.random_split(range(10), [7, 3])],
    "split by parts": lambda t: [part.indices for part in t.utils.data.random_split(range(11), [0.5, 0.3, 0.2])],
    "split to nothing": lambda t: [len(part) for part in t.utils.data.random_split(range(1), [0.5, 0.5])],
    "split wrongly": lambda t: t.utils.data.random_split(range(10), [7, 4]),
    "split beyond one": lambda t: t.utils.data.random_split(range(10), [1.5, -0.5]),
    "split with a generator": lambda t: [
        part.indices for part in t.utils.data.random_split(range(9), [4, 5], t.Generator().manual_seed(3))
    ],
    "in order": lambda t: list(t.utils.data.SequentialSampler(range(4))),
    "random": lambda t: list(t.utils.data.RandomSampler(range(9))),
    "random with replacement": lambda t: list(t.utils.data.RandomSampler(range(9), True, 40)),
    "random, more than there are": lambda t: list(t.utils.data.RandomSampler(range(5), num_samples=12)),
    "random with a generator": lambda t: list(t.utils.data.RandomSampler(range(9), generator=t.Generator())),
    "random of none": lambda t: t.utils.data.RandomSampler([]),
    "random, oddly": lambda t: t.utils.data.RandomSampler(range(3), replacement=3),
    "of a subset": lambda t: list(t.utils.data.SubsetRandomSampler([5, 6, 9])),
    "weighted": lambda t: list(t.utils.data.WeightedRandomSampler([0.1, 3, 1], 12)),
    "weighted, once each": lambda t: list(t.utils.data.WeightedRandomSampler([0.1, 3, 1], 3, replacement=False)),
    "weighted by a matrix": lambda t: t.utils.data.WeightedRandomSampler([[0.1]], 3),
    "weighted none": lambda t: t.utils.data.WeightedRandomSampler([0.1], 0),
    "batches": lambda t: list(t.utils.data.BatchSampler(range(7), 3, False)),
    "whole batches": lambda t: list(t.utils.data.BatchSampler(range(7), 3, True)),
    "lengths": lambda t: [len(t.utils.data.BatchSampler(range(n), 3, drop)) for n in (6, 7) for drop in (True, False)],
    "batches of none": lambda t: t.utils.data.BatchSampler(range(7), 0, False),
    "batches, oddly": lambda t: t.utils.data.BatchSampler(range(7), 1, None),
    "parts of processes": lambda t: [
        list(t.utils.data.DistributedSampler(range(10), 3, rank, seed=2)) for rank in range(3)
    ],
    "whole parts": lambda t: list(t.utils.data.DistributedSampler(range(10), 3, 1, shuffle=False, drop_last=True)),
    "more processes than samples": lambda t: list(t.utils.data.DistributedSampler(range(2), 5, 4, shuffle=False)),
    "parts of a group that is not there": lambda t: t.utils.data.DistributedSampler(range(10)),
    "a part, of as many as a group has": lambda t: t.utils.data.DistributedSampler(range(10), rank=0),
    "no such part": lambda t: t.utils.data.DistributedSampler(range(10), 3, 3),
    "collate tensors": lambda t: t.utils.data.default_collate([t.ones(2), t.zeros(2)]),
    "collate numbers": lambda t: t.utils.data.default_collate([(1, 2.5, True), (3, 4.5, False)]),
    "collate arrays": lambda t: t.utils.data.default_collate([np.arange(3), np.arange(3)]),
    "collate numpy numbers": lambda t: t.utils.data.default_collate([np.float32(2), np.float32(3)]),
    "collate strings": lambda t: t.utils.data.default_collate([("a", b"b"), ("c", b"d")]),
    "collate points": lambda t: t.utils.data.default_collate([Point(1, [2]), Point(3, [4])]),
    "collate dicts": lambda t: t.utils.data.default_collate(
        [collections.OrderedDict(a=1), collections.OrderedDict(a=2)]
    ),
    "collate lists of two lengths": lambda t: t.utils.data.default_collate([[1], [1, 2]]),
    "collate tensors of two sizes": lambda t: t.utils.data.default_collate([t.ones(2), t.ones(3)]),
    "collate objects": lambda t: t.utils.data.default_collate([object(), object()]),
    "collate text arrays": lambda t: t.utils.data.default_collate([np.array(["a"]), np.array(["b"])]),
    "collate None": lambda t: t.utils.data.default_collate([None]),
    "convert": lambda t: t.utils.data.default_convert([np.arange(2), {"a": (np.float64(3), "b")}, Point(1, 2)]),
    "loader": lambda t: list(t.utils.data.DataLoader(Numbers(t, 5), 2)),
    "loader, shuffled": lambda t: list(t.utils.data.DataLoader(Numbers(t), 6, shuffle=True)),
    "loader, shuffled twice": lambda t: [
        list(loader) for loader in [t.utils.data.DataLoader(range(6), 4, True)] for _ in "ab"
    ],
    "loader, then a number": lambda t: (list(t.utils.data.DataLoader(range(6), 4, True)), t.rand(2)),
    "loader with a generator": lambda t: list(
        t.utils.data.DataLoader(range(6), 4, True, generator=t.Generator().manual_seed(9))
    ),
    "loader without the rest": lambda t: list(t.utils.data.DataLoader(range(7), 3, drop_last=True)),
    "loader of samples": lambda t: list(t.utils.data.DataLoader(Numbers(t, 3), None)),
    "loader of lists": lambda t: list(t.utils.data.DataLoader(range(7), batch_sampler=[[1, 2], [5]])),
    "loader with its own collate": lambda t: list(t.utils.data.DataLoader(range(7), 3, collate_fn=sum)),
    "loader of a stream": lambda t: list(t.utils.data.DataLoader(stream(t, 7), 3)),
    "loader of a stream without the rest": lambda t: list(t.utils.data.DataLoader(stream(t, 7), 3, drop_last=True)),
    "lengths of loaders": lambda t: [
        len(t.utils.data.DataLoader(range(7), 3)),
        len(t.utils.data.DataLoader(range(7), 3, drop_last=True)),
        len(t.utils.data.DataLoader(stream(t, 7, promised=9), 2)),
        len(t.utils.data.DataLoader(range(7), None)),
    ],
    "a stream longer than it said": lambda t: [
        (len(loader), list(loader)) for loader in [t.utils.data.DataLoader(stream(t, 5, promised=2), 2)]
    ],
    "length of a stream": lambda t: len(t.utils.data.DataLoader(stream(t, 7), 3)),
    "stream, shuffled": lambda t: t.utils.data.DataLoader(stream(t, 7), shuffle=True),
    "stream with a sampler": lambda t: t.utils.data.DataLoader(stream(t, 7), sampler=[1]),
    "sampler, shuffled": lambda t: t.utils.data.DataLoader(range(3), sampler=[1], shuffle=True),
    "batch sampler and size": lambda t: t.utils.data.DataLoader(range(3), 2, batch_sampler=[[1]]),
    "no batches without the rest": lambda t: t.utils.data.DataLoader(range(3), None, drop_last=True),
    "workers below none": lambda t: t.utils.data.DataLoader(range(3), num_workers=-1),
    "time below none": lambda t: t.utils.data.DataLoader(range(3), timeout=-1),
    "ahead without workers": lambda t: t.utils.data.DataLoader(range(3), prefetch_factor=2),
    "staying without workers": lambda t: t.utils.data.DataLoader(range(3), persistent_workers=True),
    "context without workers": lambda t: t.utils.data.DataLoader(range(3), multiprocessing_context="fork"),
    "no such context": lambda t: t.utils.data.DataLoader(range(3), num_workers=1, multiprocessing_context="x"),
    "no context": lambda t: t.utils.data.DataLoader(range(3), num_workers=1, multiprocessing_context=3),
    "changed": lambda t: setattr(t.utils.data.DataLoader(range(3)), "batch_size", 3),
    "workers": lambda t: list(t.utils.data.DataLoader(Numbers(t, 11), 2, num_workers=2)),
    "workers, shuffled": lambda t: list(t.utils.data.DataLoader(Numbers(t, 11), 2, True, num_workers=2)),
    "workers' noise": lambda t: list(t.utils.data.DataLoader(Noise(t, 8), 2, num_workers=2)),
    "workers of a stream": lambda t: list(t.utils.data.DataLoader(stream(t, 13), 3, num_workers=2)),
    "workers of a short stream": lambda t: list(t.utils.data.DataLoader(stream(t, 1), 3, num_workers=2)),
    "workers that stay": lambda t: [
        list(loader)
        for loader in [t.utils.data.DataLoader(Numbers(t, 7), 2, True, num_workers=2, persistent_workers=True)]
        for _ in range(3)
    ],
    "workers of samples": lambda t: list(t.utils.data.DataLoader(Numbers(t, 3), None, num_workers=2)),
    "batches at once": lambda t: list(by_whole_batches(t)(t.arange(10) * 10, 3)),
    "batches at once, shuffled": lambda t: list(by_whole_batches(t)(t.arange(10) * 10, 3, shuffle=True)),
    "batches at once of workers": lambda t: list(by_whole_batches(t)(t.arange(10) * 10, 3, num_workers=1)),
    "its indices": lambda t: list(t.utils.data.DataLoader(range(3), 2)._index_sampler),
    "its samples": lambda t: list(t.utils.data.DataLoader(range(3), None)._index_sampler),
    "a late worker": lambda t: list(t.utils.data.DataLoader(Slow(t, 3), num_workers=1, timeout=0.2)),
}


class Slow(Numbers):
    def __getitem__(self, index: int) -> Any:
        time.sleep(1.5)
        return index


@pytest.mark.sweep
@pytest.mark.parametrize("name", ACTS)
def test_as_pytorch(name: str) -> None:
    assert outcome(ACTS[name], tensorglass) == outcome(ACTS[name], torch)


PINNED = """
import warnings
import {0}.utils.data
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(*{0}.utils.data.DataLoader(range(3), pin_memory=True))
print(*[each.message for each in caught])
"""


def test_pinning_without_an_accelerator_says_so() -> None:
    # in processes of their own: a simulated device that other tests have used is an accelerator
    command = [sys.executable, "-c"]
    ours, theirs = (
        subprocess.run([*command, PINNED.format(library.__name__)], capture_output=True, text=True, check=True).stdout
        for library in BOTH
    )
    assert "no accelerator is found" in theirs
    assert ours == theirs


@pytest.mark.parametrize("error", [KeyError, ValueError, OSError, ZeroDivisionError])
@pytest.mark.parametrize("workers", [0, 2])
def test_an_error_of_a_dataset_reaches_the_caller(error: type[Exception], workers: int) -> None:
    seen = []
    for library in BOTH:
        dataset = Failing(library)
        dataset.error = error
        got = []
        with pytest.raises(error) as raised:
            got += [plain(batch) for batch in library.utils.data.DataLoader(dataset, 2, num_workers=workers)]
        lines = str(raised.value).splitlines()
        seen.append((got, type(raised.value), lines[0], lines[-1]))
    assert seen[0] == seen[1]


def children() -> set[str]:
    mine = os.getpid()
    with open(f"/proc/{mine}/task/{mine}/children") as listed:
        return set(listed.read().split())


def test_a_worker_that_dies_is_reported_and_none_is_left() -> None:
    before = children()
    loader = tensorglass.utils.data.DataLoader(Dying(tensorglass), 2, num_workers=2)
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid \d+\) is killed by signal: Killed"):
        list(loader)
    assert children() <= before


def test_an_epoch_left_early_leaves_no_process() -> None:
    before = children()
    batches = iter(tensorglass.utils.data.DataLoader(Numbers(tensorglass, 500), 1, num_workers=2))
    next(batches)
    assert len(children() - before) == 2
    del batches
    assert children() <= before


def test_the_sum_of_an_epoch_is_right_however_often_workers_hand_over() -> None:
    loader = tensorglass.utils.data.DataLoader(Numbers(tensorglass, 300), 7, True, num_workers=2, in_order=False)
    for _ in range(3):
        assert sum(batch[0][:, 0].sum().item() for batch in loader) == sum(range(300))
