"""The same bytes read as elements of another size.

Sizes, strides and offsets count elements, not bytes. When the element grows to k times its size, the header's numbers
shrink by k (and must divide by k); when it shrinks, they grow.
"""

from __future__ import annotations

from tensorglass.core.errors import explained
from tensorglass.geometry.dims import Header, Ints

_NOTEBOOK = "1/09 The storage object"


def view_dtype(
    size: Ints,
    stride: Ints,
    offset: int,
    old_itemsize: int,
    new_itemsize: int,
    old_name: str,
    new_name: str,
) -> Header:
    """Return the header of `tensor.view(dtype)`. Names are PyTorch's for the two types: `Float`, `Long`,
    `Byte`, ….

    Raises RuntimeError when the bytes of one new element would not lie together.
    """
    if old_itemsize == new_itemsize:
        return size, stride, offset

    def refuse(what: str, rule: str, got: str, note: str) -> RuntimeError:
        return explained(
            RuntimeError(f"self.{what} {rule} to view {old_name} as {new_name} (different element sizes){got}"),
            note,
            notebook=_NOTEBOOK,
        )

    if not size:
        raise refuse("dim()", "cannot be 0", "", "A single number has no last dimension to grow or shrink.")

    def check_last_stride() -> None:
        if stride[-1] != 1:
            raise refuse(
                "stride(-1)",
                "must be 1",
                f", but got {stride[-1]}",
                "Neighbours along the last dimension must be neighbours in the storage: call contiguous() first.",
            )

    if new_itemsize < old_itemsize:
        ratio = old_itemsize // new_itemsize
        check_last_stride()
        return (
            (*size[:-1], size[-1] * ratio),
            (*[step * ratio for step in stride[:-1]], 1),
            offset * ratio,
        )

    ratio = new_itemsize // old_itemsize

    def check_divisible(what: str, number: int) -> None:
        if number % ratio:
            raise refuse(
                what,
                f"must be divisible by {ratio}",
                f", but got {number}",
                f"One {new_name} takes the bytes of {ratio} elements.",
            )

    check_divisible("size(-1)", size[-1])
    check_divisible("storage_offset()", offset)
    check_last_stride()
    for dim, step in enumerate(stride[:-1]):
        check_divisible(f"stride({dim})", step)
    return (
        (*size[:-1], size[-1] // ratio),
        (*[step // ratio for step in stride[:-1]], 1),
        offset // ratio,
    )


def view_as_real(size: Ints, stride: Ints, offset: int) -> Header:
    """Return the header of a complex tensor read as pairs (real, imaginary) along a new last dimension."""
    return (*size, 2), (*[2 * step for step in stride], 1), 2 * offset


def view_as_complex(size: Ints, stride: Ints, offset: int) -> Header:
    """Return the header of pairs (real, imaginary) along the last dimension, read as complex numbers."""
    if not size:
        raise _not_pairs("Input tensor must have one or more dimensions")
    if size[-1] != 2:
        raise _not_pairs("Tensor must have a last dimension of size 2")
    if stride[-1] != 1:
        raise _not_pairs("Tensor must have a last dimension with stride 1")
    if any(step % 2 and length != 1 for length, step in zip(size[:-1], stride[:-1], strict=True)):
        raise _not_pairs("Tensor must have a stride divisible by 2 for all but last dimension")
    if offset % 2:
        raise _not_pairs("Tensor must have a storage_offset divisible by 2")
    return size[:-1], tuple([step // 2 for step in stride[:-1]]), offset // 2


def _not_pairs(message: str) -> RuntimeError:
    return explained(
        RuntimeError(message),
        "A complex number is two real numbers side by side in the storage, the first in an even cell.",
        notebook=_NOTEBOOK,
    )


def real(size: Ints, stride: Ints, offset: int) -> Header:
    """Return the header of the real parts of a complex tensor, counted in real elements."""
    return size, tuple([2 * step for step in stride]), 2 * offset


def imag(size: Ints, stride: Ints, offset: int) -> Header:
    """Return the header of the imaginary parts of a complex tensor, counted in real elements."""
    return size, tuple([2 * step for step in stride]), 2 * offset + 1
