"""`DataLoader`: a dataset in batches, fetched here or by worker processes."""

from __future__ import annotations

import multiprocessing
import os
import sys
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.context import BaseContext
from typing import Any, Generic, TypeVar, cast

from tensorglass.accelerator import current_accelerator
from tensorglass.multiprocessing.spawn import no_processes
from tensorglass.tensor.generator import Generator
from tensorglass.tensor.tensor import Tensor
from tensorglass.utils.data.collate import default_collate, default_convert
from tensorglass.utils.data.dataset import Dataset, IterableDataset
from tensorglass.utils.data.fetch import _DatasetKind
from tensorglass.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, random_seed
from tensorglass.utils.data.workers import Recipe, Workers

# Types that libraries write in their annotations.
_collate_fn_t = Callable[[list[Any]], Any]
_worker_init_fn_t = Callable[[int], None]

T_co = TypeVar("T_co", covariant=True)

_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _InfiniteConstantSampler(Sampler[None]):
    """The sampler of a stream, whose samples have no indices."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


class DataLoader(Generic[T_co]):
    """The batches of a dataset, anew each time it is iterated over.

    `batch_size` samples (None: samples as they are) in the order of `sampler`, or at random with `shuffle`; or the
    lists of a `batch_sampler`. `collate_fn` makes a batch from a list of samples. `num_workers` processes fetch ahead,
    each `prefetch_factor` batches; their tensors come through shared memory. They are seeded from `generator` (or the
    default one), run `worker_init_fn(number)` first, and end with the iteration unless `persistent_workers`. `timeout`
    is in seconds, 0 for none. With `pin_memory` batches move to memory that an accelerator copies from faster.
    """

    __initialized = False  # mangled as PyTorch's: programs switch it off to set what is fixed

    def __init__(
        self,
        dataset: Dataset[T_co] | Sequence[T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: str | BaseContext | None = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = cast(Any, dataset)
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._is_stream = isinstance(dataset, IterableDataset)
        if self._is_stream:
            _check_stream(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            if self._is_stream:
                sampler = _InfiniteConstantSampler()
            else:
                data = self.dataset
                sampler = RandomSampler(data, generator=generator) if shuffle else SequentialSampler(data)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.persistent_workers = persistent_workers
        self._IterableDataset_len_called: int | None = None
        self._iterator: Any = None
        self.__initialized = True
        self.check_worker_number_rationality()

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__initialized and name in _FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def multiprocessing_context(self) -> BaseContext | None:
        """How workers are started, or None for this system's way."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None and self.num_workers == 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                f"num_workers={self.num_workers}"
            )
        if isinstance(context, str):
            methods = multiprocessing.get_all_start_methods()
            if context not in methods:
                raise ValueError(
                    f"multiprocessing_context option should specify a valid start method in {methods!r}, but got "
                    f"multiprocessing_context={context!r}"
                )
            context = multiprocessing.get_context(context)
        if context is not None and not isinstance(context, BaseContext):
            raise TypeError(
                "multiprocessing_context option should be a valid context object or a string specifying the start "
                f"method, but got multiprocessing_context={context}"
            )
        self.__multiprocessing_context = context

    # Loaders of other libraries override these two of PyTorch's names, so that a dataset is asked for whole batches.
    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self) -> int:
        """The number of batches; for a stream, the number that its length promises."""
        if not self._is_stream:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        whole, rest = divmod(length, self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    @property
    def _dataset_kind(self) -> int:
        """As PyTorch's loaders tell it, of which libraries ask."""
        return _DatasetKind.Iterable if self._is_stream else _DatasetKind.Map

    def __iter__(self) -> Iterator[Any]:
        if not (self.persistent_workers and self.num_workers):
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    def _get_iterator(self) -> _BaseDataLoaderIter:
        """A new iterator; subclasses override it."""
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        return _MultiProcessingDataLoaderIter(self)

    def _pins(self) -> bool:
        if self.pin_memory and current_accelerator(check_available=True) is None:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                "used.",
                stacklevel=6,
            )
            return False
        return self.pin_memory

    def check_worker_number_rationality(self) -> None:
        """Warn if there are more workers than cores for them."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        if self.num_workers and (cores is None or self.num_workers > cores):
            warnings.warn(
                f"This DataLoader will create {self.num_workers} worker processes in total. Our suggested max number "
                f"of worker in current system is {cores}, which is smaller than what this DataLoader is going to "
                "create. Please be aware that excessive worker creation might get DataLoader running slow or even "
                "freeze, lower the worker number to avoid potential slowness/freeze if necessary.",
                stacklevel=3,
            )


class _BaseDataLoaderIter(Iterator[Any]):
    """The batches of one epoch, counted for streams that promised a length. A subclass says how one is made.

    Libraries derive their own iterators from it and from the two below, and override its methods.
    """

    def __init__(self, loader: DataLoader) -> None:
        self._dataset = loader.dataset
        self._dataset_kind = loader._dataset_kind
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        self._pin_memory = loader._pins()
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        self._persistent_workers = loader.persistent_workers
        self._sampler_iter = iter(self._index_sampler)
        # the seed of workers: drawn without them too, so that samplers draw the same numbers
        self._base_seed = random_seed(loader.generator)
        self._num_yielded = 0

    def _reset(self, loader: DataLoader, first_iter: bool = False) -> None:
        """Begin another epoch."""
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called

    def _next_index(self) -> Any:
        """The indices of the next batch."""
        return next(self._sampler_iter)

    def _next_data(self) -> Any:
        """The next batch."""
        raise NotImplementedError

    def __next__(self) -> Any:
        batch = self._next_data()
        self._num_yielded += 1
        promised = self._IterableDataset_len_called
        if promised is not None and self._num_yielded > promised:
            self._warn_of_length(promised)
        return batch

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __reduce__(self) -> Any:
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)

    def _warn_of_length(self, promised: int) -> None:
        text = (
            f"Length of IterableDataset {self._dataset} was reported to be {promised}(when accessing "
            f"len(dataloader)), but {self._num_yielded} samples have been fetched. "
        )
        if self._num_workers > 0:
            text += (
                "For multiprocessing data-loading, this could be caused by not properly configuring the "
                "IterableDataset replica at each worker. Please see "
                "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
            )
        warnings.warn(text, stacklevel=3)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Batches that this process fetches itself, one when it is asked for."""

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        if self._num_workers != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires num_workers == 0")
        how = (self._auto_collation, self._collate_fn, self._drop_last)
        self._dataset_fetcher = _DatasetKind.create_fetcher(self._dataset_kind, self._dataset, *how)

    def _next_data(self) -> Any:
        batch = self._dataset_fetcher.fetch(self._next_index())
        return pin_memory(batch) if self._pin_memory else batch


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Batches that worker processes fetch."""

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        if sys.platform == "emscripten":
            no_processes()
        is_stream = self._dataset_kind == _DatasetKind.Iterable
        self._pool = Workers(
            Recipe(self._dataset, is_stream, self._auto_collation, self._collate_fn, self._drop_last),
            _Indices(self),
            count=self._num_workers,
            ahead=loader.prefetch_factor or 0,
            seed=self._base_seed,
            context=loader.multiprocessing_context,
            start=loader.worker_init_fn,
            timeout=self._timeout,
            in_order=loader.in_order,
            persistent=self._persistent_workers,
        )

    @property
    def _workers(self) -> list[Any]:
        """The processes."""
        return self._pool.processes

    def _reset(self, loader: DataLoader, first_iter: bool = False) -> None:
        super()._reset(loader, first_iter)
        if not first_iter:
            self._pool.restart(_Indices(self))

    def _next_data(self) -> Any:
        batch = next(self._pool)
        return pin_memory(batch) if self._pin_memory else batch

    def _shutdown_workers(self) -> None:
        """End the processes; there are no more batches."""
        self._pool.close()


class _Indices(Iterator[Any]):
    """What an iterator's `_next_index` gives. It keeps no iterator alive, whose end is that of the workers."""

    def __init__(self, whose: _BaseDataLoaderIter) -> None:
        self._whose = weakref.ref(whose)

    def __next__(self) -> Any:
        whose = self._whose()
        if whose is None:
            raise StopIteration
        return whose._next_index()


def pin_memory(data: Any, device: Any = None) -> Any:
    """`data` with every tensor in it pinned; objects may have a `pin_memory` method of their own."""
    if isinstance(data, Tensor) or hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, dict):
        return {key: pin_memory(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(pin_memory(item) for item in data))
    if isinstance(data, list | tuple):
        return [pin_memory(item) for item in data]
    return data


def _check_workers(num_workers: int, timeout: float, prefetch_factor: int | None, persistent: bool) -> None:
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_stream(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    for name, value, fine in (
        ("shuffle", shuffle, shuffle in (None, False)),
        ("sampler", sampler, sampler is None),
        ("batch_sampler", batch_sampler, batch_sampler is None),
    ):
        if not fine:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )
