"""view: the same cells read with another size.

Neighbouring dimensions form one run when a step of the outer one lands exactly where the inner one ends (`stride[outer]
== size[inner] * stride[inner]`). A view may cut a run anywhere and may join dimensions within a run. But no dimension
of the result may cross the border between two runs: that takes a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tensorglass.core.errors import explained
from tensorglass.geometry.dims import Header, Ints, remembered, wrap_dim
from tensorglass.geometry.strides import contiguous_strides

_NOTEBOOK = "1/07 View or reshape"


def infer_size(shape: Sequence[int], elements: int) -> Ints:
    """Return `shape` with a -1 replaced by the length that makes it hold `elements` elements.

    Raises RuntimeError when no length does, or when `shape` holds another number of elements.
    """
    known = 1
    unknown = None
    for index, length in enumerate(shape):
        if length >= 0:
            known *= length
        elif length != -1:
            raise explained(
                RuntimeError(f"invalid shape dimension {length} at index {index} of shape {list(shape)}"),
                "A length is 0 or more; -1 alone has a meaning: work it out for me.",
                notebook=_NOTEBOOK,
            )
        elif unknown is not None:
            raise explained(
                RuntimeError("only one dimension can be inferred"),
                f"{list(shape)} has -1 more than once: the lengths could be shared out in several ways.",
                notebook=_NOTEBOOK,
            )
        else:
            unknown = index
    if unknown is None:
        if known == elements:
            return tuple(shape)
    elif known and elements % known == 0:
        return (*shape[:unknown], elements // known, *shape[unknown + 1 :])
    elif known == elements:
        raise explained(
            RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
                "dimension size -1 can be any value and is ambiguous"
            ),
            "Whatever stands for -1, there are 0 elements: write the length yourself.",
            notebook=_NOTEBOOK,
        )
    raise explained(
        RuntimeError(f"shape '{list(shape)}' is invalid for input of size {elements}"),
        f"The tensor has {elements} elements, and {list(shape)} holds {known}."
        if unknown is None
        else f"{elements} elements cannot be shared out evenly over {known}: there is no length for -1.",
        notebook=_NOTEBOOK,
    )


@remembered
def view_strides(size: Ints, stride: Ints, new_size: Ints) -> Ints | None:
    """Return the strides that read a tensor's cells as `new_size`; None if that takes a copy.

    Both sizes must hold the same number of elements.
    """
    fit = _fit_runs(size, stride, new_size)
    return None if isinstance(fit, int) else fit


def _fit_runs(size: Ints, stride: Ints, new_size: Ints) -> Ints | int:
    """Return the strides of the view, or the outermost dimension of the run whose border it would cross."""
    if 0 in size:
        return stride if size == new_size else contiguous_strides(new_size)
    new_stride = [1] * len(new_size)
    new_dim = len(new_size) - 1
    run_elements = 1
    run_step = stride[-1] if stride else 1
    for dim in range(len(size) - 1, -1, -1):
        run_elements *= size[dim]
        if dim > 0 and (size[dim - 1] == 1 or stride[dim - 1] == run_elements * run_step):
            continue  # the next dimension out belongs to the same run
        placed = 1
        while new_dim >= 0 and (placed < run_elements or new_size[new_dim] == 1):
            new_stride[new_dim] = placed * run_step
            placed *= new_size[new_dim]
            new_dim -= 1
        if placed != run_elements:
            return dim
        run_elements = 1
        run_step = stride[dim - 1]
    return tuple(new_stride)


@remembered
def reshape(size: Ints, stride: Ints, shape: Ints) -> tuple[Ints, Ints | None]:
    """Return the size and strides of `tensor.reshape(shape)`, where one length may be -1; no strides if it copies.

    Raises RuntimeError when the number of elements differs.
    """
    new_size = infer_size(shape, prod(size))
    return new_size, view_strides(size, stride, new_size)


def view(size: Ints, stride: Ints, offset: int, shape: Sequence[int]) -> Header:
    """Return the header of `tensor.view(shape)`; one length may be -1.

    Raises RuntimeError when the number of elements differs, or when the cells cannot be read so without a
    copy.
    """
    new_size, new_stride = reshape(size, stride, tuple(shape))
    if new_stride is None:
        raise no_such_view(size, stride, new_size)
    return new_size, new_stride, offset


def no_such_view(size: Ints, stride: Ints, new_size: Ints) -> RuntimeError:
    """Return the error of a view that takes a copy."""
    reaches = _fit_runs(size, stride, new_size)
    assert isinstance(reaches, int)
    return explained(
        RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension "
            "spans across two contiguous subspaces). Use .reshape(...) instead."
        ),
        _why_dims_cannot_merge(size, stride, new_size, outer=reaches - 1),
        "tensor.reshape(...) makes the copy that this takes; tensor.contiguous().view(...) makes it visibly.",
        notebook=_NOTEBOOK,
    )


def _why_dims_cannot_merge(size: Ints, stride: Ints, new_size: Ints, outer: int) -> str:
    inner = outer + 1
    while size[inner] == 1 and inner + 1 < len(size):
        inner += 1
    spanned = size[inner] * stride[inner]
    return (
        f"To read size {list(size)}, stride {list(stride)} as {list(new_size)}, dimensions {outer} and "
        f"{inner} would have to merge. They cannot: dimension {inner} spans {spanned} cell{'s' * (spanned != 1)}, "
        f"but one step along dimension {outer} moves by {stride[outer]}."
    )


def flatten_size(size: Ints, start_dim: int = 0, end_dim: int = -1) -> Ints:
    """Return the size after `tensor.flatten(start_dim, end_dim)`: those dimensions become one.

    It is `size` itself, the same object, when only one dimension is named: then `flatten` returns its input unchanged.
    """
    start, end = wrap_dim(start_dim, len(size)), wrap_dim(end_dim, len(size))
    if start > end:
        raise explained(
            RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim"),
            f"Counted from the front, start_dim is {start} and end_dim is {end}.",
            notebook=_NOTEBOOK,
        )
    if not size:
        return (1,)
    if start == end:
        return size
    return (*size[:start], prod(size[start : end + 1]), *size[end + 1 :])


def flat_view(size: Ints, stride: Ints, offset: int, start_dim: int = 0, end_dim: int = -1) -> Header | None:
    """Return the header of `tensor.flatten(start_dim, end_dim)` where that is a view, and not the tensor itself."""
    flat = flatten_size(size, start_dim, end_dim)
    return None if flat is size else view(size, stride, offset, flat)


def unflatten(size: Ints, stride: Ints, offset: int, dim: int, sizes: Sequence[int]) -> Header:
    """Return the header with dimension `dim` cut into `sizes`, of which one may be -1. Never takes a copy."""
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    place = wrap_dim(dim, len(size))
    try:
        length = size[wrap_dim(dim, len(size), wrap_scalar=False)]
        parts = infer_size(sizes, length)
    except (RuntimeError, IndexError) as error:
        if "is invalid for input of size" in str(error):
            raise explained(
                RuntimeError(
                    f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {place} "
                    f"({length}) in the input tensor"
                ),
                notebook=_NOTEBOOK,
            ) from None
        raise explained(RuntimeError(f"unflatten got an unexpected error:\n{error}"), notebook=_NOTEBOOK) from None
    return view(size, stride, offset, (*size[:place], *parts, *size[place + 1 :]))
