"""Counting and searching: what is refused, and in which words; outputs of histogram."""

from __future__ import annotations

from typing import Any

import pytest
from parity.agreement import blueprint, disagreement, torch

import tensorglass

DTYPES = ("bool", "uint8", "int64", "float16", "float32", "float64", "complex64")
STEPS = blueprint([1.0, 2.0, 3.0], "float32", (3,))
ROWS = blueprint([1.0, 2.0, 3.0, 4.0], "float32", (2, 2))
NOTHING = blueprint([], "float32", (0,))
Call = tuple[str, tuple[Any, ...], dict[str, Any]]

CALLS: list[Call] = [
    ("searchsorted", (STEPS, STEPS), {"side": "middle"}),
    ("searchsorted", (STEPS, STEPS), {"side": "left", "right": True}),
    ("searchsorted", (ROWS, 1.0), {}),
    ("searchsorted", (ROWS, STEPS), {}),
    ("searchsorted", (blueprint([1.0], "float32", ()), STEPS), {}),
    ("searchsorted", (STEPS, STEPS), {"sorter": blueprint([2, 0, 1], "int64", (3,))}),
    ("searchsorted", (STEPS, STEPS), {"sorter": blueprint([2, 0, 9], "int64", (3,))}),
    ("searchsorted", (STEPS, STEPS), {"sorter": blueprint([2, 0], "int64", (2,))}),
    ("searchsorted", (STEPS, STEPS), {"sorter": STEPS}),
    ("searchsorted", (STEPS, STEPS), {"out_int32": True, "out": blueprint([0] * 3, "int64", (3,))}),
    ("bucketize", (STEPS, ROWS), {}),
    ("bucketize", (2, STEPS), {}),
    ("isin", (2, STEPS), {}),
    ("quantile", (STEPS, 2.0), {}),
    ("quantile", (STEPS, 0.5), {"interpolation": "cubic"}),
    ("quantile", (STEPS, ROWS), {}),
    ("quantile", (STEPS, STEPS), {}),
    ("quantile", (STEPS, blueprint([0.5], "float64", (1,))), {}),
    ("quantile", (NOTHING, 0.5), {}),
    ("quantile", (STEPS, 0.5), {"out": blueprint([0], "int64", ())}),
    ("nanquantile", (blueprint([1.0, float("nan"), 3.0], "float32", (3,)), 0.5), {}),
    ("nanquantile", (blueprint([float("nan")] * 3, "float32", (3,)), 0.5), {}),
    ("quantile", (blueprint([1.0, float("nan"), 3.0], "float32", (3,)), 0.5), {}),
    ("bincount", (blueprint([-1, 2], "int64", (2,)),), {}),
    ("bincount", (blueprint([1, 2], "int64", (2, 1)),), {}),
    ("bincount", (blueprint([1, 2], "int64", (2,)), STEPS), {}),
    ("bincount", (blueprint([1, 2], "int64", (2,)),), {"minlength": -1}),
    ("histc", (STEPS, 0), {}),
    ("histc", (STEPS, 3, 2, 1), {}),
    ("histc", (STEPS,), {}),
    ("histogram", (STEPS, 0), {}),
    ("histogram", (STEPS, 3), {"range": (2.0, 1.0)}),
    ("histogram", (STEPS, 3), {"range": (0.0, float("inf"))}),
    ("histogram", (STEPS, blueprint([0.0, 1.5, 4.0], "float32", (3,))), {}),
    ("histogram", (STEPS, 3), {"out": (blueprint([0] * 3, "float32", (3,)), blueprint([0] * 4, "float32", (4,)))}),
    ("unique_consecutive", (blueprint([], "float32", (2, 0)),), {"dim": 0}),
    ("unique_consecutive", (ROWS,), {"dim": 1, "return_inverse": True, "return_counts": True}),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0])
def test_call_agrees(call: Call) -> None:
    assert disagreement(*call) is None


@pytest.mark.parametrize("weights", DTYPES)
def test_weights_of_every_dtype_agree(weights: str) -> None:
    whole = blueprint([0, 2, 2], "int64", (3,))
    assert disagreement("bincount", (whole, blueprint([1, 0, 1], weights, (3,)))) is None


@pytest.mark.parametrize("library", [tensorglass, torch], ids=["tensorglass", "torch"])
def test_bins_ranges_and_weights_that_do_not_fit_are_refused(library: Any) -> None:
    steps = library.arange(4.0)
    with pytest.raises(RuntimeError):
        library.histogram(steps, 3, range=(2.0,))
    with pytest.raises(RuntimeError):
        library.histogram(steps, steps.reshape(2, 2))
    with pytest.raises(RuntimeError):
        library.histogram(steps, steps.double())
    with pytest.raises(RuntimeError):
        library.histogram(steps, 3, weight=steps[:2])
