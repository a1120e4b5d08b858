"""Strides: how far apart in the storage neighbours along each dimension lie.

The same elements can lie in the storage in many orders, and the strides alone say which. The functions here choose the
strides of new tensors and answer questions about given ones. The strides of dimensions of size 1 are never used to find
an element, yet PyTorch keeps and prints them: so do we.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from tensorglass.core.errors import explained
from tensorglass.geometry.dims import INT64_MAX, Ints, checked_numel, remembered


@remembered
def contiguous_strides(size: Ints) -> Ints:
    """Return the row-major strides of a new tensor: the last dimension is the closest-packed.

    A dimension of size 0 counts as 1, so that the strides stay positive. Raises RuntimeError when 64 bits
    cannot hold one.
    """
    strides = []
    step = 1
    for length in reversed(size):
        strides.append(step)
        if length > 1:
            step *= length
    if strides and strides[-1] > INT64_MAX:
        raise _stride_overflow(size)
    return tuple(reversed(strides))


def _stride_overflow(size: Ints) -> RuntimeError:
    return explained(
        RuntimeError("Stride calculation overflowed"),
        f"Along some dimension of {list(size)}, neighbours lie further apart than 64 bits can count.",
        notebook="1/05 Strides and offset",
    )


@remembered
def checked_strides(size: Ints, stride: Ints) -> Ints:
    """Return the strides of a new header of this size: those given, which must be as many as the dimensions.

    As in PyTorch, a negative stride means that the dimension is packed around the next one without a gap. Raises
    RuntimeError for a negative length, and for more elements or longer strides than 64 bits can count.
    """
    checked_numel(size)
    steps = list(stride)
    for dim in range(len(size) - 1, -1, -1):
        if steps[dim] < 0:
            steps[dim] = max(size[dim + 1], 1) * steps[dim + 1] if dim + 1 < len(size) else 1
        if steps[dim] > INT64_MAX:
            raise _stride_overflow(size)
    return tuple(steps)


class _StridesBySize(dict[Ints, Ints]):
    def __missing__(self, size: Ints) -> Ints:
        if len(self) >= 4096:
            self.clear()
        strides = self[size] = contiguous_strides(size)
        return strides


#: `contiguous_strides` as a table, for those in a hurry: half the time of the call.
CONTIGUOUS_STRIDES = _StridesBySize()


def channels_last_strides(size: Ints) -> Ints:
    """Return the strides of a 4-dim tensor (N, C, H, W) whose channels are packed closest."""
    return packed_strides(size, order=(1, 3, 2, 0))


def channels_last_3d_strides(size: Ints) -> Ints:
    """Return the strides of a 5-dim tensor (N, C, D, H, W) whose channels are packed closest."""
    return packed_strides(size, order=(1, 4, 3, 2, 0))


def packed_strides(size: Ints, order: Sequence[int]) -> Ints:
    """Return the strides without gaps for dimensions in the given order, the closest-packed first."""
    strides = [0] * len(size)
    step = 1
    for dim in order:
        strides[dim] = step
        step *= size[dim]
    return tuple(strides)


@remembered
def is_contiguous(size: Ints, stride: Ints) -> bool:
    """Say whether the elements lie in row-major order without gaps. A tensor without elements always does."""
    return 0 in size or _is_packed(size, stride, order=range(len(size) - 1, -1, -1))


def is_channels_last(size: Ints, stride: Ints) -> bool:
    """Say whether a tensor is 4-dim (N, C, H, W) and laid out in channels-last order without gaps."""
    return len(size) == 4 and _is_packed(size, stride, order=(1, 3, 2, 0))


def suggests_channels_last(size: Ints, stride: Ints) -> bool:
    """Say whether the strides of a tensor of 4 or 5 dimensions are in channels-last order, with or without gaps."""
    if len(size) not in (4, 5) or not stride[1]:
        return False
    least = 0
    for dim in (1, *range(len(size) - 1, 1, -1), 0):
        if not size[dim] or stride[dim] < least or (dim == 0 and least == stride[1]):
            return False
        least = stride[dim] * size[dim]
    return True


def is_channels_last_3d(size: Ints, stride: Ints) -> bool:
    """Say whether a tensor is 5-dim (N, C, D, H, W) and laid out in channels-last order without gaps."""
    return len(size) == 5 and _is_packed(size, stride, order=(1, 4, 3, 2, 0))


@remembered
def is_non_overlapping_and_dense(size: Ints, stride: Ints) -> bool:
    """Say whether the elements fill one run of cells, each cell once, in whatever order of the dimensions."""
    if 0 in size:
        return True
    by_stride = sorted((dim for dim in range(len(size)) if size[dim] > 1), key=stride.__getitem__)
    return _is_packed(size, stride, by_stride)


def _is_packed(size: Ints, stride: Ints, order: Sequence[int]) -> bool:
    """Say whether each dimension of `order` begins where the one before it ends. Dimensions of size 1 are skipped."""
    expected = 1
    for dim in order:
        length = size[dim]
        if length != 1:
            if stride[dim] != expected:
                return False
            expected *= length
    return True


def sort_dims(ndim: int, precedes: Callable[[int, int], int]) -> list[int]:
    """Return the dimensions ordered from the closest-packed, as PyTorch orders them.

    It is an insertion sort that starts from the row-major order (the last dimension first) and moves each dimension as
    far inward as it can. `precedes(inner, outer)` is negative when the two are in order, positive when they must be
    swapped, and 0 when they cannot be compared; then the next dimension is tried. Because of that 0 the order is not
    total, so an ordinary sort would not do.
    """
    order = list(range(ndim - 1, -1, -1))
    for start in range(1, ndim):
        place = start
        for candidate in range(start - 1, -1, -1):
            verdict = precedes(order[candidate], order[place])
            if verdict > 0:
                order[candidate], order[place] = order[place], order[candidate]
                place = candidate
            elif verdict < 0:
                break
    return order


@remembered
def preserved_strides(size: Ints, stride: Ints) -> Ints:
    """Return the strides that `clone`, `empty_like` and similar functions give under `torch.preserve_format`.

    They are the very same strides where those fill their cells without gap or overlap, else the strides of a
    dense tensor whose dimensions keep their order in memory.
    """
    if is_non_overlapping_and_dense(size, stride):
        return stride
    return packed_strides(size, _innermost_first(size, stride))


def dim_order(size: Ints, stride: Ints) -> Ints:
    """Return the dimensions from the outermost in memory to the innermost."""
    if is_contiguous(size, stride) and not is_channels_last(size, stride):
        return tuple(range(len(size)))
    return tuple(reversed(_innermost_first(size, stride)))


def _innermost_first(size: Ints, stride: Ints) -> list[int]:
    """Return the dimensions in the order of their strides."""

    def precedes(inner: int, outer: int) -> int:
        a, b = stride[inner], stride[outer]
        if a == 0 or b == 0:  # the stride of an expanded dimension says nothing about the order
            return 0
        if a != b:
            return 1 if a > b else -1
        return 1 if size[inner] > size[outer] else 0

    return sort_dims(len(size), precedes)


@remembered
def storage_nbytes(size: Ints, stride: Ints, offset: int, itemsize: int) -> int:
    """Return how many bytes a storage must have for a tensor with this header; 0 if it has no elements.

    Raises RuntimeError when 64 bits cannot hold the answer, or a length or stride is negative.
    """
    last = 0
    overflowed = False
    for length, step in zip(size, stride, strict=True):
        if length == 0:
            return 0
        reach = (length - 1) * step
        overflowed = overflowed or reach < 0
        last += reach
    nbytes = (offset + last + 1) * itemsize
    if overflowed or nbytes > INT64_MAX:
        raise explained(
            RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}"),
            "A length or stride is negative, or the last element lies further than 64 bits can count.",
            notebook="1/05 Strides and offset",
        )
    return nbytes


@remembered
def reach(size: Ints, stride: Ints, offset: int, itemsize: int) -> tuple[int, bool]:
    """Return `storage_nbytes` and `is_contiguous` of a header: both are needed before its elements are read."""
    return storage_nbytes(size, stride, offset, itemsize), is_contiguous(size, stride)


def check_lengths(size: Ints) -> None:
    """Raise RuntimeError for a negative length."""
    for length in size:
        if length < 0:
            raise explained(
                RuntimeError(f"Trying to create tensor with negative dimension {length}: {list(size)}"),
                "Every length of a size is 0 or more. Only view, reshape and expand understand -1.",
                notebook="1/01 Header and storage",
            )


def contiguous_nbytes(size: Ints, itemsize: int) -> int:
    """Return how many bytes a new contiguous tensor of this size takes.

    Raises RuntimeError for a negative length, or when 64 bits cannot hold the answer.
    """
    check_lengths(size)
    nbytes = itemsize * prod(size)
    if nbytes > INT64_MAX:
        raise explained(
            RuntimeError(f"Storage size calculation overflowed with sizes={list(size)}"),
            f"The tensor would take {nbytes:.1e} bytes: more than 64 bits can count.",
            notebook="1/10 A memory budget",
        )
    return nbytes
