"""Exercises on random numbers: dice, an order that a seed decides, and one order for two tensors."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import (
    call,
    expect,
    expect_equal,
    expect_tensor,
)
from glassroom.exercises.facts import (
    dtype_name,
    shape,
    values,
)

INTEGERS = ("uint8", "int8", "int16", "int32", "int64")


@exercise(
    "t03-throws",
    setup="manual_seed = torch.manual_seed",
    hints=[
        "randint draws integers and leaves its upper end out.",
        "The lowest is 1. So that 6 can come up, the end is one more.",
        """
        def throws(count):
            return torch.randint(1, …, (count, 2))
        """,
        """
        def throws(count):
            return torch.randint(1, 7, (count, 2))
        """,
    ],
)
def throws(throws: Callable[[int], Any], *, manual_seed: Callable[[int], Any]) -> str:
    manual_seed(0)  # so that the verdict is the same each time: 600 throws miss a face once in 10**47
    result = call(throws, "throws", 600)
    expect_tensor(result, "throws(600)", shape=(600, 2))
    expect(
        dtype_name(result) in INTEGERS,
        f"`throws(600)` has dtype {result.dtype}, and a die shows whole numbers: use an integer dtype. randint draws "
        "such numbers, each equally often.",
    )
    drawn = values(result)
    eyes = {number for throw in drawn for number in throw}
    expect(0 not in eyes, "a die shows a 0. randint begins at 0 unless you say otherwise.")
    expect(6 in eyes, "in 600 throws there is no 6. randint leaves its upper end out, as range does.")
    expect(7 not in eyes, "a die shows a 7. randint leaves out its upper end, so that end should be 7.")
    expect_equal(sorted(eyes), "the numbers that came up", [1, 2, 3, 4, 5, 6])
    often = sorted(sum(throw.count(number) for throw in drawn) for number in range(1, 7))
    expect(
        often[0] > 135 and often[-1] < 265,  # a fair die is outside of this once in 10**5
        f"the dice are not fair: of 1,200, the rarest number came up {often[0]} times, the most frequent {often[-1]}. "
        "(round() makes the two ends rarer: less is rounded to them than to the numbers between.)",
    )
    expect(any(a != b for a, b in drawn), "the two dice always show the same. Throw each of them.")
    expect(
        any(a == b for a, b in drawn),
        "in 600 throws the two dice never show the same. Two dice know nothing of each other: draw each number anew.",
    )
    expect(
        values(call(throws, "throws", 600)) != drawn,
        "two calls give the same throws. Leave the seed to the caller.",
    )
    expect_tensor(call(throws, "throws", 5), "throws(5)", shape=(5, 2))
    return "Two dice, and each shows 1 to 6 equally often."


@exercise(
    "t03-split",
    setup="manual_seed, rand = torch.manual_seed, torch.rand",
    hints=[
        "A generator of your own has a state of its own.",
        "torch.Generator().manual_seed(seed) makes it, and randperm takes generator=.",
        """
        def split(count, seed):
            generator = torch.Generator().manual_seed(…)
            return torch.randperm(count, generator=…)
        """,
        """
        def split(count, seed):
            generator = torch.Generator().manual_seed(seed)
            return torch.randperm(count, generator=generator)
        """,
    ],
)
def split(split: Callable[[int, int], Any], *, manual_seed: Callable[[int], Any], rand: Callable[[int], Any]) -> str:
    manual_seed(1789)  # no seed that an answer would restore
    expected = values(rand(4))
    manual_seed(1789)
    try:
        first = call(split, "split", 50, 3)
    except Misconception as misconception:
        expect(
            not re.search("device|accelerator", str(misconception)),
            "the argument of Generator is a device, and not a seed: torch.Generator().manual_seed(seed).",
        )
        raise
    untouched = values(rand(4)) == expected
    expect_tensor(first, "split(50, 3)", shape=(50,), dtype="int64")
    expect(
        sorted(values(first)) == list(range(50)),
        "in `split(50, 3)` some numbers come up twice, or not at all. randperm shuffles 0 … count−1.",
    )
    expect(values(first) != list(range(50)), "`split(50, 3)` is in order; it should be shuffled.")
    again = call(split, "split", 50, 3)
    expect(values(again) == values(first), "`split(50, 3)` gives a different order each time: it does not use `seed`.")
    expect(
        untouched,
        "the common generator has moved on, or was seeded: whoever draws from it next gets different numbers. Use a "
        "generator of your own.",
    )
    other = call(split, "split", 50, 4)
    expect(values(other) != values(first), "`split(50, 4)` is like `split(50, 3)`. The order should depend on `seed`.")
    return "The order depends only on the seed, and nobody else's numbers have changed."


@exercise(
    "t03-together",
    setup="""
    x = torch.arange(100.0).view(10, 10)[:, :2]
    y = torch.arange(10)
    generator = torch.Generator
    """,
    hints=[
        "One order for both: draw it once, and index with it twice.",
        "randperm draws an order, and takes generator=. A list of indices as an index picks rows.",
        """
        def shuffled(x, y, generator):
            order = torch.randperm(…, generator=generator)
            return x[…], y[…]
        """,
        """
        def shuffled(x, y, generator):
            order = torch.randperm(len(x), generator=generator)
            return x[order], y[order]
        """,
    ],
)
def together(shuffled: Callable[..., Any], *, x: Any, y: Any, generator: Callable[[], Any]) -> str:
    def shuffle(seed: int) -> Any:
        told = "`x` and `y` themselves were changed. Make new tensors."
        return call(shuffled, "shuffled", x, y, generator().manual_seed(seed), written=told)

    before = values(x), values(y)
    result = shuffle(3)
    is_pair = isinstance(result, (tuple, list)) and len(result) == 2
    expect(is_pair, "`shuffled(x, y, generator)` should return two tensors: the rows, and their labels.")
    rows, labels = result
    for number, (name, given) in enumerate((("x", x), ("y", y))):
        found = result[number]
        expect_tensor(found, f"shuffled(x, y, generator)[{number}]")
        expect(
            shape(found) == shape(given),
            f"`shuffled(x, y, generator)[{number}]` has shape {shape(found)}; `{name}` has {shape(given)}. First the "
            "rows, then the labels.",
        )
    expect_tensor(labels, "shuffled(x, y, generator)[1]", dtype="int64")
    drawn = values(labels)
    complete = sorted(drawn) == sorted(before[1]) and sorted(values(rows)) == sorted(before[0])
    expect(complete, "some rows come up twice, or not at all. randperm has each index once.")
    expect(
        values(rows) == [before[0][label] for label in drawn],
        "the rows and the labels are in two different orders: two draws were made. One order serves both.",
    )
    expect(drawn != before[1], "nothing was shuffled: rows and labels are in the order in which they came.")
    expect(
        values(shuffle(3)[1]) == drawn,
        "the generator was in the same state, but the order is different: it was not drawn from `generator`.",
    )
    few = call(shuffled, "shuffled", x[:6], y[:6], generator().manual_seed(3))[0]
    expect(
        shape(few) == (6, *shape(x)[1:]),
        "for another `x`, of 6 rows, the result does not have 6. Ask `x` how many there are.",
    )
    expect(
        values(shuffle(4)[1]) != drawn,
        "a generator with another seed gives the same order: it was not drawn from `generator`, or `generator` was "
        "seeded again inside.",
    )
    return "One order, drawn once, for rows and labels."
