"""Views that pick cells: one index, a range, a diagonal, sliding windows, or any strides at all.

Starting later adds to the offset; skipping elements multiplies the stride. Every function takes a header and returns
the header of the view, which shares the storage.
"""

from __future__ import annotations

from tensorglass.core.errors import explained
from tensorglass.geometry.dims import Header, Ints, as_int, wrap_dim
from tensorglass.geometry.strides import checked_strides, storage_nbytes

_BASIC = "1/03 Basic indexing"
_STRIDES = "1/05 Strides and offset"


def select(size: Ints, stride: Ints, offset: int, dim: int, index: int) -> Header:
    """Return the header of `tensor.select(dim, index)`: that dimension is fixed at `index` and removed."""
    if not size:
        raise explained(
            IndexError("select() cannot be applied to a 0-dim tensor."),
            "A 0-dim tensor is a single number already: take it out with item().",
            notebook=_BASIC,
        )
    dim = wrap_dim(dim, len(size))
    length, index = size[dim], as_int(index)
    if not -length <= index < length:
        raise explained(
            IndexError(f"select(): index {index} out of range for tensor of size {list(size)} at dimension {dim}"),
            _allowed_indices(length),
            notebook=_BASIC,
        )
    return _fix(size, stride, offset, dim, index)


def index_integer(size: Ints, stride: Ints, offset: int, dim: int, index: int, named_dim: int) -> Header:
    """Return the header of `tensor[…, index, …]` at dimension `dim` (0 or more).

    `named_dim` is that dimension's number in the tensor that the user indexed: the message names it.
    """
    length = size[dim]
    if not -length <= index < length:
        raise explained(
            IndexError(f"index {index} is out of bounds for dimension {named_dim} with size {length}"),
            _allowed_indices(length),
            notebook=_BASIC,
        )
    return _fix(size, stride, offset, dim, index)


def _fix(size: Ints, stride: Ints, offset: int, dim: int, index: int) -> Header:
    if index < 0:
        index += size[dim]
    return size[:dim] + size[dim + 1 :], stride[:dim] + stride[dim + 1 :], offset + index * stride[dim]


def _allowed_indices(length: int) -> str:
    if length == 0:
        return "That dimension is empty: it has no index at all."
    return f"Indices there go from 0 to {length - 1}, or from the end, -1 to {-length}."


def slice_(
    size: Ints,
    stride: Ints,
    offset: int,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Header:
    """Return the header of the elements `start` (included) to `end` (excluded) along `dim`, every `step`-th.

    Negative positions count from the end and those outside are moved to the border, as Python does.
    """
    if not size:
        raise _no_slice_of_scalar()
    dim = wrap_dim(dim, len(size))
    if step <= 0:
        raise explained(RuntimeError("slice step must be positive"), _WHY_NO_NEGATIVE_STEP, notebook=_BASIC)
    return index_slice(size, stride, offset, dim, slice(start, end, step))


def index_slice(size: Ints, stride: Ints, offset: int, dim: int, chosen: slice) -> Header:
    """Return the header of `tensor[…, start:end:step, …]` at dimension `dim` (0 or more).

    Raises what `[]` raises: ValueError for a step of 0 or less, TypeError for a bound that is no integer.
    """
    start, end, step = chosen.indices(size[dim] if size else 0)
    if step < 0:
        raise explained(
            ValueError("step must be greater than zero"),
            _WHY_NO_NEGATIVE_STEP,
            f"To reverse dimension {dim}, write tensor.flip({dim}): it copies.",
            notebook=_BASIC,
        )
    if not size:
        raise _no_slice_of_scalar()
    length = (end - start + step - 1) // step if end > start else 0
    if length == size[dim] and step == 1:
        return size, stride, offset
    return (
        (*size[:dim], length, *size[dim + 1 :]),
        (*stride[:dim], stride[dim] * step, *stride[dim + 1 :]),
        offset + start * stride[dim],
    )


_WHY_NO_NEGATIVE_STEP = "A PyTorch stride is never negative: no view can walk the storage backwards."


def _no_slice_of_scalar() -> IndexError:
    return explained(
        IndexError("slice() cannot be applied to a 0-dim tensor."),
        "A 0-dim tensor has no dimension to take a slice of. tensor[None] gives it one.",
        notebook=_BASIC,
    )


def narrow(size: Ints, stride: Ints, offset: int, dim: int, start: int, length: int) -> Header:
    """Return the header of the `length` elements from `start` on along `dim`. Positions outside raise an error."""
    if not size:
        raise explained(
            RuntimeError("narrow() cannot be applied to a 0-dim tensor."),
            "A 0-dim tensor has no dimension to narrow.",
            notebook=_BASIC,
        )
    start, length = as_int(start), as_int(length)
    if length < 0:
        raise explained(
            RuntimeError("narrow(): length must be non-negative."),
            f"narrow takes a start and a length, not an end: the length given is {length}.",
            notebook=_BASIC,
        )
    dim = wrap_dim(dim, len(size))
    available = size[dim]
    if not -available <= start <= available:
        raise explained(
            IndexError(f"start out of range (expected to be in range of [{-available}, {available}], but got {start})"),
            f"Dimension {dim} has size {available}.",
            notebook=_BASIC,
        )
    if start < 0:
        start += available
    if start + length > available:
        raise explained(
            RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({available})."),
            "narrow takes a start and a length, not an end; unlike a slice, it does not stop at the border.",
            notebook=_BASIC,
        )
    return slice_(size, stride, offset, dim, start, start + length)


def diagonal(size: Ints, stride: Ints, offset: int, diagonal_offset: int = 0, dim1: int = 0, dim2: int = 1) -> Header:
    """Return the header of the diagonals of the planes (`dim1`, `dim2`), as a new last dimension.

    `diagonal_offset` above 0 takes a diagonal above the main one, below 0 one below it.
    """
    first, second = wrap_dim(dim1, len(size)), wrap_dim(dim2, len(size))
    if first == second:
        raise explained(
            RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}"),
            "A diagonal steps along two different dimensions.",
            notebook=_STRIDES,
        )
    rows, columns, diagonal_offset = size[first], size[second], as_int(diagonal_offset)
    if diagonal_offset >= 0:
        length = max(min(rows, columns - diagonal_offset), 0)
        begin = diagonal_offset * stride[second]
    else:
        length = max(min(rows + diagonal_offset, columns), 0)
        begin = -diagonal_offset * stride[first]
    kept = [dim for dim in range(len(size)) if dim not in (first, second)]
    return (
        (*[size[dim] for dim in kept], length),
        (*[stride[dim] for dim in kept], stride[first] + stride[second]),
        offset + begin if length else offset,
    )


