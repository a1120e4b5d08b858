"""Special functions against PyTorch, over their whole range: the places that they share, and their edges."""

from __future__ import annotations

import math
from typing import Any

import pytest
from parity.agreement import blueprint, disagreement, torch

import tensorglass
from tensorglass.ops import OPERATORS

INF, NAN = math.inf, math.nan
EDGES = [INF, -INF, NAN, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, -2.5, 0.46875, 4.0, 27.5, 1e-300, 5e-324, 1e30]
#: How far apart results may be in units of the last place, or of that of 1 where a result is smaller.
PLACES = 40


def spread(low: float, high: float, number: int = 2000) -> list[float]:
    return [low + (high - low) * ((k * 0.6180339887498949) % 1) for k in range(1, number + 1)]


def apart(name: str, dtype: str, points: list[float], **keywords: Any) -> float:
    """The largest distance of the two libraries' results, in units of the last place of the larger of result and 1."""
    results = []
    for library in (tensorglass, torch):
        x = library.tensor(points, dtype=getattr(library, dtype))
        results.append(getattr(library, name)(x, **keywords).double().tolist())
    last = torch.finfo(getattr(torch, dtype)).eps
    return max(
        abs(one - other) / (last * max(abs(other), 1))
        for one, other in zip(*results, strict=True)
        if math.isfinite(other)
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("erf", spread(-6, 6)), ("erfc", spread(-6, 27)), ("erfinv", spread(-1, 1)), ("lgamma", spread(-20, 60)),
        ("lgamma", spread(0, 1e-6)), ("lgamma", spread(1e3, 1e9)), ("digamma", spread(0.1, 60)),
        ("digamma", spread(1e3, 1e9)), ("i0", spread(-80, 80)),
    ],
)  # fmt: skip
def test_results_agree_to_the_last_places(name: str, points: list[float], dtype: str) -> None:
    assert apart(name, dtype, points) < PLACES


@pytest.mark.parametrize("name", ["erf", "erfc", "erfinv", "lgamma", "digamma"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_edges_agree(name: str, dtype: str) -> None:
    points = [point for point in EDGES if dtype == "float64" or abs(point) > 1e-40 or not point]
    assert disagreement(name, (blueprint(points, dtype, (len(points),)),)) is None


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_polygamma_agrees_in_all_its_forms(n: int) -> None:
    points = spread(0.2, 30, 200) + spread(-3.9, -3.1, 20)
    ours, theirs = (library.tensor(points, dtype=library.float64) for library in (tensorglass, torch))
    wanted = torch.polygamma(n, theirs).tolist()
    written = ours.clone()
    assert written.polygamma_(n) is written
    for result in (tensorglass.polygamma(n, ours), ours.polygamma(n), written):
        assert result.tolist() == pytest.approx(wanted, rel=1e-8)


def test_polygamma_has_poles_where_it_should() -> None:
    poles = tensorglass.polygamma(1, tensorglass.tensor([0.0, -1.0, -7.0]))
    assert poles.tolist() == [INF, INF, INF]
    assert tensorglass.polygamma(2, tensorglass.tensor([0.0, -1.0])).tolist() == [-INF, -INF]


def test_polygamma_in_place_has_a_gradient() -> None:
    def gradient(library: Any) -> list[float]:
        x = library.tensor([0.5, 1.5], dtype=library.float64, requires_grad=True)
        (x * 1).polygamma_(2).sum().backward()
        return list(x.grad.tolist())

    assert gradient(tensorglass) == pytest.approx(gradient(torch))


def test_polygamma_refuses_negative_orders_and_other_numbers() -> None:
    x = blueprint([1.0], "float32", (1,))
    for n in (-1, 1.5, "2"):
        assert disagreement("polygamma", (n, x)) is None


@pytest.mark.parametrize(
    "dtypes", [("float32", "int32"), ("float64", "int32"), ("float32", "int64"), ("int32", "float32")]
)
def test_parts_of_a_number_are_written_to_outputs(dtypes: tuple[str, str]) -> None:
    x = blueprint([1.5, -0.25, 0.0, INF], "float32", (4,))
    out = tuple(blueprint([0] * 4, dtype, (4,)) for dtype in dtypes)
    assert disagreement("frexp", (x,), {"out": out}) is None


def test_heaviside_says_that_it_has_no_derivative() -> None:
    for library in (tensorglass, torch):
        x = library.ones(2, requires_grad=True)
        with pytest.raises(RuntimeError, match="derivative for aten::heaviside is not implemented"):
            library.heaviside(x, x).sum().backward()


@pytest.mark.parametrize("name", ["_angle", "_scaled", "_trigamma", "_polygamma", "special_i1"])
def test_kernels_behind_others_are_no_names_of_the_namespace(name: str) -> None:
    assert name in OPERATORS
    assert not hasattr(tensorglass, name)
    assert not hasattr(tensorglass.Tensor, name)


def test_slope_of_i0_and_its_slope_agree() -> None:
    points = [*spread(-60, 60, 300), 0.0]

    def slopes(library: Any) -> list[float]:
        x = library.tensor(points, dtype=library.float64, requires_grad=True)
        (first,) = library.autograd.grad(library.i0(x).sum(), x, create_graph=True)
        (second,) = library.autograd.grad(first.sum(), x)
        return [*first.tolist(), *second.tolist()]

    assert slopes(tensorglass) == pytest.approx(slopes(torch), rel=1e-12)


def test_the_airy_function_is_pytorchs_where_that_is_good_and_near_it_where_it_is_not() -> None:
    falling, swinging = spread(0.0, 90.0), spread(-30.0, 0.0)
    for points, relative, absolute in ((falling, 1e-12, 0.0), (swinging, 0.0, 2e-5)):
        ours, theirs = (
            library.special.airy_ai(library.tensor(points, dtype=library.float64)).tolist()
            for library in (tensorglass, torch)
        )
        assert all(
            abs(one - other) <= max(relative * abs(other), absolute) for one, other in zip(ours, theirs, strict=True)
        )
    x = tensorglass.tensor(swinging, dtype=tensorglass.float64)
    step = 1e-3  # it solves y'' == x * y
    below, here, above = (tensorglass.special.airy_ai(x + shift) for shift in (-step, 0.0, step))
    assert float(((below - 2 * here + above) / step**2 - x * here).abs().max()) < 1e-4
