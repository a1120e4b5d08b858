"""The calls by which every operator of the table is compared with PyTorch: its samples × dtypes × layouts × forms.

A sample is one call with tensors of float64. Here it is made again with the same elements in every dtype and layout,
and, for operators that go element by element or reduce, with the values that are easily got wrong.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Any

from parity.agreement import Blueprint, blueprint

import tensorglass
from tensorglass.ops import OPERATORS
from tensorglass.ops.declare.registry import Operator, Sample
from tensorglass.ops.declare.samples import samples_of

INTEGERS = {
    "uint8": (0, 255), "int8": (-(2**7), 2**7 - 1), "int16": (-(2**15), 2**15 - 1), "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1), "uint16": (0, 2**16 - 1), "uint32": (0, 2**32 - 1), "uint64": (0, 2**64 - 1),
}  # fmt: skip
#: Which most operators refuse: `test_unsigned_parity` asks for them.
WIDE_UNSIGNED = ("uint16", "uint32", "uint64")
FLOATS = {
    "float16": 65504.0,
    "bfloat16": 3.3895e38,
    "float32": 3.4028234663852886e38,
    "float64": 1.7976931348623157e308,
}
COMPLEX = ("complex64", "complex128")
DTYPES = ("bool", *[dtype for dtype in INTEGERS if dtype not in WIDE_UNSIGNED], *FLOATS, *COMPLEX)
LAYOUTS = ("contiguous", "permuted", "sliced", "expanded")

#: PyTorch is killed by the processor (SIGFPE) when they divide the least integer of a wide type by -1.
DIVISIONS = ("div", "floor_divide", "remainder", "fmod")
#: Where a product or the absolute value of the least integer overflows, their results depend on the compiler.
DIVISORS = ("gcd", "lcm")

INF, NAN = float("inf"), float("nan")


@dataclass(frozen=True)
class Case:
    """One call of an operator."""

    name: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)
    form: str = "function"


def special(dtype: str) -> list[Any]:
    """The values of a dtype that are easily got wrong."""
    if dtype == "bool":
        return [False, True]
    if dtype in INTEGERS:
        low, high = INTEGERS[dtype]
        return [0, 1, 2, 3, 7, high, high - 1] + ([low, low + 1, -1, -2, -7] if low else [])
    if dtype in FLOATS:
        return [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 7.25, INF, -INF, NAN, FLOATS[dtype], 6e-8]
    return [0j, 1 + 0j, -1 + 0j, 1j, 0.5 - 2j, -3 + 0.25j, complex(INF, 0), complex(0, NAN), complex(NAN, 1)]


def in_dtype(elements: list[float], dtype: str) -> list[Any]:
    """The elements of a sample as values of `dtype`: integers that are not 0, complex numbers off the real line."""
    if dtype == "bool":
        return [element > 0 for element in elements]
    if dtype in INTEGERS:
        whole = [int(3 * element) or 1 if math.isfinite(element) else 1 for element in elements]
        return [abs(element) for element in whole] if dtype.startswith("uint") else whole
    if dtype in FLOATS:
        return elements
    return [complex(element, other) for element, other in zip(elements, reversed(elements), strict=True)]


def _recast(sample: Sample) -> Any:
    """The dtype of the sample's operands: tensors of another one are indices and masks, and stay as they are."""
    lists = [argument if isinstance(argument, (list, tuple)) else [argument] for argument in sample.arguments]
    kinds = [argument.dtype for argument in chain(*lists) if isinstance(argument, tensorglass.Tensor)]
    return next((kind for kind in kinds if kind is not tensorglass.bool), None)


def _described(argument: Any, dtype: str, layout: str, recast: Any) -> Any:
    if isinstance(argument, (list, tuple)):
        return type(argument)(_described(item, dtype, layout, recast) for item in argument)
    if not isinstance(argument, tensorglass.Tensor):
        return argument
    elements, size = argument.reshape(-1).tolist(), tuple(argument.size())
    if argument.dtype is not recast:
        return blueprint(elements, str(argument.dtype)[6:], size, layout)
    return blueprint(in_dtype(elements, dtype), dtype, size, layout)


@cache
def _samples(name: str) -> tuple[Sample, ...]:
    """An operator's samples, which are read for every dtype and layout, and never given to a call."""
    return tuple(samples_of(OPERATORS[name]))


def sampled(row: Operator, dtype: str, layout: str = "contiguous") -> Iterator[Case]:
    """The operator's samples with operands of `dtype`, laid out as `layout` says."""
    for sample in _samples(row.name):
        recast = _recast(sample)
        arguments = tuple(_described(argument, dtype, layout, recast) for argument in sample.arguments)
        keywords = {key: _described(keyword, dtype, layout, recast) for key, keyword in sample.keywords.items()}
        yield Case(row.path, arguments, keywords, "function" if row.is_function else "method")


