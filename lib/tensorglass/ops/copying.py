"""Copies: operators that move elements to another storage, dtype or device and compute nothing.

Each counts in `memory` as a copy. The one idea to keep in mind: `transfer` alone moves elements; every operator here
makes sure of the target's layout, and calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import devices, formats, geometry, memory
from tensorglass import dtypes as _dtypes
from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.devices import device as Device
from tensorglass.dtypes import dtype as DType
from tensorglass.errors import explained, warn
from tensorglass.formats import contiguous_format, preserve_format
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recording import recorded
from tensorglass.making import empty_on, make, result_tensor
from tensorglass.ops.arguments import check_tensor, invalid_combination, type_name
from tensorglass.ops.assigning import assign
from tensorglass.ops.elementwise import refuse_overlapping_write
from tensorglass.ops.gradients import zero_gradient
from tensorglass.ops.moving import brought
from tensorglass.ops.scalars import NUMBERS, checked, checked_alone
from tensorglass.ops.table import operator
from tensorglass.ops.usual_copies import (
    converted_at_once,
    of_contiguous,
    of_conversion,
    of_copy,
    of_overwriting,
    of_zeroing,
)
from tensorglass.storage import UntypedStorage
from tensorglass.tensor import Tensor, header_of, raw_array


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


@operator("copy", function=False, usual=of_overwriting)
@derivative(
    node="CopyBackwards", wraps_numbers=True, input=zero_gradient, src=lambda grad, src_device: grad.to(src_device)
)
def copy_(input: Tensor, src: Tensor | complex, non_blocking: bool = False) -> Tensor:
    """Overwrite the elements with those of `src`, broadcast and converted; a fraction is cut off."""
    if isinstance(src, NUMBERS):
        write_number(input, src, header_of(input))
        input._written()
        return input
    check_tensor("copy_", src, "other")
    if src is input:
        input._written()
        return input
    if header_of(src) == header_of(input) and (src._storage, src._dtype) == (input._storage, input._dtype):
        input._written()  # each element onto itself
        return input
    refuse_overlapping_write(input, (src,))
    if input._size != src._size:
        met = geometry.broadcast_shapes(input._size, src._size)
        if met != input._size:
            raise explained(
                RuntimeError(f"output with shape {list(input._size)} doesn't match the broadcast shape {list(met)}"),
                "copy_ cannot make its tensor larger.",
            )
    _warn_of_lost_parts(src, input)
    transfer(input, src, non_blocking)
    input._written()
    return input


def _warn_of_lost_parts(source: Tensor, target: Tensor) -> None:
    is_kept = target._dtype.is_complex or target._dtype is _dtypes.bool
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
    if array is not place:  # else the transfer has put the bytes where they belong
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
    made = empty_on(device, input._size, strides, dtype)
    _warn_of_lost_parts(input, made)
    transfer(made, input, non_blocking)
    return made


def _twin(input: Tensor) -> Tensor:
    """A copy of a tensor without gaps, with the same strides: the bytes as they lie."""
    backend = input._storage.backend
    if input._storage._nbytes < LEAST:
        array = backend.launch(_copied, raw_array(input))
    else:  # into memory of the pool's
        array = backend.empty(input._dtype, input._size)
        backend.launch(_copy_over, array, raw_array(input))
    is_contiguous = bool(input._contiguous)
    made = result_tensor(array, input._dtype, backend, input._storage.device, input._size, input._stride, is_contiguous)
    memory.copied(array.nbytes)
    return made


def _copy_over(xp: Any, target: Array, source: Array) -> None:
    target[...] = source


def _copied(xp: Any, array: Array) -> Array:
    return array.copy("K")


_to_copy = recorded(
    derivative(
        node=lambda dtype: "ToCopyBackward0" if dtype.category >= _dtypes.FLOATING else None,
        input=lambda grad, input_device: grad.to(input_device),
    )(new_copy)
)


@operator("copy", usual=of_copy)
@derivative(input=lambda grad: grad)
def clone(input: Tensor, *, memory_format: formats.memory_format | None = preserve_format) -> Tensor:
    """A copy with a storage of its own. Its strides follow `input`'s where that is dense."""
    return new_copy(input, input._dtype, input._storage.device, memory_format or preserve_format)


