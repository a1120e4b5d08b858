"""The exercise of part 4's review: one column of a Jacobian."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import functions_called
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_tensor
from glassroom.exercises.facts import told_apart, values

MOST = 4  # how often the function may run


@exercise(
    "e11-column",
    setup="x = torch.tensor([0.5, -1.0, 2.0, 0.25])",
    hints=[
        "A column is the Jacobian times a vector with one 1. Which mode multiplies from that side?",
        "torch.func.jvp(f, (x,), (tangent,)) returns the result and the Jacobian times the tangent.",
        """
        def column(f, x, j):
            tangent = torch.zeros_like(x)
            tangent[…] = 1
            return torch.func.jvp(f, (x,), (…,))[1]
        """,
        """
        def column(f, x, j):
            tangent = torch.zeros_like(x)
            tangent[j] = 1
            return torch.func.jvp(f, (x,), (tangent,))[1]
        """,
    ],
)
def column(column: Callable[..., Any], *, x: Any) -> str:
    runs = list[int]()

    def f(v: Any) -> Any:
        runs.append(1)
        return v.sin() * v.sum()

    place = values(x)
    total = sum(place)
    jacobian = [
        [math.sin(a) + (math.cos(a) * total if row == at else 0.0) for at in range(len(place))]
        for row, a in enumerate(place)
    ]
    for j in (0, 2, 3):
        runs.clear()
        with functions_called() as called:
            returned = call(column, "column", f, x, j)
        name = f"column(f, x, {j})"
        expect(
            len(runs) <= MOST,
            f"`f` ran {len(runs)} times: that is the whole Jacobian, of which one column was asked for.",
        )
        expect_tensor(returned, name, shape=(len(place),), dtype="float32")
        mine = values(returned.detach())
        wanted = [row[j] for row in jacobian]

        def is_near(numbers: list[float], mine: list[float] = mine) -> bool:
            return all(abs(a - b) < 2e-2 for a, b in zip(mine, numbers, strict=True))

        expect(
            is_near(wanted) or not is_near(jacobian[j]),
            f"`{name}` is row {j}: how all inputs move result {j}. Backward mode multiplies from the left; a column "
            "comes from the right.",
        )
        everywhere = [sum(row) for row in jacobian]
        expect(
            not is_near(everywhere),
            f"`{name}` is the sum of all columns: the tangent should be 1 at index {j}, and 0 elsewhere.",
        )
        told, truth = told_apart(mine, wanted, 4)
        expect(is_near(wanted), f"`{name}` is {told}, and should be {truth}.")
        expect(values(x) == place, "`x` has been written to.")
        for ready in ("jacfwd", "jacrev", "jacobian"):
            expect(
                ready not in called,
                f"the column is right, but `{ready}` made the whole Jacobian for it, a row or a column at a time.",
            )
    return "One column, and the others were not computed."
