"""What is in a DLPack capsule: where an array's memory is, and how it is laid out, as a C structure.

Arrays travel between libraries in capsules that the libraries' own C code makes, consumes and frees. The one idea to
keep in mind: nothing is owned here. A capsule is looked into before somebody consumes it, so that what cannot be taken
is refused while refusing is easy, and its dtype may be renamed: NumPy does not know bfloat16, but knows int16.

Source: the header dlpack.h of the DLPack project, version 1.
"""

from __future__ import annotations

import ctypes
import enum
from typing import Any, Final, NamedTuple

from tensorglass import dtypes, geometry
from tensorglass.dtypes import dtype as DType
from tensorglass.errors import explained


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


#: Memory that the CPU reads and writes, whoever allocated it.
ON_HOST: Final = (DLDeviceType.kDLCPU, DLDeviceType.kDLCUDAHost, DLDeviceType.kDLROCMHost)

_CODES: Final = ("kDLInt", "kDLUInt", "kDLFloat", "kDLOpaqueHandle", "kDLBfloat", "kDLComplex", "kDLBool")
_INT, _UINT, _FLOAT, _, _BFLOAT, _COMPLEX, _BOOL = range(len(_CODES))
_DTYPES: Final = {
    (_BOOL, 8): dtypes.bool,
    (_UINT, 8): dtypes.uint8,
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


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_index", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    """DLManagedTensor, of versions before 1."""

    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_READ_ONLY: Final = 1  # a bit of `flags`
_pointer_in = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_in.restype, _pointer_in.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_has_name = ctypes.pythonapi.PyCapsule_IsValid
_has_name.restype, _has_name.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


class Content(NamedTuple):
    """What a capsule says of its array. Strides are counted in elements."""

    device: tuple[int, int]  #: a `DLDeviceType` and an index
    dtype: DType
    size: tuple[int, ...]
    stride: tuple[int, ...]
    is_read_only: bool
    address: int  #: of the first element


def content_of(capsule: Any) -> Content:
    """What is in a capsule that nobody has consumed; raises for what is none, and for arrays that no tensor can be."""
    tensor, is_read_only = structure_in(capsule)
    if tensor.lanes != 1:
        raise BufferError("ATen does not support lanes != 1")
    dtype = _DTYPES.get((tensor.code, tensor.bits))
    if dtype is None:
        kind = _CODES[tensor.code].replace("DL", "", 1) if tensor.code < len(_CODES) else f"code {tensor.code}"
        raise explained(
            BufferError(f"Unsupported {kind} bits {tensor.bits}"),
            "Convert the array to a dtype that tensors have before you hand it over.",
        )
    size = tuple(tensor.shape[: tensor.ndim])
    stride = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else geometry.contiguous_strides(size)
    if any(step < 0 for step in stride):
        raise explained(
            ValueError(
                "At least one stride in the given array is negative, and tensors with negative strides are not "
                "currently supported. (You can probably work around this by making a copy of your array.)"
            ),
            f"The array's strides, in elements, are {stride}.",
            notebook="05 strides and offset",
        )
    device = tensor.device_type, tensor.device_index
    return Content(device, dtype, size, stride, is_read_only, (tensor.data or 0) + tensor.byte_offset)


def call_bfloat16_int16(capsule: Any) -> None:
    """Let the elements of bfloat16 pass for integers of the same width, for a consumer that does not know them."""
    structure_in(capsule)[0].code = _INT


def call_int16_bfloat16(capsule: Any) -> None:
    """Let integers of 16 bits be read as what they are: numbers of bfloat16."""
    structure_in(capsule)[0].code = _BFLOAT


def structure_in(capsule: Any) -> tuple[_Tensor, bool]:
    """The structure in a capsule, and whether its memory may only be read."""
    if _has_name(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(_pointer_in(capsule, b"dltensor_versioned"))
        if versioned.major > 1:
            raise BufferError(f"DLPack {versioned.major}.{versioned.minor} is newer than what can be read, version 1")
        return versioned.tensor, bool(versioned.flags & _READ_ONLY)
    if _has_name(capsule, b"dltensor"):
        return _Managed.from_address(_pointer_in(capsule, b"dltensor")).tensor, False
    raise explained(
        RuntimeError(
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you "
            "might have already constructed a tensor from it once."
        ),
        f"It received {type(capsule).__name__}, which is neither an unused capsule nor has a method __dlpack__.",
    )