@operator("copy", function=False, usual=of_contiguous)
def contiguous(input: Tensor, *, memory_format: formats.memory_format = contiguous_format) -> Tensor:
    """`input` itself if it lies in `memory_format` already, else a copy that does."""
    if input.is_contiguous(memory_format=memory_format):
        return input
    if memory_format is preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return clone(input, memory_format=memory_format)


@operator("copy")
def resolve_conj(input: Tensor) -> Tensor:
    """`input` itself, or a copy with the conjugates in memory if they are only made when read."""
    return clone(input) if input._conj else input


@operator("copy")
def resolve_neg(input: Tensor) -> Tensor:
    """`input` itself: no tensor of tensorglass waits to be negated when it is read."""
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
        value = value.item()
    elif not isinstance(value, NUMBERS):
        raise invalid_combination("fill_", (value,), "(Tensor value)", "(Number value)")
    elif not isinstance(value, (int, float, complex)):
        value = value.item()
    number = (checked_alone if input.numel() == 1 else checked)(value, input._dtype)
    write_number(input, number)
    input._written()
    return input


def write_number(input: Tensor, number: complex, part: geometry.Header | None = None) -> None:
    """Set every element, or those of a view that needs no tensor, to a number that `checked` has passed."""
    dtype, array = input._dtype, raw_array(input)
    if part is not None:
        size, stride, offset = part
        if not geometry.is_contiguous(size, stride):
            geometry.check_writable(size, stride)
        storage = input._storage
        array = storage.backend.array(storage.buffer, dtype, size, stride, offset)
    if dtype.category == _dtypes.INTEGER:
        number = int(number.real) % (1 << 8 * dtype.itemsize)
        if dtype.is_signed and number >> (8 * dtype.itemsize - 1):
            number -= 1 << 8 * dtype.itemsize
    elif dtype is _dtypes.bool:
        number = bool(number)
    elif not dtype.is_complex:
        number = number.real
    elif input._conj:
        number = complex(number).conjugate()
    input._storage.backend.run(array.fill, number)


@operator("copy", function=False, usual=of_zeroing)
@derivative(input=zero_gradient)
def zero_(input: Tensor) -> Tensor:
    """Set every element to zero."""
    return fill_(input, 0)


# --- to another dtype or device --------------------------------------------------------------------------------------


_FLAGS = "bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None"


