"""Elements copied to other places in a new storage: repeat, repeat_interleave, flip, roll, rot90, tril, triu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass import geometry, memory
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.memory_format import contiguous_format, preserve_format
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_int, ints, not_implemented
from tensorglass.ops.copies.copy import clone, copy_
from tensorglass.ops.declare.reduction import axes_of
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import refuse_overlapping_write, resize_output
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.kernels import triangle
from tensorglass.ops.kernels.triangle import run_numbers
from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.ops.views.shape import narrow
from tensorglass.tensor.construct import empty_on, from_array, make
from tensorglass.tensor.tensor import Tensor, array_of, header_of, raw_array

Kernel = Any


def _rearranged(kernel: Kernel, input: Tensor, *parameters: Any) -> Tensor:
    """A kernel's rearranged copy as a new contiguous tensor."""
    array = input._storage.backend.launch(_run_rearranging, kernel, array_of(input), parameters)
    result = from_array(array, input._dtype, input._storage)
    memory.copied(array.nbytes)
    return result


def _run_rearranging(xp: Any, kernel: Kernel, array: Array, parameters: tuple[Any, ...]) -> Array:
    moved = kernel(xp, array, *parameters)
    fresh = xp.ascontiguousarray(moved).reshape(moved.shape)
    return fresh.copy() if xp.shares_memory(fresh, array) else fresh


@operator("rearranging", function=False)
@derivative(input=lambda grad, input_size, repeats: _repeat_gradient(grad, input_size, repeats))
def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """The elements repeated along each dimension, each copy with cells of its own; further dimensions go in front."""
    times = ints("repeat", repeats, "(tuple of ints repeats)")
    if len(times) < len(input._size):
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    size = [length * number for length, number in zip(_padded(input._size, len(times)), times, strict=True)]
    if any(length < 0 for length in size):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {size}")
    if 0 in size:
        return empty_on(input.device, tuple(size), geometry.contiguous_strides(tuple(size)), input._dtype)
    return _rearranged(_tile, input, times)


def _padded(size: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    return (1,) * (ndim - len(size)) + size


@operator("rearranging")
def tile(input: Tensor, *dims: Any) -> Tensor:
    """`repeat`, with 1 for the dimensions that are not named."""
    times = ints("tile", dims, "(tuple of ints dims)")
    return repeat(input, _padded(times, len(input._size)))


def _repeat_gradient(grad: Tensor, size: tuple[int, ...], repeats: Any) -> Tensor:
    """The copies' gradients added up: each repeated dimension is cut into (copy, position), and the copies summed."""
    times = ints("repeat", repeats, "(tuple of ints repeats)")
    if 0 in times:
        return grad.new_zeros(size)
    for _ in range(len(times) - len(size)):
        grad = grad.sum(0)
    apart: list[int] = []
    copies: list[int] = []
    for length, count in zip(size, times[len(times) - len(size) :], strict=True):
        if count > 1:
            copies.append(len(apart))
            apart.append(count)
        apart.append(length)
    return grad.reshape(apart).sum(copies) if copies else grad


def _tile(xp: Any, array: Array, times: tuple[int, ...]) -> Array:
    return xp.tile(array, times)


@operator("rearranging")
@derivative(input=lambda grad, dims: grad.flip(*dims))
def flip(input: Tensor, *dims: Any) -> Tensor:
    """The elements in reverse order along `dims`. A copy: PyTorch's strides are never negative."""
    named = ints("flip", dims, "(Tensor input, tuple of ints dims)")
    # no dimension at all, whereas reductions would take all of them
    axes = axes_of(len(input._size), named) if named else ()
    strides = geometry.preserved_strides(input._size, input._stride)
    result = empty_on(input._storage.device, input._size, strides, input._dtype)
    input._storage.backend.launch(_flip_into, raw_array(result), array_of(input), axes)
    memory.copied(input.nbytes)
    return result


def _flip_into(xp: Any, target: Array, array: Array, axes: tuple[int, ...]) -> None:
    target[...] = xp.flip(array, axes)


@operator("rearranging", function=False, method=False, dunders=("__reversed__",))
def __reversed__(input: Tensor) -> Tensor:
    """The result of ``reversed(tensor)``: a copy with dimension 0 in reverse order."""
    return flip(input, (0,)) if input._size else input


@operator("rearranging")
def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order."""
    if len(input._size) < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, (1,))


@operator("rearranging")
def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order."""
    if not input._size:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, (0,))


