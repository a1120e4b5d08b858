"""How a batch is made of a dataset: by the numbers of its samples, or from a stream. Libraries override `fetch`."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any


class _BaseDatasetFetcher:
    """Gets samples of `dataset`, several at once if `auto_collation`, and collates them."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        self.dataset = dataset
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last

    def fetch(self, possibly_batched_index: Any) -> Any:
        """A batch: of the samples with these numbers, or of as many as there are numbers."""
        raise NotImplementedError


class _MapDatasetFetcher(_BaseDatasetFetcher):
    def fetch(self, possibly_batched_index: Any) -> Any:
        if not self.auto_collation:
            return self.collate_fn(self.dataset[possibly_batched_index])
        many = getattr(self.dataset, "__getitems__", None)
        samples = many(possibly_batched_index) if many else [self.dataset[number] for number in possibly_batched_index]
        return self.collate_fn(samples)


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    """At the end of the stream `fetch` raises StopIteration."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        self.dataset_iter = iter(dataset)
        self.ended = False

    def fetch(self, possibly_batched_index: Any) -> Any:
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        samples = list(itertools.islice(self.dataset_iter, len(possibly_batched_index)))
        self.ended = len(samples) < len(possibly_batched_index)
        if not samples or (self.drop_last and self.ended):
            raise StopIteration
        return self.collate_fn(samples)


class _DatasetKind:
    """What `DataLoader._dataset_kind` is: whether batches are made of items by their numbers, or of a stream."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(
        kind: int, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> _BaseDatasetFetcher:
        """What makes the batches of such a dataset."""
        fetcher = _MapDatasetFetcher if kind == _DatasetKind.Map else _IterableDatasetFetcher
        return fetcher(dataset, auto_collation, collate_fn, drop_last)
