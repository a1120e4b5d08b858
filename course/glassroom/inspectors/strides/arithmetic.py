"""What a header (size, stride, offset) does over a storage of n cells: the arithmetic of the stride explorer.

The live explorer computes the same in the browser (`widget.js`); a test compares the two, and this one with PyTorch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from glassroom.translations.templates import as_is
from tensorglass.geometry import is_contiguous


@dataclass(frozen=True)
class Verdict:
    """`kind` is contiguous, dense, gaps, overlapping, out of bounds or refused; `sentence` says why."""

    kind: str
    sentence: str


def storage_cell(index: Sequence[int], stride: Sequence[int], offset: int) -> int:
    """The storage cell of an element: offset + Σ index·stride."""
    return offset + sum(i * step for i, step in zip(index, stride, strict=True))


def examine(cells: int, itemsize: int, size: Sequence[int], stride: Sequence[int], offset: int) -> Verdict:
    """Judge a header over a storage of `cells` cells of `itemsize` bytes."""
    refusal = _refusal(cells, itemsize, size, stride, offset)
    if refusal is not None:
        return refusal
    if is_contiguous(tuple(size), tuple(stride)):
        return Verdict("contiguous", "contiguous: row by row, the elements are neighbors in the storage")
    reached: dict[int, tuple[int, ...]] = {}
    for index in product(*map(range, size)):
        cell = storage_cell(index, stride, offset)
        if cell in reached:
            first, second = _element(reached[cell]), _element(index)
            return Verdict("overlapping", f"overlapping: cell {cell} is reached twice, by {first} and {second}")
        reached[cell] = index
    skipped = max(reached) - min(reached) + 1 - len(reached)
    if skipped:
        cells_are = "cell between its first and last is" if skipped == 1 else "cells between its first and last are"
        return Verdict("gaps", f"not contiguous: {skipped} {cells_are} skipped")
    return Verdict("dense", "not contiguous, but dense: each cell from first to last once, in another order")


def _refusal(cells: int, itemsize: int, size: Sequence[int], stride: Sequence[int], offset: int) -> Verdict | None:
    """The message with which PyTorch's as_strided refuses, or nothing."""
    if any(step < 0 for step in stride):
        message = as_is(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
        return Verdict("refused", message)
    if offset < 0:
        return Verdict("refused", as_is(f"Tensor: invalid storage offset {offset}"))
    needed = 0 if 0 in size else (1 + storage_cell([n - 1 for n in size], stride, offset)) * itemsize
    if needed <= cells * itemsize:
        return None
    return Verdict(
        "out of bounds",
        as_is(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, "
            f"and itemsize {itemsize} requiring a storage size of {needed} "
            f"are out of bounds for storage of size {cells * itemsize}"
        ),
    )


def _element(index: Sequence[object]) -> str:
    return f"t[{', '.join(map(str, index))}]" if index else "t"


def formula(stride: Sequence[int], offset: int, index: Sequence[int] | None = None) -> str:
    """`t[1, 2] is cell 0 + 1·4 + 2·1 = 6`; without an index, the rule in letters."""
    if index is None:
        letters = "ijklmnpq"[: len(stride)]
        terms = " + ".join([str(offset), *(f"{letter}·{step}" for letter, step in zip(letters, stride, strict=True))])
        return f"{_element(list(letters))} is cell {terms}"
    terms = " + ".join([str(offset), *(f"{i}·{step}" for i, step in zip(index, stride, strict=True))])
    return f"{_element(index)} is cell {terms} = {storage_cell(index, stride, offset)}"
