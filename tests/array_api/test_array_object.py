"""What the standard says of arrays themselves: operators, indexing, conversions, attributes.

Tensors are PyTorch's first. Where PyTorch and the standard disagree PyTorch has its way, and the tests say so.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from array_api.oracle import DTYPES, WIDE_UNSIGNED, Unspecified, disagreement, special
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import tensorglass as torch

OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, operator.lt, operator.le, operator.gt,
    operator.ge, operator.eq, operator.ne, operator.matmul,
]  # fmt: skip
#: With tensors of these dtypes an operator gives what the standard says, or refuses as PyTorch's does.
TAKEN = [dtype for dtype in DTYPES if dtype not in WIDE_UNSIGNED]
ORDERED = (operator.lt, operator.le, operator.gt, operator.ge)
IN_PLACE = [
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow,
    operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift,
]  # fmt: skip


def on_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """The call of an operator: it needs no namespace."""
    return lambda namespace, *arguments: function(*arguments)


def operands(function: Callable[..., Any], one: str, other: str) -> tuple[np.ndarray, np.ndarray]:
    """Two one-dimensional arrays of equal length, of values for which the standard defines the result."""
    first, second = special(one), special(other)
    if second.dtype.kind in "iu":
        second = second[(second > 0) & (second < 4)]
    if function in (operator.mod, operator.imod, operator.pow, operator.ipow) and first.dtype.kind != "b":
        first, second = first[abs(first) < 4], second[abs(second) < 4]
        second = second[second != 0]  # a remainder of 0 has PyTorch's sign
        first = first[first != 0]
    count = min(len(first), len(second))
    return first[:count], second[:count]


@pytest.mark.parametrize("function", OPERATORS, ids=lambda operator: operator.__name__)
def test_operators_of_two_arrays(function: Callable[..., Any]) -> None:
    specified = 0
    for one, other in product(TAKEN, TAKEN):
        if function is operator.matmul and one != other:
            continue  # PyTorch's products do not promote; the namespace's matmul does
        try:
            assert disagreement(on_arrays(function), *operands(function, one, other)) is None, (one, other)
            specified += 1
        except Unspecified:
            continue
    assert specified


@pytest.mark.parametrize("function", [*OPERATORS[:-1], *IN_PLACE], ids=lambda operator: operator.__name__)
def test_operators_with_numbers(function: Callable[..., Any]) -> None:
    specified = 0
    for dtype, number in product(TAKEN, (True, 2, 2.5, 1 + 2j)):
        first = operands(function, dtype, dtype)[0]
        if function in ORDERED and "c" in (first.dtype.kind, np.asarray(number).dtype.kind):
            continue  # the oracle does not refuse these
        if function in (operator.mod, operator.imod) and first.dtype.kind == "f":
            number = 7.25  # without remainders of 0, whose sign is PyTorch's
        for pair in [(first, number), (number, first[first != 0])]:
            if pair[0] is number and function in IN_PLACE:
                continue
            try:
                assert disagreement(on_arrays(function), *pair) is None, (dtype, number)
                specified += 1
            except Unspecified:
                continue
    assert specified


@pytest.mark.parametrize("function", IN_PLACE, ids=lambda operator: operator.__name__)
def test_operators_in_place(function: Callable[..., Any]) -> None:
    specified = 0
    for dtype in TAKEN:
        try:
            assert disagreement(on_arrays(function), *operands(function, dtype, dtype)) is None, dtype
            specified += 1
        except Unspecified:
            continue
    assert specified


@pytest.mark.parametrize("function", [operator.neg, operator.pos, operator.abs, operator.invert], ids=str)
def test_operators_of_one_array(function: Callable[..., Any]) -> None:
    specified = 0
    for dtype in TAKEN:
        try:
            assert disagreement(on_arrays(function), special(dtype)) is None, dtype
            specified += 1
        except Unspecified:
            continue
    assert specified


@pytest.mark.parametrize("function", [*OPERATORS, *IN_PLACE], ids=lambda operator: operator.__name__)
def test_operators_answer_for_wide_unsigned_arrays(function: Callable[..., Any]) -> None:
    for dtype in WIDE_UNSIGNED:
        try:
            assert disagreement(on_arrays(function), *operands(function, dtype, dtype)) is None, dtype
        except Unspecified:
            continue


def test_a_0_dim_tensor_in_an_operator_is_pytorchs_and_in_the_namespace_the_standards() -> None:
    one, other = torch.ones(3, dtype=torch.int8), torch.ones((), dtype=torch.int64)
    assert (one + other).dtype is torch.int8
    assert torch.array_api.add(one, other).dtype is torch.int64


@settings(max_examples=300, deadline=None)
@given(
    array=arrays.arrays("int64", arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)), data=st.data()
)
def test_indexing(array: np.ndarray, data: st.DataObject) -> None:
    index = data.draw(arrays.basic_indices(array.shape, allow_newaxis=True))
    steps = [part.step for part in (index if isinstance(index, tuple) else (index,)) if isinstance(part, slice)]
    if any(step is not None and step < 0 for step in steps):
        with pytest.raises(ValueError, match="step must be greater than zero"):
            torch.from_numpy(array)[index]  # PyTorch has no negative strides
        return
    try:
        assert disagreement(lambda xp, x: x[index], array) is None
    except Unspecified:
        return


@settings(max_examples=100, deadline=None)
@given(array=arrays.arrays("float64", arrays.array_shapes(max_dims=3, max_side=4), elements=st.floats(-9, 9)))
def test_masks_choose_and_overwrite(array: np.ndarray) -> None:
    def chosen(xp: Any, x: Any) -> Any:
        return x[x > 0]

    def overwritten(xp: Any, x: Any) -> Any:
        x[x > 0] = 5.0
        return x

    assert disagreement(chosen, array) is None
    assert disagreement(overwritten, array) is None


def test_integer_arrays_choose() -> None:
    array = np.arange(12.0).reshape(3, 4)
    assert disagreement(lambda xp, x, i: x[i, 0], array, np.array([2, 0])) is None
    assert disagreement(lambda xp, x, i, j: x[i, j], array, np.array([2, 0]), np.array([1, 3])) is None


def test_assignment() -> None:
    def assigned(xp: Any, x: Any) -> Any:
        x[0, 1] = 5
        x[1, ...] = xp.asarray(7, dtype=x.dtype)
        x[..., -1] = 0
        return x

    for dtype in DTYPES[1:]:
        assert disagreement(assigned, special(dtype)[:6].reshape(2, 3)) is None


def test_conversions_to_python() -> None:
    for convert, number in product((bool, int, float, complex, operator.index), (True, 3, 2.0, 1j, -0.0)):
        array = np.asarray(number)
        try:
            assert disagreement(lambda xp, x, convert=convert: convert(x), array) is None
        except Unspecified:
            continue


def test_attributes() -> None:
    x = torch.ones((2, 3), dtype=torch.float32)
    assert (x.ndim, tuple(x.shape), x.dtype, x.device) == (2, (2, 3), torch.float32, torch.device("cpu"))
    assert x.T.shape == x.mT.shape == (3, 2)
    assert callable(x.size)  # PyTorch's is a method, the standard's a number; array_api_compat.size(x) takes both
    assert isinstance(x.shape, tuple)
