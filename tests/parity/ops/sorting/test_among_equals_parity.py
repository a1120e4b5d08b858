"""Equal elements: stable sorts and medians of short rows choose PyTorch's; others one with the same value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from parity.agreement import Blueprint, blueprint, built, disagreement

import tensorglass

SIZES = ((1,), (2,), (5,), (17,), (300,), (3, 7), (24, 20), (2, 3, 18))
CHOSEN: dict[str, list[dict[str, Any]]] = {
    "median": [{}],
    "nanmedian": [{}],
    "sort": [{"stable": True}, {"descending": True, "stable": True}],
}
ANY: dict[str, list[dict[str, Any]]] = {
    "topk": [{"k": k, "largest": largest} for k in (1, 2, 5, 16) for largest in (True, False)],
    "kthvalue": [{"k": k} for k in (1, 2, 5, 16)],
    "median": [{}],
    "mode": [{}],
    "nanmedian": [{}],
    "sort": [{"descending": False}, {"descending": True}],
}


def with_equals(size: tuple[int, ...], has_nan: bool) -> list[Blueprint]:
    """Tensors of few different elements, in several dtypes and layouts."""
    random = np.random.default_rng(sum(size))
    blueprints = []
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
            blueprints.append(blueprint(elements.reshape(-1).tolist(), dtype, size, layout))
    return blueprints


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", CHOSEN)
def test_of_equal_elements_pytorchs_are_chosen(name: str, size: tuple[int, ...]) -> None:
    differences = [
        disagreement(name, (tensor,), {"dim": dim, **keywords})
        for dim, length in enumerate(size)
        if name == "sort" or length <= 64
        for keywords in CHOSEN[name]
        for tensor in with_equals(size, has_nan=name != "nanmedian")
    ]
    assert differences or max(size) > 64
    assert [differs for differs in differences if differs is not None] == []


@pytest.mark.sweep
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", ANY)
def test_of_equal_elements_one_is_chosen_where_its_value_stands(name: str, size: tuple[int, ...]) -> None:
    torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
    for dim, length in enumerate(size):
        for keywords in ANY[name]:
            if keywords.get("k", 0) > length:
                continue
            # PyTorch's mode counts NaN among equals now and then: docs/differences.md
            for plan in with_equals(size, has_nan=name != "mode"):
                ours, theirs = built(plan, tensorglass), built(plan, torch)
                values, positions = getattr(ours, name)(dim=dim, **keywords)
                wanted = getattr(theirs, name)(dim=dim, **keywords)[0]
                assert np.array_equal(values.numpy(), wanted.numpy(), equal_nan=values.is_floating_point())
                if values.dim() < ours.dim():
                    values, positions = values.unsqueeze(dim), positions.unsqueeze(dim)
                there = ours.gather(dim, positions)
                assert bool(((there == values) | ((there != there) & (values != values))).all())
                if name in ("sort", "topk"):  # no element twice
                    in_order = positions.sort(dim)[0]
                    assert not bool((in_order.diff(dim=dim) == 0).any())
