"""Exercises on random numbers: dice, an order that a seed decides, and one order for two tensors."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import (
    call,
    expect,
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
    expect(eyes not in ({*range(6)}, {*range(7)}), "a die shows a 0. randint begins at 0 unless you say otherwise.")
    expect(eyes != {*range(1, 6)}, "in 600 throws there is no 6. randint leaves its upper end out, as range does.")
    expect(eyes != {*range(1, 8)}, "a die shows a 7. randint leaves out its upper end, so that end should be 7.")
    faces = {1, 2, 3, 4, 5, 6}
    expect(eyes <= faces, f"a die shows {min(eyes - faces, default=0)}; it has the numbers 1 to 6.")
    expect(eyes == faces, f"in 600 throws of two dice these numbers never came up: {sorted(faces - eyes)}.")
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
    _expect_order(first, "split(50, 3)", 50)
    expect(values(first) != list(range(50)), "`split(50, 3)` is in order; it should be shuffled.")
    again = call(split, "split", 50, 3)
    expect(
        values(again) == values(first),
        "`split(50, 3)` gives a different order each time: it does not depend on `seed` alone.",
    )
    expect(
        untouched,
        "the common generator has moved on, or was seeded: whoever draws from it next gets different numbers. Use a "
        "generator of your own.",
    )
    other = call(split, "split", 50, 4)
    expect(
        values(other) != values(first),
        "`split(50, 4)` gives the same order as `split(50, 3)`. The order should depend on `seed`.",
    )
    _expect_chance(values(first), "split(50, 3)")
    _expect_order(call(split, "split", 7, 3), "split(7, 3)", 7)
    return "The order depends only on the seed, and nobody else's numbers have changed."


def _expect_order(answer: Any, name: str, count: int) -> None:
    """The answer holds each of the integers 0 … count−1 once."""
    expect_tensor(answer, name, shape=(count,))
    expect(dtype_name(answer) in INTEGERS, f"`{name}` has dtype {answer.dtype}; integers were asked for.")
    numbers = values(answer)
    outside = [number for number in numbers if not 0 <= number < count]
    expect(not outside, f"`{name}` holds {[*outside, 0][0]}, which is not one of 0 … {count - 1}.")
    expect(
        len(set(numbers)) == count,
        f"in `{name}` some numbers come up twice, and others not at all. randperm shuffles 0 … count−1.",
    )


def _expect_chance(order: list[int], name: str) -> None:
    """From one number to the next it is not always the same step, as in a list that was turned or reversed."""
    steps = {(second - first) % len(order) for first, second in pairwise(order)}
    expect(
        len(steps) > 1,
        f"`{name}` is no random order: from each number to the next it is the same step, as in the order that was "
        "given. randperm draws an order.",
    )


#: ten rows, and a label for each, that is no index of a row; the first six of them keep their rows apart
ROWS = [[float(10 * row), float(10 * row + 1)] for row in range(10)]
LABELS = [23, 41, 37, 29, 43, 31, 53, 47, 61, 59]


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
    rows_given, labels_given = x.new_tensor(ROWS), y.new_tensor(LABELS)

    def shuffle(seed: int, count: int = 10) -> Any:
        mine = rows_given[:count], labels_given[:count], generator().manual_seed(seed)
        return call(shuffled, "shuffled", *mine, written="`x` and `y` themselves were changed. Make new tensors.")

    result = shuffle(3)
    is_pair = isinstance(result, (tuple, list)) and len(result) == 2
    expect(is_pair, "`shuffled(x, y, generator)` should return two tensors: the rows, and their labels.")
    _expect_pair(result, rows_given, labels_given)
    rows, labels = map(values, result)
    expect(
        sorted(labels) != list(range(10)),
        "`shuffled(x, y, generator)[1]` holds the order itself, and not the elements of `y`. Index `y` with it.",
    )
    complete = sorted(labels) == sorted(LABELS) and sorted(rows) == sorted(ROWS)
    expect(complete, "some rows or labels come up twice, or not at all. randperm has each index once.")
    expect(
        (rows, labels) != (ROWS, LABELS),
        "nothing was shuffled: rows and labels are in the order in which they came.",
    )
    expect(labels != LABELS, "the rows are in a new order, and the labels in the old one. Index both with one order.")
    expect(rows != ROWS, "the labels are in a new order, and the rows in the old one. Index both with one order.")
    expect(
        rows == [ROWS[LABELS.index(label)] for label in labels],
        "the rows and the labels are in two different orders. Draw one order, and index both with it.",
    )
    expect(
        values(shuffle(3)[1]) == labels,
        "the generator was in the same state, but the order is different: it was not drawn from `generator`, or not "
        "from it alone.",
    )
    few = shuffle(3, 6)
    expect(
        isinstance(few, (tuple, list)) and [shape(part) for part in few] == [(6, 2), (6,)],
        "for another `x`, of 6 rows, the result does not have 6. Ask `x` how many there are.",
    )
    expect(
        values(shuffle(4)[1]) != labels,
        "a generator with another seed gives the same order: it was not drawn from `generator`, or `generator` was "
        "seeded again inside.",
    )
    _expect_chance([LABELS.index(label) for label in labels], "shuffled(x, y, generator)[1]")
    return "One order for rows and labels, drawn from `generator`."


def _expect_pair(result: Any, rows: Any, labels: Any) -> None:
    """Two tensors of the shapes of the rows and of the labels."""
    wanted = shape(rows), shape(labels)
    for number, part in enumerate(result):
        expect_tensor(part, f"shuffled(x, y, generator)[{number}]")
    if (shape(result[0]), shape(result[1])) == wanted[::-1]:
        expect(
            False, "`shuffled(x, y, generator)` returns the labels before the rows. First the rows, then the labels."
        )
    for number, name in enumerate("xy"):
        found = shape(result[number])
        expect(
            found == wanted[number],
            f"`shuffled(x, y, generator)[{number}]` has shape {found}; `{name}` has {wanted[number]}.",
        )
