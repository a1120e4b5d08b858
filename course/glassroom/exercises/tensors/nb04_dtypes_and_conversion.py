"""Exercises of notebook 04 of part 2: which dtype a result has, what it can hold, and how to get into another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import account, is_converted
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, every_slot, expect, expect_tensor, expect_value
from glassroom.exercises.facts import SECOND_NAMES, dtype_name, is_tensor, text, values


@exercise(
    "t04-layer",
    setup="""
    weights = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    readings = torch.tensor([[0.1], [0.2], [0.3]], dtype=torch.float64)
    """,
    hints=[
        "A matrix product needs both operands in the same dtype. Convert the data, not the weights.",
        "x.to(…) takes a dtype, and the weights know theirs.",
        """
        def layer(weights, x):
            return weights @ x.to(…)
        """,
        """
        def layer(weights, x):
            return weights @ x.to(weights.dtype)
        """,
    ],
)
def layer(layer: Callable[[Any, Any], Any], *, weights: Any, readings: Any) -> str:
    cases = [
        ("weights, readings", weights, readings),
        ("weights, readings.float()", weights, readings.float()),
        ("weights, readings.long()", weights, readings.long()),
        ("weights.double(), readings.float()", weights.double(), readings.float()),
    ]
    for name, matrix, x in cases:
        with account() as kept:
            result = call(layer, "layer", kept.watched(matrix), kept.watched(x))
        expect_tensor(result, f"layer({name})", shape=(2, 1))
        expect(
            dtype_name(result) == dtype_name(matrix),
            f"`layer({name})` is {dtype_name(result)}, and the weights are {dtype_name(matrix)}: "
            "the weights should decide, whatever the data is.",
        )
        expect_value(result, f"layer({name})", matrix @ x.to(matrix.dtype))
        expect(
            not (dtype_name(matrix) != dtype_name(x) and is_converted(kept, matrix)),
            f"`layer({name})` is right, but it converts the weights: all of them, for each piece of data. Convert the "
            "data.",
        )
    return "You converted the data, and left the weights as they are."


NAMES = {"bool", "uint8", "int8", "int16", "int32", "int64", "bfloat16", "float16", "float32", "float64", "complex64"}
FIVE = {
    "one": (
        "float32",
        {
            "int64": "/ never gives integers. Neither operand has a floating-point width, so you get the default.",
            "float64": (
                "That is NumPy's answer. Neither operand has a floating-point width here, and the default is float32."
            ),
        },
    ),
    "two": (
        "uint8",
        {
            "int64": "2 is a Python integer, which has no width.",
            "int16": "Whether the result fits does not matter.",
        },
    ),
    "three": ("float16", {"float32": "torch.tensor(3.0) has no dimensions. Only its kind counts."}),
    "four": ("float32", {"float16": "torch.tensor([3.0]) has a dimension, so its width counts."}),
    "five": (
        "int64",
        {
            "bool": "The sum of bools counts them.",
            "uint8": "The comparison gives bools, whatever was compared; and sums of integers are int64.",
        },
    ),
}


@exercise(
    "t04-five",
    hints=[
        "The highest kind wins; width comes from tensors with dimensions. / and sum have rules of their own.",
        "torch.tensor(3.0) has no dimensions, torch.tensor([3.0]) has one.",
        "Two of the five are float32; the others are uint8, float16 and int64.",
        "one, two, three, four, five = torch.float32, torch.uint8, torch.float16, torch.float32, torch.int64",
    ],
)
def five(one: Any, two: Any, three: Any, four: Any, five: Any) -> str:
    with every_slot() as slot:
        for (name, (truth, mistakes)), answer in zip(FIVE.items(), (one, two, three, four, five), strict=True):
            with slot(name):
                expect(not is_tensor(answer), f"`{name}` is a tensor; you were asked for its dtype.")
                said = SECOND_NAMES.get(dtype_name(answer), dtype_name(answer))
                expect(said in NAMES, f"`{name}` is {text(answer)}; it should be a dtype such as torch.int16.")
                expect(said == truth, f"`{name}` is not {said}. {mistakes.get(said, '')}".rstrip())
    return "Kinds first, then widths; the values do not matter."


@exercise(
    "t04-brighter",
    setup="pixels = torch.tensor([200, 100], dtype=torch.uint8)",
    hints=[
        "In uint8 the sum wraps around before anyone can limit it.",
        "Convert first, to something that holds −255 to 510; then add, limit, and convert back.",
        """
        def brighter(image, by):
            return (image.to(torch.…) + by).clamp(0, 255).to(torch.…)
        """,
        """
        def brighter(image, by):
            return (image.to(torch.int16) + by).clamp(0, 255).to(torch.uint8)
        """,
    ],
)
def brighter(brighter: Callable[[Any, int], Any], *, pixels: Any) -> str:
    for by in (100, -150, 0, 255):
        image = pixels.clone()
        name = f"brighter(pixels, {by})"
        result = call(brighter, "brighter", image, by, written=f"after `{name}` the image itself is changed.")
        expect_tensor(result, name, shape=(2,), dtype="uint8")
        exact = [pixel + by for pixel in values(pixels)]
        if values(result) != [min(max(value, 0), 255) for value in exact]:
            expect(
                values(result) != [value % 256 for value in exact],
                f"`{name}` holds {values(result)}: a sum below 0 or above 255 wrapped around. Clamp it at both ends "
                "while the dtype has room, and convert it last.",
            )
        expect_value(result, name, [min(max(value, 0), 255) for value in exact])
    return "No sum wraps around, and the result is bytes again."


@exercise(
    "t04-energy",
    setup="large = torch.full((300,), 300, dtype=torch.float16)",
    hints=[
        "300 * 300 is 90,000, and the largest float16 is 65,504.",
        "Make the squares float32 already; then their sum is float32, too.",
        """
        def energy(x):
            return x.….square().sum()
        """,
        """
        def energy(x):
            return x.float().square().sum()
        """,
    ],
)
def energy(energy: Callable[[Any], Any], *, large: Any) -> str:
    for name, x in (("large", large), ("large / 300", large / 300)):
        result = call(energy, "energy", x)
        expect_tensor(result, f"energy({name})", shape=())
        expect(
            values(result) != float("inf"),
            f"`energy({name})` is infinite. Even a single square, 90,000, is too large for float16: convert before you "
            "square, and leave the sum in float32.",
        )
        expect_tensor(result, f"energy({name})", dtype="float32")
        expect_value(result, f"energy({name})", sum(value * value for value in values(x)))
    return "You converted before the first number that would not fit."


class _Interruption(Exception):
    """What the checked function may raise."""


@exercise(
    "t04-double",
    setup="zeros, set_default_dtype = torch.zeros, torch.set_default_dtype",
    hints=[
        "Keep the old default, and put it back in a finally.",
        "torch.get_default_dtype() before, torch.set_default_dtype(…) twice.",
        """
        def in_double(function):
            before = torch.get_default_dtype()
            torch.set_default_dtype(torch.float64)
            try:
                return function()
            finally:
                …
        """,
        """
        def in_double(function):
            before = torch.get_default_dtype()
            torch.set_default_dtype(torch.float64)
            try:
                return function()
            finally:
                torch.set_default_dtype(before)
        """,
    ],
)
def double(
    in_double: Callable[[Callable[[], Any]], Any],
    *,
    zeros: Callable[[int], Any],
    set_default_dtype: Callable[[Any], None],
) -> str:
    default = zeros(1).dtype
    half = zeros(1).half().dtype
    try:
        called_with: list[Any] = []

        def make() -> Any:
            called_with.append(zeros(2))
            return called_with[0]

        result = call(in_double, "in_double", make)
        expect(called_with, "`in_double` did not call the function that it was given.")
        expect(
            dtype_name(called_with[0]) == "float64",
            f"while the function ran, torch.zeros(2) was {dtype_name(called_with[0])}. "
            "Set the default before you call it; "
            "converting its result afterwards is too late.",
        )
        expect_tensor(result, "in_double(lambda: torch.zeros(2))", shape=(2,), dtype="float64")
        expect(zeros(1).dtype == default, "after the call the default is not what it was: put it back.")
        set_default_dtype(half)
        call(in_double, "in_double", lambda: zeros(2))
        expect(
            zeros(1).dtype == half,
            f"the default was float16 before the call, and is {dtype_name(zeros(1))} after it. "
            "Put back what it was, whatever it was.",
        )
        try:
            in_double(_interrupted)
        except _Interruption:
            pass
        else:
            expect(False, "the function raised, and `in_double` did not pass it on. Catch nothing; use finally.")
        expect(zeros(1).dtype == half, "when the function raises, the default stays float64. `finally` always runs.")
    finally:
        set_default_dtype(default)
    return "The default is back as it was, whatever happened in between."


def _interrupted() -> None:
    raise _Interruption("something went wrong")
