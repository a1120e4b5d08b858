"""Exercises on what the allocator holds, and on going on when it is out of memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import (
    call,
    every_slot,
    expect,
    expect_equal,
)
from glassroom.translations.templates import as_is, word

MIB = 2**20


@exercise(
    "t17-figures",
    hints=[
        "Blocks are multiples of 512 bytes; segments are asked for in the sizes that the text names.",
        "1,000 bytes are rounded up to 1,024. Small blocks share a segment; a block of 10 MiB or more has its own.",
        "The ten fit into one segment of 2 MiB. The large one gets its bytes, rounded up to a multiple of 2 MiB.",
        """
        allocated_small = 10 * 1024
        reserved_small = 2 * 2**20
        reserved_both = 18 * 2**20
        """,
    ],
)
def figures(allocated_small: Any, reserved_small: Any, reserved_both: Any) -> str:
    with every_slot():
        expect_equal(
            allocated_small,
            "allocated_small",
            10 * 1024,
            mistakes={10_000: "Each tensor gets whole units of 512 bytes.", 1024: "That is one of them."},
        )
        expect_equal(
            reserved_small,
            "reserved_small",
            2 * MIB,
            mistakes={
                10 * 2 * MIB: "They share a segment: ten small blocks fit into one.",
                10 * 1024: "The device is asked for whole segments; small blocks come from those of 2 MiB.",
                2_000_000: "2 MiB is 2 * 2**20 bytes.",
            },
        )
        expect_equal(
            reserved_both,
            "reserved_both",
            18 * MIB,
            mistakes={
                16 * MIB: "That is the large one's segment; the small one is still reserved.",
                22 * MIB: "Segments of 20 MiB are for blocks below 10 MiB.",
                2 * MIB + 15_000_000: "Segments are multiples of 2 MiB.",
                17 * MIB: "Segments are multiples of 2 MiB, and 15 MiB is not one.",
            },
        )
    return "Allocated is what tensors occupy, in units of 512 bytes; reserved is what the device was asked for."


@exercise(
    "t17-largest",
    setup="too_large = torch.OutOfMemoryError",
    hints=[
        "Running out of memory raises an exception like any other: the program goes on in the except clause.",
        "A while loop with a try inside it. Catch only torch.OutOfMemoryError, and halve the size there.",
        """
        def largest(run, size):
            while size > 0:
                try:
                    …
                except torch.OutOfMemoryError:
                    …
            return 0
        """,
        """
        def largest(run, size):
            while size > 0:
                try:
                    run(size)
                    return size
                except torch.OutOfMemoryError:
                    size //= 2
            return 0
        """,
    ],
)
def largest(largest: Callable[..., Any], *, too_large: type[Exception]) -> str:
    for limit, start in ((1000, 100), (100, 100), (30, 100), (1, 100), (0, 7), (3, 8)):
        tried = list[int]()

        def run(size: int, limit: int = limit, tried: list[int] = tried) -> str:
            tried.append(size)
            if len(tried) > 200:
                raise _Endless
            if size > limit:
                raise too_large("sim out of memory.")
            return as_is("a result")

        name = f"largest(run, {start})"
        told = f"where sizes up to {limit} fit"
        try:
            returned = call(largest, "largest", run, start)
        except _Endless as error:
            raise Misconception(
                f"`{name}` never stops trying, {told}: the size must become smaller each time."
            ) from error
        halves = [size for power in range(8) if (size := start >> power)]
        wanted = next((size for size in halves if size <= limit), 0)
        expect(returned is not None, f"`{name}` returns nothing, {told}.")
        expect(returned != "a result", f"`{name}` returns what run returns; it should return the size.")
        expect(
            tried == halves[: halves.index(wanted) + 1] if wanted else tried == halves,
            f"`{name}` tried {_listed(tried)}, {told}. It should halve until one works, "
            "and stop there; a size of 0 is not worth a try.",
        )
        expect_equal(returned, f"{name}, {told},", wanted)

    def broken(size: int) -> None:
        raise ZeroDivisionError("a fault in the model")

    try:
        largest(broken, 8)
    except ZeroDivisionError:
        return "It goes on after an OutOfMemoryError, and lets every other error through."
    raise Misconception(
        "a ZeroDivisionError in run is swallowed, and the fault in the model is never seen. Catch that one error only."
    )


class _Endless(BaseException):
    """Stops an answer that would go on for ever."""


def _listed(sizes: list[int]) -> str:
    """All of a few sizes; of many, the first ones and the last."""
    shown = list(map(str, sizes))
    return word(", ").join(shown if len(shown) <= 8 else [*shown[:4], "…", shown[-1]])
