"""Copies: operators that move elements to another storage, or overwrite them, and compute nothing.

Each counts in `memory` as a copy. Only `transfer` moves elements; every operator here works out the target's layout and
calls it. `to` has the operators that change dtype or device, and `settled` fills new memory if the program asks for
that.
"""

from __future__ import annotations

import math
from typing import Any

from tensorglass import geometry, memory
from tensorglass.backends import Array, transfer_log
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.settings import fills_new_memory
from tensorglass.core import dtypes
from tensorglass.core import memory_format as formats
from tensorglass.core.devices import device as Device
from tensorglass.core.dtype_info import iinfo
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained, warn
from tensorglass.core.memory_format import contiguous_format, preserve_format
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_tensor, invalid_combination, type_name
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import refuse_overlapping_write
from tensorglass.ops.derivatives.shared import zero_gradient
from tensorglass.ops.kernels.copy import assign
from tensorglass.ops.kernels.python_numbers import NUMBERS, checked, checked_alone
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.construct import empty_on, make, result_tensor
from tensorglass.tensor.tensor import Tensor, header_of, raw_array
from tensorglass.tensor.version_counter import VersionCounter


def format_strides(
    size: tuple[int, ...], stride: tuple[int, ...], memory_format: formats.memory_format
) -> tuple[int, ...]:
    """The strides of a new dense tensor in `memory_format`; `preserve_format` follows (size, stride)."""
    if memory_format is contiguous_format:
        return geometry.contiguous_strides(size)
    if memory_format is preserve_format:
        return geometry.preserved_strides(size, stride)
    if not isinstance(memory_format, formats.memory_format):
        raise TypeError(f"argument 'memory_format' must be torch.memory_format, not {type_name(memory_format)}")
    rank, packed = {
        formats.channels_last: (4, geometry.channels_last_strides),
        formats.channels_last_3d: (5, geometry.channels_last_3d_strides),
    }[memory_format]
    if len(size) != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {str(memory_format)[6:]} format")
    return packed(size)


def suggested_format(input: Tensor) -> formats.memory_format:
    """The format that the strides look like: contiguous unless the channels clearly come last."""
    if geometry.suggests_channels_last(input._size, input._stride):
        return formats.channels_last if len(input._size) == 4 else formats.channels_last_3d
    return contiguous_format


@operator("copy", function=False)
@derivative(
    node="CopyBackwards",
    wraps_numbers=True,
    input=lambda grad: grad.new_zeros(grad._size),  # contiguous, regardless of the strides of `grad`
    other=lambda grad, other_device: grad.to(other_device),
)
def copy_(input: Tensor, other: Tensor | complex, non_blocking: bool = False) -> Tensor:
    """Overwrite the elements with those of `other`, broadcast and converted; fractions are truncated."""
    if isinstance(other, NUMBERS):
        write_number(input, other, header_of(input))
        input._written()
        return input
    check_tensor("copy_", other)
    if other is input:
        input._written()
        return input
    if header_of(other) == header_of(input) and (other._storage, other._dtype) == (input._storage, input._dtype):
        input._written()  # each element would be copied onto itself
        return input
    refuse_overlapping_write(input, (other,))
    if input._size != other._size:
        met = geometry.broadcast_shapes(input._size, other._size)
        if met != input._size:
            raise explained(
                RuntimeError(f"output with shape {list(input._size)} doesn't match the broadcast shape {list(met)}"),
                "copy_ cannot make its tensor larger.",
            )
    _warn_of_lost_parts(other, input)
    transfer(input, other, non_blocking)
    input._written()
    return input


def _warn_of_lost_parts(source: Tensor, target: Tensor) -> None:
    is_kept = target._dtype.is_complex or target._dtype is dtypes.bool
    if source._dtype.is_complex and not is_kept and target.numel():
        warn("Casting complex values to real discards the imaginary part")


def transfer(target: Tensor, source: Tensor, non_blocking: bool = False) -> None:
    """Write the elements of `source` over those of `target`, as one copy: nothing is checked, no version counted."""
    backend = target._storage.backend
    array, place = raw_array(source), raw_array(target)
    is_conj = source._conj != target._conj
    if source._storage.backend is not backend:
        is_same = source._dtype is target._dtype and source._size == target._size and not is_conj
        array = brought(array, source._storage, target._storage, non_blocking, place if is_same else None)
    if array is not place:  # otherwise the transfer has already written the bytes there
        backend.launch(assign, place, array, is_conj)
    memory.copied(target.nbytes)


def new_copy(
    input: Tensor,
    dtype: DType,
    device: Device,
    memory_format: formats.memory_format = preserve_format,
    non_blocking: bool = False,
) -> Tensor:
    """A copy with a storage of its own, of the given dtype, on the given device."""
    strides = format_strides(input._size, input._stride, memory_format)
    storage = input._storage
    is_alike = strides == input._stride and dtype is input._dtype and device is storage.device and not input._conj
    if is_alike and (storage._nbytes < LEAST or input._contiguous):
        return _twin(input)
    result = empty_on(device, input._size, strides, dtype)
    _warn_of_lost_parts(input, result)
    transfer(result, input, non_blocking)
    return result


def _twin(input: Tensor) -> Tensor:
    """A copy of a dense tensor with the same strides: its bytes in the same order."""
    backend = input._storage.backend
    if input._storage._nbytes < LEAST:
        array = backend.launch(_copy_bytes, raw_array(input))
    else:  # into memory from the pool
        array = backend.empty(input._dtype, input._size)
        backend.launch(_copy_over, array, raw_array(input))
    is_contiguous = bool(input._contiguous)
    result = result_tensor(
        array, input._dtype, backend, input._storage.device, input._size, input._stride, is_contiguous
    )
    memory.copied(array.nbytes)
    return result


