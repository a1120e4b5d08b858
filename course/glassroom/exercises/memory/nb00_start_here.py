"""Exercises of notebook 00, the start page: a first number, and a first write."""

from __future__ import annotations

from typing import Any

from glassroom.exercises import facts
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import expect, expect_equal, expect_tensor


@exercise(
    "00-numbers",
    hints=[
        "Two tensors may look at the same memory. The numbers are stored only once.",
        "Look at the first picture: count the cells of the storage S0.",
        "numbers = …    # as many as torch.arange(6) made",
        "numbers = 6",
    ],
)
def numbers(numbers: Any) -> str:
    mistakes = {
        12: "That counts each number twice: `a` and `b` look at the same ones.",
        48: "That is how many bytes they take, 8 each.",
        2: "That is how many tensors look at it.",
        1: "That is how many storages there are. How many numbers lie in it?",
    }
    expect_equal(numbers, "numbers", 6, mistakes)
    expect(not isinstance(numbers, float), "`numbers` is a float; it should be a plain integer, without a point.")
    return "Two tensors, and six numbers between them."


@exercise(
    "00-last-cell",
    setup="a = torch.arange(6)\nb = a.view(2, 3)",
    hints=[
        "A cell of b is a cell of a. Writing to one is writing to the other.",
        "The cell above that wrote 100 into b[0, 0]. The last cell of b is in row 1, column 2.",
        "b[…, …] = 7",
        "b[1, 2] = 7",
    ],
)
def last_cell(a: Any, *, b: Any) -> str:
    expect_tensor(a, "a", shape=(6,))
    expect(
        facts.is_tensor(b),
        "`b` is not a tensor any more: `b = 7` gives the name to something else and writes nothing to memory. "
        "Run the cell that makes `a` and `b` again, then write to b[1, 2].",
    )
    expect(
        facts.share_memory(a, b),
        "`a` and `b` no longer share memory. Run the cell that makes them again, then write to b[1, 2].",
    )
    expect(
        a[5].item() == 7,
        f'the last cell of `a` holds {facts.text(a[5].item())}, not 7. hint("00-last-cell") helps.',
    )
    sevens = [place for place in range(5) if a[place].item() == 7]
    expect(
        not sevens,
        f"{len(sevens) + 1} cells are 7 now. Change only one cell: give its row and its column, as in b[0, 0] above.",
    )
    return "The last cell of `b` is the last cell of `a`: one number, written once, and both show it."
