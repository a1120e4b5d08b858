"""Softmax in place, as the shortcut of attention makes it, beside the plain kernel: small scores, large ones, masks."""

from __future__ import annotations

import numpy
import pytest

import tensorglass  # noqa: F401  # before its folder of shortcuts, which may be deleted

fast = pytest.importorskip("tensorglass.fast.networks.self_attention", reason="the shortcuts are deleted")


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("scale", [1, 50, 1e4])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_weights_are_those_of_the_plain_kernel(dtype: str, scale: float, is_causal: bool) -> None:
    scores = (numpy.cos(numpy.arange(2 * 3 * 5 * 5) * 1.7) * scale).astype(dtype).reshape(2, 3, 5, 5)
    expected = numpy.where(numpy.tri(5, dtype=bool) | (not is_causal), scores, -numpy.inf)
    expected = numpy.exp(expected - expected.max(-1, keepdims=True))
    expected /= expected.sum(-1, keepdims=True)
    fast._become_weights(scores, is_causal)
    numpy.testing.assert_allclose(scores, expected, rtol=1e-5 if dtype == "float32" else 1e-13, atol=1e-30)