@operator("rearranging")
@derivative(input=lambda grad, shifts, dims: _roll_back(grad, shifts, dims))
def roll(input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Tensor:
    """The elements moved by `shifts` along `dims`; those that would fall off the end move to the beginning."""
    moves = geometry.as_ints(shifts)
    axes = () if dims is None else geometry.as_ints(dims)
    if not moves:
        raise RuntimeError("`shifts` required")
    if len(axes) != len(moves) and (axes or len(moves) > 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(moves)}, dims:{len(axes)}")
    if not input.numel():
        return clone(input, memory_format=preserve_format if axes else contiguous_format)
    if not axes:
        return _rearranged(_roll, input, moves[0], None)
    places = [geometry.wrap_dim(axis, len(input._size), wrap_scalar=False) for axis in axes]
    if len(input._size) in (4, 5) and input._stride != geometry.contiguous_strides(input._size):
        for shift, axis in zip(moves, places, strict=True):  # concatenated from two parts, whose memory format is kept
            length = input._size[axis]
            start = -shift % length
            input = cat([narrow(input, axis, start, length - start), narrow(input, axis, 0, start)], axis)
        return input
    return _rearranged(_roll, input, moves, tuple(places))


@operator("rearranging")
@derivative(input=lambda grad, k, dims: grad.rot90(-k, dims))
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """The plane of two dimensions turned by `k` quarters, from the first of `dims` towards the second."""
    ndim, given = len(input._size), tuple(dims)
    if len(given) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(given)}")
    if ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    one, other = (geometry.wrap_dim(dim, ndim) for dim in given)
    if one == other:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {given[0]} and dim1 = {given[1]}")
    turns = check_int("rot90", "k", 2, k) % 4
    if turns == 0:
        return clone(input, memory_format=contiguous_format)
    if turns == 2:
        return flip(input, (one, other))
    turned = flip(input, (other if turns == 1 else one,))
    return make(turned._storage, *geometry.transpose(*header_of(turned), one, other), turned._dtype)  # not a view


def _roll_back(grad: Tensor, shifts: Any, dims: Any) -> Tensor:
    return grad.roll(-shifts if isinstance(shifts, int) else tuple([-shift for shift in shifts]), dims)


def _roll(xp: Any, array: Array, shifts: Any, axes: Any) -> Array:
    return xp.roll(array, shifts, axes)


def _tril_(input: Tensor, diagonal: int = 0) -> Tensor:
    return _zeroed(triangle.tril, "tril", input, diagonal)


