"""Exercises on mathematics, element by element: out=, remainders, and small numbers that keep their digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, call_writing, expect, expect_tensor, expect_value
from glassroom.exercises.facts import (
    rounded,
    same_value,
    shape,
    share_memory,
    told_apart,
    values,
)

TENSOR = "tensor = torch.tensor"


@exercise(
    "t05-bell",
    setup="""
    x = torch.arange(3.0)
    empty_like = torch.empty_like
    """,
    hints=[
        "Begin with out=, which puts the first result into the storage that is there. Go on in place.",
        "torch.mul(x, x, out=out) squares. Then two methods whose names end in _.",
        """
        def bell(x, out):
            torch.mul(x, x, out=out)
            return out.mul_(…).…
        """,
        """
        def bell(x, out):
            torch.mul(x, x, out=out)
            return out.mul_(-0.5).exp_()
        """,
    ],
)
def bell(bell: Callable[[Any, Any], Any], *, x: Any, empty_like: Callable[[Any], Any]) -> str:
    for mine in (x.clone(), x[1:] * 2):
        before, out = values(mine), empty_like(mine)
        address = out.data_ptr()
        with account() as kept:
            result = call_writing(bell, "bell", mine, out)
        expect(values(mine) == before, "`bell(x, out)` changed the tensor x. Its squares belong in `out`.")
        expect_tensor(result, "bell(x, out)", shape=shape(mine))
        expect(result is not mine, "`bell(x, out)` returned `x`; return `out`, where the result is.")
        expect(
            out.data_ptr() == address and share_memory(result, out),
            "what `bell(x, out)` returns is not in the storage of `out`: a new tensor was made.",
        )
        expect(
            not same_value(values(result), [math.exp(value * value / 2) for value in before]),
            "`bell(x, out)` grows with x: the minus sign in the exponent is missing.",
        )
        expect(
            not same_value(values(result), [-value * value / 2 for value in before]),
            "`out` holds the exponent alone: `exp()` makes a new tensor, `exp_()` writes into the one that is there.",
        )
        expect_value(result, "bell(x, out)", [math.exp(-value * value / 2) for value in before])
        expect(
            not sum(kept.allocations),
            f"`bell(x, out)` is right, but allocated {sum(kept.allocations)} bytes on the way: every operator that is "
            "not told where to write makes a new tensor. Give the first one out=out, and go on in place.",
        )
    return "Nothing was allocated: every step wrote into the storage that was there before."


@exercise(
    "t05-turned",
    setup=TENSOR,
    hints=[
        "The remainder of a division by 360 lies in 0 ≤ angle < 360, for negative angles too, if it is the right "
        "remainder.",
        "Shift so that −180 becomes 0, take the remainder with %, and shift back.",
        """
        def turned(degrees):
            return (degrees + …) % 360 - …
        """,
        """
        def turned(degrees):
            return (degrees + 180) % 360 - 180
        """,
    ],
)
def turned(turned: Callable[[Any], Any], *, tensor: Callable[[Any], Any]) -> str:
    angles = [0.0, 90.0, 179.0, 270.0, 180.0, 360.0, 725.0, -90.0, -180.0, -181.0, -800.0]
    result = call(turned, "turned", tensor(angles))
    expect_tensor(result, "turned(degrees)", shape=(len(angles),), dtype="float32")
    for angle, own in zip(angles, values(result), strict=True):
        wanted = (angle + 180) % 360 - 180
        if abs(own - wanted) < 1e-3 and own < 180:  # other formulas round elsewhere
            continue
        own = rounded(own)
        expect(
            not angle % 360 == own == 180,
            f"{angle} became {own}. 180 itself should become −180: the upper end is left out.",
        )
        expect(
            not own == angle % 180 != angle % 360,
            f"{angle} became {own}; it should be {wanted}. A whole turn has 360 degrees.",
        )
        expect(own != angle % 360, f"{angle} became {own}, which lies between 0 and 360. Shift, and shift back.")
        expect(
            not (angle < 0 and own == wanted - 360),
            f"{angle} became {own}. fmod gives negative angles another remainder; use %.",
        )
        expect(
            not (angle == 0 and own == 180),
            f"{angle} became {own}; it should be {wanted}. After the remainder, shift back by 180.",
        )
        expect(
            not (angle == 0 and own == -180),
            f"{angle} became {own}; it should be {wanted}. Shift by 180 *before* the remainder, too.",
        )
        expect(
            not (angle == 0 and own == 360),
            f"{angle} became {own}; it should be {wanted}. Shift *up* by 180 before the remainder, and down after it.",
        )
        expect(False, f"{angle} became {own}; it should be {wanted}.")
    return "Each angle lies in −180 ≤ angle < 180, and negative ones wrapped around the right way."


@exercise(
    "t05-growth",
    setup=TENSOR,
    hints=[
        "1 + rate loses the rate. Take logarithms: the power becomes a product.",
        "(1 + rate)**days is exp(days * log(1 + rate)). There are functions for log(1 + …) and exp(…) − 1.",
        """
        def growth(rate, days):
            return torch.…(days * torch.…(rate))
        """,
        """
        def growth(rate, days):
            return torch.expm1(days * torch.log1p(rate))
        """,
    ],
)
def growth(growth: Callable[[Any, int], Any], *, tensor: Callable[[Any], Any]) -> str:
    for rate, days in ((0.25, 2), (1e-8, 1_000_000), (1e-8, 1)):
        result = call(growth, "growth", tensor([rate]), days)
        name = f"growth(torch.tensor([{rate}]), {days})"
        expect_tensor(result, name, shape=(1,), dtype="float32")
        wanted = math.expm1(days * math.log1p(rate))
        [own] = values(result)
        if math.isclose(own, wanted, rel_tol=1e-4):
            continue
        mine, right = told_apart(own, wanted, 6)
        expect(
            own != 0, f"`{name}` is 0. The rate was lost when it was added to 1, or when 1 was subtracted at the end."
        )
        expect(
            not math.isclose(own, wanted + 1, rel_tol=1e-4),
            f"`{name}` is {mine}: that is the total, not how much it has grown.",
        )
        expect(
            not (rate == 0.25 and math.isclose(own, days * rate, rel_tol=1e-4)),
            f"`{name}` is {mine}; it should be {right}. Each day's interest earns interest, too.",
        )
        expect(
            not math.isclose(own, days * math.log1p(rate), rel_tol=1e-4),
            f"`{name}` is {mine}: that is days * log(1 + rate). The growth is exp(…) − 1 of it.",
        )
        expect(False, f"`{name}` is {mine}; it should be {right}.")
    return "A small rate keeps its digits, at the beginning and at the end."
