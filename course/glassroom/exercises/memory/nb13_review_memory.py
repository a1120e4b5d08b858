"""The exercise of part 1's review: two halves of a matrix change places within its storage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import expect, run
from glassroom.exercises.facts import nbytes, values


@exercise(
    "13-swap",
    setup="matrix = torch.arange(48).view(6, 8)",
    hints=[
        "Both halves are views. Writing into one of them overwrites what it held, unless you kept a copy.",
        "clone the left half, copy_ the right one over it, then copy_ the clone into the right one.",
        """
        def swap(x):
            left, right = x.chunk(2, 1)
            kept = …
            left.copy_(…)
            right.copy_(…)
        """,
        """
        def swap(x):
            left, right = x.chunk(2, 1)
            kept = left.clone()
            left.copy_(right)
            right.copy_(kept)
        """,
    ],
)
def swap(swap: Callable[..., Any], *, matrix: Any) -> str:
    for what, view_of in (
        ("a matrix", lambda whole: whole),
        ("a transposed matrix", lambda whole: whole.t()),
        ("a matrix cropped out of a larger one", lambda whole: whole[1:5, 2:6]),
    ):
        whole = matrix.clone()
        x = view_of(whole)
        rows, half = values(x), x.shape[1] // 2
        outside = matrix.clone()
        wanted = [row[half:] + row[:half] for row in rows]
        with account() as kept:
            run(swap, "swap", x)
        own = values(x)
        name = f"swap(x) of {what}"
        expect(own != rows, f"`{name}` has changed nothing in x: a new tensor, or a new name, is not in place.")
        expect(
            own not in ([row[half:] * 2 for row in rows], [row[:half] * 2 for row in rows]),
            f"`{name}` leaves one half in both places: the other one was overwritten before it was read. Both sides of "
            "left, right = right, left are views of the same storage.",
        )
        expect(own == wanted, f"`{name}` leaves other values: row 0 is {own[0]}, and should be {wanted[0]}.")
        view_of(outside).copy_(x.clone())
        expect(values(whole) == values(outside), f"`{name}` has changed elements outside of x.")
        allocated = sum(kept.allocations)
        expect(
            allocated <= nbytes(x) // 2,
            f"`{name}` does it, but allocated {allocated} bytes on the way; one half has {nbytes(x) // 2}.",
        )
    return "Each half is where the other one was, in the same storage."
