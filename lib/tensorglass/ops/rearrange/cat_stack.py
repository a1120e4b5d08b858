"""Joining tensors: cat and stack, which copy their inputs into one new storage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass import geometry, memory
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import all_tensors, on_two_devices, type_name
from tensorglass.ops.copies.copy import transfer
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import refuse_read_cells, refuse_shared_cells, resize_output
from tensorglass.ops.declare.type_promotion import common_dtype
from tensorglass.ops.views.shape import atleast_1d, atleast_2d, atleast_3d, narrow, reshape, unsqueeze
from tensorglass.tensor.construct import empty_on, make
from tensorglass.tensor.tensor import Tensor, raw_array

_NOTEBOOK = "2/09 Joining and splitting"


@operator("joining", method=False, out=True, aliases=("concat", "concatenate"))
@derivative(tensors=lambda grad, tensors_size, dim: _cut_gradient(grad, tensors_size, dim))
def cat(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The tensors one after the other along `dim`, in a new storage; their other sizes must be equal."""
    given = _all_tensors("cat", tensors)
    if not given:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    # As in PyTorch, for old code, empty vectors are accepted with tensors of any size.
    solid = [tensor for tensor in given if tensor._size != (0,)] or given[:1]
    first = solid[0]
    for place, tensor in enumerate(given):
        if not tensor._size:
            raise RuntimeError(f"zero-dimensional tensor (at position {place}) cannot be concatenated")
    axis = 0 if first._size == (0,) else geometry.wrap_dim(dim, len(first._size))
    for place, tensor in enumerate(given):
        if tensor._storage.backend is not first._storage.backend:
            raise on_two_devices(first._storage.device, tensor._storage.device)
        if tensor._size not in (first._size, (0,)):
            _check_fits(first, tensor, axis, place)
    size = list(first._size)
    size[axis] = sum(tensor._size[axis] for tensor in solid)
    result = _output_for(given, tuple(size), out)
    if out is None and all(_lies_alike(tensor, result) for tensor in solid):
        # One call of the array module in place of a view and a copy for each.
        backend = result._storage.backend
        backend.launch(_concatenate, [raw_array(tensor) for tensor in solid], axis, raw_array(result))
        memory.copied(result.nbytes)
        return result
    start = 0
    for tensor in solid:
        length = tensor._size[axis]
        transfer(narrow(result, axis, start, length), tensor)
        start += length
    if out is not None:
        out._written()
    return result


def _lies_alike(tensor: Tensor, result: Tensor) -> bool:
    return tensor._dtype is result._dtype and not tensor._conj and tensor._storage.device == result._storage.device


def _concatenate(xp: Any, arrays: list[Array], axis: int, out: Array) -> None:
    xp.concatenate(arrays, axis, out)


def _all_tensors(name: str, tensors: Sequence[Tensor]) -> list[Tensor]:
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type_name(tensors)}")
    return list(all_tensors(tensors))


def _check_fits(first: Tensor, tensor: Tensor, axis: int, place: int) -> None:
    if len(tensor._size) != len(first._size):
        raise explained(
            RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first._size)} and {len(tensor._size)}"
            ),
            "unsqueeze adds a dimension; stack joins along a new one.",
            notebook=_NOTEBOOK,
        )
    for dim, (expected, length) in enumerate(zip(first._size, tensor._size, strict=True)):
        if dim != axis and length != expected:
            raise explained(
                RuntimeError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {expected} but got size "
                    f"{length} for tensor number {place} in the list."
                ),
                f"They differ in dimension {dim}.",
                notebook=_NOTEBOOK,
            )


def _output_for(given: list[Tensor], size: tuple[int, ...], out: Tensor | None) -> Tensor:
    dtype = given[0]._dtype if len({tensor._dtype for tensor in given}) == 1 else common_dtype(given)
    if out is not None:
        if not dtypes.can_cast(dtype, out._dtype):
            raise TypeError(
                f"torch.cat(): input types can't be cast to the desired output type {out._dtype.scalar_type}"
            )
        solid = [tensor for tensor in given if tensor._size != (0,)]
        refuse_read_cells(out, *solid)
        refuse_shared_cells(out)
        if out._size != size:
            resize_output(out, size, _joined_strides(given, size))
            refuse_shared_cells(out, *given)  # one of them may be `out` itself, which had no elements
        return out
    return empty_on(given[0]._storage.device, size, _joined_strides(given, size), dtype)


