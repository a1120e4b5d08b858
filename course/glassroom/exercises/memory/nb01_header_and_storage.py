"""Exercises of notebook 01, header and storage: find a cell, count bytes, choose a dtype, share memory."""

from __future__ import annotations

from typing import Any

from glassroom.exercises import facts
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    every_slot,
    expect,
    expect_copy,
    expect_equal,
    expect_tensor,
    expect_value,
    expect_view,
)


@exercise(
    "01-same-cell",
    hints=[
        "The header says how to get from indices to a storage cell: start at the offset, then take steps.",
        "The table of the header's entries, and the sum below it. The stride of a is (3, 1), its offset 0.",
        "cell = 0 + … * 3 + … * 1",
        "cell = 0 + 3 * 3 + 1 * 1",
    ],
)
def same_cell(cell: Any) -> str:
    mistakes = {
        80: "That is the byte at which the element begins; cells are counted in elements.",
        11: "Count from 0: the first cell of the storage is cell 0.",
        8: "The first index goes with the first stride: i * 3 + j * 1.",
        5: "That is the number in the cell; you were asked for the cell's index in the storage.",
        4: "That is 3 + 1. One row down is not one cell further: it skips 3.",
        9: "The rows are right: 3 * 3. The column is missing: one step of 1 more.",
        6: "The strides are swapped: the first index goes with 3, the second with 1.",
        16: "That would be rows of five. The table has five rows, of three cells each.",
    }
    expect_equal(cell, "cell", 3 * 3 + 1 * 1, mistakes)
    expect(not isinstance(cell, float), "`cell` is a float; it should be a plain integer, without a point.")
    return "Three rows of 3 cells, and one step of 1."


@exercise(
    "01-batch-bytes",
    hints=[
        "The bytes of a tensor are its number of elements, times the bytes of one element.",
        "The number of elements is the product of the sizes. The table of dtypes lists float16.",
        "batch_bytes = 32 * 3 * … * … * …",
        "batch_bytes = 32 * 3 * 224 * 224 * 2",
    ],
)
def batch_bytes(batch_bytes: Any) -> str:
    elements = 32 * 3 * 224 * 224
    mistakes = {
        elements: "That is how many elements there are; each takes more than one byte.",
        elements * 4: "That would be float32, 4 bytes each; a float16 is half as large.",
        elements * 8: "That would be float64, 8 bytes each.",
        elements * 16: "A float16 has 16 bits, which are 2 bytes.",
        3 * 224 * 224 * 2: "That is one picture; the batch has 32.",
    }
    expect_equal(batch_bytes, "batch_bytes", elements * 2, mistakes)
    return "32 * 3 * 224 * 224 elements of 2 bytes: 9.6 MB; as float32 it would be twice that."


@exercise(
    "01-small",
    setup="a = torch.tensor([[3, 1, 4], [1, 5, 9], [2, 6, 5], [3, 5, 8], [9, 7, 9]])",
    hints=[
        "The dtype decides how many bytes an element takes.",
        "15 elements in 15 bytes: one byte each. Which dtypes for integers take one byte?",
        "small = torch.tensor(a.tolist(), dtype=torch.…)",
        "small = torch.tensor(a.tolist(), dtype=torch.uint8)",
    ],
)
def small(small: Any, *, a: Any) -> str:
    expect_tensor(small, "small", shape=facts.shape(a))
    expect(facts.dtype_name(small) != "bool", "a bool takes one byte, but keeps only True or False.")
    expect(
        facts.nbytes(small) == 15,
        f"`small` takes {facts.nbytes(small)} bytes: {facts.nbytes(small) // 15} for each {small.dtype}.",
    )
    expect_tensor(small, "small", value=facts.values(a))
    return f"One byte each, {small.dtype}: 15 bytes where the int64 took 120."


@exercise(
    "01-numpy",
    setup="import numpy as np\nm = np.array([[1, 2], [3, 4]])",
    hints=[
        "A tensor may be a header over memory that NumPy allocated, or have a storage of its own.",
        "Of the two calls that you compared, one always shares, and one always copies.",
        "watching = torch.from_…(m)\napart = torch.…(m)",
        "watching = torch.from_numpy(m)\napart = torch.tensor(m)",
    ],
)
def numpy(watching: Any, apart: Any, *, m: Any) -> str:
    with every_slot() as slot:
        with slot("watching"):
            expect_tensor(watching, "watching", shape=m.shape)
            expect_view(watching, "watching", of=m, of_name="m", because="torch.tensor always copies.")
            expect_value(watching, "watching", m.tolist())
        with slot("apart"):
            expect_tensor(apart, "apart", shape=m.shape)
            expect_copy(apart, "apart", of=m, of_name="m", because="torch.from_numpy always shares.")
            expect_value(apart, "apart", m.tolist())
    return "One header over the memory of `m`, and one over memory of its own."
