"""Operators with several results: written to tensors with ``out=``, and rows with NaN, ties and infinities."""

from __future__ import annotations

from typing import Any

import pytest
from parity.agreement import Blueprint, blueprint, disagreement

import tensorglass

DTYPES = ("bool", "uint8", "int64", "float16", "float32", "float64", "complex64")
NAN, INF = float("nan"), float("inf")

#: The operators that choose elements along a dimension, with the arguments behind the input.
CHOOSING: list[tuple[str, tuple[Any, ...]]] = [
    ("topk", (2, 0)), ("kthvalue", (2, 0)), ("median", (0,)), ("nanmedian", (0,)), ("mode", (0,)), ("cummax", (0,)),
    ("cummin", (0,)),
]  # fmt: skip


def differing(calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]], **closeness: Any) -> list[str]:
    differences = [disagreement(name, arguments, keywords, **closeness) for name, arguments, keywords in calls]
    return [differs for differs in differences if differs is not None]


def outputs(dtype: str, size: tuple[int, ...]) -> list[tuple[Blueprint, Blueprint]]:
    """Pairs to write to: right ones, empty ones, ones with gaps."""
    room = [0] * (size[0] if size else 1)
    return [
        (blueprint(room, dtype, size), blueprint(room, "int64", size)),
        (blueprint([], dtype, (0,)), blueprint([], "int64", (0,))),
        (blueprint(room, dtype, size, "sliced"), blueprint(room, "int64", size, "sliced")),
    ]


@pytest.mark.parametrize(("name", "arguments"), CHOOSING)
def test_pairs_are_written_to_outputs(name: str, arguments: tuple[Any, ...]) -> None:
    size = (5,) if name.startswith("cum") else (2,) if name == "topk" else ()
    calls = [
        (name, (blueprint([3, 1, 4, 2, 5], dtype, (5,)), *arguments), {"out": out})
        for dtype in DTYPES
        for out in outputs(dtype, size)
    ]
    assert differing(calls) == []


@pytest.mark.parametrize(("name", "arguments"), CHOOSING)
def test_outputs_of_other_dtypes_are_refused(name: str, arguments: tuple[Any, ...]) -> None:
    x = tensorglass.tensor([3.0, 1.0, 4.0, 2.0, 5.0])
    kinds = (tensorglass.float64, tensorglass.int64), (tensorglass.float32, tensorglass.int32)
    for out in [tuple(tensorglass.empty(0, dtype=kind) for kind in pair) for pair in kinds]:
        with pytest.raises(RuntimeError, match="Expected out tensor to have dtype"):
            getattr(tensorglass, name)(x, *arguments, out=out)


#: Of equal elements these choose any: `test_among_equals_parity` compares them.
NOT_AMONG_EQUALS = [row for row in CHOOSING if row[0] not in ("topk", "kthvalue")]


@pytest.mark.parametrize(("name", "arguments"), NOT_AMONG_EQUALS)
@pytest.mark.parametrize(
    "row", [[1.0, NAN, 3.0, NAN, 2.0], [NAN] * 5, [INF, -INF, 0.5, INF, -INF], [2.0, 2.0, 1.0, 1.0, 3.0]]
)
def test_rows_with_nan_and_infinities_agree(name: str, arguments: tuple[Any, ...], row: list[float]) -> None:
    calls = [(name, (blueprint(row, dtype, (5,)), *arguments), {}) for dtype in ("float16", "float32", "float64")]
    assert differing(calls) == []


@pytest.mark.parametrize("name", ["cummax", "cummin"])
def test_positions_of_running_extremes_are_those_of_the_last(name: str) -> None:
    rows = [[2.0, 2.0, 3.0, 3.0, 1.0], [1.0, NAN, 3.0, NAN, 2.0], [INF, INF, -INF, -INF, INF]]
    assert differing([(name, (blueprint(row, "float64", (5,)), 0), {}) for row in rows]) == []


@pytest.mark.parametrize("name", ["median", "nanmedian"])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "float32", "complex64"])
def test_median_of_nothing_agrees(name: str, dtype: str) -> None:
    nothing = blueprint([], dtype, (0,))
    matrix = blueprint([], dtype, (3, 0))
    assert differing([(name, (nothing,), {}), (name, (matrix, 0), {}), (name, (matrix, 1), {})]) == []


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("topk", (6,)), ("topk", (-1,)), ("kthvalue", (0,)), ("kthvalue", (6,)), ("kthvalue", (1, 3)), ("mode", (2,)),
        ("cummax", (1,)), ("logcumsumexp", (1,)), ("median", (1,)),
    ],
)  # fmt: skip
def test_ranks_and_dimensions_that_are_not_there_are_refused(name: str, arguments: tuple[Any, ...]) -> None:
    calls = [(name, (blueprint([3, 1, 4, 2, 5], dtype, (5,)), *arguments), {}) for dtype in DTYPES]
    assert differing(calls) == []
