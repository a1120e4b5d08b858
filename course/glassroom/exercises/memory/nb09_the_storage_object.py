"""Exercises of notebook 09: storages in the hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, every_slot, expect, expect_equal, expect_tensor, expect_value
from glassroom.exercises.facts import dtype_name, memory_range, nbytes, values
from glassroom.translations.templates import word

COUNTED = "That counts elements; you were asked for bytes."
ALL_OF_IT = "It is {}: a header on the storage of measured, which keeps all its 4,000 bytes."
LEFT: dict[str, tuple[int, dict[int, str]]] = {
    "part": (4000, {12: ALL_OF_IT.format(word("a slice"))}),
    "packed": (4000, {12: ALL_OF_IT.format("contiguous already, so contiguous() gives back the slice")}),
    "picked": (12, {3: COUNTED, 4000: "A list as an index copies what it picks, and nothing else."}),
    "double": (
        24,
        {
            3: COUNTED,
            12: "Three elements, but a float64 has 8 bytes.",
            4000: "Another dtype needs different bytes, so double() has to make a storage for them.",
            8000: "The slice comes first; only its three elements are converted.",
        },
    ),
    "late": (4000, {12: "clone() came first, and copied all thousand. The slice is a view of that copy."}),
}


@exercise(
    "09-left",
    hints=[
        "Which of the lines ends with a new storage, and which with a header on one that was there before?",
        "Go from left to right: at which step is something copied, and how many elements are left by then?",
        "Two of the five are small: picked has 12 bytes, and double has …",
        "part, packed, picked, double, late = 4000, 4000, 12, 24, 4000",
    ],
)
def left(part: Any, packed: Any, picked: Any, double: Any, late: Any) -> str:
    with every_slot():
        for (name, (nbytes_left, mistakes)), answer in zip(
            LEFT.items(), (part, packed, picked, double, late), strict=True
        ):
            elements = (
                {1000: COUNTED, 3: COUNTED, 8000: "The elements are float32: 4 bytes each, not 8."}
                if nbytes_left == 4000
                else {}
            )
            expect_equal(answer, name, nbytes_left, mistakes={**elements, **mistakes})
    return "If you copy the part, the whole can go; if you copy the whole, or nothing, it stays."


@exercise(
    "09-halves",
    setup="weights = torch.FloatStorage([0.5, 1.5, -2.0, 4.0])",
    hints=[
        "A conversion returns a new storage; the one it is called on stays as it is.",
        "half() converts, and nbytes() of a storage counts its bytes.",
        """
        halves = weights.…
        saved = weights.nbytes() - …
        """,
        """
        halves = weights.half()
        saved = weights.nbytes() - halves.nbytes()
        """,
    ],
)
def halves(halves: Any, saved: Any, *, weights: Any) -> str:
    expect(
        halves is not weights and hasattr(halves, "nbytes") and hasattr(halves, "tolist"),
        "`halves` should be what the conversion returns. Converting does nothing to `weights` itself.",
    )
    expect(
        not hasattr(halves, "stride"),
        "`halves` is a tensor; it should be a storage, and storages have conversions of their own.",
    )
    expect(
        hasattr(halves, "dtype"),
        "`halves` is an untyped storage: bytes, with no dtype. The conversion of a typed one returns a typed one.",
    )
    expect_equal(
        dtype_name(halves),
        "the dtype of halves",
        "float16",
        mistakes={
            "bfloat16": "That is just as small, but half precision is float16.",
            "float32": "That is the dtype of `weights`: a conversion returns a new storage.",
        },
    )
    expect_equal(halves.tolist(), "halves.tolist()", weights.tolist())
    expect_equal(
        saved,
        "saved",
        8,
        mistakes={
            16: "That is what `weights` needs; how much less does `halves` need?",
            4: "That counts elements; count bytes.",
            2: "That is what one element saves; there are four.",
            -8: "The sign is reversed: saved is what is no longer needed.",
            0: "There are as many elements as before, but fewer bytes. nbytes() counts those.",
        },
    )
    return "Half the bytes, in a new storage; the old one has not changed."


WHOLE = {
    (0, 15): "That counts elements; count bytes.",
    (0, 119): "119 is the last byte; the byte after it was asked for.",
}
SECOND_ROW = {
    (0, 120): "That is the whole storage; the tensor sees a part of it.",
    (0, 24): "It begins in the second row of the storage.",
    (24, 120): "That goes on to the end of the storage; the tensor ends before it.",
}


@exercise(
    "09-bytes",
    setup="""
    x = torch.tensor([1.0, 2.0, 3.0])
    grid = torch.arange(15).view(5, 3)
    """,
    hints=[
        "Addresses are counted in bytes, so the difference between two addresses is a number of bytes.",
        "data_ptr() of the tensor says where it begins, data_ptr() of the storage where that begins.",
        """
        def byte_range(tensor):
            start = tensor.data_ptr() - …
            return start, start + …
        """,
        """
        def byte_range(tensor):
            start = tensor.data_ptr() - tensor.untyped_storage().data_ptr()
            return start, start + tensor.nbytes
        """,
    ],
)
def byte_range(byte_range: Callable[[Any], Any], *, x: Any, grid: Any) -> str:
    cases = [
        ("byte_range(grid)", grid, (0, 120), WHOLE),
        ("byte_range(grid[1])", grid[1], (24, 48), SECOND_ROW),
        ("byte_range(grid[3:])", grid[3:], (72, 120), {(9, 15): "That counts elements; count bytes."}),
        ("byte_range(x[1:])", x[1:], (4, 12), {(8, 24): "An element of x is a float32: 4 bytes, not 8."}),
    ]
    for name, tensor, expected, mistakes in cases:
        answer = call(byte_range, "byte_range", tensor)
        expect(
            not (isinstance(answer, tuple) and tensor.data_ptr() in [place for place in answer if type(place) is int]),
            "these are addresses in the computer's memory. Subtract the address at which the storage begins.",
        )
        expect_equal(answer, name, expected, mistakes=mistakes)
    return "The bytes that the picture shows: where the tensor begins in its storage, and how many bytes it sees."


@exercise(
    "09-windows",
    setup="signal_storage = torch.arange(6.0).untyped_storage()",
    hints=[
        "A header may name one cell several times: let the rows begin one element apart.",
        "One row down and one column to the right are both one cell further. set_ takes storage, offset, size, stride.",
        "windows = torch.tensor([]).set_(signal_storage, 0, (4, 3), …)",
        "windows = torch.tensor([]).set_(signal_storage, 0, (4, 3), (1, 1))",
    ],
)
def windows(windows: Any, *, signal_storage: Any) -> str:
    expect_tensor(windows, "windows", shape=(4, 3), dtype="float32")
    expect(
        tuple(windows.stride()) != (3, 1) or values(windows)[1] == [1.0, 2.0, 3.0],
        "`windows` lie side by side; they should overlap. How far is it from one row to the next?",
    )
    expect(
        windows.storage_offset() == 0,
        f"`windows` begins at offset {windows.storage_offset()}; the first window begins at the first cell, 0.",
    )
    expect_value(windows, "windows", [[row + column + 0.0 for column in range(3)] for row in range(4)])
    start = signal_storage.data_ptr()
    expect(
        memory_range(windows) == (start, start + nbytes(signal_storage)),
        "the values are right, but they are in another storage: set the header on `signal_storage` itself.",
    )
    return "Twelve elements are seen in six cells."
