"""Which of equal elements is chosen or comes first: the same one as in PyTorch, in tensors of up to 512 elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from parity.agreement import Blueprint, blueprint, disagreement

SIZES = ((1,), (2,), (5,), (16,), (17,), (40,), (300,), (512,), (3, 7), (24, 20), (2, 3, 18))
CALLS: dict[str, list[dict[str, Any]]] = {
    "topk": [
        {"k": k, "largest": largest, "sorted": is_sorted}
        for k in (1, 2, 5, 16)
        for largest in (True, False)
        for is_sorted in (True, False)
    ],
    "kthvalue": [{"k": k} for k in (1, 2, 5, 16)],
    "median": [{}],
    "nanmedian": [{}],
    "mode": [{}],
    "sort": [{"descending": False}, {"descending": True}, {"descending": True, "stable": True}],
    "argsort": [{"descending": False}, {"descending": True}],
}


def with_equals(size: tuple[int, ...], has_nan: bool) -> list[Blueprint]:
    """Tensors of few different elements, in several dtypes and layouts."""
    random = np.random.default_rng(sum(size))
    made = []
    for kinds in (1, 2, 5, 20):
        for dtype, layout in (
            ("int64", "contiguous"),
            ("uint8", "permuted"),
            ("float32", "sliced"),
            ("float16", "permuted"),
        ):
            elements = random.integers(0, kinds, size).astype("float64")
            if has_nan and dtype.startswith("float"):
                elements[random.random(size) < 0.2] = np.nan
            made.append(blueprint(elements.reshape(-1).tolist(), dtype, size, layout))
    return made


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_of_equal_elements_pytorchs_are_chosen(name: str, size: tuple[int, ...]) -> None:
    found = []
    for dim, length in enumerate(size):
        for keywords in CALLS[name]:
            k = keywords.get("k", length)
            if k > length or k * 64 <= length:  # PyTorch looks for so few in another way
                continue
            # PyTorch's mode counts NaN among equals now and then: docs/differences.md
            tensors = with_equals(size, has_nan=name not in ("mode", "nanmedian"))
            found += [disagreement(name, (tensor,), {"dim": dim, **keywords}) for tensor in tensors]
    assert found
    assert [each for each in found if each is not None] == []
