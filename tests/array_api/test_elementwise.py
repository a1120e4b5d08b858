"""Every elementwise function of the standard, on special values, in every dtype, with mixed dtypes and with numbers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from array_api.oracle import DTYPES, Unspecified, disagreement, function, special

import tensorglass as torch
from tensorglass import array_api as xp

ONE = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bitwise_invert", "ceil", "conj", "cos", "cosh",
    "exp", "expm1", "floor", "imag", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "logical_not",
    "negative", "positive", "real", "reciprocal", "round", "sign", "signbit", "sin", "sinh", "sqrt", "square",
    "tan", "tanh", "trunc",
]  # fmt: skip
TWO = [
    "add", "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "copysign", "divide", "equal", "floor_divide", "greater", "greater_equal", "hypot", "less", "less_equal",
    "logaddexp", "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "nextafter",
    "not_equal", "pow", "remainder", "subtract",
]  # fmt: skip
ORDERED = ("greater", "greater_equal", "less", "less_equal", "maximum", "minimum")


@pytest.mark.parametrize("name", ONE)
def test_a_function_of_one_array_gives_what_the_standard_says(name: str) -> None:
    specified = 0
    for dtype in DTYPES:
        numbers = special(dtype)
        if name == "expm1" and numbers.dtype.kind == "c":  # for other numbers the oracle returns NaN: see below
            numbers = numbers[np.isfinite(numbers)]
        try:
            assert disagreement(function(name), numbers) is None, dtype
            specified += 1
        except Unspecified:
            continue
    assert specified


@pytest.mark.parametrize("name", TWO)
def test_a_function_of_two_arrays_gives_what_the_standard_says(name: str) -> None:
    specified = 0
    for one, other in product(DTYPES, DTYPES):
        first, second = operands(name, one, other)
        try:
            assert disagreement(function(name), first, second) is None, (one, other)
            specified += 1
        except Unspecified:
            continue
    assert specified


@pytest.mark.parametrize("name", TWO)
def test_arrays_of_no_dimensions_have_their_say_in_the_dtype(name: str) -> None:
    specified = 0
    for one, other in product(DTYPES, DTYPES):
        first, second = operands(name, one, other)
        for pair in ((first, second[0, :1].reshape(())), (first[:1].reshape(()), second)):
            try:
                assert disagreement(function(name), *pair) is None, (one, other)
                specified += 1
            except Unspecified:
                continue
    assert specified


@pytest.mark.parametrize("name", TWO)
def test_a_number_takes_the_dtype_of_the_array(name: str) -> None:
    specified = 0
    for dtype in DTYPES:
        array = operands(name, dtype, dtype)[1]
        for number in (True, 3, 1.5, 1.5 - 2j):
            if name in ORDERED and "c" in (array.dtype.kind, np.asarray(number).dtype.kind):
                continue  # the oracle does not refuse these
            for pair in ((array, number), (number, array)):
                try:
                    assert disagreement(function(name), *pair) is None, (dtype, number)
                    specified += 1
                except Unspecified:
                    continue
    assert specified


def operands(name: str, one: str, other: str) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of special values, but those that the standard leaves open."""
    first, second = special(one)[:, None], special(other)[None]
    whole = second.dtype.kind in "iu"
    if whole and name in ("divide", "floor_divide", "remainder"):
        second = second[second != 0][None]  # division of integers by 0
    if name == "floor_divide":  # for infinities the oracle returns NaN where the standard has numbers: see below
        first, second = first[~np.isinf(first)][:, None], second[~np.isinf(second)][None]
    if whole and name in ("pow", "bitwise_left_shift", "bitwise_right_shift"):
        first, second = first[np.abs(first) < 4][:, None], second[(second >= 0) & (second < 4)][None]
    if name == "pow" and "complex" in one + other:  # a logarithm and an exponential, where these have a value
        first = first[np.isfinite(first) & (first != 0)][:, None]
        second = second[np.isfinite(second)][None]
    return first, second


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_infinities_divide_and_are_rounded_down(sign: float) -> None:
    two, infinity = xp.asarray([2.0, 0.0]) * sign, xp.asarray(xp.inf)
    for quotient, expected in [
        (xp.floor_divide(infinity, two[:1]), sign * xp.inf),
        (xp.floor_divide(-infinity, two[:1]), -sign * xp.inf),
        (xp.floor_divide(two[:1], infinity), sign * 0.0),
        (xp.floor_divide(two[:1], -infinity), -sign * 0.0),
        (xp.floor_divide(two[:1], xp.inf), sign * 0.0),
    ]:
        assert quotient.item() == expected
        assert xp.signbit(quotient).item() is bool(np.signbit(expected))
    assert xp.isnan(xp.floor_divide(infinity, infinity))


INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
@pytest.mark.parametrize(
    ("name", "parts", "expected"),
    [
        ("expm1", (-0.0, 0.0), (0.0, 0.0)),
        ("expm1", (0.0, -0.0), (0.0, -0.0)),
        ("expm1", (1e-30, 0.0), (1e-30, 0.0)),
        ("expm1", (INF, 0.0), (INF, 0.0)),
        ("expm1", (INF, -0.0), (INF, -0.0)),
        ("expm1", (-INF, 1.0), (-1.0, 0.0)),
        ("expm1", (-INF, INF), (-1.0, 0.0)),
        ("expm1", (-INF, NAN), (-1.0, 0.0)),
        ("expm1", (INF, NAN), (INF, NAN)),
        ("expm1", (INF, INF), (INF, NAN)),
        ("expm1", (NAN, 0.0), (NAN, 0.0)),
        ("tanh", (INF, 1.0), (1.0, 0.0)),
        ("tanh", (INF, 2.0), (1.0, 0.0)),  # sin(2b) is negative
        ("tanh", (INF, -2.0), (1.0, -0.0)),
        ("tanh", (-INF, 2.0), (-1.0, 0.0)),
        ("tanh", (INF, NAN), (1.0, 0.0)),
        ("tanh", (NAN, 0.0), (NAN, 0.0)),
    ],
    ids=str,
)
def test_special_complex_numbers_go_as_the_standard_says_where_the_oracle_does_not(
    name: str, parts: tuple[float, float], expected: tuple[float, float], dtype: torch.dtype
) -> None:
    result = getattr(xp, name)(xp.asarray(complex(*parts), dtype=dtype))
    found = (xp.real(result).item(), xp.imag(result).item())
    np.testing.assert_array_equal(np.float32(found), np.float32(expected))
    if np.isfinite(parts[1]):  # the sign of a zero is open otherwise
        assert [np.isnan(array) or np.signbit(array) for array in found] == [
            np.isnan(array) or np.signbit(array) for array in expected
        ]


BOUNDS = [(None, None), (-1, None), (None, 2), (-1, 2), (2, 2), (0, 100)]


@pytest.mark.parametrize("dtype", [name for name in DTYPES if not name.startswith(("bool", "complex"))])
def test_clip_keeps_the_dtype_and_takes_numbers_and_arrays(dtype: str) -> None:
    array = special(dtype)
    array = array[~(np.signbit(array) & (array == 0))]  # which of two zeros is chosen is open
    for low, high in BOUNDS:
        if dtype.startswith("uint") and low is not None and low < 0:
            continue
        assert disagreement(function("clip"), array, low, high) is None
        arrays = [None if array is None else np.full((2, 1), array, dtype) for array in (low, high)]
        assert disagreement(function("clip"), array, *arrays) is None
        assert disagreement(function("clip"), array, arrays[0], high) is None
        assert disagreement(function("clip"), array, low, arrays[1]) is None
