"""What is written must lie apart from what is read: PyTorch's refusals of ``out=`` and of writes in place.

Elementwise operators may write over an operand, place by place; others may not, for they would read what they have just
written. The question is asked before anything is written or resized.
"""

from __future__ import annotations

from collections.abc import Iterable

from tensorglass import geometry
from tensorglass.ops.declare.run_pointwise import refuse_overlapping_write
from tensorglass.tensor.tensor import Tensor, header_of


def refuse_shared_cells(target: Tensor, *sources: Tensor) -> None:
    """Refuse to write to a tensor whose cells are shared, among themselves or with what is read."""
    refuse_overlapping_write(target, sources)
    refuse_read_cells(target, *sources)


def refuse_read_cells(target: Tensor, *sources: Tensor) -> None:
    """Refuse to write to a tensor that shares cells with what is read."""
    for source in sources:
        if source._storage is target._storage:
            written, read = header_of(target), header_of(source)
            widths = target._dtype.itemsize, source._dtype.itemsize
            geometry.check_no_overlap(written, widths[0], read, widths[1], is_itself=source is target)


def refuse_partly_written(out: Tensor, size: tuple[int, ...], sources: Iterable[Tensor]) -> None:
    """Refuse to write a result of this size to `out`, resized to it, where it lies over a part of what is read."""
    stride = out._stride if out._size == size else geometry.contiguous_strides(size)
    for source in sources:
        if source._storage is out._storage:
            written, read = (size, stride, out._offset), header_of(source)
            geometry.check_no_partial_overlap(written, out._dtype.itemsize, read, source._dtype.itemsize)