@operator(
    "copy",
    function=False,
    usual=of_conversion,
    signatures=(
        f"(Tensor input, torch.device device = None, torch.dtype dtype = None, {_FLAGS})",
        f"(Tensor input, torch.dtype dtype, {_FLAGS})",
        f"(Tensor input, Tensor tensor, {_FLAGS})",
    ),
)
def to(input: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
    """The tensor with another dtype or on another device: ``to(dtype)``, ``to(device)``, ``to(device, dtype)``,
    ``to(other)``, each with ``non_blocking``, ``copy`` and ``memory_format``. Itself where nothing would change.
    """
    if not keywords and len(arguments) == 1 and isinstance(arguments[0], DType):  # the most common call
        dtype, device, copy, memory_format = arguments[0], input._storage.device, False, preserve_format
        non_blocking = False
    else:
        dtype, device, copy, non_blocking, memory_format = _read_to(input, arguments, keywords)
    stays = dtype is input._dtype and device == input._storage.device
    if stays and not copy and (memory_format is preserve_format or memory_format is suggested_format(input)):
        return input
    return _to_copy(input, dtype, device, memory_format, non_blocking)


def suggested_format(input: Tensor) -> formats.memory_format:
    """The format that the strides look like: contiguous unless the channels clearly come last."""
    if geometry.suggests_channels_last(input._size, input._stride):
        return formats.channels_last if len(input._size) == 4 else formats.channels_last_3d
    return contiguous_format


#: The names of the positional arguments of `to`, in the three ways of calling it.
_FORMS = tuple((*form, "non_blocking", "copy") for form in (("device", "dtype"), ("dtype",), ("tensor",)))

_FITS: dict[str, Callable[[Any], bool]] = {
    "device": lambda value: isinstance(value, Device | str | int | None) and not isinstance(value, bool),
    "dtype": lambda value: value is None or isinstance(value, DType) or _is_python_type(value),
    "tensor": lambda value: isinstance(value, Tensor | int | float | complex),  # sic: numbers count as tensors
    "non_blocking": lambda value: isinstance(value, bool),
    "copy": lambda value: isinstance(value, bool),
    "memory_format": lambda value: isinstance(value, formats.memory_format | None),
}


def _is_python_type(value: Any) -> bool:
    return isinstance(value, type) and value in _dtypes.OF_PYTHON_TYPE


def _read_to(
    input: Tensor, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[DType, Device, bool, bool, formats.memory_format]:
    given = _by_name(arguments, keywords)
    other, named, dtype = (given.get(name) for name in ("tensor", "device", "dtype"))
    if isinstance(other, int | float | complex):
        other, dtype = None, type(other)
    like = input if other is None else other
    place = like._storage.device if named is None else devices.as_device(named)
    copies = given.get("copy", False)
    if named is not None and place is devices.CPU:
        # sic: for PyTorch "cpu:0" is another device than "cpu", to begin with
        copies = copies or devices.device(named).index is not None
    return (
        like._dtype if dtype is None else _dtypes.as_dtype(dtype),
        place,
        copies,
        given.get("non_blocking", False),
        given.get("memory_format") or preserve_format,
    )


def _by_name(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `to` by their names in the form that they fit."""
    for form in _FORMS:
        given = dict(zip(form, arguments, strict=False))
        if len(arguments) > len(form) or given.keys() & keywords.keys():
            continue
        given |= keywords
        is_complete = form is _FORMS[0] or given.get(form[0]) is not None
        is_known = given.keys() <= {*form, "memory_format"}
        if is_complete and is_known and all(_FITS[name](value) for name, value in given.items()):
            return given
    raise TypeError("to() received arguments that fit none of its forms")  # `explaining` says it in PyTorch's words


@operator("copy", function=False, usual=of_conversion)
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """`input` with the dtype and on the device of `other`."""
    check_tensor("type_as", other, "other")
    return to(input, other)


@operator("copy", function=False)
def cpu(input: Tensor, *, memory_format: formats.memory_format = preserve_format) -> Tensor:
    """`input` itself if it is on the CPU, else a copy there."""
    return to(input, devices.CPU, memory_format=memory_format)


@operator("copy", function=False)
def cuda(
    input: Tensor,
    device: Device | int | str | None = None,
    non_blocking: bool = False,
    *,
    memory_format: formats.memory_format = preserve_format,
) -> Tensor:
    """A copy on a CUDA device, or `input` itself if it is there."""
    place = devices.as_device("cuda" if device is None else device)
    return to(input, place, non_blocking=non_blocking, memory_format=memory_format)


@operator("copy", function=False)
def pin_memory(input: Tensor, device: Device | str | None = None) -> Tensor:
    """A copy in page-locked host memory, from which an accelerator copies faster; itself if it is there already."""
    if input.is_pinned():
        return input
    if input._storage.device != devices.CPU:
        raise RuntimeError(f"cannot pin '{input.type()}' only dense CPU tensors can be pinned")
    strides = format_strides(input._size, input._stride, preserve_format)
    nbytes = geometry.storage_nbytes(input._size, strides, 0, input._dtype.itemsize)
    made = make(UntypedStorage.pinned(nbytes), input._size, strides, 0, input._dtype)
    transfer(made, input)
    return made


def _conversion(name: str, dtype: DType) -> None:
    def convert(input: Tensor, *, memory_format: formats.memory_format = preserve_format) -> Tensor:
        made = converted_at_once(input, dtype) if memory_format is preserve_format else None
        return made if made is not None else to(input, dtype, memory_format=memory_format)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"`input` as {dtype!r}; itself if it has that dtype."
    operator("copy", function=False)(convert)


for _name, _dtype in {
    "bool": _dtypes.bool, "byte": _dtypes.uint8, "char": _dtypes.int8, "short": _dtypes.int16, "int": _dtypes.int32,
    "long": _dtypes.int64, "half": _dtypes.float16, "bfloat16": _dtypes.bfloat16, "float": _dtypes.float32,
    "double": _dtypes.float64, "cfloat": _dtypes.complex64, "cdouble": _dtypes.complex128,
}.items():  # fmt: skip
    _conversion(_name, _dtype)
