"""The iterators of loaders, and what makes their batches, are PyTorch's to programs that derive their own."""

from __future__ import annotations

import textwrap

import pytest
from parity.same_source import disagreement, seen_by_ours

PROGRAMS = {
    "an iterator of one's own": """
        DataLoader = torch.utils.data.DataLoader
        _BaseDataLoaderIter = torch.utils.data.dataloader._BaseDataLoaderIter
        _SingleProcessDataLoaderIter = torch.utils.data.dataloader._SingleProcessDataLoaderIter
        class Iterator(_SingleProcessDataLoaderIter):
            def __init__(self, loader):
                super().__init__(loader)
                see(self._num_workers, self._pin_memory, self._timeout, self._drop_last, self._auto_collation)
                see(self._dataset_kind, self._persistent_workers, self._dataset is loader.dataset, len(self))
                self.doubled = False
            def _next_index(self):
                index = super()._next_index()
                see(index)
                return index[::-1]
            def _next_data(self):
                return 2 * super()._next_data()
        class Loader(DataLoader):
            def _get_iterator(self):
                return Iterator(self)
        loader = Loader(torch.arange(5.0), batch_size=2)
        see(*loader)
        iterator = iter(loader)
        see(next(iterator), iterator._num_yielded)
        iterator._reset(loader)
        see(next(iterator), iterator._num_yielded)
        attempt(lambda: _BaseDataLoaderIter(loader)._next_data())
        attempt(lambda: next(_BaseDataLoaderIter(loader)))
        attempt(lambda: _SingleProcessDataLoaderIter(DataLoader([1], num_workers=1)))
    """,
    "what makes the batches": """
        IterableDataset = torch.utils.data.IterableDataset
        fetch = torch.utils.data._utils.fetch
        _DatasetKind = torch.utils.data.dataloader._DatasetKind
        class Stream(IterableDataset):
            def __iter__(self):
                return iter(range(5))
        class Fetcher(fetch._MapDatasetFetcher):
            def fetch(self, index):
                return ["mine", super().fetch(index)]
        see(Fetcher([7, 8, 9], True, list, False).fetch([2, 0]))
        items = _DatasetKind.create_fetcher(_DatasetKind.Map, [7, 8, 9], False, str, False)
        see(type(items).__name__, items.fetch(1), items.auto_collation, items.drop_last)
        stream = _DatasetKind.create_fetcher(_DatasetKind.Iterable, Stream(), True, list, False)
        see(type(stream).__name__, stream.fetch([None] * 3), stream.ended, stream.fetch([None] * 3), stream.ended)
        attempt(lambda: stream.fetch([None]))
        whole = _DatasetKind.create_fetcher(_DatasetKind.Iterable, Stream(), True, list, True)
        see(whole.fetch([None] * 4))
        attempt(lambda: whole.fetch([None] * 4))
        attempt(lambda: fetch._BaseDatasetFetcher([1], False, str, False).fetch(0))
    """,
    "a loader whose sampler begins again": """
        DataLoader = torch.utils.data.DataLoader
        class Again:
            def __init__(self, sampler):
                self.sampler = sampler
            def __iter__(self):
                while True:
                    yield from self.sampler
        class Loader(DataLoader):
            def __init__(self, *args, **options):
                super().__init__(*args, **options)
                self._DataLoader__initialized = False
                self.batch_sampler = Again(self.batch_sampler)
                self._DataLoader__initialized = True
                self.iterator = super().__iter__()
            def __len__(self):
                return len(self.batch_sampler.sampler)
            def __iter__(self):
                for _ in range(len(self)):
                    yield next(self.iterator)
        loader = Loader(torch.arange(5.0), batch_size=2)
        see(list(loader), list(loader))
        attempt(lambda: setattr(loader, "batch_sampler", None))
    """,
    "workers that stay": """
        DataLoader = torch.utils.data.DataLoader
        torch.manual_seed(0)
        loader = DataLoader(torch.arange(4.0), batch_size=2, num_workers=1, persistent_workers=True)
        first = iter(loader)
        see(type(first).__name__, len(first._workers), list(first), iter(loader) is first, list(first))
        see(loader._iterator is first, first._workers[0].is_alive())
        first._shutdown_workers()
        see(first._workers[0].is_alive())
    """,
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_iterators_of_loaders(source: str) -> None:
    assert seen_by_ours(textwrap.dedent(source))
    assert disagreement(source) is None, disagreement(source)
