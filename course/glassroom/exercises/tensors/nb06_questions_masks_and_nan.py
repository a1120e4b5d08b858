"""Exercises on questions to every element, and on what is not a number."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import call, expect, expect_copy, expect_tensor
from glassroom.exercises.facts import dtype_name, in_its_digits, is_tensor, same_value, shape, text, values
from glassroom.translations.templates import word


@exercise(
    "t06-outside",
    setup="v = torch.arange(6.0)",
    hints=[
        "Two questions, and a yes to either is enough: that is *or*.",
        "Element by element, or is |. It binds more tightly than < and >.",
        """
        def outside(x, low, high):
            return (x < low) … (x > high)
        """,
        """
        def outside(x, low, high):
            return (x < low) | (x > high)
        """,
    ],
)
def outside(outside: Callable[..., Any], *, v: Any) -> str:
    for x, low, high in ((v, 2, 4), (v, -1, 0.5), (v, 5, 5), (v.flip(0)[1:] / 2 - 1, 0, 1.0)):
        result = asked(outside, "outside", x.clone(), low, high, told=EACH_ELEMENT)
        given = "v" if x is v else text(values(x))
        name = f"outside({given}, {low}, {high})"
        expect_tensor(result, name)
        expect(
            shape(result) != (), f"`{name}` is one answer, as any() and all() give. Each element should have its own."
        )
        expect(
            dtype_name(result) == "bool" or shape(result) == shape(x),
            f"`{name}` holds elements of `{given}`. The mask itself was asked for: True or False for each of them.",
        )
        expect_tensor(result, name, shape=shape(x))
        expect(dtype_name(result) == "bool", f"`{name}` has dtype {result.dtype}. It should be a mask of bools.")
        _expect_outside(values(result), name, values(x), low, high)
    return "One mask: True below `low`, True above `high`, and False on both limits."


def _expect_outside(own: list[bool], name: str, numbers: list[float], low: float, high: float) -> None:
    """The mask `own` is True for the numbers below `low` and above `high`."""
    wanted = [not low <= number <= high for number in numbers]
    expect(own != [not truth for truth in wanted], f"`{name}` is True inside, and False outside.")
    expect(
        own != [low < number < high for number in numbers] or own == wanted,
        f"`{name}` is True between the two limits; outside of them was asked for.",
    )
    expect(own != [False] * len(own) or own == wanted, f"`{name}` is False everywhere: no element is both.")
    said = list(zip(numbers, own, wanted, strict=True))
    for number, told, right in said:
        expect(
            told == right or not low < number < high,
            f"in `{name}`, the element {number:g} is True, though it lies between {low} and {high}.",
        )
    for number, told, right in said:
        expect(told == right or number in (low, high), f"in `{name}`, the element {number:g} should be {right}.")
    for number, told, right in said:
        expect(
            told == right,
            f"in `{name}`, the element {number:g} should be {right}. The ends themselves are not outside.",
        )


@exercise(
    "t06-filled",
    setup="""
    import math
    odd = torch.tensor([1.0, math.nan, math.inf])
    """,
    hints=[
        "== finds no nan. isnan() does, and finds nothing else.",
        "torch.where(question, yes, no) makes a new tensor of both.",
        """
        def filled(readings, value):
            return torch.where(…, value, readings)
        """,
        """
        def filled(readings, value):
            return torch.where(readings.isnan(), value, readings)
        """,
    ],
)
def filled(filled: Callable[[Any, float], Any], *, odd: Any) -> str:
    further = odd.new_tensor([-math.inf, -2.5, math.nan, 0.0, math.inf, math.nan, 7.0])
    for readings, value in ((odd, -1.0), (odd, 20.0), (further, 20.0), (further[:2], -1.0)):
        given = readings.clone()
        name = f"filled({'odd' if readings is odd else text(values(readings))}, {value})"
        told = f"`{name}` changed the readings themselves. Make a new tensor."
        result = call(filled, "filled", given, value, written=told)
        numbers = values(readings)
        measured = [number for number in numbers if not math.isnan(number)]
        expect_tensor(result, name)
        expect(
            shape(result) != (len(measured),) or len(measured) == len(numbers),
            f"`{name}` left the missing reading out; it should have `value` in its place.",
        )
        expect_tensor(result, name, shape=shape(readings), dtype="float32")
        _expect_filled(values(result), name, numbers, value)
        expect_copy(result, name, of=given, of_name="readings")
    return "Only the missing ones were replaced, and the readings themselves are unchanged."


def _expect_filled(own: list[float], name: str, numbers: list[float], value: float) -> None:
    """`own` has the value in place of each nan among the numbers, and the other numbers as they were."""
    pairs = list(zip(numbers, own, strict=True))
    missing = [after for before, after in pairs if math.isnan(before)]
    kept = [(before, after) for before, after in pairs if not math.isnan(before)]
    is_still_there = any(map(math.isnan, missing))
    expect(
        not (is_still_there and all(after == value for _, after in kept if math.isfinite(after))),
        f"in `{name}` the nan is still there, and the numbers were replaced: where(question, yes, no) takes its "
        "second argument where the answer is True.",
    )
    expect(
        not is_still_there,
        f"in `{name}` the nan is still there. (Did you look for it with ==, or multiply it by 0?)",
    )
    for before, after in kept:
        expect(
            math.isfinite(before) or same_value(after, before),
            f"in `{name}` the infinite reading {before} has become {after:.3g}. `isnan()` finds the missing ones and "
            "no others; `nan_to_num`, `isfinite()` and comparisons with infinity concern the infinite ones too.",
        )
        expect(
            not before < value == after,
            f"in `{name}` the number {before:g} has become {value:g} too: fmax and maximum take the larger of two "
            "numbers, wherever they come from.",
        )
        expect(
            same_value(after, before),
            f"in `{name}` the number {before:g} has become {after:g}. Only what is missing should change.",
        )
    for after in missing:
        expect(after == value, f"in `{name}` the missing reading has become {after:g}; it should be `value`, {value}.")


@exercise(
    "t06-same",
    setup="""
    import math
    odd = torch.tensor([1.0, math.nan, math.inf])
    """,
    hints=[
        "An element is the same if the two are equal, or if both are nan.",
        "(x == y) | (…) answers for each element; .all() makes one answer of them, and bool(…) a plain one.",
        """
        def same(x, y):
            return bool(((x == y) | (x.isnan() & …)).all())
        """,
        """
        def same(x, y):
            return bool(((x == y) | (x.isnan() & y.isnan())).all())
        """,
    ],
)
def same(same: Callable[[Any, Any], Any], *, odd: Any) -> str:
    shifted = odd.flip(0)
    larger = odd.clone()
    larger[0] = 1.000001
    negative = odd.clone()
    negative[2] = -math.inf
    zeros = odd.clone()
    zeros[1] = 0.0
    largest = odd.clone()
    largest[2] = 3.4028234663852886e38
    cases = [
        (odd, odd.clone(), True, "each nan meets a nan"),
        (odd, shifted, False, "the nan is at the same place, but 1 meets infinity"),
        (
            odd,
            larger,
            False,
            "1 and 1.000001 are not equal: allclose and isclose take a small difference for none",
        ),
        (odd, negative, False, "one is infinite, the other minus infinite"),
        (odd, zeros, False, "a nan meets a 0"),
        (zeros, odd, False, "a 0 meets a nan"),
        (odd[:2], odd[:2].flip(0), False, "each nan meets a 1"),
        (odd[:1], odd[:1].clone(), True, word("1 meets 1")),
        (odd, largest, False, "one is infinite, the other the largest number of float32"),
    ]
    for number in (-1.0, 1.0, 7.0, 99.0, -999.0, 999.0, 1e9, -1e9):  # which people put in place of nan
        replaced = odd.clone()
        replaced[1] = number
        cases.append((odd, replaced, False, f"a nan meets {number:g}, which the data may hold as well"))
    for x, y, wanted, why in cases:
        told = asked(same, "same", x.clone(), y, told=ONE_OF_ALL)
        name = f"same({text(in_its_digits(values(x), 'float32'))}, {text(in_its_digits(values(y), 'float32'))})"
        expect(
            not is_tensor(told) or shape(told) == (),
            f"`{name}` holds an answer for each element. .all() makes one answer of them.",
        )
        expect(
            isinstance(told, bool),
            f"`{name}` is of type {type(told).__name__}; it should be a plain bool: bool(…) or .item() of one answer.",
        )
        expect(told == wanted, f"`{name}` is {told}, though {why}.")
    return "Equal where something was measured, and missing in the same places."


EACH_ELEMENT = (
    "asks a whole tensor for one answer: and, or, not, if, bool(), and a chain such as low < x < high do. For an "
    "answer to each element, write &, | and ~, with each comparison in parentheses."
)
ONE_OF_ALL = (
    "asks a whole tensor for one answer, as bool(), item(), if, and, or and not do, and it has one for each element. "
    ".all() makes one of them all: bool((…).all()). Before that, &, | and ~ answer for each element, with each "
    "comparison in parentheses."
)


def asked(function: Callable[..., Any], name: str, *arguments: Any, told: str) -> Any:
    """What the function says; of one that asks a tensor of several elements for one answer, `told` is said."""
    try:
        return call(function, name, *arguments)
    except Misconception as misconception:
        expect(
            "Boolean value of Tensor with more than one value" not in str(misconception)
            and "elements cannot be converted to Scalar" not in str(misconception),
            f"`{name}` {told}",
        )
        raise
