"""Exercises of notebook 04: reading with a list, tensor or mask copies, and writing does not."""

from __future__ import annotations

import ast
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    every_slot,
    expect,
    expect_in_its_cell,
    expect_tensor,
    expect_value,
    expect_view,
    expect_word,
)


@exercise(
    "04-view-or-copy",
    hints=[
        "What counts is the kind of key, never the numbers in it.",
        "Integers and slices alone: a view. As soon as one list, tensor or mask is among the keys: a copy.",
        'row = "view"\nrow_in_list = …\nevery_other = "view"\nmixed = …\nmasked = "copy"',
        'row = "view"\nrow_in_list = "copy"\nevery_other = "view"\nmixed = "copy"\nmasked = "copy"',
    ],
)
def view_or_copy(row: Any, row_in_list: Any, every_other: Any, mixed: Any, masked: Any) -> str:
    basic = "There are only integers and slices in this key, so all it takes is a new header."
    in_list = "A list is an advanced key, however short it is. The numbers in it are not looked at."
    one_is_enough = "The slice alone would give a view, but one list among the keys makes the whole index advanced."
    with every_slot():
        expect_word(row, "row", "view", {"copy": basic})
        expect_word(row_in_list, "row_in_list", "copy", {"view": in_list})
        expect_word(every_other, "every_other", "view", {"copy": basic})
        expect_word(mixed, "mixed", "copy", {"view": one_is_enough})
        expect_word(masked, "masked", "copy", {"view": "A mask may pick any cells, and no stride can describe that."})
    return "It is the kind of key that decides."


@exercise(
    "04-cap-the-outliers",
    setup="data = torch.tensor([4.0, 25.0, 9.0, 11.0, 10.0, 300.0])\nelsewhere = data[1:]",
    hints=[
        "Reading with a mask copies; assigning to it writes into the tensor.",
        "The mask is a comparison, data > 10. It belongs between brackets on the left of the equals sign.",
        "data[…] = 10",
        "data[data > 10] = 10",
    ],
)
def cap_the_outliers(data: Any, *, elsewhere: Any) -> str:
    expect_tensor(data, "data", shape=(6,))
    because = "Its values are in new memory, so the old storage does not show them."
    expect_view(data, "data", of=elsewhere, of_name="elsewhere", because=because)
    own = data.tolist()
    expect(
        own != [4, 25, 9, 11, 10, 300],
        "`data` has not changed. Indexing with a mask gives a copy, unless you assign to it: a method called on the "
        "result, such as fill_, fills the copy.",
    )
    expect(
        own != [10, 25, 10, 11, 10, 300],
        "the small elements are 10 now, and the large ones are as they were: the comparison is the wrong way round.",
    )
    expect(own != [10] * 6, "every element is 10 now, the small ones too. The mask should leave those alone.")
    expect_value(data, "data", [4.0, 10.0, 9.0, 10.0, 10.0, 10.0])
    return "Written in place, and every view of the storage sees it."


@exercise(
    "04-a-block",
    setup="""
        m = torch.arange(20).view(4, 5)
        rows = torch.tensor([0, 3])
        columns = torch.tensor([1, 4])
    """,
    hints=[
        "Index tensors are paired off after broadcasting, and the result has the broadcast shape.",
        "Every row number has to meet every column number: sizes (2, 1) and (2,) broadcast to (2, 2).",
        "block = m[rows[…], columns]",
        "block = m[rows[:, None], columns]",
    ],
)
def a_block(block: Any, *, m: Any) -> str:
    expect_tensor(block, "block")
    expect(
        tuple(block.shape) != (2,),
        "`block` has two elements: the index tensors were paired off, first with first. Give one of them another "
        "dimension.",
    )
    expect(
        tuple(block.shape) not in ((1, 2), (2, 1)),
        f"`block` has shape {tuple(block.shape)}: the index tensors are still paired off, first with first. Only "
        "`rows` needs another dimension, to stand as a column of size (2, 1).",
    )
    expect_tensor(block, "block", shape=(2, 2), dtype="int64")
    wanted = [[m[row, column].item() for column in (1, 4)] for row in (0, 3)]
    turned = [list(row) for row in zip(*wanted, strict=True)]
    expect(
        block.tolist() != turned,
        "`block` lies on its side: rows and columns are swapped. The row numbers should be the column.",
    )
    expect_value(block, "block", wanted)
    expect_in_its_cell(
        "block",
        lambda node: (
            isinstance(node, ast.Subscript)
            and ast.unparse(node.value) == "m"
            and isinstance(node.slice, ast.Tuple)
            and not any(isinstance(key, ast.Slice) for key in node.slice.elts)
        ),
        "the numbers are right. Now with `rows` and `columns` in one pair of brackets, `m[…, …]`: two pairs copy "
        "twice, and an assignment through them would change only the first copy.",
    )
    return "Every row with every column. One pair of brackets can do it: sizes (2, 1) and (2,) broadcast to (2, 2)."


