"""Windows that move over signals and images: read by strides, and added up again.

A window of 3 by 3 that moves over an image by one cell is a view with two more dimensions, whose strides are those of
the image once more: nothing is copied. All functions here work in any number of dimensions, which are the last ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from tensorglass.backends import Array

Lengths = tuple[int, ...]


class Windows(NamedTuple):
    """How windows move: a number for each dimension that they move in."""

    size: Lengths
    stride: Lengths
    padding: Lengths  #: imagined cells before the first cell of each dimension, and after its last
    dilation: Lengths  #: from one cell of a window to its next

    def counts(self, lengths: Sequence[int]) -> Lengths:
        """How many windows there are in each dimension of an input of these lengths."""
        return tuple([
            (length + 2 * padding - dilation * (size - 1) - 1) // stride + 1
            for length, size, stride, padding, dilation in zip(lengths, *self, strict=True)
        ])  # fmt: skip


def padded(xp: Any, array: Array, padding: Lengths, value: Any = 0, behind: Lengths | None = None) -> Array:
    """The array with `value` around its last dimensions, `behind` their ends more than before; itself if with none."""
    behind = padding if behind is None else behind
    if not any(padding) and not any(behind):
        return array
    outer = array.ndim - len(padding)
    lengths = array.shape[outer:]
    size = [length + before + after for length, before, after in zip(lengths, padding, behind, strict=True)]
    padded = xp.full((*array.shape[:outer], *size), value, array.dtype)
    inside = [slice(before, before + length) for before, length in zip(padding, lengths, strict=True)]
    padded[(..., *inside)] = array
    return padded


def windows_of(xp: Any, array: Array, windows: Windows, counts: Lengths) -> Array:
    """The windows of a padded array, a view: (…, *lengths) → (…, *a window's size, *how many)."""
    outer = array.ndim - len(counts)
    steps = array.strides[outer:]
    within = [step * dilation for step, dilation in zip(steps, windows.dilation, strict=True)]
    onwards = [step * stride for step, stride in zip(steps, windows.stride, strict=True)]
    size = (*array.shape[:outer], *windows.size, *counts)
    strides = (*array.strides[:outer], *within, *onwards)
    return xp.lib.stride_tricks.as_strided(array, size, strides)


def places(windows: Windows, counts: Lengths) -> Iterator[tuple[Lengths, tuple[slice, ...]]]:
    """For each place in a window: its position, and the index of the cells of a padded array at that place in all
    windows."""
    for place in product(*[range(size) for size in windows.size]):
        yield (
            place,
            tuple([
                slice(at * dilation, at * dilation + stride * (count - 1) + 1, stride)
                for at, dilation, stride, count in zip(place, windows.dilation, windows.stride, counts, strict=True)
            ]),
        )  # fmt: skip


def add_windows(xp: Any, cells: Array, windows: Windows, lengths: Lengths) -> Array:
    """What undoes `windows_of`: the cells of all windows added up where they were read.

    `cells` is (…, *size of a window, *how many there are); the result has the `lengths` of the input, unpadded.
    """
    rank = len(lengths)
    outer, counts = cells.shape[: cells.ndim - 2 * rank], cells.shape[cells.ndim - rank :]
    size = [length + 2 * padding for length, padding in zip(lengths, windows.padding, strict=True)]
    sums = xp.zeros((*outer, *size), cells.dtype)
    for place, where in places(windows, counts):
        target = sums[(..., *where)]
        xp.add(target, cells[(slice(None),) * len(outer) + place], out=target)
    inside = [slice(padding, padding + length) for padding, length in zip(windows.padding, lengths, strict=True)]
    return xp.ascontiguousarray(sums[(..., *inside)])
