"""Exercises of notebook 18 of part 2: which memory is shared, what travels, and whose turn it is."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_tensor, expect_truths, expect_value, expect_view, run
from glassroom.exercises.facts import values

SHARED = {
    "transpose": (True, "x.t() is another header on the storage of x, all of which has moved."),
    "result": (False, "x + 1 is written into a new storage, and new storages are this process's own."),
    "detached": (True, "detach() makes a header on the same storage."),
    "contiguous_transpose": (False, "The transpose is not contiguous, so contiguous() copies it into a new storage."),
    "contiguous": (True, "x is contiguous already: contiguous() returns x itself."),
}


@exercise(
    "t18-shared",
    hints=[
        "Storages are shared, with all headers on them. A copy has a storage of its own.",
        "Ask for each: is it a view, or a new tensor?",
        "Two of the five are new tensors: one is computed, one has to be rearranged.",
        """
        transpose = True
        result = False
        detached = True
        contiguous_transpose = False
        contiguous = True
        """,
    ],
)
def shared(transpose: Any, result: Any, detached: Any, contiguous_transpose: Any, contiguous: Any) -> str:
    answers = (transpose, result, detached, contiguous_transpose, contiguous)
    expect_truths(SHARED, answers)
    return "What sits on the storage is shared; what has a storage of its own is not."


@exercise(
    "t18-values",
    setup="w = torch.ones(3, requires_grad=True)\nh = w * 2",
    hints=[
        "What cannot travel is the history. The values lie in the storage.",
        "You want another header on the same storage, without a grad_fn.",
        "def values_of(tensor):\n    return tensor.…()",
        "def values_of(tensor):\n    return tensor.detach()",
    ],
)
def values_of(values_of: Callable[..., Any], *, h: Any) -> str:
    sent = call(values_of, "values_of", h)
    expect_tensor(sent, "values_of(h)")
    expect_value(sent, "values_of(h)", values(h))
    expect(not sent.requires_grad, "`values_of(h)` still requires a gradient, so a queue refuses it.")
    expect_view(
        sent, "values_of(h)", of=h, of_name="h", because="Sending needs no copy of the values: did you clone them?"
    )
    return "The same storage, a header without a history: that can be sent."


@exercise(
    "t18-worker",
    setup="result = torch.arange(6.0).view(2, 3)",
    hints=[
        "What was sent shares its storage with the sender. Only a write into that storage is seen there.",
        "Write in place: a new tensor that is given to a name, or returned, stays in the worker.",
        "def scale_row(result, row, factor):\n    result[…] *= …",
        "def scale_row(result, row, factor):\n    result[row] *= factor",
    ],
)
def worker(scale_row: Callable[..., Any], *, result: Any) -> str:
    sent = result.clone()
    before = values(sent)
    run(scale_row, "scale_row", sent, 1, 10)
    expect(
        values(sent) != before,
        "after scale_row(result, 1, 10) the sender's tensor has not changed. `row = row * factor` makes a new tensor; "
        "`*=` and `mul_` write into the one that was sent.",
    )
    expect_value(sent[0], "row 0 after scale_row(result, 1, 10)", before[0])
    expect_value(sent[1], "row 1 after scale_row(result, 1, 10)", [10 * value for value in before[1]])
    run(scale_row, "scale_row", sent, 0, 3)
    expect_value(sent[0], "row 0 after scale_row(result, 0, 3)", [3 * value for value in before[0]])
    return "Written in place, so the sender sees it, and nothing needs to be sent back."


class _Lock:
    """A lock that must be waited for, while another process writes `theirs`."""

    def __init__(self, best: Any, theirs: float) -> None:
        self.best, self.theirs = best, theirs
        self.left_with: float | None = None  #: what stood there when the lock was given back

    def acquire(self, *arguments: Any) -> bool:
        self.best[0] = self.theirs
        return True

    def release(self) -> None:
        self.left_with = float(self.best[0])

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: Any) -> None:
        self.release()


@exercise(
    "t18-lock",
    setup="best = torch.zeros(1)",
    hints=[
        "While you wait for the lock, others may write. What you read before may be out of date.",
        "The comparison reads best[0], so it has to stand within the lock, with the write.",
        """
        def keep_highest(best, value, lock):
            with …:
                if value > …:
                    best[0] = value
        """,
        """
        def keep_highest(best, value, lock):
            with lock:
                if value > best[0]:
                    best[0] = value
        """,
    ],
)
def lock(keep_highest: Callable[..., Any], *, best: Any) -> str:
    for theirs, value, highest in ((1.0, 5.0, 5.0), (8.0, 5.0, 8.0), (-3.0, -5.0, -3.0)):
        cell = best.clone()
        cell[0] = -9.0
        held = _Lock(cell, theirs)
        run(keep_highest, "keep_highest", cell, value, held)
        expect(held.left_with is not None, "`keep_highest` never took the lock, or never gave it back.")
        seen_now = float(cell[0])
        story = f"While keep_highest(best, {value:g}, lock) waited for the lock, another process wrote {theirs:g}."
        expect(seen_now == held.left_with, "best[0] was written after the lock had been given back.")
        expect(
            seen_now != theirs or theirs == highest,
            f"{story} {value:g} is higher, and did not get into best[0]. Is it written with `best[0] = …`?",
        )
        expect(
            seen_now == highest,
            f"{story} Now best[0] is {seen_now:g}, not {highest:g}. Compare with what stands there once you have the "
            "lock, not with what you read before.",
        )
    return "You compare and write while nobody else may write, so no value is lost."


@exercise(
    "t18-tail",
    setup="""
    import os
    import tempfile
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "numbers")
    _ = torch.from_file(path, shared=True, size=4).copy_(torch.arange(4.0))
    """,
    hints=[
        "from_file always begins at the first byte, and a slice is a view.",
        "Map all four numbers with shared=True, and take a slice of them.",
        "tail = torch.from_file(path, shared=…, size=4)[…]",
        "tail = torch.from_file(path, shared=True, size=4)[2:]",
    ],
)
def tail(tail: Any, *, path: str) -> str:
    # A number would be taken for an open file's, which would then be closed.
    expect(
        isinstance(path, str) and os.path.isfile(path),
        "`path` should be the name of the file: run the cell above again.",
    )
    with open(path, "rb") as file:
        numbers = struct.unpack("<4f", file.read(16))
    expect_tensor(tail, "tail", shape=(2,))
    expect_value(tail, "tail", list(numbers[2:]))
    expect(
        tail.untyped_storage().filename == path,
        "`tail` has the right numbers, but a write to it does not reach the file: map it with shared=True, and copy "
        "nothing.",
    )
    return "A view of a mapped file: two numbers at offset 2, and writes go to the file."
