"""To another dtype or device: `to`, `float`, `cpu` and others, which return the tensor itself if nothing would change.

Every conversion is one recorded copy, `new_copy`; all else here is reading arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import geometry
from tensorglass.core import devices, dtypes
from tensorglass.core import memory_format as formats
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.memory_format import preserve_format
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import invalid_combination
from tensorglass.ops.copies.copy import format_strides, new_copy, suggested_format, transfer
from tensorglass.ops.declare.registry import operator
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.construct import make
from tensorglass.tensor.tensor import Tensor

_to_copy = recorded(
    derivative(
        node=lambda dtype: "ToCopyBackward0" if dtype.category >= dtypes.FLOATING else None,
        input=lambda grad, input_device: grad.to(input_device),
    )(new_copy)
)


_FLAGS = "bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None"
_SIGNATURES = (
    f"(torch.device device = None, torch.dtype dtype = None, {_FLAGS})",
    f"(torch.dtype dtype, {_FLAGS})",
    f"(Tensor tensor, {_FLAGS})",
)


@operator(
    "copy",
    function=False,
    signatures=[f"(Tensor input, {signature[1:]}" for signature in _SIGNATURES],
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
    return isinstance(value, type) and value in dtypes.OF_PYTHON_TYPE


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
        # sic: PyTorch first treats "cpu:0" and "cpu" as different devices
        copies = copies or devices.device(named).index is not None
    return (
        like._dtype if dtype is None else dtypes.as_dtype(dtype),
        place,
        copies,
        given.get("non_blocking", False),
        given.get("memory_format") or preserve_format,
    )


def read_to(*arguments: Any, **keywords: Any) -> tuple[Device | None, DType | None, bool, formats.memory_format | None]:
    """The device, dtype, `non_blocking` and memory format of a call of `to`, also of a module's.

    PyTorch's TypeError if it fits none of the forms.
    """
    try:
        given = _by_name(arguments, keywords)
    except TypeError:
        raise invalid_combination("to", arguments, *_SIGNATURES, keywords=keywords) from None
    other, named, dtype = (given.get(name) for name in ("tensor", "device", "dtype"))
    if isinstance(other, Tensor):
        named, dtype = other._storage.device, other._dtype
    place = None if named is None else devices.as_device(named)
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    return place, wanted, given.get("non_blocking", False), given.get("memory_format")


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
    # `explaining` turns this into PyTorch's message
    raise TypeError("to() received arguments that fit none of its forms")


@operator("copy", function=False)
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """`input` with the dtype and on the device of `other`."""
    return to(input, other)


@operator("copy", function=False)
def to_dense(input: Tensor, dtype: DType | None = None, *, masked_grad: bool | None = None) -> Tensor:
    """`input` itself, or a copy of another `dtype`: every tensor has all of its elements here."""
    return input if dtype is None else to(input, dtype)


@operator("copy", function=False)
def cpu(input: Tensor, *, memory_format: formats.memory_format | None = preserve_format) -> Tensor:
    """`input` itself if it is on the CPU, else a copy there."""
    return to(input, devices.CPU, memory_format=memory_format)


@operator("copy", function=False)
def cuda(
    input: Tensor,
    device: Device | int | str | None = None,
    non_blocking: bool = False,
    *,
    memory_format: formats.memory_format | None = preserve_format,
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
    result = make(UntypedStorage.pinned(nbytes), input._size, strides, 0, input._dtype)
    transfer(result, input)
    return result


def _conversion(name: str, dtype: DType) -> None:
    def convert(input: Tensor, *, memory_format: formats.memory_format | None = preserve_format) -> Tensor:
        return to(input, dtype, memory_format=memory_format)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"`input` as {dtype!r}; itself if it has that dtype."
    operator("copy", function=False)(convert)


for _name, _dtype in {
    "bool": dtypes.bool, "byte": dtypes.uint8, "char": dtypes.int8, "short": dtypes.int16, "int": dtypes.int32,
    "long": dtypes.int64, "half": dtypes.float16, "bfloat16": dtypes.bfloat16, "float": dtypes.float32,
    "double": dtypes.float64, "cfloat": dtypes.complex64, "cdouble": dtypes.complex128,
}.items():  # fmt: skip
    _conversion(_name, _dtype)
