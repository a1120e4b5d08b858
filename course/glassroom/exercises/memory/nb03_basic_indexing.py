"""Exercises of notebook 03: a basic index is a sum over the header."""

from __future__ import annotations

from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    every_slot,
    expect,
    expect_copy,
    expect_equal,
    expect_tensor,
    expect_value,
    expect_view,
)
from glassroom.exercises.facts import nbytes, share_memory
from glassroom.translations.templates import word


@exercise(
    "03-header-of-a-slice",
    hints=[
        (
            "Each key changes the header in its own dimension: the size, the stride (by the step), "
            "the offset (by the start)."
        ),
        "table has stride (6, 1). In `1::2` the start is 1 and the step 2; in `2:5` the start is 2 and the step 1.",
        "size = (2, 3)\nstride = (6 * 2, 1 * 1)\noffset = 1 * 6 + …",
        "size = (2, 3)\nstride = (12, 1)\noffset = 8",
    ],
)
def header_of_a_slice(size: Any, stride: Any, offset: Any) -> str:
    with every_slot():
        expect_equal(
            size,
            "size",
            (2, 3),
            mistakes={
                (3, 3): "Of the five rows, `1::2` takes only rows 1 and 3.",
                (2, 4): "The end of a slice is not part of it: `2:5` takes columns 2, 3 and 4.",
                (4, 3): "`1::2` takes every other row: 1 and 3.",
            },
        )
        expect_equal(
            stride,
            "stride",
            (12, 1),
            mistakes={
                (6, 1): "That is the stride of the table. Rows are taken with a step of 2, which doubles the stride.",
                (2, 1): "The step multiplies the stride that is there, 6; it does not replace it.",
                (10, 1): "A row of the table has six elements, so its stride is (6, 1), not (5, 1).",
                (96, 8): "That counts bytes; a stride counts elements.",
            },
        )
        expect_equal(
            offset,
            "offset",
            8,
            mistakes={
                2: "The columns begin 2 further. The rows begin at row 1, which is 6 further still.",
                3: "One row further is not one element further, but stride[0] = 6 elements.",
                6: "The rows are right; the columns begin at column 2.",
                14: "The offset grows by the start times the stride of the table, not by the step times it.",
                64: "That counts bytes; an offset counts elements.",
            },
        )
    return "Starts moved the offset, the step doubled the stride, and no element was read."


@exercise(
    "03-find-the-key",
    setup="cube = torch.arange(24).view(2, 3, 4)",
    hints=[
        "An integer removes a dimension; a slice with a step of 2 doubles a stride.",
        "first kept the stride 4, so it kept dimension 1, and 15 = 1 * 12 + 3 * 1. In second the stride 4 became 8.",
        "first = cube[1, :, …]\nsecond = cube[:, …]",
        "first = cube[1, :, 3]\nsecond = cube[:, ::2]",
    ],
)
def find_the_key(first: Any, second: Any, *, cube: Any) -> str:
    because = "A basic key (integers and slices) gives one that looks at cube's."
    with every_slot() as slot:
        with slot("first"):
            expect_tensor(first, "first", shape=(3,))
            expect_view(first, "first", of=cube, of_name="cube", because=because)
            expect_tensor(first, "first", stride=(4,), offset=15)
        with slot("second"):
            expect_tensor(second, "second", shape=(2, 2, 4))
            expect_view(second, "second", of=cube, of_name="cube", because=because)
            expect_tensor(second, "second", stride=(12, 8, 1), offset=0)
    return "You can read a header backwards: which dimension went away, which was stepped over, where it starts."


@exercise(
    "03-paint-the-frame",
    setup="board = torch.zeros(5, 7)\ncanvas = board",
    hints=[
        "Assigning to an index writes into the storage; the key says which cells.",
        "The frame is row 0, the last row, column 0 and the last column. An integer or a slice picks each.",
        "board[0] = 1\nboard[-1] = 1\nboard[:, …] = 1\nboard[:, …] = 1",
        "board[0] = 1\nboard[-1] = 1\nboard[:, 0] = 1\nboard[:, -1] = 1",
    ],
)
def paint_the_frame(board: Any, *, canvas: Any) -> str:
    expect_tensor(board, "board", shape=(5, 7))
    expect(
        share_memory(board, canvas),
        "`board` is a new tensor now. Write into the one that was there: board[…] = 1.",
    )
    cells = board.tolist()
    inside = [value for row in cells[1:-1] for value in row[1:-1]]
    expect(
        any(map(any, cells)),
        "`board` is still all 0: `board[…] = 1` writes into it, `name = 1` does not.",
    )
    expect(not any(inside), "part of the inside is painted. `board[0]` is a row; a column is `board[:, 0]`.")
    for name, edge in ((word("top"), cells[0]), (word("bottom"), cells[-1])):
        expect(edge == [1] * 7, f"the {name} row is not all 1 yet.")
    for name, column in ((word("left"), 0), (word("right"), -1)):
        expect(
            [row[column] for row in cells] == [1] * 5,
            f"the {name} column is not all 1 yet. A column is board[:, …].",
        )
    return "Written into the storage that `canvas` shows too. Two views are enough: board[::4] and board[:, ::6]."


@exercise(
    "03-keep-little",
    setup="log = torch.arange(100_000).view(200, 500)",
    hints=[
        "A view keeps the whole storage alive; only a storage of its own can be smaller.",
        "Take the last row with a basic key, then copy what you see.",
        "last = log[…].clone()",
        "last = log[-1].clone()",
    ],
)
def keep_little(last: Any, *, log: Any) -> str:
    expect_tensor(last, "last", shape=(500,))
    expect_copy(last, "last", of=log, of_name="log", because=f"So it keeps all {nbytes(log.untyped_storage())} bytes.")
    expect_value(last, "last", log[-1])
    kept, needed = nbytes(last.untyped_storage()), nbytes(last)
    expect(
        kept == needed,
        f"`last` shows {needed} bytes, and its storage has {kept}. Take the row first, then clone: "
        "a row of a clone is a "
        "view of the whole clone.",
    )
    return f"{kept} bytes stay, and `log` can be freed."