@operator("rearranging", inplace=_tril_, out=True)
@derivative(input=lambda grad, diagonal: grad.tril(diagonal))
def tril(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The part of each matrix on and below a diagonal; zero elsewhere."""
    return _triangle(triangle.tril, "tril", input, diagonal, out)


def _triu_(input: Tensor, diagonal: int = 0) -> Tensor:
    return _zeroed(triangle.triu, "triu", input, diagonal)


@operator("rearranging", inplace=_triu_, out=True)
@derivative(input=lambda grad, diagonal: grad.triu(diagonal))
def triu(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The part of each matrix on and above a diagonal; zero elsewhere."""
    return _triangle(triangle.triu, "triu", input, diagonal, out)


def _triangle(kernel: Kernel, name: str, input: Tensor, diagonal: int, out: Tensor | None) -> Tensor:
    _check_matrices(name, input, diagonal)
    check_out_dtype(out, input._dtype)
    result = _rearranged(kernel, input, diagonal)
    if out is None:
        return result
    if out._size != result._size:
        resize_output(out, result._size)
    return copy_(out, result)


def _zeroed(kernel: Kernel, name: str, input: Tensor, diagonal: int) -> Tensor:
    """The triangle in place: the other elements become 0."""
    _check_matrices(name, input, diagonal)
    if len(input._size) > 3 and not _is_one_batch_again(input):
        refuse_overlapping_write(input)  # sic: with fewer dimensions PyTorch lets elements share cells
    input._storage.backend.launch(_zero_outside, kernel, raw_array(input), diagonal)
    input._written()
    return input


def _is_one_batch_again(input: Tensor) -> bool:
    """Whether a batch of contiguous matrices is expanded along the first dimension, which PyTorch allows."""
    size, stride = input._size, input._stride
    steps = geometry.contiguous_strides((*size[1:-2], size[-2] * size[-1]))
    return stride[0] == 0 and stride[1:-2] == steps[:-1]


def _zero_outside(xp: Any, kernel: Kernel, target: Array, diagonal: int) -> None:
    target[~kernel(xp, xp.ones(target.shape, dtype=bool), diagonal)] = 0


def _check_matrices(name: str, input: Tensor, diagonal: int) -> None:
    check_int(name, "diagonal", 2, diagonal)
    if len(input._size) < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


# --- repeat_interleave -----------------------------------------------------------------------------------------------


@operator("rearranging")
def repeat_interleave(
    input: Tensor, repeats: Tensor | int | None = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element, or each slice along `dim`, `repeats` times in a row; a tensor gives a number for each.

    Without `dim` all elements are taken in order. With a single tensor, the numbers 0, 1, … that many times each.
    `output_size` says how many there are in all, and saves counting.
    """
    if repeats is None:
        if dim is not None:
            raise TypeError("dim without repeats")  # `explaining` turns this into PyTorch's message
        return _repeated_places(input, output_size)
    if isinstance(repeats, int):
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        if output_size is not None:
            total = repeats * (input.numel() if dim is None else input.size(dim))
            if total != output_size:
                raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {total} but got {output_size}")
        return _repeat_each(input, repeats, dim)
    if not isinstance(repeats, Tensor):
        raise TypeError("neither an int nor a tensor")  # as above
    chosen, axis = (input.flatten(), 0) if dim is None else (input, dim)
    counts: Tensor = repeats
    if len(repeats._size) == 0 or repeats._size == (1,):
        counts = repeats.reshape(1).expand(chosen.size(axis))
    elif len(repeats._size) > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    elif len(repeats) != chosen.size(axis):
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{len(repeats)} and input.size({axis}) = {chosen.size(axis)}"
        )
    places = _repeated_places(counts, output_size)
    if chosen._conj:
        return chosen.conj().index_select(axis, places).conj()
    return chosen.index_select(axis, places)


def _repeat_each(input: Tensor, repeats: int, dim: int | None) -> Tensor:
    """Repeat every slice the same number of times: expand it along a new dimension, and copy once."""
    flat = input.flatten() if dim is None else input
    axis = 0 if dim is None else geometry.wrap_dim(dim, max(len(flat._size), 1))
    wide = flat.unsqueeze(axis + 1)
    size = (*wide._size[: axis + 1], repeats, *wide._size[axis + 2 :])
    return wide.expand(size).clone(memory_format=contiguous_format).flatten(axis, axis + 1)


def _repeated_places(repeats: Tensor, output_size: int | None) -> Tensor:
    if repeats._dtype not in (dtypes.int32, dtypes.int64):
        raise not_implemented("repeat_interleave_cpu", repeats._dtype)
    if len(repeats._size) != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if repeats.is_meta:
        if output_size is None:
            raise RuntimeError("cannot repeat_interleave a meta tensor without output_size")
        return repeats.new_empty(output_size)
    if len(repeats) and int(repeats.min()) < 0:
        raise RuntimeError("repeats can not be negative")
    total = int(repeats.sum())
    if output_size is not None and output_size != total:
        raise RuntimeError("allocated size does not match required size")
    array = repeats._storage.backend.launch(run_numbers, array_of(repeats), total)
    return from_array(array, repeats._dtype, repeats._storage)
