"""An operator takes shortcuts for results of other operators, for views and for numbers: what comes out is the same."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

# How an operand came about, from a matrix `m`: as a result, as views of several layouts, as a number of either library.
OPERANDS = {
    "result": lambda m: m + 0,
    "permuted result": lambda m: m.t() + 0,
    "contiguous view": lambda m: (m + 0).reshape(-1).view(3, 3),
    "transposed": lambda m: (m + 0).t(),
    "row": lambda m: (m + 0)[1],
    "column": lambda m: (m + 0)[:, 1:2],
    "expanded": lambda m: (m + 0)[0].expand(3, 3),
    "odd strides of size 1": lambda m: (m + 0)[:, 1:2].t(),
    "0-dim": lambda m: m.sum() - m.sum() + m[1, 1],
    "int": lambda m: 2,
    "float": lambda m: 1.5,
    "bool": lambda m: True,
}
BINARY = ("__add__", "__rsub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__lt__", "__eq__", "maximum")
UNARY = ("__neg__", "abs", "relu", "sqrt", "logical_not")
MATRIX = [[4, 0, -3], [2, 7, 1], [-5, 6, 8]]


def _seen(call: Any) -> Any:
    """What came out, with its layout; of an error its class and first line."""
    try:
        result = call()
    except (RuntimeError, TypeError, NotImplementedError) as error:
        return type(error), str(error).splitlines()[0]
    if result is NotImplemented:
        return result
    elements = str(result.tolist()).replace("-0.0", "0.0")  # with nan, and where the sign of zero is not the subject
    return str(result.dtype), tuple(result.shape), result.stride(), result.is_contiguous(), elements


def _outcomes(name: str, dtype: str, *kinds: str) -> tuple[Any, Any]:
    outcomes = []
    for library in (tensorglass, torch):
        matrix = library.tensor(MATRIX, dtype=getattr(library, dtype))
        operands = [OPERANDS[kind](matrix) for kind in kinds]
        outcomes.append(_seen(lambda operands=operands: getattr(operands[0], name)(*operands[1:])))
    return outcomes[0], outcomes[1]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "bool", "float16"])
@pytest.mark.parametrize("name", BINARY)
def test_operators_of_two_agree_however_their_operands_came_about(name: str, dtype: str) -> None:
    tensors = [kind for kind in OPERANDS if kind not in ("int", "float", "bool")]
    for one, other in itertools.product(tensors, OPERANDS):
        ours, theirs = _outcomes(name, dtype, one, other)
        assert ours == theirs, (name, dtype, one, other)


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
@pytest.mark.parametrize("name", UNARY)
def test_operators_of_one_agree_however_their_operand_came_about(name: str, dtype: str) -> None:
    for kind in OPERANDS:
        if kind not in ("int", "float", "bool"):
            ours, theirs = _outcomes(name, dtype, kind)
            assert ours == theirs, (name, dtype, kind)


@pytest.mark.parametrize("name", ["add_", "sub_", "mul_", "__iadd__", "floor_divide_"])
def test_forms_in_place_agree_however_their_operands_came_about(name: str) -> None:
    for dtype, one, other in itertools.product(("float32", "int64"), ("result", "transposed", "row"), OPERANDS):
        ours, theirs = _outcomes(name, dtype, one, other)
        assert ours == theirs, (name, dtype, one, other)


def test_integer_division_of_results_by_zero_is_refused() -> None:
    one, none = tensorglass.ones(2, dtype=tensorglass.int64) + 0, tensorglass.zeros(2, dtype=tensorglass.int64) + 0
    for divide in (lambda: one // none, lambda: one % none, lambda: one.fmod(none)):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            divide()


def test_a_new_default_dtype_shows_in_calls_that_were_made_before() -> None:
    integers = tensorglass.arange(3) + 0
    assert (integers / 2).dtype is tensorglass.float32
    try:
        tensorglass.set_default_dtype(tensorglass.float64)
        assert (integers / 2).dtype is (integers * 1.5).dtype is tensorglass.float64
    finally:
        tensorglass.set_default_dtype(tensorglass.float32)
