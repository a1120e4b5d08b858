"""Covariances and integrals: weights, what is refused, and in which words."""

from __future__ import annotations

from typing import Any

import pytest
from parity.agreement import blueprint, disagreement

ROWS = blueprint([1.0, 2.0, 4.0, 3.0, 1.0, 0.5], "float32", (2, 3))
LINE = blueprint([1.0, 2.0, 4.0], "float32", (3,))
Call = tuple[str, tuple[Any, ...], dict[str, Any]]

CALLS: list[Call] = [
    ("cov", (ROWS,), {"aweights": LINE}),
    ("cov", (ROWS,), {"aweights": LINE, "fweights": blueprint([1, 2, 1], "int64", (3,))}),
    ("cov", (ROWS,), {"correction": 9}),
    ("cov", (ROWS,), {"fweights": LINE}),
    ("cov", (ROWS,), {"aweights": blueprint([1, 2, 1], "int64", (3,))}),
    ("cov", (ROWS,), {"fweights": blueprint([1, 2], "int64", (2,))}),
    ("cov", (ROWS,), {"fweights": blueprint([1, -2, 1], "int64", (3,))}),
    ("cov", (ROWS,), {"aweights": ROWS}),
    ("cov", (blueprint([1.0], "float32", ()),), {}),
    ("cov", (blueprint([], "float32", (2, 0)),), {}),
    ("cov", (blueprint([True], "bool", (1,)),), {}),
    ("cov", (blueprint([1.0], "float32", (1, 1, 1)),), {}),
    ("corrcoef", (blueprint([1.0], "float32", (1, 1, 1)),), {}),
    ("corrcoef", (blueprint([1.0], "float32", ()),), {}),
    ("trapezoid", (LINE, ROWS), {}),
    ("trapezoid", (LINE, blueprint([1.0, 2.0], "float32", (2,))), {}),
    ("trapezoid", (LINE,), {"dx": True}),
    ("trapezoid", (blueprint([], "float32", (2, 0)),), {}),
    ("trapezoid", (blueprint([1.0], "float32", ()),), {}),
    ("trapezoid", (blueprint([True, False], "bool", (2,)),), {}),
    ("trapz", (LINE,), {"dx": 2}),
    ("cumulative_trapezoid", (blueprint([True, False], "bool", (2,)),), {}),
    ("cumulative_trapezoid", (LINE,), {"dx": 0.5}),
    ("cumsum", (blueprint([-0.0, -0.0], "float32", (2,)), 0), {}),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0])
def test_call_agrees(call: Call) -> None:
    assert disagreement(*call, floor=1.0) is None
