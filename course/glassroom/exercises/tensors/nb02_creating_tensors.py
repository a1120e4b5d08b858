"""Exercises of notebook 02 of part 2: which maker decides what, whose memory it is, and chance that repeats itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_device, expect_equal, expect_tensor, expect_value
from glassroom.exercises.facts import device, dtype_name, shape, values


@exercise(
    "t02-labels",
    hints=[
        "The class torch.Tensor makes float32 of everything. The function looks at the data.",
        "Write the same line with a small t.",
        "labels = torch.…([2, 0, 16777217])",
        "labels = torch.tensor([2, 0, 16777217])",
    ],
)
def labels(labels: Any) -> str:
    expect_tensor(labels, "labels", shape=(3,))
    expect(
        values(labels)[2] != 16777216,
        "the last label is 16777216: it was a float32 at some time, and lost its last digit there. "
        "To convert it afterwards is too late.",
    )
    if dtype_name(labels) != "int32":  # which holds them, too, and may index
        expect_tensor(labels, "labels", dtype="int64")
    expect_value(labels, "labels", [2, 0, 16777217])
    return "Integers, each of them exact."


@exercise(
    "t02-centred",
    setup="import numpy as np\nn = np.arange(3.0)",
    hints=[
        "as_tensor shares the memory of what is float64 already. Then -= writes into it.",
        "Let the subtraction make a new tensor, as in the notebook on in-place and clone.",
        """
        def centred(data):
            x = torch.as_tensor(data, dtype=torch.float64)
            return x - …
        """,
        """
        def centred(data):
            x = torch.as_tensor(data, dtype=torch.float64)
            return x - x.mean()
        """,
    ],
)
def centred(centred: Callable[[Any], Any], *, n: Any) -> str:
    for name, data in (("n", n.copy()), ("n.tolist()", n.tolist()), ("[1, 2, 6]", [1, 2, 6])):
        before = list(data)
        result = call(centred, "centred", data)
        expect(
            list(data) == before,
            f"after `centred({name})` its argument is changed: as_tensor shares the memory of what is float64 already, "
            "and the function writes into it.",
        )
        expect_tensor(result, f"centred({name})", dtype="float64", shape=(3,))
        expect_value(result, f"centred({name})", [float(each - sum(before) / 3) for each in before])
    tensor = call(centred, "centred", [1.0, 2.0, 6.0])
    tensor += 1
    before = values(tensor)
    result = call(centred, "centred", tensor)
    expect(
        values(tensor) == before, "given a tensor of float64, `centred` changes it: as_tensor gives back that very one."
    )
    expect_value(result, "centred(a tensor)", [each - 1 for each in before])
    return "Anything is taken, and nobody's data is written to."


@exercise(
    "t02-times",
    hints=[
        "You know how many points there are and where they end. You need not know the step.",
        "linspace takes the start, the end and the count; it takes dtype= as well.",
        "times = torch.linspace(1, 2, …, dtype=torch.…)",
        "times = torch.linspace(1, 2, 11, dtype=torch.float64)",
    ],
)
def times(times: Any) -> str:
    expect_tensor(times, "times")
    expect(
        shape(times) != (10,),
        "`times` has ten points. From 1.0 to 2.0 in steps of 0.1 there are eleven, if both ends are to be there.",
    )
    expect(shape(times) != (12,), "`times` has twelve points: a step too many.")
    expect_tensor(times, "times", shape=(11,))
    expect(
        dtype_name(times) != "float32",
        "`times` is float32, which is what linspace makes unless it is told otherwise.",
    )
    expect_tensor(times, "times", dtype="float64")
    expect(
        max(abs(time - (10 + tenth) / 10) for tenth, time in enumerate(values(times))) < 1e-12,
        "the points are near, but not as near as float64 can come: were they float32 on the way?",
    )
    return "Eleven points, both ends among them, and each as near as float64 can come."


@exercise(
    "t02-ones",
    setup="table = torch.arange(6).view(2, 3)",
    hints=[
        "The size is yours, dtype and device are those of x. Which family is that?",
        "x.new_ones takes a size. The first of x's sizes is the number of rows.",
        """
        def ones_for(x):
            return x.new_ones(…, 1)
        """,
        """
        def ones_for(x):
            return x.new_ones(x.shape[0], 1)
        """,
    ],
)
def ones(ones_for: Callable[[Any], Any], *, table: Any) -> str:
    for name, x in (("table", table), ("table.double()", table.double()), ("table.mT", table.mT)):
        result = call(ones_for, "ones_for", x)
        expect_tensor(result, f"ones_for({name})")
        expect(
            shape(result) != (x.shape[0],),
            f"`ones_for({name})` has one dimension. A column has two: (rows, 1).",
        )
        expect(shape(result) != shape(x), f"`ones_for({name})` is as wide as x. A single column was asked for.")
        expect_tensor(result, f"ones_for({name})", shape=(x.shape[0], 1), dtype=dtype_name(x))
        expect_device(result, f"ones_for({name})", device(x))
        expect_value(result, f"ones_for({name})", [[1]] * x.shape[0])
    return "The size from you, dtype and device from x."


@exercise(
    "t02-throws",
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
    expect_tensor(result, "throws(600)", shape=(600, 2), dtype="int64")
    drawn = values(result)
    eyes = {number for throw in drawn for number in throw}
    expect(0 not in eyes, "a die shows a 0. randint begins at 0 unless it is told where.")
    expect(6 in eyes, "in 600 throws there is no 6. randint leaves its upper end out, as range does.")
    expect(7 not in eyes, "a die shows a 7. randint leaves out its upper end, 7, and no more.")
    expect_equal(sorted(eyes), "the eyes that came up", [1, 2, 3, 4, 5, 6])
    expect(any(a != b for a, b in drawn), "the two dice always show the same. Each is to be thrown.")
    expect(
        values(call(throws, "throws", 600)) != drawn,
        "two calls give the same throws. Leave the seed to the one who calls.",
    )
    return "Two dice, 1 to 6: the end, 7, is left out."


@exercise(
    "t02-split",
    setup="manual_seed, rand = torch.manual_seed, torch.rand",
    hints=[
        "A generator of one's own has a state of its own.",
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
    manual_seed(0)
    expected = values(rand(4))
    manual_seed(0)
    first = call(split, "split", 50, 3)
    untouched = values(rand(4)) == expected
    expect_tensor(first, "split(50, 3)", shape=(50,), dtype="int64")
    expect(
        sorted(values(first)) == list(range(50)),
        "in `split(50, 3)` some numbers come up twice, or not at all. To shuffle 0 … count−1 is what randperm does.",
    )
    expect(values(first) != list(range(50)), "`split(50, 3)` is in order; it should be shuffled.")
    again = call(split, "split", 50, 3)
    expect(values(again) == values(first), "`split(50, 3)` gives another order each time: it does not use `seed`.")
    expect(
        untouched,
        "the common generator has moved on, or was seeded: the next to draw from it gets other numbers. "
        "Use a generator of your own.",
    )
    other = call(split, "split", 50, 4)
    expect(values(other) != values(first), "`split(50, 4)` is like `split(50, 3)`. The order should depend on `seed`.")
    return "The order is the seed's alone, and nobody else's numbers have changed."
