"""Exercises of notebook 07: what `view` can say, and what only `reshape` can do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    expect,
    expect_equal,
    expect_tensor,
    expect_truths,
    expect_value,
    expect_view,
)
from glassroom.exercises.facts import shape, share_memory


@exercise(
    "07-rows",
    setup="frames = torch.arange(24).view(2, 3, 4)",
    hints=[
        "view cuts the same elements into rows of another length; -1 stands for a size to be worked out.",
        "You know how many rows there should be: one for each frame. The length of a row is what you leave open.",
        """
        def rows(frames):
            return frames.view(len(frames), …)
        """,
        """
        def rows(frames):
            return frames.view(len(frames), -1)
        """,
    ],
)
def rows(rows: Callable[[Any], Any], *, frames: Any) -> str:
    larger, more = frames.repeat(1, 2, 2), frames.repeat(3, 1, 1)
    for name, pictures in (("frames", frames), ("pictures of 6 by 8", larger), ("six frames", more)):
        result = call(rows, "rows", pictures)
        expect_tensor(result, f"rows({name})")
        expect(
            shape(result) != (pictures.numel(),),
            "`rows` gives one row for all frames. Keep the first size, and leave only the second open.",
        )
        expect_tensor(result, f"rows({name})", shape=(len(pictures), pictures[0].numel()))
        expect_value(result, f"rows({name})", pictures.flatten(1))
        expect_view(result, f"rows({name})", of=pictures, of_name="the frames", because="view copies nothing.")
    return "One row for each frame, however large the pictures are, and nothing was copied."


@exercise(
    "07-pixels-last",
    setup="batch = torch.arange(120).view(2, 3, 4, 5)",
    hints=[
        "Here dimensions are reordered and none are merged, so it takes permute, not view.",
        "permute takes the old dimensions in their new order. The channels, dimension 1, go to the end.",
        "pixels = batch.permute(0, …, …, 1)",
        "pixels = batch.permute(0, 2, 3, 1)",
    ],
)
def pixels_last(pixels: Any, *, batch: Any) -> str:
    expect_tensor(pixels, "pixels", shape=(2, 4, 5, 3))
    expect(
        pixels.tolist() != batch.reshape(2, 4, 5, 3).tolist(),
        "`pixels` has the right shape, but each pixel is mixed from its neighbors: view and reshape keep the reading "
        "order. Which operation reorders dimensions?",
    )
    expect_value(pixels, "pixels", batch.permute(0, 2, 3, 1))
    expect_view(pixels, "pixels", of=batch, of_name="batch", because="permute alone is enough.")
    return "The channels are last now, and only the strides were reordered."


WORKS = {
    "first_rows": (True, "The two rows lie one after the other: 6 == 1 * 6. They merge."),
    "first_columns": (False, "The next row begins 6 cells further, but a row has only 4: 6 != 1 * 4."),
    "column_pairs": (True, "Here one dimension is split, and splitting is always possible."),
    "every_second_row": (False, "Row 2 begins 12 cells after row 0, but a row has only 6: 12 != 1 * 6."),
    "folded_column": (
        True,
        "A column has one stride, 6. It is split in two, and splitting is always possible.",
    ),
}


@exercise(
    "07-which-work",
    setup="y = torch.arange(24).view(4, 6)",
    hints=[
        "Splitting a dimension always works; merging two needs stride[i] == stride[i + 1] * size[i + 1].",
        "Write down size and stride of each slice. Slicing columns shortens a row; the stride of 6 stays.",
        "y[:2] is (2, 6) with stride (6, 1); y[:, :4] is (4, 4) with (6, 1); y[::2] is (2, 6) with (12, 1).",
        """
        first_rows = True
        first_columns = False
        column_pairs = True
        every_second_row = False
        folded_column = True
        """,
    ],
)
def which_work(
    first_rows: Any,
    first_columns: Any,
    column_pairs: Any,
    every_second_row: Any,
    folded_column: Any,
    *,
    y: Any,
) -> str:
    answers = (first_rows, first_columns, column_pairs, every_second_row, folded_column)
    expect_truths(WORKS, answers)
    return "Three of the five work, and two of those slices are not contiguous."


@exercise(
    "07-crop",
    setup="""
    x = torch.arange(24).view(2, 3, 4)
    crop = x[:, 1:3]
    """,
    hints=[
        "Two neighboring dimensions become one: that is a merge, and the rule says whether it is possible.",
        "crop has size (2, 2, 4) and stride (12, 4, 1). The last two merge, because 4 == 1 * 4.",
        "joined = crop.view(…, …)",
        "joined = crop.view(2, 8)",
    ],
)
def crop(joined: Any, *, x: Any) -> str:
    expect_tensor(joined, "joined", shape=(2, 8))
    expect_value(joined, "joined", x[:, 1:3].flatten(1))
    expect_view(
        joined,
        "joined",
        of=x,
        of_name="x",
        because="crop is not contiguous, but its strides are compatible: view works.",
    )
    return "A view of a tensor that is not contiguous: its strides are compatible."


@exercise(
    "07-price",
    setup="""
    a = torch.arange(1, 13)
    contiguous = a.view(4, 3)
    transposed = contiguous.t()
    half = torch.arange(24).view(2, 3, 4)[:, :, :2]
    every_other = a[::2]
    """,
    hints=[
        "reshape(-1) gives a view where there is one. Afterwards, the storages tell whether it copied.",
        "Two tensors have the same storage when untyped_storage().data_ptr() is the same for both.",
        """
        def flat_and_price(tensor):
            flat = tensor.reshape(-1)
            shared = flat.untyped_storage().data_ptr() == …
            return flat, …
        """,
        """
        def flat_and_price(tensor):
            flat = tensor.reshape(-1)
            shared = flat.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr()
            return flat, 0 if shared else flat.nbytes
        """,
    ],
)
def price(
    flat_and_price: Callable[[Any], Any], *, contiguous: Any, transposed: Any, half: Any, every_other: Any
) -> str:
    samples = (
        ("a contiguous tensor", contiguous),
        ("a transposed tensor", transposed),
        ("the left half of each row", half),
        ("every other element, a[::2],", every_other),
        ("the last rows of a contiguous tensor", contiguous[2:]),
    )
    for kind, tensor in samples:
        with account() as kept:
            result = call(flat_and_price, "flat_and_price", tensor)
        expect(
            isinstance(result, (tuple, list)) and len(result) == 2,
            "`flat_and_price` should return two things: the flat tensor and the price in bytes.",
        )
        flat, bytes_copied = result
        expect_tensor(flat, "flat")
        expect_value(flat, "flat", tensor.reshape(-1))
        has_view = share_memory(tensor.reshape(-1), tensor)
        expect(
            share_memory(flat, tensor) or not has_view,
            f"For {kind} you made a copy, although a view is possible. contiguous() and clone() copy more than is "
            "needed; reshape(-1) copies only where it must.",
        )
        expect_equal(
            bytes_copied,
            "price",
            0 if has_view else flat.nbytes,
            mistakes={
                flat.numel(): "That counts elements; the price is in bytes.",
                flat.nbytes: f"For {kind} there is a view, and nothing was copied.",
                0: f"For {kind} there is no view: the elements were copied.",
            },
        )
        expect(
            sum(kept.copies) <= bytes_copied,
            f"For {kind} the price is right for one copy, and {len(kept.copies)} were made: "
            f"{sum(kept.copies)} bytes. reshape(-1) alone copies once, where it must.",
        )
    return "The same line costs nothing on one tensor and all its bytes on another."
