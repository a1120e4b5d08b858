"""Sample inputs: the calls with which tests try an operator. They are deterministic and small, and include odd sizes.

A declaration may name a function that yields them; those below are for elementwise operators. The calls of all other
operators are in ``samples.txt``, as source text, by the operators' paths.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from functools import cache
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.core.dtypes import dtype as DType
from tensorglass.ops.declare.lazy_loading import read_blocks
from tensorglass.ops.declare.registry import Operator, Sample, sample
from tensorglass.tensor.construct import empty_on
from tensorglass.tensor.tensor import Tensor, raw_array


def samples_of(row: Operator) -> list[Sample]:
    """The sample calls of an operator, with new tensors each time; empty if there are none."""
    if row.samples is not None:
        return list(row.samples())
    return [eval(f"sample({call})", _names()) for call in _calls().get(row.path, ())]


@cache
def _calls() -> dict[str, list[str]]:
    blocks = read_blocks(os.path.join(os.path.dirname(__file__), "samples.txt"))
    return {path: calls for paths, calls in blocks.items() for path in paths.split()}


def _names() -> dict[str, Any]:
    """The names that the calls in ``samples.txt`` may use."""
    return {
        "inf": math.inf,
        "int32": dtypes.int32,
        "int64": dtypes.int64,
        "nan": math.nan,
        "mask": lambda *size: values(*size) > 0,
        "matrices": matrices,
        "sample": sample,
        "tensor": values().new_tensor,
        "values": values,
    }


def values(*size: int, low: float = -3.0, high: float = 3.0, dtype: DType = dtypes.float64, seed: int = 0) -> Tensor:
    """A tensor of this size whose elements are spread evenly over [low, high], the same at every call."""
    result = empty_on(CPU, size, geometry.contiguous_strides(size), dtype)
    result._storage.backend.launch(_spread, raw_array(result), low, high, seed)
    return result


def _spread(xp: Any, target: Array, low: float, high: float, seed: int) -> None:
    # Multiples of the golden ratio, modulo 1, fill the interval evenly (Weyl's sequence).
    steps = (xp.arange(target.size) + 1 + 17 * seed) * ((math.sqrt(5) - 1) / 2) % 1
    target[...] = (low + (high - low) * steps).reshape(target.shape)


def matrices(*size: int, seed: int = 0) -> Tensor:
    """Square matrices that are far from singular: `values` with a larger diagonal."""
    result = values(*size, seed=seed)
    result._storage.backend.launch(_add_diagonal, raw_array(result))
    return result


def _add_diagonal(xp: Any, target: Array) -> None:
    target += 8 * xp.eye(target.shape[-1])


def _one(low: float, high: float) -> Iterator[Sample]:
    for size in ((), (0,), (5,), (2, 3), (1, 3, 1), (2, 0, 3)):
        yield sample(values(*size, low=low, high=high))


def unary() -> Iterator[Sample]:
    return _one(-3.0, 3.0)


def positive() -> Iterator[Sample]:
    return _one(0.25, 4.0)


def unit_interval() -> Iterator[Sample]:
    return _one(-0.95, 0.95)


def above_one() -> Iterator[Sample]:
    return _one(1.05, 4.0)


_PAIRS = (((), ()), ((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((4, 1, 3), (2, 3)), ((0, 3), (3,)), ((2, 3), ()))


def pairs() -> Iterator[Sample]:
    for one, other in _PAIRS:
        yield sample(values(*one), values(*other, seed=1))
    same = values(2, 3)
    yield sample(same, same)


def binary() -> Iterator[Sample]:
    yield from pairs()
    yield sample(values(2, 3), 2)
    yield sample(values(2, 3), -1.5)


def divisors() -> Iterator[Sample]:
    for one, other in _PAIRS:
        yield sample(values(*one), values(*other, low=1.0, high=4.0, seed=1))
    yield sample(values(2, 3), 2)
    yield sample(values(2, 3), -1.5)


def exponents() -> Iterator[Sample]:
    for one, other in _PAIRS:
        yield sample(values(*one, low=0.25, high=3.0), values(*other, low=1.0, high=3.0, seed=1))
    for number in (0, 1, 2, 3, 0.5):
        yield sample(values(2, 3, low=0.25, high=3.0), number)


def truths() -> Iterator[Sample]:
    for one, other in _PAIRS:
        yield sample(values(*one, low=-1.0, high=2.0), values(*other, low=-1.0, high=2.0, seed=1))


def bits() -> Iterator[Sample]:
    for one, other in _PAIRS:
        yield sample(
            values(*one, low=-9.0, high=9.0, dtype=dtypes.int64), values(*other, low=-9.0, high=9.0, dtype=dtypes.int64)
        )


def whole() -> Iterator[Sample]:
    for size in ((), (0,), (5,), (2, 3), (2, 0, 3)):
        yield sample(values(*size, low=-9.0, high=9.0, dtype=dtypes.int64))


def shifts() -> Iterator[Sample]:
    for one, other in _PAIRS:
        yield sample(
            values(*one, low=-9.0, high=9.0, dtype=dtypes.int64), values(*other, low=0, high=5, dtype=dtypes.int64)
        )


def ternary() -> Iterator[Sample]:
    yield sample(values(2, 3), values(2, 3, seed=1), values(2, 3, low=0.5, seed=2))
    yield sample(values(2, 3), values(3, seed=1), values(2, 1, low=0.5, seed=2))
    yield sample(values(), values(seed=1), values(low=0.5, seed=2))


def bounds() -> Iterator[Sample]:
    yield sample(values(2, 3), -1.0, 1.0)
    yield sample(values(2, 3), min=0.5)
    yield sample(values(2, 3), max=0)
    yield sample(values(2, 3), values(3, seed=1), values(2, 1, low=1.0, seed=2))
