"""Samplers: the order in which a dataset's samples are fetched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import chain, islice, repeat
from typing import Any, Generic, TypeVar

from tensorglass.core.dtypes import float64, int64
from tensorglass.interop.numpy import as_tensor
from tensorglass.ops.creation.fill import empty
from tensorglass.ops.random.factories import randint, randperm
from tensorglass.ops.random.multinomial import multinomial
from tensorglass.tensor.generator import Generator

T_co = TypeVar("T_co", covariant=True)


class Sampler(Generic[T_co]):
    """An iterable of numbers of samples, or of lists of them."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """From the first sample to the last."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """At random: every sample once, or with `replacement`; `num_samples` of them, by default as many as there are."""

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self) -> int:
        """The number of indices of an epoch; the dataset may grow between epochs."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        size, generator = len(self.data_source), self.generator
        if generator is None:  # one number from the default generator, however many samples are drawn
            generator = Generator()
            generator.manual_seed(random_seed())
        rounds, rest = divmod(self.num_samples, 32 if self.replacement else size)
        if self.replacement:
            for count in chain(repeat(32, rounds), (rest,)):
                yield from randint(high=size, size=(count,), dtype=int64, generator=generator).tolist()
        else:
            for _ in range(rounds):
                yield from randperm(size, generator=generator).tolist()
            yield from randperm(size, generator=generator).tolist()[:rest]

    def __len__(self) -> int:
        return self.num_samples


def random_seed(generator: Generator | None = None) -> int:
    """A number for seeds, from the default generator or another."""
    return int(empty((), dtype=int64).random_(generator=generator).item())


class SubsetRandomSampler(Sampler[int]):
    """The given numbers, in random order."""

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for index in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[index]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """At random, each sample as often as its weight says; weights need not add up to 1."""

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        _check_count("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.dim() != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        yield from multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of `batch_size` numbers of another sampler; with `drop_last` the last one is left out if it is shorter."""

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        _check_count("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler: Any = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)


def _check_count(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")
