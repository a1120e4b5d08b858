"""Large tensors of half types are converted and computed with by their bits: each number as PyTorch has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tensorglass

RANDOM = np.random.default_rng(0)
BITS = RANDOM.permutation(np.tile(np.arange(2**16, dtype=np.uint16), 5)).view(np.int16)
OTHERS = RANDOM.permutation(BITS)
WIDE = np.concatenate(
    [
        RANDOM.normal(size=50_000) * 10.0 ** RANDOM.integers(-9, 6, 50_000),
        1 + 2.0**-11 + RANDOM.integers(-3, 4, 10_000) * 2.0**-40,
        (RANDOM.integers(0, 2**15, 20_000) + 0.5) * 2.0**-24,
        RANDOM.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 65519.99, 65520.0, 1e30], 20_000),
    ]
)

Call = Callable[[Any, Any, Any], Any]
CALLS: dict[str, Call] = {
    "a + b": lambda lib, a, b: a + b,
    "a * 1.3": lambda lib, a, b: a * 1.3,
    "a + 1.3, a number that is rounded first": lambda lib, a, b: 1.3 - (a + 1.3),
    "a + a 0-dim tensor": lambda lib, a, b: a + lib.tensor(1.3),
    "transposed": lambda lib, a, b: a.view(640, 512).t() / b.view(512, 640),
    "a row beside a matrix": lambda lib, a, b: a.view(640, 512) - b[:512],
    "every second": lambda lib, a, b: a.view(1, -1)[:, ::2] * b.view(1, -1)[:, 1::2],
    "in place": lambda lib, a, b: a.clone().view(640, 512).t().mul_(b.view(512, 640)),
    "out": lambda lib, a, b: lib.sub(a, b, out=lib.empty_like(a)),
    "clamp": lambda lib, a, b: a.clamp(-1, 2),
    "where": lambda lib, a, b: lib.where(a > b, a, b),
    "-abs": lambda lib, a, b: -a.abs(),
    "relu": lambda lib, a, b: a.relu(),
    "a == b": lambda lib, a, b: a == b,
    "isnan": lambda lib, a, b: a.isnan(),
    "float": lambda lib, a, b: a.float(),
    "double": lambda lib, a, b: a.double(),
    "there and back": lambda lib, a, b: (a.float() * 1.0003).to(a.dtype),
    "to the other half type": lambda lib, a, b: a.bfloat16() if a.dtype is lib.float16 else a.half(),
    "sum": lambda lib, a, b: a.view(640, 512).nan_to_num(0, 0, 0).amax(1),
}


def both(call: Call, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    results = []
    for lib in (tensorglass, torch):
        tensors = [lib.from_numpy(bits.copy()).view(getattr(lib, dtype)) for bits in (BITS, OTHERS)]
        result = call(lib, *tensors)
        results.append((result.float() if result.dtype is lib.bfloat16 else result).numpy())
    return results[0], results[1]


def assert_same(ours: np.ndarray, theirs: np.ndarray) -> None:
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)
    if ours.dtype != bool:
        is_number = ~np.isnan(theirs)
        np.testing.assert_array_equal(np.signbit(ours[is_number]), np.signbit(theirs[is_number]))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_every_number_of_a_half_type_comes_to_what_it_comes_to_in_pytorch(call: str, dtype: str) -> None:
    assert_same(*both(CALLS[call], dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("count", [40, len(WIDE)])
def test_wide_numbers_are_rounded_to_halves_as_pytorch_rounds_them(dtype: str, count: int) -> None:
    if dtype == "int64":
        wide = RANDOM.integers(-70_000, 70_000, count)
    else:
        wide = RANDOM.permutation(WIDE)[:count].astype(dtype)
    ours, theirs = (lib.from_numpy(wide.copy()).half().numpy() for lib in (tensorglass, torch))
    assert_same(ours, theirs)
