"""`linspace` of floats is PyTorch's to the last bit, as are the grids that are made of it."""

from __future__ import annotations

import numpy as np
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.filterwarnings("ignore")
def test_every_bit_is_pytorchs(dtype: str) -> None:
    random = np.random.default_rng(0)
    ends = [
        (*(random.normal(size=2) * 10.0 ** random.integers(-3, 4)), int(random.integers(1, 300))) for _ in range(300)
    ]
    ends += [(0, 1, 2), (1, -1, 7), (3, 3, 5), (0, float("inf"), 4)]
    ends += [(3e38, -3e38, 4)] if dtype == "float32" else [(1e300, 9e299, 9)]
    for start, end, steps in ends:
        results = [
            library.linspace(start, end, steps, dtype=getattr(library, dtype)) for library in (tensorglass, torch)
        ]
        np.testing.assert_array_equal(results[0].numpy(), results[1].numpy())


def test_the_grid_of_no_change_is_pytorchs_to_the_last_bit() -> None:
    for length in (3, 8, 28):
        grids = [
            library.nn.functional.affine_grid(
                library.eye(2, 3).unsqueeze(0), (1, 1, length, length), align_corners=False
            )
            for library in (torch, tensorglass)
        ]
        np.testing.assert_array_equal(grids[1].numpy(), grids[0].numpy())
