"""The strides of a pointwise result: in which order a pointwise operator walks its operands.

A new result is laid out like its operands, so that all of them are read and written in one sweep through memory. These
are the rules of PyTorch's TensorIterator.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorglass.geometry.broadcast import broadcast_strides
from tensorglass.geometry.dims import Ints, remembered
from tensorglass.geometry.strides import (
    channels_last_strides,
    contiguous_strides,
    is_channels_last,
    is_contiguous,
    is_non_overlapping_and_dense,
    packed_strides,
    sort_dims,
)
from tensorglass.geometry.view_reshape import view_strides


def elementwise_strides(size: Ints, operands: Sequence[tuple[Ints, Ints]]) -> Ints:
    """Return the strides of a new result of `size` from operands given as `(size, stride)`, in their order.

    The operands may be of smaller size, as they were before broadcasting. A Python number takes part as `((),
    ())`.
    """
    # Nearly always every operand is contiguous. Then the result is contiguous too, broadcast or not, because a
    # contiguous operand never makes two dimensions change places (unless one has size 0).
    for own_size, stride in operands:
        if stride != contiguous_strides(own_size) or 0 in own_size:
            return _strides_in_memory_order(size, tuple(operands))
    return contiguous_strides(size)


@remembered
def _strides_in_memory_order(size: Ints, operands: tuple[tuple[Ints, Ints], ...]) -> Ints:
    if all(own_size == size for own_size, _ in operands):
        alike = _strides_of_like_operands(size, [stride for _, stride in operands])
        if alike is not None:
            return alike

    strides = [broadcast_strides(own_size, stride, size) for own_size, stride in operands]

    def precedes(inner: int, outer: int) -> int:
        for stride in strides:
            a, b = stride[inner], stride[outer]
            if a == 0 or b == 0:  # a broadcast dimension has no place of its own in memory: ask the next operand
                continue
            if a != b:
                return 1 if a > b else -1
            if size[inner] > size[outer]:
                return 1
        return 0

    order = sort_dims(len(size), precedes)
    if order == list(range(len(size) - 1, -1, -1)):
        return contiguous_strides(size)
    return packed_strides(size, order)


def _strides_of_like_operands(size: Ints, strides: Sequence[Ints]) -> Ints | None:
    """Return the strides of the result if all operands have the same size and the same strides."""
    if all(is_contiguous(size, stride) for stride in strides):
        return contiguous_strides(size)
    if all(is_channels_last(size, stride) for stride in strides):
        return channels_last_strides(size)
    first = strides[0]
    if is_non_overlapping_and_dense(size, first) and all(stride == first for stride in strides):
        return first
    return None


@remembered
def index_strides(size: Ints, stride: Ints, first: int, shape: Ints, indices: tuple[tuple[Ints, Ints], ...]) -> Ints:
    """Return the strides of the result of advanced indexing. `indices` are the (size, stride) of the index tensors,
    which stand for dimension `first` and those after it and are broadcast to `shape`.

    PyTorch runs a pointwise kernel over the tensor, with stride 0 along the indexed dimensions, and over the index
    tensors, which are expanded along all other dimensions.
    """
    after = first + len(indices)
    result = (*size[:first], *shape, *size[after:])
    operands = [(result, (*stride[:first], *(0,) * len(shape), *stride[after:]))]
    for own_size, own_stride in indices:
        own = broadcast_strides(own_size, own_stride, shape)
        around = (*(1,) * first, *shape, *(1,) * (len(size) - after))
        operands.append((around, view_strides(shape, own, around) or around))
    return elementwise_strides(result, operands)
