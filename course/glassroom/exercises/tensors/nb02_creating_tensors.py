"""Exercises on creating tensors: which factory function decides what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_device, expect_tensor, expect_value
from glassroom.exercises.facts import (
    device,
    dtype_name,
    shape,
    values,
)


@exercise(
    "t02-labels",
    hints=[
        "The class torch.Tensor makes float32 of everything. The function looks at the data.",
        "Write the same line with a small t.",
        "labels = torch.…([2, 0, 16777217])",
        "labels = torch.tensor([2, 0, 16777217])",
    ],
)
def labels(labels: Any) -> str:
    expect_tensor(labels, "labels", shape=(3,))
    expect(
        values(labels)[2] != 16777216,
        "the last label is 16777216: it was a float32 at some point and lost its last digit there. "
        "Converting it afterwards is too late.",
    )
    if dtype_name(labels) != "int32":  # int32 holds them too, and may index
        expect_tensor(labels, "labels", dtype="int64")
    expect_value(labels, "labels", [2, 0, 16777217])
    return "Integers, each of them exact."


@exercise(
    "t02-times",
    hints=[
        "You know how many points there are and where they end. You need not know the step.",
        "linspace takes the start, the end and the count; it takes dtype= as well.",
        "times = torch.linspace(1, 2, …, dtype=torch.…)",
        "times = torch.linspace(1, 2, 11, dtype=torch.float64)",
    ],
)
def times(times: Any) -> str:
    expect_tensor(times, "times")
    expect(
        shape(times) != (10,),
        "`times` has ten points. From 1.0 to 2.0 in steps of 0.1 there are eleven, if both ends are included.",
    )
    expect(shape(times) != (12,), "`times` has twelve points: one step too many.")
    expect_tensor(times, "times", shape=(11,))
    expect(
        dtype_name(times) != "float32",
        "`times` is float32, which is what linspace makes unless it is told otherwise.",
    )
    expect_tensor(times, "times", dtype="float64")
    expect(
        max(abs(time - (10 + tenth) / 10) for tenth, time in enumerate(values(times))) < 1e-12,
        "the points are close, but not as exact as float64 allows: were they float32 on the way?",
    )
    return "Eleven points, both ends included, each as exact as float64 allows."


@exercise(
    "t02-ones",
    setup="table = torch.arange(6).view(2, 3)",
    hints=[
        "The size is yours; the dtype and the device are those of x. Which family is that?",
        "x.new_ones takes a size. The first of x's sizes is the number of rows.",
        """
        def ones_for(x):
            return x.new_ones(…, 1)
        """,
        """
        def ones_for(x):
            return x.new_ones(x.shape[0], 1)
        """,
    ],
)
def ones(ones_for: Callable[[Any], Any], *, table: Any) -> str:
    for name, x in (("table", table), ("table.double()", table.double()), ("table.mT", table.mT)):
        result = call(ones_for, "ones_for", x)
        expect_tensor(result, f"ones_for({name})")
        expect(
            shape(result) != (x.shape[0],),
            f"`ones_for({name})` has one dimension. A column has two: (rows, 1).",
        )
        expect(shape(result) != shape(x), f"`ones_for({name})` is as wide as x. It should be a single column.")
        expect_tensor(result, f"ones_for({name})", shape=(x.shape[0], 1), dtype=dtype_name(x))
        expect_device(result, f"ones_for({name})", device(x))
        expect_value(result, f"ones_for({name})", [[1]] * x.shape[0])
    return "The size comes from you, dtype and device from x."
