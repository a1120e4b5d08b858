"""Pooling where windows lie side by side, or parts differ in length: values, indices, gradients and memory layouts,
with equal elements, NaN, infinities, and windows that padding moves.
"""

from __future__ import annotations

import pytest
from parity.same_source import disagreement

IMAGES = """
import itertools, math
def image(*size):
    numbers = (torch.arange(math.prod(size)) * 7919 % 23 // 4).float().reshape(size)
    return torch.where(numbers == 2, {special}, numbers).requires_grad_()
def both(result, x):
    values, indices = result if isinstance(result, tuple) else (result, None)
    see(values, indices)
    weights = torch.cos(torch.arange(values.numel()) * 1.0).reshape(values.shape)
    see(*torch.autograd.grad(values, x, weights))
def parts(counts, *size):
    x, rank = image(*size), len(size) - 2
    both(getattr(F, f"adaptive_max_pool{rank}d")(x, counts, return_indices=True), x)
    both(getattr(F, f"adaptive_avg_pool{rank}d")(x, counts), x)
"""
PROGRAMS = {
    "parts of equal length": """
parts(2, 2, 3, 8); parts(1, 2, 3, 6); parts(5, 2, 3, 5); parts((2, 1, 2), 2, 3, 4, 6, 2)
for counts in (1, (2, 3), (4, 6), (1, 2)): parts(counts, 2, 3, 4, 6); parts(counts, 70, 64, 4, 6)
""",
    "parts of different lengths": """
for counts in ((3, 4), (1, 4), (3, 6), (5, 7)): parts(counts, 2, 3, 4, 6)
parts((1, 3, 3), 1, 2, 3, 1, 2); parts(3, 2, 3, 7)
""",
    "means side by side": """
for size, window, padding in (((8, 8), 4, 0), ((8, 8), 4, 1), ((8, 8), 4, 2), ((7, 7), 7, 0), ((8, 10), (2, 5), 0)):
    x = image(2, 3, *size); both(F.avg_pool2d(x, window, padding=padding), x)
x = image(2, 3, 12); both(F.avg_pool1d(x, 4), x); both(F.avg_pool1d(x, 4, 3), x)
x = image(2, 4, 4, 8); both(F.avg_pool3d(x, (2, 2, 4)), x)
""",
    "largest of many": """
for window, stride, padding in ((2, 2, 0), (3, 2, 1), (3, 1, 1)):
    x = image(16, 32, 12, 12); both(F.max_pool2d(x, window, stride, padding, return_indices=True), x)
x = image(64, 32, 40); both(F.max_pool1d(x, 2, return_indices=True), x)
with torch.no_grad(): see(F.max_pool1d(x, 2))
""",
}  # fmt: skip


@pytest.mark.parametrize("special", ["5.0", "-0.0", "math.inf", "-math.inf", "math.nan"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_pooling_is_pytorchs_to_the_index(name: str, special: str) -> None:
    told = disagreement(IMAGES.replace("{special}", special) + PROGRAMS[name])
    assert told is None, told


def test_the_gradient_of_dilated_windows_lies_as_the_image() -> None:
    told = disagreement(
        """
        x = torch.arange(2 * 3 * 6 * 8.0).reshape(2, 3, 6, 8).contiguous(memory_format=torch.channels_last)
        x.requires_grad_()
        for window, stride in (((1, 2), (1, 2)), (2, 2), (3, 1)):
            y = F.max_pool2d(x, window, stride, dilation=2)
            see(y, *torch.autograd.grad(y, x, torch.ones_like(y)))
        """
    )
    assert told is None, told


def test_means_of_volumes_that_are_smaller_than_the_window_are_refused() -> None:
    told = disagreement(
        """
        attempt(lambda: F.avg_pool3d(torch.ones(1, 1, 1, 2, 3), (2, 1, 1), padding=(1, 0, 0)))
        attempt(lambda: F.avg_pool3d(torch.ones(1, 3, 3, 1), (1, 4, 1)))
        see(F.avg_pool2d(torch.ones(1, 1, 2, 3), (3, 1), padding=(1, 0)))
        """
    )
    assert told is None, told
