"""Exercises of notebook 05: where an element lives, and headers of your own."""

from __future__ import annotations

from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import every_slot, expect, expect_equal, expect_tensor, expect_value, expect_view


@exercise(
    "05-find-the-cell",
    setup="t = torch.zeros(3, 4, 5)[:, 1:, ::2]",
    hints=[
        "cell = offset + i * stride[0] + j * stride[1] + k * stride[2]",
        "The zeros have stride (20, 5, 1). `1:` moves the offset by one row, `::2` doubles the last stride.",
        "position = 5 + 1 * 20 + 0 * 5 + 2 * …",
        "position = 5 + 1 * 20 + 0 * 5 + 2 * 2",
    ],
)
def find_the_cell(position: Any, *, t: Any) -> str:
    steps = zip((1, 0, 2), t.stride(), strict=True)
    expect_equal(
        position,
        "position",
        t.storage_offset() + sum(index * stride for index, stride in steps),
        mistakes={
            24: "The steps are right; where is the offset? `1:` left out the first row, 5 elements.",
            27: "The last dimension was sliced with a step of 2, so one step there skips 2 elements.",
            25: "The first two indices are right; the last one, two steps of 2, is missing.",
            34: "The index in the middle is 0: no step of 5. Count the rows from where `1:` begins.",
            22: (
                "That is the cell in the tensor before slicing. `1:` moved the offset, and `::2` "
                "doubled the last stride."
            ),
            11: (
                "The stride of dimension 0 is not its new size: the slices left the 20 elements "
                "between two layers in place."
            ),
            232: "That counts bytes; a cell is one element.",
        },
    )
    return "Offset 5, one step of 20, none of 5, two steps of 2."


@exercise(
    "05-chain",
    hints=[
        "Every operation starts from the header that the one before it made.",
        (
            "Begin with (12, 4, 1). The transpose swaps the first and last stride. `[:, 1]` removes the middle "
            "dimension."
        ),
        "stride = (1, …)\noffset = 1 * …",
        "stride = (1, 12)\noffset = 1 * 4",
    ],
)
def chain(stride: Any, offset: Any) -> str:
    with every_slot():
        expect_equal(
            stride,
            "stride",
            (1, 12),
            mistakes={
                (1, 4, 12): (
                    "That is the stride after the transpose. The integer in `[:, 1]` removes the middle dimension."
                ),
                (12, 1): "The transpose comes first: it makes (12, 4, 1) into (1, 4, 12).",
                (1, 4): "`[:, 1]` removes the middle dimension, not the last one.",
                (4, 12): "`[:, 1]` removes the middle dimension, not the first one.",
                (2, 1): "Those would be the strides of a fresh tensor of that size. A view keeps the storage's layout.",
            },
        )
        expect_equal(
            offset,
            "offset",
            4,
            mistakes={
                0: "`[:, 1]` starts at index 1 of its dimension: one step of that dimension's stride.",
                1: "Index 1 is one *step*, and one step of that dimension is 4 elements.",
                12: "12 is the last stride, after the transpose. The integer indexes the middle dimension.",
            },
        )
    return "Swap two strides, drop one, move the offset: three small sums, whatever the tensors' size."


@exercise(
    "05-other-diagonal",
    setup="picture = torch.arange(16).view(4, 4)",
    hints=[
        "A header is a start and a step: here a start at the top right corner.",
        "One step goes a row down (4 cells on) and a column to the left (1 cell back).",
        "anti = picture.as_strided((4,), (…,), 3)",
        "anti = picture.as_strided((4,), (3,), 3)",
    ],
)
def other_diagonal(anti: Any, *, picture: Any) -> str:
    expect_tensor(anti, "anti", shape=(4,))
    own = anti.tolist()
    expect(
        own != [0, 3, 6, 9],
        "the step is right, the start is not: the top right corner is cell 3. Give the offset, too.",
    )
    expect(
        own != [3, 8, 13, 18],
        "the step of 5 goes down and to the *right*. To the left it is one cell less than a row.",
    )
    expect_value(anti, "anti", [picture[row, 3 - row].item() for row in range(4)])
    expect_view(anti, "anti", of=picture, of_name="picture", because="as_strided gives a view.")
    return "Offset 3, stride 3: a diagonal is an ordinary view."


@exercise(
    "05-mean-for-every-pixel",
    setup="mean = torch.tensor([0.5, 0.25, 0.125])",
    hints=[
        "expand makes a dimension of size 1 as long as you like, with stride 0.",
        "First make room with None: size (1, 3, 1, 1). Then expand the dimensions of size 1.",
        "means = mean[None, :, None, None].expand(64, …, 32, 32)",
        "means = mean[None, :, None, None].expand(64, 3, 32, 32)",
    ],
)
def mean_for_every_pixel(means: Any, *, mean: Any) -> str:
    expect_tensor(means, "means", shape=(64, 3, 32, 32))
    because = "The values may be right, but they take 786,432 bytes. Which operation stretches without copying?"
    expect_view(means, "means", of=mean, of_name="mean", because=because)
    expect_tensor(means, "means", stride=(0, 1, 0, 0))
    expect_value(means[0, :, 0, 0], "means[0, :, 0, 0]", mean)
    return "It shows 196,608 elements and holds three in memory."


@exercise(
    "05-patches",
    setup="picture = torch.arange(16).view(4, 4)",
    hints=[
        "unfold makes windows along one dimension. A patch is a window of rows and, in it, a window of columns.",
        (
            "Unfold dimension 0, then dimension 1: windows of 2, with a step of 1. The window's own dimension comes "
            "last each time."
        ),
        "patches = picture.unfold(0, 2, 1).unfold(…, 2, 1)",
        "patches = picture.unfold(0, 2, 1).unfold(1, 2, 1)",
    ],
)
def patches(patches: Any, *, picture: Any) -> str:
    expect_tensor(patches, "patches")
    expect(
        tuple(patches.shape) != (2, 2, 2, 2),
        "these patches lie side by side. There should be one at every row and column: start a window at every index, "
        "with a step of 1, not 2.",
    )
    expect(
        tuple(patches.shape) != (3, 4, 2),
        "these are windows of rows, with all the columns in them. Unfold the columns as well.",
    )
    expect_tensor(patches, "patches", shape=(3, 3, 2, 2))
    wanted = [[picture[i : i + 2, j : j + 2].tolist() for j in range(3)] for i in range(3)]
    on_their_side = [[[list(row) for row in zip(*patch, strict=True)] for patch in line] for line in wanted]
    expect(
        patches.tolist() != on_their_side,
        "each patch lies on its side: the rows' window has to come before the columns'. Unfold dimension 0 first.",
    )
    expect_value(patches, "patches", wanted)
    expect_view(patches, "patches", of=picture, of_name="picture", because="unfold and as_strided give a view.")
    return "It shows 36 elements and holds 16 in memory: the stride (4, 1, 4, 1) does it."
