"""Large tensors, for which operators take other ways than for small ones, give PyTorch's results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tensorglass

N = 70_000  # more than one block, and the last one not full
RANDOM = np.random.default_rng(0)
NUMERATORS = {
    "random": RANDOM.normal(size=N) * 100,
    "whole": RANDOM.integers(-50, 50, N),
    "large": RANDOM.normal(size=N) * 1e6,
    "not finite": RANDOM.choice([1.5, -2.0, np.inf, -np.inf, np.nan, 0.0, -0.0], N),
}
DIVISORS = {
    "random": RANDOM.normal(size=N),
    "whole": RANDOM.choice([-7, -3, -1, 1, 2, 5], N),
    "zeros": RANDOM.integers(-1, 2, N),
    "infinite": np.where(RANDOM.random(N) < 0.1, np.inf, 2.0),
}


def both(function: Callable[..., Any], *arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a function gives on tensorglass and on PyTorch."""
    singles = [array.astype(np.float32) for array in arrays]
    ours = function(tensorglass, *[tensorglass.from_numpy(array.copy()) for array in singles])
    theirs = function(torch, *[torch.from_numpy(array.copy()) for array in singles])
    return ours.numpy(), theirs.numpy()


@pytest.mark.parametrize("name", ["remainder", "fmod", "floor_divide"])
@pytest.mark.parametrize("numerators", NUMERATORS)
@pytest.mark.parametrize("divisors", DIVISORS)
def test_quotients_and_what_is_left_are_equal_to_the_last_bit(name: str, numerators: str, divisors: str) -> None:
    ours, theirs = both(lambda lib, a, b: getattr(lib, name)(a, b), NUMERATORS[numerators], DIVISORS[divisors])
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.signbit(ours[ours == 0]), np.signbit(theirs[theirs == 0]))


@pytest.mark.parametrize("call", ["a % 0.7", "a // 3", "a.clone().remainder_(-2)", "a.clone().fmod_(2.5)"])
def test_a_number_divides_in_place_and_not(call: str) -> None:
    ours, theirs = both(lambda lib, a: eval(call, {"a": a}), NUMERATORS["random"])
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    "call", ["a.var(1)", "a.std()", "a.var(0)", "a.t().var(1)", "a.sum(0)", "a.sum()", "a.clamp(-1, 2)"]
)
@pytest.mark.parametrize("rows", [2, 70, 700])
def test_rows_in_pieces_come_to_the_same(call: str, rows: int) -> None:
    ours, theirs = both(lambda lib, a: eval(call, {"a": a}), (RANDOM.normal(size=N * 10) + 3).reshape(rows, -1))
    np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-3)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "complex64"])
@pytest.mark.parametrize("size", [(N,), (100, 700), (N - 1,)])
def test_products_of_all_elements_are_pytorchs(dtype: str, size: tuple[int, ...]) -> None:
    if dtype.startswith("int"):
        elements = np.resize(np.array([3, -1, 7], dtype), size)  # overflows, and continues
    else:
        elements = np.exp(RANDOM.normal(size=size) / 100).astype(dtype)
    ours, theirs = tensorglass.from_numpy(elements).prod(), torch.from_numpy(elements).prod()
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-10 if dtype == "float64" else 1e-4)


@pytest.mark.parametrize("name", ["erf", "erfc", "erfinv"])
def test_error_functions_of_float32_are_as_exact_as_pytorchs(name: str) -> None:
    near = RANDOM.uniform(-1, 1, N)
    edges = [1 - 10.0 ** RANDOM.uniform(-8, 0, 1000), RANDOM.normal(size=N) * 5, [0.0, -0.0, 1, -1, np.inf, np.nan]]
    ours, theirs = both(lambda lib, a: getattr(lib, name)(a), np.concatenate([near, *edges]))
    np.testing.assert_allclose(ours, theirs, rtol=2.5e-7, atol=1e-44)


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
def test_logarithms_of_sums_meet_infinities(name: str) -> None:
    ours, theirs = both(
        lambda lib, a, b: getattr(lib, name)(a, b),
        NUMERATORS["not finite"],
        RANDOM.permutation(NUMERATORS["not finite"]),
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    ours, theirs = both(lambda lib, a, b: getattr(lib, name)(a, b), NUMERATORS["random"], NUMERATORS["whole"])
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["cummax", "cummin"])
@pytest.mark.parametrize("dim", [0, 1])
def test_the_last_of_equal_extremes_is_held(name: str, dim: int) -> None:
    rows = RANDOM.choice([-0.0, 0.0, 1.0, 2.0, np.nan, np.inf], (100, 700), p=[0.2, 0.2, 0.2, 0.2, 0.1, 0.1])
    for result in (0, 1):
        ours, theirs = both(lambda lib, a, result=result: getattr(a, name)(dim)[result], rows)
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("mode", ["use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist"])
def test_distances_by_a_product_are_no_further_off_than_pytorchs(mode: str) -> None:
    rows = RANDOM.normal(size=(3, 40, 7))
    ours, theirs = both(lambda lib, a, b: lib.cdist(a, b, compute_mode=mode), rows, rows[:, :30])
    np.testing.assert_allclose(ours, theirs, atol=2e-3)
    exact = np.linalg.norm(rows[:, :, None].astype("f4") - rows[:, None, :30].astype("f4"), axis=-1)
    np.testing.assert_allclose(ours, exact, atol=2e-6)


@pytest.mark.parametrize("count", [511, 512, 5000, 100_003])
def test_long_permutations_are_pytorchs(count: int) -> None:
    for lib in (tensorglass, torch):
        lib.manual_seed(count)
    assert tensorglass.randperm(count).tolist() == torch.randperm(count).tolist()