def _copy_over(xp: Any, target: Array, source: Array) -> None:
    target[...] = source


def _copy_bytes(xp: Any, array: Array) -> Array:
    return array.copy("K")


@operator("copy")
@derivative(input=lambda grad: grad)
def clone(input: Tensor, *, memory_format: formats.memory_format | None = preserve_format) -> Tensor:
    """A copy with a storage of its own. Its strides follow `input`'s where that is dense."""
    return new_copy(input, input._dtype, input._storage.device, memory_format or preserve_format)


@operator("copy", function=False)
def contiguous(input: Tensor, *, memory_format: formats.memory_format = contiguous_format) -> Tensor:
    """`input` itself if it lies in `memory_format` already, else a copy that does."""
    if input.is_contiguous(memory_format=memory_format):
        return input
    if memory_format is preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return clone(input, memory_format=memory_format)


@operator("copy")
def resolve_conj(input: Tensor) -> Tensor:
    """`input` itself, or, if its conjugate bit is set, a copy with the conjugates in memory."""
    return clone(input) if input._conj else input


@operator("copy")
def resolve_neg(input: Tensor) -> Tensor:
    """`input` itself: tensors of tensorglass never have the negative bit set."""
    check_tensor("resolve_neg", input)
    return input


@operator("copy", function=False, signatures=("(Tensor input, Tensor value)", "(Tensor input, Number value)"))
@derivative(
    node=lambda value: "FillBackward3" if isinstance(value, Tensor) else "FillBackward2",
    input=zero_gradient,
    value=lambda grad: grad.sum(),
)
def fill_(input: Tensor, value: Any) -> Tensor:
    """Set every element to `value`, a number or a 0-dim tensor."""
    if isinstance(value, Tensor):
        if value._size:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {len(value._size)} dimensions."
            )
        if not geometry.is_contiguous(input._size, input._stride):
            geometry.check_writable(input._size, input._stride)
        value = value.item()
        if isinstance(value, complex) and input._dtype.category < dtypes.COMPLEX and input._dtype is not dtypes.bool:
            value = value.real  # as in a copy
    elif not isinstance(value, NUMBERS):
        raise invalid_combination("fill_", (value,), "(Tensor value)", "(Number value)")
    elif not isinstance(value, (int, float, complex)):
        value = value.item()
    number = (checked_alone if input.numel() == 1 else checked)(value, input._dtype)
    write_number(input, number)
    input._written()
    return input


def write_number(input: Tensor, number: complex, part: geometry.Header | None = None) -> None:
    """Set every element, or those of a view given as an array, to a number that `checked` has accepted."""
    dtype, array = input._dtype, raw_array(input)
    if part is not None:
        size, stride, offset = part
        if not geometry.is_contiguous(size, stride):
            geometry.check_writable(size, stride)
        storage = input._storage
        array = storage.backend.array(storage.buffer, dtype, size, stride, offset)
    if dtype.category == dtypes.INTEGER:
        number = int(number.real) % (1 << 8 * dtype.itemsize)
        if dtype.is_signed and number >> (8 * dtype.itemsize - 1):
            number -= 1 << 8 * dtype.itemsize
    elif dtype is dtypes.bool:
        number = bool(number)
    elif not dtype.is_complex:
        number = number.real
    elif input._conj:
        number = complex(number).conjugate()
    input._storage.backend.run(array.fill, number)


@operator("copy", function=False)
@derivative(input=zero_gradient)
def zero_(input: Tensor) -> Tensor:
    """Set every element to zero."""
    return fill_(input, 0)


# --- to another device -----------------------------------------------------------------------------------------------


def brought(
    array: Array, source: UntypedStorage, target: UntypedStorage, non_blocking: bool = False, out: Array | None = None
) -> Array:
    """A copy of `array`, a part of `source`, on the device of `target`: in `out`, if that is given and suitable."""
    here, there = source.backend, target.backend
    with transfer_log.between(source, target):
        if here.device_type == there.device_type:
            return there.from_peer(array)
        on_host = here.to_host(array, is_pinned=target.is_pinned(), non_blocking=non_blocking)
        return there.from_host(on_host, target.device, is_pinned=source.is_pinned(), non_blocking=non_blocking, out=out)


# --- new memory ------------------------------------------------------------------------------------------------------


def settled(tensor: Tensor, *, is_new: bool = True) -> Tensor:
    """An uninitialized tensor; filled if deterministic algorithms were asked for."""
    if fills_new_memory():
        _fill_new_memory(tensor.detach())
        if is_new:
            tensor._storage.version = 0
    return tensor


def settle_gained(resized: Tensor, nbytes: int) -> None:
    """Fill the bytes that the storage of a resized tensor has gained beyond `nbytes`."""
    storage, itemsize = resized._storage, resized._dtype.itemsize
    before, now = nbytes // itemsize, storage._nbytes // itemsize
    if now > before and fills_new_memory():
        gained = make(storage, (now - before,), (1,), before, resized._dtype)
        gained._counter = VersionCounter()  # filling does not count as a write
        _fill_new_memory(gained)


def _fill_new_memory(tensor: Tensor) -> None:
    """NaN everywhere, or the largest integer, or True."""
    dtype = tensor._dtype
    if dtype.category == dtypes.BOOL:
        fill_(tensor, True)
    else:
        fill_(tensor, iinfo(dtype).max if dtype.category == dtypes.INTEGER else math.nan)