@exercise(
    "04-gather-columns",
    setup="""
        scores = torch.tensor([[0.1, 0.7, 0.2], [0.8, 0.1, 0.1], [0.3, 0.3, 0.4], [0.5, 0.2, 0.3]])
        best = torch.tensor([2, 0, 1])
    """,
    hints=[
        "gather along a dimension replaces the index in that dimension only; the others stay where they are.",
        (
            "Each column picks a row of its own: so the dimension to choose along is 0, and the index needs two "
            "dimensions, (1, 3)."
        ),
        "top = scores.gather(0, best[…])[…]",
        "top = scores.gather(0, best[None])[0]",
    ],
)
def gather_columns(top: Any, *, scores: Any, best: Any) -> str:
    expect_tensor(top, "top")
    rows = best.tolist()
    across = [scores[i, rows[i]].item() for i in range(3)]
    expect(
        tuple(top.shape) != (3, 1) or top.flatten().tolist() != across,
        "`top` has a number for each *row*: along dimension 1, each row picks a column. Here each column picks a row: "
        "that is along dimension 0, with an index of size (1, 3).",
    )
    of_first_column = [scores[row, 0].item() for row in rows]
    expect(
        top.flatten().tolist() != of_first_column,
        "`top` has numbers of column 0 alone: an index of size (3, 1) has one column, so only one column of `scores` "
        "is read. Give it size (1, 3), a number for each column.",
    )
    of_first_row = [scores[0, column].item() for column in rows]
    expect(
        top.flatten().tolist() != of_first_row,
        "`top` has numbers of row 0 alone: along dimension 1, each row picks a column. Here each column picks a row: "
        "that is along dimension 0.",
    )
    expect(
        tuple(top.shape) not in ((1, 3), (3, 1)),
        "`top` has one dimension too many: gather's result has the shape of its index. Take the "
        "row (or column) out of it.",
    )
    expect_tensor(top, "top", shape=(3,), dtype="float32")
    expect(
        top.tolist() != across,
        "`top` holds, for each *row*, the column that `best` names. You were asked for the row of each *column*.",
    )
    expect_value(top, "top", [scores[rows[column], column].item() for column in range(3)])
    expect_in_its_cell(
        "top",
        lambda node: isinstance(node, ast.Attribute) and node.attr == "gather",
        "the numbers are right, and two index tensors are a good way to them. Now with `gather`, along dimension 0.",
    )
    return "A row was chosen for each column: that is what gather(0, …) is for."


@exercise(
    "04-count-the-votes",
    setup="votes = torch.tensor([0, 2, 2, 1, 2, 0])\ntotals = torch.zeros(3)",
    hints=[
        "index_add_ adds for every mention of a position, where an assignment would overwrite.",
        "The positions are the votes; every vote weighs 1, so the source is six ones.",
        "totals.index_add_(0, votes, …)",
        "totals.index_add_(0, votes, torch.ones(6))",
    ],
)
def count_the_votes(totals: Any) -> str:
    expect_tensor(totals, "totals", shape=(3,), dtype="float32")
    own = totals.tolist()
    expect(
        any(own),
        "`totals` is still all zeros. The `_` matters: index_add without it gives a new tensor "
        "and leaves this one alone.",
    )
    expect(
        own != [1, 1, 1],
        "each candidate has one vote: reading, adding and writing back counts every cell once.",
    )
    expect(
        own != [4, 2, 6],
        "every count is doubled: did you run the cell twice? Run the cell that makes `totals` again, too.",
    )
    expect_value(totals, "totals", [2, 1, 3])
    return "Two, one and three votes: every mention counted."
