"""Broadcasting: tensors of different sizes are combined without a copy.

Sizes are lined up at their last dimension, and a dimension of size 1 is stretched by giving it stride 0, so that every
step along it lands on the same cell.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorglass.core.errors import explained
from tensorglass.geometry.dims import Header, Ints, checked_numel, count, remembered

_NOTEBOOK = "1/05 Strides and offset"
_MEETING = "2/07 Broadcasting"


def broadcast_shapes(*sizes: Ints) -> Ints:
    """Return the broadcast size of an operator's operands.

    Raises RuntimeError, worded as PyTorch's operators do, when two of them cannot be broadcast.
    """
    common = sizes[0] if sizes else ()
    for size in sizes:
        if size != common:
            common = _meet(common, size)
    return common


@remembered
def _meet(a: Ints, b: Ints) -> Ints:
    common = list(a if len(a) >= len(b) else b)
    for back in range(-1, -min(len(a), len(b)) - 1, -1):
        if a[back] == b[back] or b[back] == 1:
            common[back] = a[back]
        elif a[back] == 1:
            common[back] = b[back]
        else:
            raise explained(
                RuntimeError(
                    f"The size of tensor a ({a[back]}) must match the size of tensor b ({b[back]}) at "
                    f"non-singleton dimension {back + len(common)}"
                ),
                *_why_sizes_do_not_meet(a, b, back),
                notebook=_MEETING,
            )
    return tuple(common)


def _why_sizes_do_not_meet(a: Ints, b: Ints, back: int) -> list[str]:
    notes = [
        f"Sizes are lined up at their last dimension: {list(a)} and {list(b)} meet {a[back]} and {b[back]} "
        f"at dimension {back}. Two lengths fit if they are equal or if one of them is 1."
    ]
    if len(a) == 1 and len(b) > 1 and a[0] == b[0]:
        more = ", None" * (len(b) - 1)
        notes.append(f"To line a up with the first dimension of b instead, write a[:{more}].")
    elif len(b) == 1 and len(a) > 1 and a[0] == b[0]:
        more = ", None" * (len(a) - 1)
        notes.append(f"To line b up with the first dimension of a instead, write b[:{more}].")
    elif len(a) == len(b) == 2 and a == b[::-1]:
        notes.append("One is the transpose of the other: did you mean a.t()?")
    return notes


def public_broadcast_shapes(*shapes: Ints | Sequence[int] | int) -> Ints:
    """Return what `torch.broadcast_shapes` returns: an int stands for a size of one dimension.

    Raises RuntimeError in that function's own words, and ValueError for a negative length.
    """
    for shape in shapes:
        if not isinstance(shape, int | tuple | list):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}")
    sizes = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    common = [1] * max(map(len, sizes), default=0)
    for index, size in enumerate(sizes):
        for back in range(-1, -len(size) - 1, -1):
            length = size[back]
            if common[back] == 1 != length:
                if length < 0:
                    raise ValueError("Attempting to broadcast a dimension with negative length!")
                common[back] = length
            elif length not in (1, common[back]):
                given = size if isinstance(shapes[index], int) else shapes[index]
                raise explained(
                    RuntimeError(
                        f"Attempting to broadcast a dimension of length {length} at {back}! Mismatching "
                        f"argument at index {index} had {given}; but expected shape should be broadcastable "
                        f"to {common}"
                    ),
                    "Two lengths fit if they are equal or if one of them is 1.",
                    notebook=_MEETING,
                )
    return tuple(common)


@remembered
def broadcast_strides(size: Ints, stride: Ints, to_size: Ints) -> Ints:
    """Return the strides that make a tensor read as one of size `to_size`: 0 in every stretched dimension.

    `size` must be broadcastable to `to_size`; that is not checked.
    """
    if size == to_size:
        return stride
    lead = len(to_size) - len(size)
    own = tuple(
        0 if length == 1 != wanted else step for length, step, wanted in zip(size, stride, to_size[lead:], strict=True)
    )
    return (0,) * lead + own if lead else own


def expand(size: Ints, stride: Ints, offset: int, new_size: Ints, type_name: str = "torch.FloatTensor") -> Header:
    """Return the header of `tensor.expand(new_size)`: dimensions of size 1 stretched, new ones put in front.

    In `new_size`, -1 keeps the length that is there. `type_name` is the tensor's `type()`, for the one
    message that names it. Raises RuntimeError when a length that is not 1 would have to change.
    """
    lead = len(new_size) - len(size)
    if lead < 0:
        raise explained(
            RuntimeError(
                f"expand({type_name}{{{list(size)}}}, size={list(new_size)}): the number of sizes provided "
                f"({len(new_size)}) must be greater or equal to the number of dimensions in the tensor "
                f"({len(size)})"
            ),
            "expand adds dimensions in front and stretches those of size 1; it never takes a dimension away.",
            notebook=_NOTEBOOK,
        )
    if not size:  # PyTorch does not look for -1 here
        checked_numel(new_size)
        return new_size, (0,) * len(new_size), offset
    result_size = [0] * len(new_size)
    result_stride = [0] * len(new_size)
    for dim in range(len(new_size) - 1, -1, -1):
        wanted = new_size[dim]
        if dim >= lead:
            length, step = size[dim - lead], stride[dim - lead]
            if wanted == -1:
                wanted = length
        else:
            length, step = 1, result_size[dim + 1] * result_stride[dim + 1]
            if wanted == -1:
                raise _nothing_to_keep(size, new_size, dim)
        if wanted != length:
            if length != 1:
                raise _cannot_be_stretched(size, new_size, dim, length)
            step = 0
        result_size[dim] = wanted
        result_stride[dim] = step
    expanded = tuple(result_size)
    checked_numel(expanded)
    return expanded, tuple(result_stride), offset


def _nothing_to_keep(size: Ints, new_size: Ints, dim: int) -> RuntimeError:
    return explained(
        RuntimeError(f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {dim}"),
        f"-1 keeps the length that is there, and the tensor of size {list(size)} has no dimension to line up with "
        f"dimension {dim} of {list(new_size)}: say how long the new dimension is to be.",
        notebook=_NOTEBOOK,
    )


def _cannot_be_stretched(size: Ints, new_size: Ints, dim: int, length: int) -> RuntimeError:
    return explained(
        RuntimeError(
            f"The expanded size of the tensor ({new_size[dim]}) must match the existing size ({length}) at "
            f"non-singleton dimension {dim}.  Target sizes: {list(new_size)}.  Tensor sizes: {list(size)}"
        ),
        "expand repeats by stride 0, which works for a dimension of size 1 alone: it cannot make "
        f"{count(new_size[dim], 'element')} of {length}. To copy the elements several times, write repeat.",
        notebook=_NOTEBOOK,
    )


@remembered
def summed_dims(size: Ints, wanted: Ints) -> Ints | None:
    """Return the dimensions of `size` that a tensor of size `wanted` is expanded along to reach it.

    None if it cannot be expanded. Backward sums over these dimensions.
    """
    lead = len(size) - len(wanted)
    if lead < 0 or any(length not in (1, own) for own, length in zip(size[lead:], wanted, strict=True)):
        return None
    return (*range(lead), *(lead + dim for dim, length in enumerate(wanted) if length == 1 != size[lead + dim]))
