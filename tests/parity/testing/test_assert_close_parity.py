"""`testing.assert_close` lets through and refuses what PyTorch's does, in its words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from parity.agreement import torch

import tensorglass

NAN, INF = float("nan"), float("inf")

Pair = Callable[[Any], tuple[Any, Any, dict[str, Any]]]
CALLS: list[Pair] = [
    lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 2.0]), {}),
    lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 3.0]), {}),
    lambda t: (t.tensor([[1.0, 2.0], [3.0, 4.0]]), t.tensor([[1.0, 3.0], [3.0, 7.0]]), {}),
    lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 2.1]), {"rtol": 0.1, "atol": 0.0}),
    lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 3.0]), {"rtol": 0.0, "atol": 0.0}),
    lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 3.0]), {"rtol": 0.1}),
    lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 3.0]), {"msg": "they differ"}),
    lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 3.0]), {"msg": lambda text: f"first: {text}"}),
    lambda t: (t.tensor(1.0), t.tensor(2.0), {}),
    lambda t: (t.tensor([1, 2]), t.tensor([1, 3]), {}),
    lambda t: (t.tensor([True]), t.tensor([False]), {}),
    lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 2.0, 3.0]), {}),
    lambda t: (t.tensor([1.0, 2.0]), t.tensor([1, 2]), {}),
    lambda t: (t.tensor([1.0, 2.0]), t.tensor([1, 2]), {"check_dtype": False}),
    lambda t: (t.ones(2, 3), t.ones(3, 2).t(), {"check_stride": True}),
    lambda t: (t.tensor([NAN, INF]), t.tensor([NAN, INF]), {}),
    lambda t: (t.tensor([NAN, INF]), t.tensor([NAN, INF]), {"equal_nan": True}),
    lambda t: (t.tensor([1.0 + 1j]), t.tensor([1.0 + 2j]), {}),
    lambda t: (t.tensor([1.0], dtype=t.float16), t.tensor([1.0005], dtype=t.float16), {}),
    lambda t: (1.0, 2.0, {}),
    lambda t: (1, 2, {}),
    lambda t: (1.0, 1.0 + 1e-9, {}),
    lambda t: (NAN, NAN, {"equal_nan": True}),
    lambda t: (True, False, {}),
    lambda t: (None, 1, {}),
    lambda t: (None, None, {}),
    lambda t: ("a", "b", {}),
    lambda t: (1, "a", {}),
    lambda t: ([1.0, 2.0], [1.0, 3.0], {}),
    lambda t: ([1.0], [1.0, 3.0], {}),
    lambda t: ({"a": 1.0}, {"b": 1.0}, {}),
    lambda t: (1, 1.0, {}),
    lambda t: (1, 1.0, {"check_dtype": False}),
    lambda t: (numpy.float32(1), numpy.float64(2), {}),
    lambda t: (numpy.bool_(True), False, {}),
    lambda t: (numpy.ones(2), numpy.ones(2), {}),
    lambda t: (numpy.ones(2), numpy.zeros(2), {}),
    lambda t: (numpy.ones(2), numpy.ones(2, dtype="float32"), {}),
    lambda t: (numpy.ones(2), t.ones(2), {}),
    lambda t: ({"a": [t.tensor([1.0])]}, {"a": [t.tensor([2.0])]}, {}),
]


def outcome(library: Any, pair: Pair) -> tuple[str, str]:
    actual, expected, keywords = pair(library)
    try:
        library.testing.assert_close(actual, expected, **keywords)
    except (AssertionError, TypeError, ValueError) as error:
        return type(error).__name__, re.sub("tensorglass[.a-z]*Tensor|torch.Tensor", "Tensor", str(error))
    return "", ""


@pytest.mark.parametrize("place", range(len(CALLS)))
def test_refusal_and_its_words_are_pytorchs(place: int) -> None:
    assert outcome(tensorglass, CALLS[place]) == outcome(torch, CALLS[place])