def unfold(size: Ints, stride: Ints, offset: int, dim: int, window: int, step: int) -> Header:
    """Return the header of all windows of `window` elements, `step` apart, as a new last dimension."""
    place, window, step = wrap_dim(dim, len(size)), as_int(window), as_int(step)
    available = size[place] if size else 1
    if window < 0:
        raise RuntimeError(f"size is {window} but must be >= 0")
    if window > available:
        raise explained(
            RuntimeError(f"maximum size for tensor at dimension {place} is {available} but size is {window}"),
            f"Not a single window of {window} elements fits into {available}.",
            notebook=_STRIDES,
        )
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not size:
        return (window,), (1,), offset
    windows = (available - window) // step + 1
    lengths = (*size[:place], windows, *size[place + 1 :], window)
    return (
        lengths,
        checked_strides(lengths, (*stride[:place], stride[place] * step, *stride[place + 1 :], stride[place])),
        offset,
    )


def as_strided(size: Ints, stride: Ints, offset: int, itemsize: int, nbytes: int) -> Header:
    """Return the header given, if a storage of `nbytes` bytes holds every element that it reaches.

    Raises RuntimeError for lengths and strides that differ in number, for negative ones, and when an element
    would lie outside the storage.
    """
    offset = as_int(offset)
    if len(size) != len(stride):
        raise explained(
            RuntimeError("mismatch in length of strides and shape"),
            f"Every dimension has one length and one stride: here are {len(size)} and {len(stride)}.",
            notebook=_STRIDES,
        )
    if stride and min(stride) < 0:
        raise explained(
            RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}"),
            "To walk backwards, copy with flip.",
            notebook=_STRIDES,
        )
    check_within_storage(size, stride, offset, itemsize, nbytes)
    return size, stride, offset


def check_within_storage(size: Ints, stride: Ints, offset: int, itemsize: int, nbytes: int) -> None:
    """Raise RuntimeError unless a storage of `nbytes` bytes holds every element that the header reaches."""
    if offset < 0:
        raise explained(
            RuntimeError(f"Tensor: invalid storage offset {offset}"),
            "The offset counts cells from the beginning of the storage: 0 is the first.",
            notebook=_STRIDES,
        )
    needed = storage_nbytes(size, stride, offset, itemsize)
    if needed > nbytes:
        last = needed // itemsize - 1
        raise explained(
            RuntimeError(
                f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and "
                f"itemsize {itemsize} requiring a storage size of {needed} are out of bounds for storage of "
                f"size {nbytes}"
            ),
            f"The last element would be cell {last} = {_path_to_last(size, stride, offset)}; the storage "
            f"has {nbytes // itemsize} cells, the last of them cell {nbytes // itemsize - 1}."
            if nbytes >= itemsize
            else f"The first element would be cell {offset}; the storage has no cells.",
            notebook=_STRIDES,
        )
    checked_strides(size, stride)  # with stride 0, any length takes no extra storage


def _path_to_last(size: Ints, stride: Ints, offset: int) -> str:
    steps = [f"{length - 1}*{step}" for length, step in zip(size, stride, strict=True)]
    return " + ".join([str(offset), *steps])
