"""Softmax in place, as the shortcut of attention makes it, beside the plain kernel: small scores, large ones, masks."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import tensorglass  # noqa: F401  # before its folder of shortcuts, which may be deleted

fast = pytest.importorskip("tensorglass.fast.networks.scaled_dot_product", reason="the shortcuts are deleted")

MASKS: dict[str, Any] = {
    "none": None,
    "causal": numpy.triu(numpy.full((1, 1, 5, 5), -numpy.inf), 1),
    "numbers": numpy.arange(25.0).reshape(1, 1, 5, 5) * 30,
    "of images, one query sees nothing": numpy.where(numpy.arange(50).reshape(2, 1, 5, 5) < 5, -numpy.inf, 0),
}


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("scale", [1, 50, 1e4])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_weights_are_those_of_the_formula_and_none_where_nothing_is_seen(dtype: str, scale: float, mask: str) -> None:
    scores = (numpy.cos(numpy.arange(2 * 3 * 5 * 5) * 1.7) * scale).astype(dtype).reshape(2, 3, 5, 5)
    added = None if MASKS[mask] is None else MASKS[mask].astype(dtype)
    expected = scores + (0 if added is None else added)
    largest = expected.max(-1, keepdims=True)
    expected = numpy.exp(expected - numpy.where(largest == -numpy.inf, 0, largest))
    expected /= numpy.maximum(expected.sum(-1, keepdims=True), 1e-30)
    with numpy.errstate(over="ignore"):  # as kernels are run
        weights = fast.weights_of(scores, numpy.eye(5, dtype=dtype), added, numpy.empty_like(scores))
    numpy.testing.assert_allclose(weights, expected, rtol=1e-5 if dtype == "float32" else 1e-13, atol=1e-30)