def operand_count(row: Operator) -> int:
    """How many operands an elementwise operator takes."""
    first = samples_of(row)[0]
    return sum(isinstance(argument, tensorglass.Tensor) for argument in first.arguments)


def with_special_values(row: Operator, dtype: str) -> Iterator[Case]:
    """An elementwise operator on all pairs of the dtype's special values; a reduction on rows of them."""
    values = special(dtype)
    if row.name in DIVISIONS and dtype in ("int32", "int64"):
        values.remove(-1)
    if row.name in DIVISORS and dtype in INTEGERS:
        values = [value for value in values if abs(value) < 10]
    number = len(values)
    form = "function" if row.is_function else "method"
    if row.kind == "pointwise":
        column, line = blueprint(values, dtype, (number, 1)), blueprint(values, dtype, (number,))
        operands = ((line,), (column, line), (column, line, blueprint(in_dtype([1.5], dtype), dtype, (1,))))
        yield Case(row.path, operands[operand_count(row) - 1], form=form)
    elif row.kind == "reduction":
        if inspect.signature(row.function).parameters["dim"].default is None:
            yield Case(row.path, (blueprint(values, dtype, (number,)),))
        rows = blueprint([*values[1:], values[0], *values], dtype, (2, number))
        yield Case(row.path, (rows, 0))
        yield Case(row.path, (rows, 1))
        yield Case(row.path, (blueprint(values[:1] * 2, dtype, (2,)), 0))


def in_place(row: Operator, case: Case) -> Case:
    """The same call of the operator's in-place form."""
    return Case(f"{row.name}_", case.arguments, case.keywords, "method")


def into(case: Case, out: Blueprint) -> Case:
    """The same call, written to `out`."""
    return Case(case.name, case.arguments, {**case.keywords, "out": out}, "function")


def mixed(row: Operator, dtype: str, other: str) -> Iterator[Case]:
    """An elementwise operator on operands of two dtypes: with dimensions, without, and in place."""
    one, two = [1.5, -2.0, 3.0], [2.0, -1.0, 1.0]
    vector = blueprint(in_dtype(one, dtype), dtype, (3,))
    others = [
        blueprint(in_dtype(two, other), other, (3,)),
        blueprint(in_dtype(two[:1], other), other, ()),
    ]
    third = [blueprint(in_dtype([0.25], dtype), dtype, ())] * (operand_count(row) - 2)
    for each in others:
        calls = [Case(row.path, (vector, each, *third)), Case(row.path, (each, vector, *third))]
        yield from calls
        if row.inplace is not None:
            yield from (in_place(row, call) for call in calls)


def with_numbers(row: Operator, dtype: str) -> Iterator[Case]:
    """An elementwise operator of two operands, one a Python number: as either operand, and in place."""
    elements = in_dtype([1.5, -2.0, 3.0], dtype)
    for tensor in (blueprint(elements, dtype, (3,)), blueprint(elements[:1], dtype, ())):
        for number in (True, 2, -3, 2.5, 1 + 2j):
            case = Case(row.path, (tensor, number))
            yield case
            yield Case(row.path, (number, tensor))
            yield Case(row.path, (tensor, number), form="method")
            if row.inplace is not None:
                yield in_place(row, case)
            for dunder in row.dunders:
                yield Case(dunder, (tensor, number), form="method")


def written_out(row: Operator, case: Case, size: tuple[int, ...], dtype: str) -> Iterator[Case]:
    """The same call with outputs of the result's size and dtype, empty, of another layout, size, and dtypes.

    Only what is elementwise is asked to write to cells that several elements share: elsewhere PyTorch does so and
    writes nonsense. The outputs of an operator that `differs` are plain ones.
    """
    yield into(case, blueprint([0] * math.prod(size), dtype, size))
    yield into(case, blueprint([], dtype, (0,)))
    if row.differs is not None:
        return
    yield into(case, blueprint([0] * math.prod(size), dtype, size, "permuted"))
    yield into(case, blueprint([0] * math.prod(size), dtype, size, "sliced"))
    yield into(case, blueprint([0] * 7, dtype, (7,)))
    if row.kind == "pointwise" and size[:1] > (1,):
        yield into(case, blueprint([0] * math.prod(size), dtype, size, "expanded"))
    for other in ("bool", "int32", "float16", "float64", "complex64"):
        if other != dtype:
            yield into(case, blueprint([0] * math.prod(size), other, size))
