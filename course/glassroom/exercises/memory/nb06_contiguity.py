"""Exercises of notebook 06: when reading order is storage order, and what it costs to make it so."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    expect,
    expect_copy,
    expect_equal,
    expect_tensor,
    expect_truths,
    expect_value,
    expect_view,
)
from glassroom.exercises.facts import is_array, is_contiguous, is_tensor, nbytes, same_value, shape, stride, values

WHICH_ONES = {
    "some_rows": (True, "Whole rows, one after another: nothing is left out between them."),
    "some_columns": (
        False,
        "After two elements of a row the third one is left out: the reading order jumps over it.",
    ),
    "every_other_row": (False, "Between these rows, one is left out: a gap."),
    "one_row": (
        True,
        "The elements of one row are neighbors in the storage; where it begins does not matter.",
    ),
    "one_column": (False, "The elements of a column are a whole row, 3 cells, apart."),
}


@exercise(
    "06-which-ones",
    hints=[
        "Walk through the view in reading order. Does the storage cell grow by exactly one each time?",
        "Work out size and stride of each, then compare: the last stride is 1, the one before is the last size.",
        """
        some_rows = True
        some_columns = …
        every_other_row = …
        one_row = True
        one_column = …
        """,
        """
        some_rows = True
        some_columns = False
        every_other_row = False
        one_row = True
        one_column = False
        """,
    ],
)
def which_ones(some_rows: Any, some_columns: Any, every_other_row: Any, one_row: Any, one_column: Any) -> str:
    answers = (some_rows, some_columns, every_other_row, one_row, one_column)
    expect_truths(WHICH_ONES, answers)
    return "Rows keep the order; columns, steps and transposes do not."


@exercise(
    "06-in-order",
    hints=[
        (
            "From right to left: the last stride is 1, and each stride is the one to its right times "
            "the size to its right."
        ),
        "Go through the sizes backwards and keep a running product; it starts with 1.",
        """
        def in_order(size):
            strides, step = [], 1
            for n in reversed(size):
                strides.insert(0, …)
                step *= …
            return tuple(strides)
        """,
        """
        def in_order(size):
            strides, step = [], 1
            for n in reversed(size):
                strides.insert(0, step)
                step *= n
            return tuple(strides)
        """,
    ],
)
def in_order(in_order: Any) -> str:
    for size, wanted in (
        ((4, 3), (3, 1)),
        ((3, 4), (4, 1)),
        ((2, 3, 4), (12, 4, 1)),
        ((5, 1, 2, 3), (6, 6, 3, 1)),
        ((7,), (1,)),
        ((), ()),
    ):
        returned = call(in_order, f"in_order({size})", size)
        expect(
            isinstance(returned, (tuple, list)),
            f"`in_order({size})` should be a tuple of {len(size)} numbers.",
        )
        expect(
            tuple(returned) != wanted[::-1] or wanted == wanted[::-1],
            f"`in_order({size})` gives {tuple(returned)}: the right numbers in reverse order. The last stride is 1.",
        )
        places = range(len(size))
        by_neighbor = (*size[1:], 1)[: len(size)]
        from_left = tuple(prod(size[:place]) for place in places)
        with_own = tuple(prod(size[place:]) for place in places)
        backwards = places[::-1]
        sizes_from_left = [tuple(prod(size[skipped : skipped + n]) for n in backwards) for skipped in (0, 1)]
        for mistake, shows in (
            *(
                (mistake, "The sizes are multiplied from the left. Begin with the *last* size.")
                for mistake in sizes_from_left
            ),
            (from_left, "They grow from the left. The *last* index changes fastest: the last stride is 1."),
            (with_own, "Each is multiplied by its own size as well. A step skips what lies to its right."),
            (by_neighbor, "Each is the size to its right alone. Multiply it by the stride to its right."),
        ):
            expect(
                tuple(returned) != mistake or mistake == wanted, f"`in_order({size})` gives {tuple(returned)}. {shows}"
            )
        no_dimensions = {(1,): "A tensor without dimensions has no stride at all: for () the answer is ()."}
        expect_equal(tuple(returned), f"in_order({size})", wanted, mistakes={} if size else no_dimensions)
    return "These are the strides that is_contiguous compares with, and that every new tensor with elements gets."


@exercise(
    "06-who-hears",
    hints=[
        "contiguous() copies where the order has to change, and hands back the same tensor where it does not.",
        "Which of base, base.t() and base[1:] is contiguous? A write to those arrives in base.",
        "base_after = [[1, 0, 0], [0, 0, …]]",
        "base_after = [[1, 0, 0], [0, 0, 3]]",
    ],
)
def who_hears(base_after: Any) -> str:
    if (is_tensor(base_after) or is_array(base_after)) and shape(base_after) == (2, 3):
        base_after = base_after.tolist()
    expect(
        base_after != [[0, 0, 0], [0, 0, 0]],
        "contiguous() does not always copy: a tensor that is in order is returned as it is.",
    )
    expect(
        not (isinstance(base_after, list) and any(isinstance(row, list) and 2 in row for row in base_after)),
        "base.t() is not contiguous, so the 2 went into a copy that nobody kept: it is nowhere in base.",
    )
    expect(
        base_after != [[1, 0, 0], [0, 0, 0]],
        "base[1:] is contiguous, too: a whole row. So the 3 was written into base.",
    )
    expect(
        base_after != [[0, 0, 0], [0, 0, 3]],
        "base is contiguous, so contiguous() handed back base itself: the 1 was written into it.",
    )
    expect(
        base_after != [[1, 0, 3], [0, 0, 0]],
        "base[1:] begins with the second row of base, so its [0, 2] is base[1, 2].",
    )
    expect(
        base_after not in ([[1, 0, 0], [3, 0, 0]], [[1, 0, 0], [0, 3, 0]]),
        "the 3 is in the right row. `[0, 2]` of `base[1:]` is the last number of that row.",
    )
    expect_equal(base_after, "base_after", [[1, 0, 0], [0, 0, 3]])
    return "The 2 went into a copy that was thrown away; the 1 and the 3 arrived."


@exercise(
    "06-small-bill",
    setup="big = torch.arange(1_000_000).view(1000, 1000)",
    hints=[
        "contiguous() copies every element of the tensor that it is called on.",
        "Slice and transpose first, which is free; then put in order what is left.",
        """
        def two_rows(big):
            return big[:, …].t().contiguous()
        """,
        """
        def two_rows(big):
            return big[:, :2].t().contiguous()
        """,
    ],
)
def small_bill(two_rows: Callable[[Any], Any], *, big: Any) -> str:
    with account() as kept:
        rows = call(two_rows, "two_rows", big)
    name = "two_rows(big)"
    expect_tensor(rows, name, shape=(2, 1000))
    expect(is_contiguous(rows), f"`{name}` has stride {stride(rows)}: it is not in order yet. Call contiguous() last.")
    expect(
        not same_value(values(rows), values(big[:2])),
        "you were asked for two *columns* of `big`; these are two of its rows.",
    )
    expect(
        not same_value(values(rows), values(big[:, :2].reshape(2, -1))),
        "the numbers of the two columns are mixed up: view and reshape keep the reading order. A transpose turns "
        "columns into rows.",
    )
    expect_copy(rows, name, of=big, of_name="big")
    expect_value(rows[:, 0], f"{name}[:, 0]", big[0, :2])
    expect_value(rows[:, -1], f"{name}[:, -1]", big[-1, :2])
    held, needed = nbytes(rows.untyped_storage()), nbytes(rows)
    expect(
        held == needed,
        f"`{name}` shows {needed} bytes, and its storage has {held}: more was copied than you need. Slice first.",
    )
    other = big[:3, 5:9]
    expect_value(call(two_rows, "two_rows", other), "two_rows(big[:3, 5:9])", other[:, :2].t())
    allocated = sum(kept.allocations)
    expect(
        allocated < 2 * needed or max(kept.allocations) > needed,
        "the rows are right and small, but they were copied twice. A slice and a transpose cost nothing: take both "
        "first, and then call contiguous() once.",
    )
    expect(
        allocated < 2 * needed,
        f"the rows are right and small, but {allocated:,} bytes were allocated on the way to these {needed:,}. Slice "
        "first: then contiguous() has little to copy.",
    )
    return f"{needed} bytes in order, where all of `big`, transposed, would be {nbytes(big)}."


@exercise(
    "06-camera",
    setup="photo = torch.arange(60).view(1, 4, 5, 3)",
    hints=[
        "A transpose swaps two dimensions and their strides, and copies nothing.",
        "The colors are last and should be second: swap them with their left neighbor, twice.",
        "x = photo.transpose(2, 3).transpose(…, …)",
        "x = photo.transpose(2, 3).transpose(1, 2)",
    ],
)
def camera(x: Any, *, photo: Any) -> str:
    expect_tensor(x, "x")
    expect(
        tuple(x.shape) != (1, 3, 5, 4),
        "`x` is (images, channels, width, height): the last two should be swapped.",
    )
    expect_tensor(x, "x", shape=(1, 3, 4, 5))
    wanted = photo.transpose(2, 3).transpose(1, 2)
    expect(
        x.tolist() == wanted.tolist(),
        "`x` has the right shape and the wrong pixels: view and reshape keep the reading order, "
        "so the colors got mixed.",
    )
    expect_view(x, "x", of=photo, of_name="photo", because="Two transposes are enough; nothing has to be copied.")
    return "It is contiguous in channels_last order: that is the order in which cameras write."
