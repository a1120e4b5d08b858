"""What PyTorch's own tables of operators give as arguments, right ones and wrong ones.

`sample_inputs` and `error_inputs` of the tables' rows also search the call stack for the test that runs, which takes
longer than most tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch.testing._internal.common_utils import SEED, set_rng_seed


def inputs_of(info: Any, dtype: Any, requires_grad: bool = False) -> Iterator[Any]:
    """The samples of an operator on the CPU, with the same random numbers each time."""
    return _seeded(info.sample_inputs_func(info, "cpu", dtype, requires_grad))


def wrong_inputs_of(info: Any) -> Iterator[Any]:
    """The samples that an operator refuses, each with the error."""
    return _seeded(info.error_inputs_func(info, "cpu"))


def _seeded(samples: Any) -> Iterator[Any]:
    """The samples in turn; they may be made while they are asked for."""
    samples = iter(samples)
    while True:
        set_rng_seed(SEED)
        try:
            yield next(samples)
        except StopIteration:
            return
