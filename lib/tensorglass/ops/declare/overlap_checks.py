"""What is written must lie apart from what is read: PyTorch's refusals of ``out=`` and of writes in place.

Elementwise operators may write over an operand, place by place; others may not, for they would read what they have just
written. The question is asked before anything is written or resized.
"""

from __future__ import annotations

from collections.abc import Iterable

from tensorglass import geometry
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.declare.run_pointwise import refuse_overlapping_write, resize_output
from tensorglass.tensor.tensor import Tensor, header_of


def refuse_shared_cells(target: Tensor, *sources: Tensor) -> None:
    """Refuse to write to a tensor whose cells are shared, among themselves or with what is read."""
    refuse_overlapping_write(target, sources)
    refuse_read_cells(target, *sources)


def refuse_read_cells(target: Tensor, *sources: Tensor) -> None:
    """Refuse to write to a tensor that shares cells with what is read."""
    for source in sources:
        if source._storage is target._storage:
            itemsize = target._dtype.itemsize
            geometry.check_no_overlap(header_of(target), itemsize, header_of(source), source._dtype.itemsize)


def refuse_partly_written(out: Tensor, size: tuple[int, ...], sources: Iterable[Tensor]) -> None:
    """Refuse to write a result of this size to `out`, resized to it, where it lies over a part of what is read."""
    stride = out._stride if out._size == size else geometry.contiguous_strides(size)
    for source in sources:
        if source._storage is out._storage:
            written, read = (size, stride, out._offset), header_of(source)
            geometry.check_no_partial_overlap(written, out._dtype.itemsize, read, source._dtype.itemsize)


def written_apart(out: Tensor, made: Tensor, *sources: Tensor) -> Tensor:
    """`out` with the elements of a fresh result in it; it must lie apart from all that was read."""
    refuse_shared_cells(out, *sources)
    if out._size != made._size:
        resize_output(out, made._size, made._stride)
    return copy_(out, made)
