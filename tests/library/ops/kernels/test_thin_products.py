"""Products of long, thin matrices, which are multiplied in pieces: the same numbers, whichever length is cut."""

from __future__ import annotations

import numpy
import pytest

import tensorglass as torch
from tensorglass.ops.kernels.matmul import SMALL

CASES = [(6, 25, 50_000), (50_000, 25, 6), (6, 50_000, 25), (16, 6400, 150), (150, 6400, 16), (4, 100, 20_001),
         (64, 64, 64), (2, 1000, 4000), (1, 1_500_000, 1), (0, 25, 50_000), (25, 0, 50_000)]  # fmt: skip


@pytest.mark.parametrize("sizes", CASES, ids=str)
@pytest.mark.parametrize("turned", ["", "left", "right", "both"])
def test_a_product_in_pieces_is_the_product(sizes: tuple[int, int, int], turned: str) -> None:
    rows, inner, columns = sizes
    generator = torch.Generator().manual_seed(rows + inner)
    one = torch.rand(rows, inner, generator=generator)
    other = torch.rand(inner, columns, generator=generator)
    if turned in ("left", "both"):
        one = one.t().contiguous().t()
    if turned in ("right", "both"):
        other = other.t().contiguous().t()
    expected = numpy.matmul(one.numpy().astype("float64"), other.numpy().astype("float64"))
    for result in (one @ other, torch.mm(one, other), torch.addmm(torch.zeros(columns), one, other)):
        assert result.is_contiguous()
        numpy.testing.assert_allclose(result.numpy(), expected, rtol=2e-5)


def test_gradients_of_a_product_in_pieces() -> None:
    one = (torch.arange(6 * 25) % 7).float().reshape(6, 25).requires_grad_()
    other = (torch.arange(25 * 50_000) % 5).float().reshape(25, 50_000).requires_grad_()
    assert one.numel() * 50_000 > SMALL
    (one @ other).sum().backward()
    assert one.grad is not None
    assert other.grad is not None
    assert one.grad.equal(other.detach().sum(1).expand(6, 25))
    assert other.grad.equal(one.detach().sum(0).unsqueeze(1).expand(25, 50_000))
