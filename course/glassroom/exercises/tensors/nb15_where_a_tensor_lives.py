"""Exercises of notebook 15 of part 2: on which device a tensor is, and what meets it there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import account, was_moved
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    every_slot,
    expect,
    expect_device,
    expect_equal,
    expect_no_copies,
    expect_nothing_moved,
    expect_tensor,
    expect_truths,
)
from glassroom.exercises.facts import values

SETUP = """
from glassroom import course_device
device = course_device(torch)
a = torch.arange(6.0).view(2, 3)
b = a.to(device)
there = a.to(device)
"""


@exercise(
    "t15-make",
    setup=SETUP,
    hints=[
        "Functions that make tensors take `device=`; to() takes a device, a dtype, or both.",
        "scores: torch.zeros with device=device. precise: a.to(…, …).",
        """
        scores = torch.zeros(2, 3, device=…)
        precise = a.to(device, torch.…)
        """,
        """
        scores = torch.zeros(2, 3, device=device)
        precise = a.to(device, torch.float64)
        """,
    ],
)
def make(scores: Any, precise: Any, *, a: Any, device: str) -> str:
    with every_slot() as slot:
        with slot("scores"):
            expect_tensor(scores, "scores", shape=(2, 3))
            expect_device(scores, "scores", device)
            moved = was_moved(scores)  # asked before the values are, which brings them to the CPU
            expect_tensor(scores, "scores", value=[[0.0] * 3] * 2)
            expect(
                not moved,
                "`scores` is right, but it was made on another device and moved, which is a transfer. Let the "
                "function make it on the device.",
            )
        with slot("precise"):
            expect_tensor(precise, "precise", shape=(2, 3), dtype="float64")
            expect_device(precise, "precise", device)
            expect_tensor(precise, "precise", value=values(a))
    return "One is made where it is needed, the other arrives there in its new dtype."


@exercise(
    "t15-meet",
    setup=SETUP,
    hints=[
        "Both operands must be on one device; the result is there too.",
        "x must go to where y is, and y.device tells you where that is.",
        """
        def add(x, y):
            return x.to(…) + y
        """,
        """
        def add(x, y):
            return x.to(y.device) + y
        """,
    ],
)
def meet(add: Callable[..., Any], *, a: Any, b: Any) -> str:
    for x, y, names in ((a, b, "a, b"), (b, a, "b, a"), (a, a, "a, a")):
        with account() as kept:
            result = call(add, "add", x, y)
        expect_tensor(result, f"add({names})", shape=(2, 3))
        expect(
            result.device == y.device,
            f"the result of `add({names})` is on {result.device}; {names[-1]} is on {y.device}.",
        )
        expect_equal(
            values(result),
            f"add({names}).tolist()",
            [[m + n for m, n in zip(p, q, strict=True)] for p, q in zip(values(x), values(y), strict=True)],
        )
        apart = int(x.device != y.device)
        expect(
            len(kept.transfers) <= apart,
            f"right, but `add({names})` made {len(kept.transfers)} transfers; {apart} would do. Move x, and only to "
            "where y is.",
        )
        if not apart:
            expect_no_copies(kept, f"add({names})", "Where both are on one device, to() copies nothing.")
    return "It names no device, moves x once, and copies nothing where both are already on one device."


ALLOWED = {
    "scaled": (True, "A 0-dim tensor on the CPU is accepted, as a number is."),
    "joined": (False, "cat reads all its operands on one device; x has to be moved first."),
    "picked": (True, "An index may be on the CPU: the library sends it."),
    "counted": (False, "y.sum() is 0-dim but on the device, and x is on the CPU: only the reverse works."),
    "written": (True, "copy_ is the operator that crosses between devices."),
}


@exercise(
    "t15-allowed",
    hints=[
        "0-dim tensors and indices are accepted if they are on the CPU; copy_ works between any two devices.",
        "Try each: make x and y, and run the line.",
        "Two of the five are refused.",
        """
        scaled = True
        joined = False
        picked = True
        counted = False
        written = True
        """,
    ],
)
def allowed(scaled: Any, joined: Any, picked: Any, counted: Any, written: Any) -> str:
    answers = (scaled, joined, picked, counted, written)
    expect_truths(ALLOWED, answers)
    return "Indices and 0-dim tensors on the CPU are sent along; you move everything else yourself."


@exercise(
    "t15-anywhere",
    setup=SETUP,
    hints=[
        "A tensor that a function makes has to be where its argument is.",
        "arange takes device=, and table knows its device.",
        """
        def numbered(table):
            return table + torch.arange(table.shape[1], device=…)
        """,
        """
        def numbered(table):
            return table + torch.arange(table.shape[1], device=table.device)
        """,
    ],
)
def anywhere(numbered: Callable[..., Any], *, a: Any, there: Any) -> str:
    wanted = [[value + column for column, value in enumerate(row)] for row in values(a)]
    for table, name in ((a, "a"), (there, "there")):
        with account() as kept:
            result = call(numbered, "numbered", table)
        expect_tensor(result, f"numbered({name})", shape=(2, 3), dtype="float32")
        expect(
            result.device == table.device,
            f"`{name}` is on {table.device}, and `numbered({name})` is on {result.device}. "
            "Do not move the table; make the numbers where it is.",
        )
        expect_equal(values(result), f"numbered({name}).tolist()", wanted)
        expect_nothing_moved(kept, f"numbered({name})", "Make the numbers where the table is: arange takes device=.")
    return "The function names no device, so it runs on all of them."
