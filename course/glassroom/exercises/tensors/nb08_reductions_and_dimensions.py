"""Exercises of notebook 08 of part 2: which dimension a reduction takes away, and what its answer means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from glassroom.exercises.account import LEAVING, Account, account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_as_given, expect_tensor, expect_value, expect_without
from glassroom.exercises.facts import same_value, shape, values

SOFTMAX = ("softmax", "log_softmax", "special_softmax", "special_log_softmax", "softmin", "gumbel_softmax")
TABLES = """
table = torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
square = torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [100.0, 200.0, 300.0]])
"""


def holds_nan(x: Any) -> bool:
    """Whether a tensor holds a NaN: a number that is not itself."""
    return bool((x != x).any())


def along_the_last(
    function: Callable[..., Any], name: str, x: Any, expected: Any, wrong: Sequence[tuple[str, Any]]
) -> Account:
    """The learner's function gives `expected` for `x` and leaves `x` alone. `wrong`: what other dimensions give.

    Returns the account of the call.
    """
    given = x.clone()
    with account() as kept:
        result = call(function, name, kept.watched(given), written=f"`{name}` changed the tensor that it was given.")
    expect_tensor(result, f"{name}(x)", shape=shape(x))
    expect(
        not holds_nan(result),
        f"For {values(x)}, the result holds a nan: an exponential overflowed, or all of a row became 0. "
        "Subtract the largest of each row first.",
    )
    own, right = values(result), values(expected)
    for where, other in wrong:
        expect(
            same_value(own, right) or not same_value(own, values(other)),
            f"For a tensor of shape {shape(x)}, the shares add up to 1 {where}, not along the last dimension, "
            "which is number -1.",
        )
    if len(shape(x)) > 1 and shape(x)[-2] == shape(x)[-1]:
        expect(
            same_value(own, right),
            f"For a square table, `{name}` is silently wrong: what belongs to its rows was lined up with its columns. "
            "`keepdim=True` leaves the 1 that says where it belongs.",
        )
    expect(
        same_value(own, right) or not bool((result - expected).abs().max() < 1e-3),
        f"For {values(x)}, `{name}(x)` is right to four digits only. float32 has about seven digits: large numbers use "
        "them up before the decimal point. Subtract the largest first, and only then compute with the rest.",
    )
    expect_value(result, f"{name}(x)", expected)
    return kept


@exercise(
    "t08-channels",
    setup="batch = torch.arange(120.0).view(2, 3, 4, 5)",
    hints=[
        "The dimensions that you name disappear. Which one should be left?",
        "Three of the four dimensions have to go: images, height and width. `dim` takes a tuple.",
        "brightness = batch.mean(dim=(…, …, …))",
        "brightness = batch.mean(dim=(0, 2, 3))",
    ],
)
def channels(brightness: Any, *, batch: Any) -> str:
    expect(
        not same_value(values(brightness), values(batch.mean(1))),
        "`brightness` is the mean *over* the channels: dimension 1 is the one that disappeared. It is the one to keep.",
    )
    expect(
        not same_value(values(brightness), values(batch.mean((2, 3)))),
        "`brightness` has a mean for each channel of each image. The images should go, too.",
    )
    expect(
        not same_value(values(brightness), values(batch.sum((0, 2, 3)))),
        "`brightness` holds the sums of the channels; a mean divides by how many pixels there are.",
    )
    expect(
        not same_value(values(brightness), values(batch.mean())),
        "`brightness` is one number: all dimensions are gone. Dimension 1 should stay.",
    )
    expect(
        not same_value(values(brightness), values(batch.reshape(3, -1).mean(1))),
        "`brightness` has the means of three thirds of the storage: a view keeps the reading order, in which the first "
        "image comes before the second, with all its channels. Name the dimensions that should go.",
    )
    expect_tensor(brightness, "brightness", shape=(3,), value=values(batch.mean((0, 2, 3))))
    return "(2, 3, 4, 5) without dimensions 0, 2 and 3 is (3,)."


@exercise(
    "t08-shares",
    setup=TABLES + "samples = [table[0], table, square, table.expand(3, 2, 3)]",
    hints=[
        "Divide by the sums; each has to line up with its own row.",
        "The last dimension is number -1 in any tensor. keepdim=True leaves a 1 in its place.",
        """
        def shares(x):
            return x / x.sum(…, keepdim=…)
        """,
        """
        def shares(x):
            return x / x.sum(-1, keepdim=True)
        """,
    ],
)
def shares(shares: Callable[..., Any], *, samples: Sequence[Any]) -> str:
    for x in samples:
        wrong = [("in the whole tensor", x / x.sum()), ("along dimension 0", x / x.sum(0))]
        along_the_last(shares, "shares", x, x / x.sum(-1, keepdim=True), wrong)
    return "Each number is divided by the sum of its own row, in any number of dimensions."


@exercise(
    "t08-margin",
    setup="votes = torch.tensor([[0.1, 0.5, 0.2, 0.1, 0.1], [0.3, 0.0, 0.1, 0.2, 0.4], [0.6, 0.1, 0.1, 0.1, 0.1]])",
    hints=[
        "`topk` gives the largest, in order, with their indices.",
        "topk(2, dim=1) has size (3, 2) in both of its parts: column 0 is the best, column 1 the second best.",
        """
        top = votes.topk(2, dim=1)
        winner = top.indices[…]
        margin = top.values[…] - top.values[…]
        """,
        """
        top = votes.topk(2, dim=1)
        winner = top.indices[:, 0]
        margin = top.values[:, 0] - top.values[:, 1]
        """,
    ],
)
def margin(winner: Any, margin: Any, *, votes: Any) -> str:
    best = votes.topk(2, dim=1)
    expect(
        not isinstance(winner, tuple),
        "`winner` is the whole tuple of values and indices. `.indices` is the part that says where.",
    )
    expect(
        not same_value(values(winner), values(votes.argmax())),
        "`winner` is one index, counted through all rows. Name the dimension, and there is one for each row.",
    )
    expect(
        not same_value(values(winner), values(best.values[:, 0])),
        "`winner` holds the best scores. The indices are in `.indices`.",
    )
    expect_tensor(winner, "winner", shape=(3,), value=values(best.indices[:, 0]))
    expect_tensor(margin, "margin", shape=(3,))
    expect(
        not same_value(values(margin), values(votes.amax(1) - votes.amin(1))),
        "`margin` is the distance from the best to the worst; it should be the distance to the second best.",
    )
    expect(
        not same_value(values(margin), values(best.values[:, 1] - best.values[:, 0])),
        "`margin` is negative: it is the second best minus the best.",
    )
    expect_value(margin, "margin", best.values[:, 0] - best.values[:, 1])
    return "The indices say who won, and the values by how much."


@exercise(
    "t08-measured",
    setup='nan = float("nan")\nlog = torch.tensor([[20.0, 5.0, nan], [nan, 7.0, nan], [22.0, 6.0, 1.0]])',
    hints=[
        "A reduction that leaves out what is missing has a name that begins with `nan`. And True counts as 1.",
        "The days should go, so it is dimension 0 for both. `isnan()` is True where a number is missing.",
        """
        averages = log.nanmean(…)
        missing = log.isnan().sum(…)
        """,
        """
        averages = log.nanmean(0)
        missing = log.isnan().sum(0)
        """,
    ],
)
def measured(averages: Any, missing: Any, *, log: Any) -> str:
    expect_tensor(averages, "averages", shape=(3,))
    expect(
        not same_value(values(averages), values(log.nansum(0) / len(log))),
        "`averages` divides by all the days, including those without a measurement: what is missing counts as 0.",
    )
    expect(
        not same_value(values(averages), values(log.nanmean(1))),
        "`averages` has a number for each day. A sensor is a column: the days should go, and they are dimension 0.",
    )
    expect(not holds_nan(averages), "`averages` holds a nan: one missing number made the whole mean unknown.")
    expect_value(averages, "averages", log.nanmean(0))
    expect_tensor(missing, "missing", shape=(3,))
    expect(
        not same_value(values(missing), values((~log.isnan()).sum(0))),
        "`missing` counts the days on which there was a measurement.",
    )
    expect(
        not same_value(values(missing), values(log.isnan().sum(1))),
        "`missing` has a number for each day; it should have one for each sensor.",
    )
    expect(
        bool((missing != 0).any()),
        "`missing` is 0 everywhere. A nan equals nothing, not even itself, so == does not find it; isnan() does.",
    )
    expect_value(missing, "missing", log.isnan().sum(0))
    return (
        "What is missing is left out of the mean, and counted, so that nobody mistakes the three averages for equally "
        "reliable."
    )


@exercise(
    "t08-so-far",
    setup="days = torch.tensor([4.0, 6.0, 2.0, 8.0, 5.0, 5.0, 12.0])",
    hints=[
        "A mean is a sum divided by a count, and both grow from day to day.",
        "The running sum is days.cumsum(0). The counts are 1, 2, 3, …: an arange.",
        "so_far = days.cumsum(0) / torch.arange(…, …)",
        "so_far = days.cumsum(0) / torch.arange(1, len(days) + 1)",
    ],
)
def so_far(so_far: Any, *, days: Any) -> str:
    expect_as_given(days, "days", [4.0, 6.0, 2.0, 8.0, 5.0, 5.0, 12.0])
    running = days.cumsum(0)
    expect_tensor(so_far, "so_far", shape=shape(days))
    expect(
        not same_value(values(so_far), values(running)),
        "`so_far` is the running sum. Divide each by the number of days in it.",
    )
    expect(
        not same_value(values(so_far), values(running / len(days))),
        "`so_far` divides every running sum by all the days. The first is a sum of one day, the second of two.",
    )
    counts = days.new_ones(len(days)).cumsum(0)
    expect(
        not same_value(values(so_far)[1:], values(running / (counts - 1))[1:]),
        "`so_far` divides by 0, 1, 2, …: the count begins with 1.",
    )
    expect_value(so_far, "so_far", running / counts)
    return "Each day has the mean of all the days up to it; the last one is the mean of all."


@exercise(
    "t08-softmax",
    setup=TABLES + "high = torch.tensor([1000.0, 1001.0])\nsamples = [high, table, square]",
    hints=[
        "Only differences count: subtract the largest before the exponentials.",
        "amax(-1, keepdim=True) is the largest of each row, in its place. The sums need keepdim as well.",
        """
        def stable_softmax(x):
            powers = (x - x.amax(…)).exp()
            return powers / powers.sum(…)
        """,
        """
        def stable_softmax(x):
            powers = (x - x.amax(-1, keepdim=True)).exp()
            return powers / powers.sum(-1, keepdim=True)
        """,
    ],
)
def softmax(stable_softmax: Callable[..., Any], *, samples: Sequence[Any]) -> str:
    accounts = []
    for x in samples:
        wrong = [("in the whole tensor", x.flatten().softmax(0).view(x.shape)), ("along dimension 0", x.softmax(0))]
        accounts.append(along_the_last(stable_softmax, "stable_softmax", x, x.softmax(-1), wrong))
    for kept in accounts:
        writing = "That is the function that you are writing: use exp and reductions."
        expect_without(kept, "stable_softmax", SOFTMAX, writing)
        leaving = "That computes outside of tensors, where neither a device nor a graph can see it."
        expect_without(kept, "stable_softmax", LEAVING, leaving)
    return "The shares are right, however large the scores are."
