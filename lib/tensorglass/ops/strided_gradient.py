"""The gradient of strided views: what was read at a cell goes back to it, as often as it was read.

The one idea to keep in mind: `as_strided` is a read of the storage at a list of places, so its derivative adds up at
those places.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorglass import geometry
from tensorglass.ops.ranges import arange
from tensorglass.tensor import Tensor


def as_strided(
    grad: Tensor, input_header: geometry.Header, size: Sequence[int], stride: Sequence[int], storage_offset: int | None
) -> Tensor:
    """The gradient of ``input.as_strided(size, stride, storage_offset)`` for `input`, whose header is given."""
    offset = input_header[2] if storage_offset is None else storage_offset
    return _at_cells(grad, input_header, (tuple(size), tuple(stride), offset))


def unfold(grad: Tensor, input_size: tuple[int, ...], dimension: int, size: int, step: int) -> Tensor:
    """The gradient of ``input.unfold(dimension, size, step)``."""
    header = (input_size, geometry.contiguous_strides(input_size), 0)
    return _at_cells(grad, header, geometry.unfold(*header, dimension, size, step))


def _at_cells(grad: Tensor, input: geometry.Header, view: geometry.Header) -> Tensor:
    """Add `grad`, which lies as `view`, up in memory, and read that as `input` lies."""
    count = max(geometry.storage_nbytes(*input, 1), geometry.storage_nbytes(*view, 1))
    cells = arange(count, device=grad.device)
    memory = grad.new_zeros(count).index_add(0, cells.as_strided(*view).reshape(-1), grad.reshape(-1))
    own = cells.as_strided(*input).reshape(-1)
    if 0 in input[1]:  # elements that share a cell share its gradient
        memory = memory / cells.new_zeros(count).index_add(0, own, own.new_ones(own.shape)).clamp_(1)
    return memory.index_select(0, own).reshape(input[0])
