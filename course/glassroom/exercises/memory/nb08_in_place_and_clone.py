"""Exercises of notebook 08: who sees a write, and which copy to choose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_copy, expect_tensor, expect_value, expect_words
from glassroom.exercises.facts import is_tensor, share_memory, values
from glassroom.translations.templates import word


@exercise(
    "08-centred",
    setup="sample = torch.tensor([1.0, 2.0, 6.0])",
    hints=[
        "x -= … writes into the storage that the caller holds. x - … makes a new tensor.",
        "The function has one character too many.",
        """
        def centered(x):
            return x - …
        """,
        """
        def centered(x):
            return x - x.mean()
        """,
    ],
)
def centered(centered: Callable[[Any], Any], *, sample: Any) -> str:
    mine = sample.clone()
    told = "the call changed the caller's tensor. -= and methods whose names end in _ write into its storage."
    result = call(centered, "centered", mine, written=told)
    expect_tensor(result, "centered(x)")
    expect_value(result, "centered(x)", sample - sample.mean())
    expect_copy(result, "centered(x)", of=mine, of_name="x")
    other = sample[:2] * 4
    expect_value(call(centered, "centered", other), word("centered(another x)"), other - other.mean())
    return "The result has a storage of its own, and the caller's tensor has not changed."


@exercise(
    "08-faulty",
    setup="""
    readings = torch.tensor([[9.0, 1.0, 2.0], [3.0, 4.0, 5.0], [9.0, 6.0, 7.0]])
    screen = readings[:]
    faulty = torch.tensor([0, 2])
    """,
    hints=[
        "Only the last pair of brackets to the left of = writes. What comes before it is read, and may be a copy.",
        "Put rows and column into one pair of brackets, so that nothing is read first.",
        "readings[…, …] = 0",
        "readings[faulty, 0] = 0",
    ],
)
def faulty(readings: Any, *, screen: Any) -> str:
    expect_tensor(readings, "readings", shape=(3, 3))
    own = values(readings)
    expect(
        own != [[9.0, 1.0, 2.0], [3.0, 4.0, 5.0], [9.0, 6.0, 7.0]],
        "`readings` has not changed: nothing was written, or it went into a copy. `readings[faulty]` with more "
        "brackets behind it, and `readings[faulty, 0].fill_(0)`, write into the copy that the index makes; only `=` "
        "right behind the brackets writes into `readings`.",
    )
    expect(own[0][1] != 0, "whole rows are 0 now; only their first number should be.")
    expect(own[1][0] != 0, "row 1 was written to as well, and it is not faulty.")
    expect_value(readings, "readings", [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [0.0, 6.0, 7.0]])
    expect(
        share_memory(readings, screen),
        "the values are right, but in a new tensor: `screen` shows the old ones. Write into the storage.",
    )
    return "Written into the storage that was there, so `screen` shows it too."


@exercise(
    "08-first-column",
    setup="scores = torch.tensor([[4.0, 2.0, 8.0], [3.0, 6.0, 9.0]])",
    hints=[
        "What is subtracted must not lie in cells that are being written.",
        "Take column 0, and give it a storage of its own before the loop begins.",
        "first = scores[:, 0].…",
        "first = scores[:, 0].clone()",
    ],
)
def first_column(first: Any, *, scores: Any) -> str:
    expect_tensor(first, "first")
    expect(
        tuple(first.shape) != (2, 1),
        "`first` has shape (2, 1). A column of the loop, scores[:, column], has shape (2,): index with 0.",
    )
    expect(
        tuple(first.shape) != (3,), "`first` has shape (3,): that is a row. The column is scores[:, 0], of shape (2,)."
    )
    expect_tensor(first, "first", shape=(2,), dtype="float32")
    expect_copy(
        first,
        "first",
        of=scores,
        of_name="scores",
        because="The first round of the loop writes zeros into it. detach() and slices do not help.",
    )
    expect_value(first, "first", [4.0, 3.0])
    return "The old first scores are safe, whatever the loop writes."


@exercise(
    "08-history",
    setup="weight = torch.zeros(2)",
    hints=[
        "A list holds references. The same tensor three times is the same storage three times.",
        "What you append must keep its values when the weight is written to: it needs a storage of its own.",
        """
        history = []
        for step in range(3):
            weight += 1
            history.append(…)
        """,
        """
        history = []
        for step in range(3):
            weight += 1
            history.append(weight.clone())
        """,
    ],
)
def history(history: Any, *, weight: Any) -> str:
    expect(isinstance(history, list), "`history` should be a list of three tensors.")
    expect(
        len(history) == 3,
        f"`history` has length {len(history)}; it should have an entry for each of the 3 steps.",
    )
    if all(map(is_tensor, history)) and history[2] is weight:
        expect(
            [values(entry) for entry in history] != [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]],
            "the history is right, but the update is not in place: `weight = weight + 1` makes a new tensor in each "
            "round, and the old one does not change. Keep `weight += 1`, and append a copy.",
        )
    for step, entry in enumerate(history):
        name = f"history[{step}]"
        expect_tensor(entry, name)
        expect(
            not share_memory(entry, weight),
            f"`{name}` looks at the storage of `weight`, so it shows the weight as it is now, not as it was then. "
            "detach() and copy.copy share too; which one copies?",
        )
        expect(
            values(entry) != [float(step), float(step)],
            f"`{name}` holds {values(entry)}: it was kept before step {step + 1}. Write first; then keep.",
        )
        expect_value(entry, name, [step + 1.0, step + 1.0])
    expect_value(weight, "weight", [3.0, 3.0])
    expect(
        weight._version > 0,
        "the history is right, but `weight` is a new tensor in each round: `weight = weight + 1` rebinds the name. "
        "Keep `weight += 1`, and append a copy.",
    )
    return "Each entry has a storage of its own, and the weight was updated in place."


CHOICES = {
    "undo": (
        "clone",
        "The values need a new storage of their own. A second header shows the changes, and copy_ writes into a "
        "tensor that is there already.",
    ),
    "buffer": (
        "copy_",
        "The place for the values exists already: write into it instead of making another tensor.",
    ),
    "plot": ("detach", "Reading needs no copy. A header without gradients over the same storage is enough."),
    "network": (
        "deepcopy",
        "Copied one by one, the views would no longer share. One call for all of them keeps who shares with whom.",
    ),
}


@exercise(
    "08-choose",
    hints=[
        "Ask two questions: are new bytes needed at all, and is there a place for them already?",
        "Two of the four allocate no storage: one makes a header, and the other writes into a tensor that exists.",
        'plot = "detach"\nbuffer = "copy_"\nundo = …\nnetwork = …    # the one that keeps views together',
        """
        undo = "clone"
        buffer = "copy_"
        plot = "detach"
        network = "deepcopy"
        """,
    ],
)
def choose(undo: Any, buffer: Any, plot: Any, network: Any) -> str:
    expect(
        not (isinstance(undo, str) and undo == "deepcopy"),
        "`undo` is 'deepcopy'. It would work, but it copies the whole storage under `x`, including what `x` does not "
        "show. One of the others copies only the elements of `x`.",
    )
    words = {
        name: (best, {choice: reason for choice, _ in CHOICES.values() if choice != best})
        for name, (best, reason) in CHOICES.items()
    }
    expect_words(words, (undo, buffer, plot, network))
    return "Four situations, and a tool for each."
