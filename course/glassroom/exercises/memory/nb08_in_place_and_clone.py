"""Exercises of notebook 08: who sees a write, and which copy to choose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_copy, expect_tensor, expect_value, expect_words
from glassroom.exercises.facts import dtype_name, is_tensor, same_value, share_memory, values
from glassroom.translations.templates import word

STEPS = [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]


@exercise(
    "08-centered",
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
    first, second, third = values(readings)
    expect(
        [first, second, third] != [[9.0, 1.0, 2.0], [3.0, 4.0, 5.0], [9.0, 6.0, 7.0]],
        "`readings` has not changed: nothing was written, or it went into a copy. `readings[faulty]` with more "
        "brackets behind it, and `readings[faulty, 0].fill_(0)`, write into the copy that the index makes; "
        "`readings[…] = …`, with all indices in one pair of brackets, writes into `readings`.",
    )
    expect(
        [first, third] != [[0.0, 0.0, 0.0]] * 2 or second != [3.0, 4.0, 5.0],
        "whole rows are 0 now; only their first number should be.",
    )
    expect(
        [first, third] != [[9.0, 0.0, 2.0], [9.0, 0.0, 7.0]],
        "the second number of rows 0 and 2 is 0 now. Columns are counted from 0, so the first number is in column 0.",
    )
    expect(
        [first, third] != [[0.0, 1.0, 2.0], [0.0, 6.0, 7.0]] or second == [3.0, 4.0, 5.0],
        "row 1 was written to as well, and it is not faulty.",
    )
    expect_value(readings, "readings", [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [0.0, 6.0, 7.0]])
    expect(
        share_memory(readings, screen),
        "the values are right, but in a new tensor, whose storage is not that of `screen`. Write into the storage "
        "that is there.",
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
        tuple(first.shape) != (3,),
        "`first` has shape (3,), as a row has. The column is scores[:, 0], of shape (2,).",
    )
    expect_tensor(first, "first", shape=(2,))
    if same_value(values(first), values(scores[:, 0])):
        expect_copy(
            first,
            "first",
            of=scores,
            of_name="scores",
            because="The first round of the loop writes zeros into it. detach() and slices do not help.",
        )
    expect(
        not dtype_name(first).startswith("complex"),
        f"`first` has dtype {first.dtype}: the loop raises, because complex numbers do not fit into `scores`.",
    )
    expect_value(first, "first", [4.0, 3.0])
    expect_copy(first, "first", of=scores, of_name="scores")
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
            [values(entry) for entry in history] != STEPS,
            "the history is right, but the update is not in place: `weight` is a new tensor in each round, as "
            "`weight = weight + 1` makes it, and the old one does not change. Keep `weight += 1`, and append a copy.",
        )
    for step, entry in enumerate(history):
        name = f"history[{step}]"
        expect_tensor(entry, name)
        expect(
            not share_memory(entry, weight),
            f"`{name}` looks at the storage of `weight`, so it shows the weight as it is now, not as it was then. "
            "detach() and copy.copy share too; which one copies?",
        )
    kept = [values(entry) for entry in history]
    expect(
        kept == STEPS or values(weight) != [0.0, 0.0] or weight._version > 0,
        f"`weight` was not written to: it holds {values(weight)} still, and `history[0]` holds {values(history[0])}. "
        "Update `weight` itself in each round, and append a copy of it.",
    )
    expect(
        kept != [[0.0, 0.0], *STEPS[:2]] or values(weight) != STEPS[2],
        f"`history[0]` holds {values(history[0])}, the weight as it was before its step. Write first; then keep.",
    )
    for step, entry in enumerate(history):
        expect_value(entry, f"history[{step}]", STEPS[step])
    expect_value(weight, "weight", STEPS[2])
    expect(
        weight._version > 0,
        "the history is right, but `weight` has counted no write. Either it is a new tensor in each round "
        "(`weight = weight + 1` rebinds the name), or the writes went through `.data`. Keep `weight += 1`, and append "
        "a copy.",
    )
    return "No entry looks at the storage of `weight`, which was updated in place."


#: by name: the best choice, and what each of the others shows
CHOICES = {
    "undo": (
        "clone",
        {
            "detach": "A second header looks at the same storage, and shows the changes.",
            "copy_": "copy_ writes into a tensor that is there already, and here none is.",
            "deepcopy": "It would work, but it copies the whole storage under `x`, including what `x` does not show. "
            "One of the others copies only the elements of `x`.",
        },
    ),
    "buffer": (
        "copy_",
        {
            "clone": "It makes another tensor. The place for the values exists already: write into it.",
            "detach": "It makes a header over the batch; the tensor that was made before the loop stays as it was.",
            "deepcopy": "It makes another tensor. The place for the values exists already: write into it.",
        },
    ),
    "plot": (
        "detach",
        {
            "clone": "Reading needs no copy. A header without gradients over the same storage is enough.",
            "copy_": "copy_ needs a second tensor to write into, and reading needs none.",
            "deepcopy": "Reading needs no copy. A header without gradients over the same storage is enough.",
        },
    ),
    "network": (
        "deepcopy",
        {
            "clone": "Copied one by one, the views would no longer share. One call for all of them keeps who shares "
            "with whom.",
            "detach": "detach copies nothing: its headers look at the old storages. The numbers have to be duplicated.",
            "copy_": "copy_ writes into tensors that are there already, and here none are.",
        },
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
    expect_words(CHOICES, (undo, buffer, plot, network))
    return "Four situations, and a tool for each."
