"""Exercises on NumPy's functions under other names, and on those that do something else."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    expect,
    expect_tensor,
    expect_value,
)
from glassroom.exercises.facts import (
    same_value,
    shape,
    values,
)

ALONE = "The NumPy function leaves it alone."
TENSOR = "tensor = torch.tensor"


@exercise(
    "t11-translated",
    setup=TENSOR,
    hints=[
        "Go line by line through the table. Four names in the function are different here.",
        "astype is to or double; maximum with a number is clamp(min=…); [::-1] is flip; size is numel().",
        """
        def backwards(x):
            x = x.double().clamp(min=…)
            return x.flatten().flip(…).sqrt() / x.…()
        """,
        """
        def backwards(x):
            x = x.double().clamp(min=0)
            return x.flatten().flip(0).sqrt() / x.numel()
        """,
    ],
)
def translated(backwards: Callable[[Any], Any], *, tensor: Callable[[Any], Any]) -> str:
    for numbers in ([[4.0, -1.0, 9.0], [2.0, 0.0, 1.0]], [16.0, 25.0]):
        x = tensor(numbers)
        name = f"backwards(torch.tensor({numbers}))"
        result = call(backwards, "backwards", x, written=f"after `{name}` its argument is not what it was. {ALONE}")
        flat = numbers if isinstance(numbers[0], float) else [number for row in numbers for number in row]
        expect_tensor(result, name, shape=(len(flat),), dtype="float64")
        wanted = [math.sqrt(max(number, 0.0)) / len(flat) for number in reversed(flat)]
        expect(
            not same_value(values(result), wanted[::-1]) or wanted == wanted[::-1],
            f"`{name}` has the right numbers in the order they came in. What does [::-1] do?",
        )
        expect_value(result, name, wanted)
        expect(
            all(math.isclose(a, b, rel_tol=1e-12) for a, b in zip(values(result), wanted, strict=True)),
            f"`{name}` is float64 and right to seven digits only: it was computed in float32, and converted last.",
        )
    return "Other names, the same numbers, and float64 from the beginning."


@exercise(
    "t11-standard",
    setup=TENSOR,
    hints=[
        "Two functions of the same name divide by different counts.",
        "std divides by n - 1 here. Which argument changes that?",
        """
        def standardized(x):
            return (x - x.mean(0, keepdim=True)) / x.std(0, correction=…, keepdim=True)
        """,
        """
        def standardized(x):
            return (x - x.mean(0, keepdim=True)) / x.std(0, correction=0, keepdim=True)
        """,
    ],
)
def standard(standardized: Callable[[Any], Any], *, tensor: Callable[[Any], Any]) -> str:
    for rows in ([[1.0, 10.0], [3.0, 10.5], [8.0, 12.0]], [[0.0, 5.0, 1.0], [4.0, -5.0, 2.0]]):
        x = tensor(rows)
        name = f"standardized(torch.tensor({rows}))"
        result = call(
            standardized, "standardized", x, written=f"after `{name}` its argument is not what it was. {ALONE}"
        )
        expect_tensor(result, name, shape=shape(x), dtype="float32")

        def scaled(numbers: list[list[float]], less: int) -> list[list[float]]:
            columns = []
            for column in zip(*numbers, strict=True):
                mean = sum(column) / len(column)
                spread = math.sqrt(sum((number - mean) ** 2 for number in column) / (len(column) - less))
                columns.append([(number - mean) / spread for number in column])
            return [list(row) for row in zip(*columns, strict=True)]

        expect(
            not same_value(values(result), scaled(rows, 1)),
            f"`{name}` divides by another deviation than NumPy does: std divides by n - 1 unless you say otherwise.",
        )
        across = [list(row) for row in zip(*rows, strict=True)]
        turned = [list(row) for row in zip(*scaled(across, 0), strict=True)]
        expect(
            not same_value(values(result), turned),
            f"in `{name}` each row was standardized. axis=0 standardizes the columns.",
        )
        expect_value(result, name, scaled(rows, 0))
    return "Each column has a mean of 0 and, by NumPy's count, a deviation of 1."
