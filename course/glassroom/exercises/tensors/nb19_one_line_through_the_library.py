"""Exercises of notebook 19: what Python and the library make of `a.t()[1] += 2`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import expect, expect_truths, expect_value, run

CALLS = ["t", "__getitem__", "__iadd__", "__setitem__"]


@exercise(
    "t19-calls",
    hints=[
        "Read the line from left to right, and write down a method for each thing that it does.",
        "x[1] += 2 is three things in Python: read x[1], add in place, assign the result to x[1].",
        'calls = ["t", "__getitem__", …, …]',
        'calls = ["t", "__getitem__", "__iadd__", "__setitem__"]',
    ],
)
def calls(calls: Any) -> str:
    expect(
        isinstance(calls, (list, tuple)) and all(isinstance(call, str) for call in calls),
        "`calls` should be a list of names, such as `['t', …]`.",
    )
    names = [call.strip().removesuffix("()").rpartition(".")[2] for call in calls]
    names = [{"add_": "__iadd__"}.get(name, name) for name in names]
    expect(names[:1] == ["t"], "What is written first is called first: `t`.")
    expect("__add__" not in names, "`+=` is not `+`: Python asks for `__iadd__` first, addition in place.")
    expect("__getitem__" in names, "The row has to be read before something can be added to it.")
    expect("__iadd__" in names, "Which method is `+=`?")
    expect(
        "__setitem__" in names,
        "One is missing. After the addition, Python always assigns the result back to where it read from.",
    )
    if [name for name in names if name in CALLS] == CALLS:
        further = [name for name in names if name not in CALLS]
        expect(not further, f"The order is right, but `{', '.join(further)}` is not called.")
        expect(len(names) == len(CALLS), "The order is right, but there are only four calls.")
    expect(sorted(names) != sorted(CALLS) or names == CALLS, "These are the methods, in the wrong order.")
    expect(names == CALLS, "There are four calls, each with another method.")
    return "Python reads, adds in place, and assigns, whatever kind of thing `a` is."


TWICE = {
    "row_plus": (True, "`a[0] += 1` adds in place, and then assigns the row to itself: two writes."),
    "row_add": (False, "`a[0].add_(1)` has no assignment in it."),
    "all_plus": (False, "`a += 1` binds the name `a` again. That writes nothing to memory."),
    "named_plus": (False, "`b += 1` binds the name `b` again: there is no index on the left, so no assignment."),
    "chosen_plus": (
        False,
        "A list in the index makes a copy. The addition writes to that; only the assignment writes to `a`.",
    ),
}


@exercise(
    "t19-twice",
    hints=[
        "An augmented assignment writes twice to `a` if both its addition and its assignment reach the storage of a.",
        "Is there an index on the left of `+=`? Is what it gives a view or a copy?",
        "row_plus = True; the four others: with a name on the left, nothing is assigned into memory.",
        """
        row_plus = True
        row_add = False
        all_plus = False
        named_plus = False
        chosen_plus = False
        """,
    ],
)
def twice(row_plus: Any, row_add: Any, all_plus: Any, named_plus: Any, chosen_plus: Any) -> str:
    expect_truths(TWICE, (row_plus, row_add, all_plus, named_plus, chosen_plus))
    return "A line writes twice only where the index on the left of `+=` gives a view."


@exercise(
    "t19-once",
    setup="make = lambda: torch.arange(12).view(3, 4)",
    hints=[
        "A column is a view, and an in-place operator on a view writes to the storage.",
        "Avoid `+=` with an index on the left, which assigns once more. The method `add_` does not.",
        "def add_to_column(a, j, number):\n    a[:, j].…(number)",
        "def add_to_column(a, j, number):\n    a[:, j].add_(number)",
    ],
)
def once(add_to_column: Callable[..., Any], *, make: Callable[[], Any]) -> str:
    for j, number in ((1, 100), (0, -3), (-1, 7)):
        a, wanted = make(), make()
        wanted[:, j] = wanted[:, j] + number
        before = a._version
        with account() as kept:
            run(add_to_column, "add_to_column", a, j, number)
        expect(a.tolist() != make().tolist(), "`a` has not changed. The change went into a copy, or nowhere.")
        expect_value(a, "a", wanted)
        expect(
            a._version - before == 1,
            f"`a` was written {a._version - before} times. An index on the left of `+=` adds, and then assigns the "
            "column to itself.",
        )
        expect(
            not any(kept.allocations),
            f"The column is right, but a new storage of {max(kept.allocations, default=0)} bytes was made on the way: "
            "`+` without `=` computes into one. `add_` does not.",
        )
    return "One write, and no new storage."
