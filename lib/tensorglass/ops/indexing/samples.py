"""Sample inputs of the operators that choose elements by position or by mask."""

from __future__ import annotations

from collections.abc import Iterator

from tensorglass.core import dtypes
from tensorglass.ops.declare.registry import Sample, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.pointwise.comparison import gt
from tensorglass.tensor.tensor import Tensor


def positions(*size: int, length: int, seed: int = 0) -> Tensor:
    """An index tensor of this size, with positions 0 to `length` - 1."""
    return values(*size, low=0, high=length - 0.01, dtype=dtypes.int64, seed=seed)


def mask(*size: int) -> Tensor:
    """A mask of this size, about half of it True."""
    return gt(values(*size), 0)


def argwhere_samples() -> Iterator[Sample]:
    for size in ((), (5,), (2, 3), (2, 0, 3)):
        yield sample(values(*size, low=-2, high=2, dtype=dtypes.int64))


def mask_samples() -> Iterator[Sample]:
    yield sample(values(2, 3), mask(2, 3))
    yield sample(values(2, 3), mask(3))
    yield sample(values(3), mask(2, 1))
    yield sample(values(), mask())


def mask_fill_samples() -> Iterator[Sample]:
    for each in mask_samples():
        yield sample(*each.arguments, 2.5)


def masked_scatter_samples() -> Iterator[Sample]:
    for each in mask_samples():
        yield sample(*each.arguments, values(8, seed=1))


def where_samples() -> Iterator[Sample]:
    yield sample(mask(2, 3), values(2, 3), values(3, seed=1))
    yield sample(mask(2, 3), 1.5, values(2, 1))
    yield sample(mask(3), 1, 0)


def select_samples() -> Iterator[Sample]:
    yield sample(values(2, 3), 1, positions(4, length=3))
    yield sample(values(3), 0, positions(length=3))
    yield sample(values(2, 3, 2), -2, positions(0, length=3))


def gather_samples() -> Iterator[Sample]:
    yield sample(values(2, 3), 1, positions(2, 4, length=3))
    yield sample(values(2, 3), 0, positions(1, 2, length=2))
    yield sample(values(3), 0, positions(5, length=3))


def take_along_samples() -> Iterator[Sample]:
    yield sample(values(2, 3), positions(2, 4, length=3), 1)
    yield sample(values(2, 3), positions(1, 1, length=2), 0)
    yield sample(values(3), positions(2, length=3))


def scatter_samples() -> Iterator[Sample]:
    yield sample(values(2, 3), 0, positions(1, 3, length=2), values(2, 3, seed=1))
    yield sample(values(4), 0, positions(2, length=4), values(3, seed=1))


def index_write_samples() -> Iterator[Sample]:
    yield sample(values(2, 3), 1, positions(2, length=3), values(2, 2, seed=1))
    yield sample(values(4), 0, positions(2, length=4), values(2, seed=1))


def index_fill_samples() -> Iterator[Sample]:
    yield sample(values(2, 3), 1, positions(2, length=3), 5.0)


def take_samples() -> Iterator[Sample]:
    yield sample(values(2, 3), positions(2, 2, length=6))
    yield sample(values(4), positions(length=4))
