"""The largest singular values and principal components against PyTorch, from the same random numbers."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import torch
from parity.expressions import outcome

import tensorglass

MATRIX = "(torch.arange(42, dtype=torch.float64).square() * 0.618 % 1).reshape(7, 6)"
CALLS = [
    f"torch.svd_lowrank({MATRIX})",
    f"torch.svd_lowrank({MATRIX}, 3)",
    f"torch.svd_lowrank({MATRIX}.mT, q=2, niter=0)",
    f"torch.svd_lowrank({MATRIX}, 2, M={MATRIX}[:1])",
    f"torch.svd_lowrank(torch.stack([{MATRIX}, {MATRIX} ** 2]), 2, niter=4)",
    f"torch.svd_lowrank({MATRIX} + 1j * {MATRIX} ** 2, 3)",
    f"torch.pca_lowrank({MATRIX})",
    f"torch.pca_lowrank({MATRIX}, 3, center=False)",
    f"torch.pca_lowrank({MATRIX}.mT, 2, niter=1)",
]


def found(library: Any, call: str) -> tuple[Any, list[Any]]:
    """The singular values, what the factors multiply to, and the factors' sizes."""
    library.manual_seed(5)
    left, sizes, right = eval(call, {"torch": library})
    product = (left * sizes.unsqueeze(-2)) @ right.mH
    shapes = [tuple(array.shape) for array in (left, sizes, right)]
    return shapes, [tensor.resolve_conj().numpy() for tensor in (sizes, product)]


@pytest.mark.parametrize("call", CALLS)
def test_values_and_products_are_pytorchs(call: str) -> None:
    (ours, mine), (theirs, other) = found(tensorglass, call), found(torch, call)
    assert ours == theirs
    for one, two in zip(mine, other, strict=True):
        numpy.testing.assert_allclose(one, two, atol=1e-9)


@pytest.mark.parametrize("call", ["7", "-1", "2, niter=-1"])
def test_refusals_are_pytorchs(call: str) -> None:
    expression = f"torch.pca_lowrank({MATRIX}, {call})"
    assert outcome(tensorglass, expression)[0] == outcome(torch, expression)[0]


def test_gradients_flow_through_the_largest_values() -> None:
    seen = []
    for library in (tensorglass, torch):
        library.manual_seed(5)
        matrix = eval(MATRIX, {"torch": library}).requires_grad_()
        library.svd_lowrank(matrix, 6)[1].square().sum().backward()
        seen.append(matrix.grad.numpy())
    numpy.testing.assert_allclose(seen[0], seen[1], atol=1e-8)
