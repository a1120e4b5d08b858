"""The strides of a pointwise result: in which order a pointwise operator walks its operands.

A new result is laid out like the operands it is made from, so that all of them are read and written in one sweep
through memory. PyTorch's TensorIterator decides it; these are its rules.
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
    # Nearly always every operand is plainly contiguous, and then so is the result, broadcast or not: such an
    # operand never asks for two dimensions to change places (but for one of size 0, which might).
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
    """Return the strides of the result if all operands, being of one size, plainly agree on them."""
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
    """Return the strides of what advanced indexing reads: `indices`, of these sizes and strides, in the place of
    dimension `first` and those that follow, broadcast to `shape`.

    PyTorch runs a pointwise kernel over the tensor, which stands still along the indexed dimensions (stride
    0), and over the index tensors, which are stretched along all others.
    """
    after = first + len(indices)
    result = (*size[:first], *shape, *size[after:])
    operands = [(result, (*stride[:first], *(0,) * len(shape), *stride[after:]))]
    for own_size, own_stride in indices:
        own = broadcast_strides(own_size, own_stride, shape)
        around = (*(1,) * first, *shape, *(1,) * (len(size) - after))
        operands.append((around, view_strides(shape, own, around) or around))
    return elementwise_strides(result, operands)
