"""Exercises of notebook 07 of part 2: how sizes meet, and what it costs when they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    every_slot,
    expect,
    expect_as_given,
    expect_equal,
    expect_tensor,
    expect_value,
)
from glassroom.exercises.facts import is_tensor, same_value, shape, values

ERROR = "error"


@exercise(
    "t07-sizes",
    hints=[
        (
            "Line the sizes up on the right; missing lengths are 1. In each column the lengths are equal, or one of "
            "them is 1."
        ),
        "Write (4, 2, 3) above (4, 3): the 3s meet, and then 2 meets 4.",
        """
        first, second, third = (3, 4), (2, 6), (2, …, 6)
        fourth, fifth = …, (8, 7, …, …)
        """,
        """
        first, second, third = (3, 4), (2, 6), (2, 2, 6)
        fourth, fifth = "error", (8, 7, 6, 5)
        """,
    ],
)
def sizes(first: Any, second: Any, third: Any, fourth: Any, fifth: Any) -> str:
    first, second, third, fourth, fifth = (
        ERROR if isinstance(size, str) and size.lower().endswith(ERROR) else size
        for size in (first, second, third, fourth, fifth)
    )
    with every_slot():
        expect_equal(
            first,
            "first",
            (3, 4),
            mistakes={(1, 1): "1 gives way to the other length.", ERROR: "1 goes with any length."},
        )
        expect_equal(
            second,
            "second",
            (2, 6),
            mistakes={
                ERROR: "A 1 is put in front of the shorter size: (1, 6).",
                (6, 2): "A missing length is put in front: (6,) is taken for (1, 6), a row.",
                (6,): "The 2 of the other size stays.",
                (6, 6): "Only a 1 gives way: the 2 meets the 1 that is put in front, and stays.",
                (2, 1): "In the last column a 1 meets a 6, and the 1 gives way.",
            },
        )
        expect_equal(
            third,
            "third",
            (2, 2, 6),
            mistakes={
                (2, 6): "The second size has three dimensions, so the result has three: its first 2 stands in front.",
                ERROR: "The 1s go with 2 and 6, and the 2 meets a 1 that was put in front.",
                (2, 1, 6): "In the middle column a 2 meets a 1, and the 1 gives way.",
            },
        )
        in_front = "A missing length is put in front, never in between. From the right: 3 and 3, then 2 and 4."
        expect_equal(fourth, "fourth", ERROR, mistakes={(4, 2, 3): in_front, (4, 4, 3): in_front})
        pairs = "From the right: 1 and 5, 6 and 1, 1 and 7, 8 and a 1 that is put in front."
        expect_equal(
            fifth,
            "fifth",
            (8, 7, 6, 5),
            mistakes={ERROR: pairs, (7, 1, 5): pairs, (8, 1, 6, 1): pairs, (8, 7, 6, 1): pairs},
        )
    return "Column by column, from the right: nothing else matters."


@exercise(
    "t07-bytes",
    hints=[
        "Stretching costs nothing. The result has memory for every element.",
        "The result has size (1000, 500, 8), and a float32 has 4 bytes.",
        """
        held = (1000 * 8 + …) * 4
        stretched = 1000 * 500 * 8 * …
        result = …
        """,
        """
        held = (1000 * 8 + 500 * 8) * 4
        stretched = 1000 * 500 * 8 * 4
        result = 1000 * 500 * 8 * 4
        """,
    ],
)
def costs(held: Any, stretched: Any, result: Any) -> str:
    with every_slot():
        expect_equal(
            held,
            "held",
            48_000,
            mistakes={
                12_000: "That counts elements; each has 4 bytes.",
                32_000: "That is `points` alone.",
                16_000: "That is `centers` alone.",
                96_000: "An element here is a float32: 4 bytes, not 8.",
                32_000_000: "Nothing is stretched in memory: each operand holds only its own elements.",
            },
        )
        elements = {
            4_000_000: "That counts elements; each has 4 bytes.",
            2_000_000: "Each pair has 8 coordinates, and each coordinate 4 bytes: a factor is missing.",
            500_000: "That counts pairs; each has 8 coordinates, and each coordinate 4 bytes.",
            48_000: "That is what both operands hold.",
        }
        expect_equal(
            stretched,
            "stretched",
            16_000_000,
            mistakes={
                **elements,
                32_000_000: "An element here is a float32: 4 bytes, not 8.",
                32_000: "That is what it holds; written out, it would have size (1000, 500, 8).",
            },
        )
        expect_equal(
            result,
            "result",
            16_000_000,
            mistakes={
                **elements,
                0: "The operands need no more memory; the result is new.",
                32_000_000: "One result, of float32: 4 bytes for each of its elements.",
            },
        )
    return "The operands hold 48 thousand bytes, and the result 16 million."


SIZE_MISTAKES = {
    (2, 3, 4, 1): "Its last 1 is stretched to the 5 of `x`.",
    (2, 3, 1, 5): "The 1 of `x` meets a 4, and gives way.",
    (3, 1, 5): "That is the size of `x` itself, before it meets the other.",
    (3, 4, 5): "The other has four dimensions, so its 2 stands in front.",
}


@exercise(
    "t07-stride",
    setup="x = torch.zeros(3, 1, 5)",
    hints=[
        "A stretched dimension has stride 0, and so has one that was put in front.",
        "x has stride (5, 5, 1). The 1 in its middle meets a 4.",
        """
        size = (2, 3, …, 5)
        stride = (…, 5, …, 1)
        """,
        """
        size = (2, 3, 4, 5)
        stride = (0, 5, 0, 1)
        """,
    ],
)
def stride(size: Any, stride: Any, *, x: Any) -> str:
    with every_slot():
        expect_equal(size, "size", (2, 3, 4, 5), mistakes=SIZE_MISTAKES)
        expect_equal(
            stride,
            "stride",
            tuple(x.expand(2, 3, 4, 5).stride()),
            mistakes={
                (60, 20, 5, 1): "Those are the strides of a full table, with all its copies written out.",
                (
                    15,
                    5,
                    0,
                    1,
                ): "15 is what an unsqueezed dimension of length 1 shows. Stretched to 2, it steps nowhere: 0.",
                (15, 5, 5, 1): "Those are the strides of x[None], before anything is stretched. A stretched one is 0.",
                (
                    0,
                    5,
                    5,
                    1,
                ): "Dimension 2 is stretched from 1 to 4: all four steps along it have to stay where they are.",
                (0, 20, 0, 4): "Those are bytes. Strides count elements.",
                (0, 5, 0, 4): "The last number is in bytes. Strides count elements.",
                (5, 0, 1): "That is one number too few: a dimension was put in front.",
                (0, 1, 0, 1): "One step along dimension 1 of `x` goes one row further: five elements.",
            },
        )
    return "0 for what was put in front, 0 for what was stretched, and the rest as it was."


@exercise(
    "t07-loss",
    setup="targets = torch.tensor([1.0, 2.0, 3.0, 4.0])\npredictions = targets[:, None]",
    hints=[
        "Bring both to one size before you subtract.",
        "predictions[:, 0] has size (n,). (Or give the targets a dimension: targets[:, None].)",
        """
        def loss(predictions, targets):
            return ((predictions[…] - targets) ** 2).mean()
        """,
        """
        def loss(predictions, targets):
            return ((predictions[:, 0] - targets) ** 2).mean()
        """,
    ],
)
def loss(loss: Callable[..., Any], *, predictions: Any, targets: Any) -> str:
    perfect = call(loss, "loss", predictions, targets)
    expect(
        not same_value(values(perfect), values(((predictions - targets) ** 2).mean())),
        "`loss` of correct predictions is 2.5: the column and the vector were broadcast to a table, in which each "
        "prediction meets each target.",
    )
    expect(
        not is_tensor(perfect) or perfect.numel() == 1,
        f"`loss` gives a tensor of shape {shape(perfect) if is_tensor(perfect) else ()}: the mean is missing.",
    )
    expect(
        is_tensor(perfect),
        "`loss` gives a Python number. Return the tensor: nothing can be learned through a number, so .item() is for "
        "printing.",
    )
    off = call(loss, "loss", predictions + targets[:, None], targets)
    expect(same_value(float(perfect), 0.0), f"`loss` of correct predictions is {float(perfect):g}; it should be 0.")
    wanted = float((targets**2).mean())
    expect(not same_value(float(off), float((targets**2).sum())), "`loss` is the sum of the squares, not their mean.")
    expect(
        same_value(float(off), wanted),
        f"`loss` is {float(off):g} for predictions that are twice their targets; the mean square is {wanted:g}.",
    )
    turned = float(call(loss, "loss", predictions.flip(0), targets))
    wanted = float(((targets.flip(0) - targets) ** 2).mean())
    expect(
        same_value(turned, wanted),
        f"`loss` is {turned:g} for predictions in the reverse order of their targets; it should be {wanted:g}. "
        "Compare each prediction with the target at its own place.",
    )
    return "Each prediction meets its own target and no other: 0 when all are right."


@exercise(
    "t07-channels",
    setup="photo = torch.arange(24.0).view(3, 2, 4)\nmean = torch.tensor([3.5, 11.5, 19.5])",
    hints=[
        "The means belong to dimension 0 of the photo; they are constant along the other two.",
        "mean has to have size (3, 1, 1): two Nones, at the end.",
        "centered = photo - mean[:, …, …]",
        "centered = photo - mean[:, None, None]",
    ],
)
def channels(centered: Any, *, photo: Any, mean: Any) -> str:
    expect_as_given(
        photo, "photo", [[[float(8 * c + 4 * h + w) for w in range(4)] for h in range(2)] for c in range(3)]
    )
    expect_as_given(mean, "mean", [3.5, 11.5, 19.5])
    expect_tensor(centered, "centered", shape=(3, 2, 4))
    expect(
        not same_value(values(centered), values(photo - mean.mean())),
        "from `centered` one overall mean was subtracted; each channel has its own.",
    )
    expect(
        not same_value(values(centered), values(photo + mean[:, None, None])),
        "in `centered` the means were added.",
    )
    for dim, what in ((0, "the channels"), (1, "the rows"), (2, "the columns")):
        expect(
            not same_value(values(centered), values(photo - photo.mean(dim, True))),
            f"from `centered` a mean over {what} was subtracted; `mean` has one number for each channel, over its "
            "whole height and width.",
        )
    expect_value(centered, "centered", photo - mean[:, None, None])
    return "Each channel has lost its own mean, one number for its whole height and width."


@exercise(
    "t07-gaps",
    setup="places = torch.tensor([0.0, 3.0, 4.0, 9.0, 12.0])",
    hints=[
        "A column of the places and a row of them broadcast to a table.",
        "places[:, None] is the column. The difference may be negative; abs() is the distance.",
        "gaps = (places[…] - places).abs()",
        "gaps = (places[:, None] - places).abs()",
    ],
)
def gaps(gaps: Any, *, places: Any) -> str:
    expect_as_given(places, "places", [0.0, 3.0, 4.0, 9.0, 12.0])
    expect_tensor(gaps, "gaps")
    expect(
        shape(gaps) != shape(places),
        "`gaps` has five numbers: place `i` met place `i` only. One of the two has to be a column.",
    )
    expect(
        shape(gaps) not in ((5, 1), (1, 5)),
        f"`gaps` has shape {shape(gaps)}: both were columns, or both were rows. Make one of each.",
    )
    expect(
        shape(gaps) != (4,),
        "`gaps` has four numbers: each place met the next one only. Each has to meet all five.",
    )
    expect_tensor(gaps, "gaps", shape=(5, 5))
    expect(not bool((gaps < 0).any()), "Some of `gaps` are negative: that is a direction, not a distance.")
    column = places[:, None]
    for made, shows in (
        ((column - places) ** 2, "`gaps` holds the squares of the distances. abs() drops the sign, and nothing else."),
        ((column - places).clamp(min=0), "half of `gaps` became 0; a distance is the same in both directions."),
        (column + places, "`gaps` holds sums; a distance is a difference."),
    ):
        expect(not same_value(values(gaps), values(made)), shows)
    expect_value(gaps, "gaps", (column - places).abs())
    return "Five places, and 25 distances: from each place to each."
