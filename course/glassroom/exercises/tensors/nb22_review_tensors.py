"""The exercise of part 2's review: pairs counted in a table."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_as_given, expect_tensor


@exercise(
    "t22-confusion",
    setup="tensor = torch.tensor",
    hints=[
        (
            "A pair of numbers below k is one number below k * k. And an assignment to an index counts a repeated "
            "position only once."
        ),
        "truth * k + said numbers the pairs. bincount counts; minlength is for the pairs that never come.",
        """
        def confusion(truth, said, k):
            return torch.bincount(…, minlength=…).view(k, k)
        """,
        """
        def confusion(truth, said, k):
            return torch.bincount(truth * k + said, minlength=k * k).view(k, k)
        """,
    ],
)
def confusion(confusion: Callable[..., Any], *, tensor: Any) -> str:
    random = Random(7)
    for k, n in ((3, 20), (4, 60), (5, 3)):
        pairs = [(random.randrange(k), random.randrange(k)) for _ in range(n)] + [(0, 1)] * 3
        truth, said = tensor([pair[0] for pair in pairs]), tensor([pair[1] for pair in pairs])
        returned = call(confusion, "confusion", truth, said, k)
        name = f"confusion(truth, said, {k})"
        expect_as_given(truth, "truth", [pair[0] for pair in pairs])
        expect_tensor(returned, name, shape=(k, k))
        wanted = [[pairs.count((row, column)) for column in range(k)] for row in range(k)]
        once = [[min(1, count) for count in row] for row in wanted]
        mine = returned.tolist()
        expect(
            mine != once or once == wanted,
            f"`{name}` has no number above 1: table[truth, said] += 1 reads everything first, adds, and then writes, "
            "so a pair that appears three times is written three times with the same 1.",
        )
        turned = [list(column) for column in zip(*wanted, strict=True)]
        expect(mine != turned or turned == wanted, f"`{name}` has what was said in its rows; the truth belongs there.")
        for row in range(k):
            expect(mine[row] == wanted[row], f"row {row} of `{name}` is {mine[row]}, and should be {wanted[row]}.")
        expect_tensor(returned, name, dtype="int64")
    return "Each pair counts as often as it appears."
