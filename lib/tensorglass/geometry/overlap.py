"""Overlap: does a tensor reach one memory cell twice, and do two tensors share cells?

Writing is safe only where every cell is reached once. PyTorch asks a quick question that can answer "too hard to tell",
and lets such a write pass; `self_overlaps` takes the time to give the exact answer.
"""

from __future__ import annotations

from enum import Enum
from math import prod

from tensorglass.core.errors import explained
from tensorglass.geometry.dims import Header, Ints, remembered
from tensorglass.geometry.strides import is_non_overlapping_and_dense, storage_nbytes

_NOTEBOOK = "1/08 In-place and clone"


class InternalOverlap(Enum):
    """Does a tensor reach a cell twice? What an in-place write asks of the tensor that it writes to."""

    NO = "no"
    YES = "yes"
    TOO_HARD = "too hard"


class Overlap(Enum):
    """Do two tensors share cells? What an operator asks of an input and the tensor that it writes to."""

    FULL = "full"
    PARTIAL = "partial"
    NO = "no"
    TOO_HARD = "too hard"


def has_internal_overlap(size: Ints, stride: Ints) -> InternalOverlap:
    """Say whether a tensor reaches a cell twice, as far as PyTorch looks: dense no, expanded yes."""
    if is_non_overlapping_and_dense(size, stride):
        return InternalOverlap.NO
    if any(step == 0 and length > 1 for length, step in zip(size, stride, strict=True)):
        return InternalOverlap.YES
    return InternalOverlap.TOO_HARD


def check_writable(size: Ints, stride: Ints) -> None:
    """Raise RuntimeError if an operator that writes in place would write a cell more than once."""
    if 0 in stride and has_internal_overlap(size, stride) is InternalOverlap.YES:
        dim = next(dim for dim in range(len(size)) if stride[dim] == 0 and size[dim] > 1)
        raise explained(
            RuntimeError(
                "unsupported operation: more than one element of the written-to tensor refers to a single "
                "memory location. Please clone() the tensor before performing the operation."
            ),
            f"Dimension {dim} has size {size[dim]} and stride 0: all {size[dim]} positions along it are the "
            "same cells. That is what expand makes.",
            notebook=_NOTEBOOK,
        )


def byte_range(size: Ints, stride: Ints, offset: int, itemsize: int) -> tuple[int, int]:
    """Return the first byte that a tensor reaches and the one after the last; the same if it is empty."""
    begin = offset * itemsize
    return begin, max(begin, storage_nbytes(size, stride, offset, itemsize))


def overlap_status(a: Header, a_itemsize: int, b: Header, b_itemsize: int) -> Overlap:
    """Say whether two tensors on one storage share cells, as far as PyTorch looks.

    A tensor and itself overlap FULLY whatever the layout. The caller checks that case: this function sees headers only.
    """
    a_size, a_stride, a_offset = a
    b_size, b_stride, b_offset = b
    a_elements, b_elements = prod(a_size), prod(b_size)
    if a_elements == 0 or b_elements == 0:
        return Overlap.NO
    if not (is_non_overlapping_and_dense(a_size, a_stride) and is_non_overlapping_and_dense(b_size, b_stride)):
        return Overlap.TOO_HARD
    a_begin, b_begin = a_offset * a_itemsize, b_offset * b_itemsize
    a_end, b_end = a_begin + a_elements * a_itemsize, b_begin + b_elements * b_itemsize
    if a_begin == b_begin and a_end == b_end:
        return Overlap.FULL if a_stride == b_stride else Overlap.PARTIAL
    return Overlap.PARTIAL if a_begin < b_end and b_begin < a_end else Overlap.NO


def check_no_partial_overlap(written: Header, written_itemsize: int, read: Header, read_itemsize: int) -> None:
    """Raise RuntimeError if two tensors on one storage share some cells, or share all of them in a different order."""
    if overlap_status(read, read_itemsize, written, written_itemsize) is Overlap.PARTIAL:
        raise _shared_cells(written, written_itemsize, read, read_itemsize)


def check_no_overlap(
    written: Header, written_itemsize: int, read: Header, read_itemsize: int, *, is_itself: bool = False
) -> None:
    """Raise RuntimeError if two tensors on one storage share cells at all; `is_itself`: they are one tensor."""
    if is_itself or overlap_status(read, read_itemsize, written, written_itemsize) in (Overlap.PARTIAL, Overlap.FULL):
        raise _shared_cells(written, written_itemsize, read, read_itemsize)


def _shared_cells(written: Header, written_itemsize: int, read: Header, read_itemsize: int) -> RuntimeError:
    written_range, read_range = byte_range(*written, written_itemsize), byte_range(*read, read_itemsize)
    return explained(
        RuntimeError(
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
            "single memory location. Please clone() the tensor before performing the operation."
        ),
        f"The operator would write bytes {written_range[0]} to {written_range[1]} of the storage while it "
        f"reads bytes {read_range[0]} to {read_range[1]} of the same storage: it could read what it has "
        "just written.",
        notebook=_NOTEBOOK,
    )


@remembered
def self_overlaps(size: Ints, stride: Ints) -> bool:
    """Say exactly whether any cell is reached by two different indices. Strides must not be negative.

    Two indices meet if their difference, less than the length in each dimension, moves by 0 cells in all.
    """
    if 0 in size:
        return False
    dims = sorted(((step, length - 1) for length, step in zip(size, stride, strict=True) if length > 1), reverse=True)
    for first in range(len(dims)):
        step, most = dims[first]
        inner = dims[first + 1 :]
        reach = sum(s * m for s, m in inner)
        if step == 0:
            return True
        if any(_reaches(inner, difference * step) for difference in range(1, min(most, reach // step) + 1)):
            return True
    return False


def _reaches(dims: list[tuple[int, int]], distance: int) -> bool:
    """Say whether steps forward and backward along `dims`, each `(stride, most steps)`, can add up to `distance`."""
    if not dims:
        return distance == 0
    (step, most), inner = dims[0], dims[1:]
    if step == 0:
        return distance == 0
    reach = sum(s * m for s, m in inner)
    fewest = max(-most, -((reach - distance) // step))
    return any(
        _reaches(inner, distance - steps * step) for steps in range(fewest, min(most, (distance + reach) // step) + 1)
    )