def _joined_strides(given: list[Tensor], size: tuple[int, ...]) -> tuple[int, ...]:
    """Channels-last strides if all tensors look channels-last, else contiguous ones."""
    if len(size) in (4, 5) and all(geometry.suggests_channels_last(tensor._size, tensor._stride) for tensor in given):
        return (geometry.channels_last_strides if len(size) == 4 else geometry.channels_last_3d_strides)(size)
    return geometry.contiguous_strides(size)


def _cut_gradient(grad: Tensor, sizes: Sequence[tuple[int, ...]], dim: int) -> list[Tensor]:
    """The parts of a joined tensor's gradient; an empty vector that was let through gets an empty one."""
    axis = geometry.wrap_dim(dim, len(grad._size))
    parts, start = [], 0
    for size in sizes:
        length = 0 if size == (0,) else size[axis]
        parts.append(grad.new_zeros(0) if size == (0,) else grad.narrow(axis, start, length))
        start += length
    return parts


@operator("joining", method=False, out=True)
@derivative(tensors=lambda grad, dim: [grad.select(dim, place) for place in range(grad._size[dim])])
def stack(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The tensors, all of one size, one after the other along a new dimension `dim`."""
    given = _all_tensors("stack", tensors)
    if not given:
        raise RuntimeError("stack expects a non-empty TensorList")
    axis = geometry.wrap_dim(dim, len(given[0]._size) + 1)
    for place, tensor in enumerate(given):
        if tensor._size != given[0]._size:
            raise explained(
                RuntimeError(
                    f"stack expects each tensor to be equal size, but got {list(given[0]._size)} at entry 0 and "
                    f"{list(tensor._size)} at entry {place}"
                ),
                "cat joins tensors that differ in the joined dimension.",
                notebook=_NOTEBOOK,
            )
    if out is not None or axis == len(given[0]._size):
        return cat([unsqueeze(tensor, axis) for tensor in given], axis, out=out)
    joined = cat(given, axis)  # laid out as the tensors are; the joined dimension is cut in two next
    size, stride = list(given[0]._size), list(joined._stride)
    stride.insert(axis, size[axis] * stride[axis])
    size.insert(axis, len(given))
    strides = geometry.contiguous_strides(tuple(size)) if 0 in size else tuple(stride)
    return make(joined._storage, tuple(size), strides, 0, joined._dtype)


# --- along a dimension that is named by its direction ----------------------------------------------------------------


def _at_least(ndim: int, name: str, tensors: Sequence[Tensor]) -> list[Tensor]:
    given = _all_tensors(name, tensors)
    if not given:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return [(atleast_1d, atleast_2d, atleast_3d)[ndim - 1](tensor) for tensor in given]


@operator("joining", method=False, out=True)
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors concatenated along dimension 1; vectors along dimension 0."""
    given = _at_least(1, "hstack", tensors)
    return cat(given, 0 if len(given[0]._size) == 1 else 1, out=out)


@operator("joining", method=False, out=True, aliases=("row_stack",))
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors concatenated along dimension 0, with vectors as rows."""
    return cat(_at_least(2, "vstack", tensors), 0, out=out)


@operator("joining", method=False, out=True)
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors concatenated along dimension 2."""
    return cat(_at_least(3, "dstack", tensors), 2, out=out)


@operator("joining", method=False, out=True)
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors concatenated along dimension 1, with vectors as columns."""
    given = _all_tensors("column_stack", tensors)
    if not given:
        raise RuntimeError("column_stack expects a non-empty TensorList")
    columns = [tensor if len(tensor._size) > 1 else reshape(tensor, (tensor.numel(), 1)) for tensor in given]
    return cat(columns, 1, out=out)
