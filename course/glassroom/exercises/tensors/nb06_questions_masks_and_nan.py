"""Exercises on questions to every element, and on what is not a number."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import call, expect, expect_copy, expect_tensor
from glassroom.exercises.facts import (
    dtype_name,
    shape,
    text,
    values,
)
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
    for low, high in ((2, 4), (-1, 0.5), (5, 5)):
        result = asked(outside, "outside", v.clone(), low, high)
        name = f"outside(v, {low}, {high})"
        expect_tensor(result, name)
        expect(
            shape(result) != (), f"`{name}` is one answer, as any() and all() give. Each element should have its own."
        )
        expect(
            dtype_name(result) == "bool" or shape(result) == shape(v),
            f"`{name}` holds elements of `v`. The mask itself was asked for: True or False for each of them.",
        )
        expect_tensor(result, name, shape=shape(v))
        expect(dtype_name(result) == "bool", f"`{name}` has dtype {result.dtype}. It should be a mask of bools.")
        own, numbers = values(result), values(v)
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
    return "One mask: True below `low`, True above `high`, and False on both limits."


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
    for value in (-1.0, 20.0):
        readings = odd.clone()
        name = f"filled(odd, {value})"
        told = f"`{name}` changed the readings themselves. Make a new tensor."
        result = call(filled, "filled", readings, value, written=told)
        expect_tensor(result, name)
        expect(shape(result) != (2,), f"`{name}` left the missing reading out; it should have `value` in its place.")
        expect_tensor(result, name, shape=(3,), dtype="float32")
        first, missing, beyond = values(result)
        expect(
            not (first == value and math.isnan(missing)),
            f"in `{name}` the nan is still there, and the number 1 was replaced: where(question, yes, no) takes its "
            "second argument where the answer is True.",
        )
        expect(
            not math.isnan(missing),
            f"in `{name}` the nan is still there. (Did you look for it with ==, or multiply it by 0?)",
        )
        expect(
            beyond == math.inf,
            f"in `{name}` the infinite reading has become {beyond:.3g}. nan_to_num replaces more than nan, and "
            "isfinite() is False for both; isnan() finds only the missing ones.",
        )
        expect(
            (first, missing) != (value, value),
            f"in `{name}` the number 1 has become {value:g} too: fmax and maximum take the larger of two numbers, "
            "wherever they come from.",
        )
        expect((first, missing) == (1.0, value), f"`{name}` begins with {first}, {missing}; not with 1.0, {value}.")
        expect_copy(result, name, of=readings, of_name="readings")
    return "Only the missing ones were replaced, and the readings themselves are unchanged."


@exercise(
    "t06-same",
    setup="""
    import math
    odd = torch.tensor([1.0, math.nan, math.inf])
    """,
    hints=[
        "An element is the same if the two are equal, or if both are nan.",
        "(x == y) | (…), and then one answer from all of them, as a plain bool.",
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
    cases = [
        (odd, odd.clone(), True, "each nan meets a nan"),
        (odd, shifted, False, "the nan is at the same place, but 1 meets infinity"),
        (odd, larger, False, "1 and 1.000001 are not equal: allclose takes a small difference for none"),
        (odd, negative, False, "one is infinite, the other minus infinite"),
        (odd, zeros, False, "a nan meets a 0"),
        (zeros, odd, False, "a 0 meets a nan"),
        (odd[:2], odd[:2].flip(0), False, "each nan meets a 1"),
        (odd[:1], odd[:1].clone(), True, word("1 meets 1")),
    ]
    for x, y, wanted, why in cases:
        told = asked(same, "same", x.clone(), y)
        name = f"same({text(values(x))}, {text(values(y))})"
        expect(
            isinstance(told, bool),
            f"`{name}` is a {type(told).__name__}; it should be a plain bool: bool(…), or .item(), of one answer.",
        )
        expect(told == wanted, f"`{name}` is {told}, though {why}.")
    return "Equal where something was measured, and missing in the same places."


def asked(function: Callable[..., Any], name: str, *arguments: Any) -> Any:
    """What the function says; Python's `and`, `or` and `not`, which need one answer, become a sentence."""
    try:
        return call(function, name, *arguments)
    except Misconception as misconception:
        expect(
            "Boolean value of Tensor with more than one value" not in str(misconception),
            f"`{name}` asks a whole tensor for one answer: and, or, not, if, and a chain such as low < x < high do. "
            "For an answer to each element, write &, | and ~, with each comparison in parentheses.",
        )
        raise
