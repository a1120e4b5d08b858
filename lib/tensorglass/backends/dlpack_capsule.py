"""What is in a DLPack capsule: where an array's memory is, and how it is laid out, as a C structure.

Arrays travel between libraries in capsules that the libraries' own C code makes, consumes and frees. This module owns
nothing. It reads a capsule before the capsule is consumed, so that unsupported arrays are refused early, and it may
change the dtype: NumPy does not know bfloat16, but knows int16.

Source: the header dlpack.h of the DLPack project, version 1.
"""

from __future__ import annotations

import ctypes
import enum
import struct
from typing import Any, Final, NamedTuple

from tensorglass import geometry
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained


class DLDeviceType(enum.IntEnum):
    """DLPack's numbers for types of devices."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


#: Memory that the CPU reads and writes, however it was allocated.
ON_HOST: Final = (DLDeviceType.kDLCPU, DLDeviceType.kDLCUDAHost, DLDeviceType.kDLROCMHost)

_CODES: Final = ("kDLInt", "kDLUInt", "kDLFloat", "kDLOpaqueHandle", "kDLBfloat", "kDLComplex", "kDLBool")
_INT, _UINT, _FLOAT, _, _BFLOAT, _COMPLEX, _BOOL = range(len(_CODES))
_DTYPES: Final = {
    (_BOOL, 8): dtypes.bool,
    (_UINT, 8): dtypes.uint8,
    (_UINT, 16): dtypes.uint16,
    (_UINT, 32): dtypes.uint32,
    (_UINT, 64): dtypes.uint64,
    (_INT, 8): dtypes.int8,
    (_INT, 16): dtypes.int16,
    (_INT, 32): dtypes.int32,
    (_INT, 64): dtypes.int64,
    (_FLOAT, 16): dtypes.float16,
    (_FLOAT, 32): dtypes.float32,
    (_FLOAT, 64): dtypes.float64,
    (_BFLOAT, 16): dtypes.bfloat16,
    (_COMPLEX, 64): dtypes.complex64,
    (_COMPLEX, 128): dtypes.complex128,
}


# C structures, read by `struct`: `ctypes.Structure` takes three times as long.
#: DLTensor: data, device type, device index, ndim, dtype (code, bits, lanes), shape, strides, byte_offset
_TENSOR: Final = struct.Struct("@PiiiBBHPPQ")
_CODE: Final = struct.calcsize("@Piii")  # the offset of the DLTensor in it
#: What precedes it in DLManagedTensorVersioned: version (major, minor), manager_ctx, deleter, flags
_VERSIONED: Final = struct.Struct("@IIPPQ")
_READ_ONLY: Final = 1  # a bit of the flags

# raises ValueError for capsules with other names, and for other objects
_pointer_in = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_in.restype, _pointer_in.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Content(NamedTuple):
    """A capsule's description of its array. Strides are counted in elements."""

    device: tuple[int, int]  #: a `DLDeviceType` and an index
    dtype: DType
    size: tuple[int, ...]
    stride: tuple[int, ...]
    is_read_only: bool
    address: int  #: where the first element lies


def content_of(capsule: Any) -> Content:
    """The content of an unconsumed capsule; raises for anything else, and for arrays that cannot be tensors."""
    place, is_read_only = _tensor_in(capsule)
    fields = _TENSOR.unpack(ctypes.string_at(place, _TENSOR.size))
    data, device_type, device_index, ndim, code, bits, lanes, shape, strides, byte_offset = fields
    if lanes != 1:
        raise BufferError("ATen does not support lanes != 1")
    dtype = _DTYPES.get((code, bits))
    if dtype is None:
        kind = _CODES[code].replace("DL", "", 1) if code < len(_CODES) else f"code {code}"
        raise explained(
            BufferError(f"Unsupported {kind} bits {bits}"),
            "Convert the array to a dtype that tensors have before you hand it over.",
        )
    numbers = struct.Struct(f"@{ndim}q")
    size = numbers.unpack(ctypes.string_at(shape, numbers.size))
    geometry.check_lengths(size)
    stride = numbers.unpack(ctypes.string_at(strides, numbers.size)) if strides else geometry.contiguous_strides(size)
    if stride and min(stride) < 0:
        raise explained(
            ValueError(
                "At least one stride in the given array is negative, and tensors with negative strides are not "
                "currently supported. (You can probably work around this by making a copy of your array.)"
            ),
            f"The array's strides, in elements, are {stride}.",
            notebook="1/05 Strides and offset",
        )
    stride = geometry.checked_strides(size, stride)
    return Content((device_type, device_index), dtype, size, stride, is_read_only, (data or 0) + byte_offset)


def call_bfloat16_int16(capsule: Any) -> None:
    """Relabel bfloat16 elements as int16, for a consumer that does not know bfloat16."""
    ctypes.c_uint8.from_address(_tensor_in(capsule)[0] + _CODE).value = _INT


def call_int16_bfloat16(capsule: Any) -> None:
    """Relabel int16 elements as the bfloat16 that they are."""
    ctypes.c_uint8.from_address(_tensor_in(capsule)[0] + _CODE).value = _BFLOAT


def _tensor_in(capsule: Any) -> tuple[int, bool]:
    """The address of a capsule's DLTensor, and whether its memory is read-only."""
    try:
        place = _pointer_in(capsule, b"dltensor_versioned")
    except ValueError:
        try:
            return _pointer_in(capsule, b"dltensor"), False
        except ValueError:
            raise _no_capsule(capsule) from None
    major, minor, _, _, flags = _VERSIONED.unpack(ctypes.string_at(place, _VERSIONED.size))
    if major > 1:
        raise BufferError(f"DLPack {major}.{minor} is newer than what can be read, version 1")
    return place + _VERSIONED.size, bool(flags & _READ_ONLY)


def _no_capsule(given: Any) -> RuntimeError:
    return explained(
        RuntimeError(
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you "
            "might have already constructed a tensor from it once."
        ),
        f"It received {type(given).__name__}, which is neither an unused capsule nor has a method __dlpack__.",
    )
