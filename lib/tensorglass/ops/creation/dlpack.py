"""DLPack: sharing memory with every array library that speaks the protocol, without copying.

The producer's `__dlpack__` makes a capsule, which says where the memory is and frees it when it is no longer needed;
`from_dlpack` makes a tensor of it. Capsules are made and consumed by the array module of the device, NumPy or CuPy,
whose code keeps memory alive and is called back to free it. This module decides what may be shared, and with which
header.
"""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from tensorglass import backends, geometry
from tensorglass.backends import get as get_backend
from tensorglass.backends import numpy_values
from tensorglass.backends.dlpack_capsule import (
    ON_HOST,
    DLDeviceType,
    call_bfloat16_int16,
    call_int16_bfloat16,
    content_of,
)
from tensorglass.core import devices
from tensorglass.core.devices import CPU, as_device
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import bfloat16
from tensorglass.core.errors import explained
from tensorglass.ops.arg_parser.checks import type_name
from tensorglass.ops.creation.from_memory import on_array, strides_of
from tensorglass.ops.declare.registry import operator
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.construct import make
from tensorglass.tensor.tensor import Tensor, raw_array

_HOST: Any = get_backend(CPU)  # the device of Python's lists and numbers

DLDevice = tuple[int, int]  # a `DLDeviceType` and an index

_ON_CPU = (DLDeviceType.kDLCPU, 0)
_DEVICE_TYPES = {
    DLDeviceType.kDLCPU: "cpu",
    DLDeviceType.kDLCUDAHost: "cpu",
    DLDeviceType.kDLCUDA: "cuda",
    DLDeviceType.kDLCUDAManaged: "cuda",
    DLDeviceType.kDLROCMHost: "cpu",
}


def _speaker(device: Device) -> backends.SpeaksDLPack:
    """The backend of a device, if other libraries can access its memory."""
    return cast(backends.SpeaksDLPack, backends.get(device))


# --- to others -------------------------------------------------------------------------------------------------------


@operator("interop", function=False, signatures=None)
def __dlpack__(
    self: Tensor,
    *,
    stream: int | None = -1,
    max_version: tuple[int, int] | None = None,
    dl_device: DLDevice | None = None,
    copy: bool | None = None,
) -> Any:
    """A capsule by which another library shares this tensor's memory; its `from_dlpack` calls this.

    `stream` is the consumer's CUDA stream (-1: it needs no synchronization), `max_version` the newest version of the
    protocol that it reads, `dl_device` where it wants the elements. `copy` True always copies, False refuses to, None
    copies where nothing else will do. BufferError for what cannot be exported.
    """
    if self.requires_grad:
        raise explained(
            BufferError("Can't export tensors that require gradient, use tensor.detach()"),
            "The other library would change values that autograd has recorded, unnoticed.",
        )
    if self._conj:
        raise BufferError("Can't export tensors with the conjugate bit set")
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    if self.is_cpu and stream is not None and stream != -1:
        raise AssertionError("stream should be None on cpu.")
    return _capsule(self, stream, max_version is not None and max_version[0] >= 1, dl_device, copy)


@operator("interop", method=False, signatures=None)
def to_dlpack(data: Tensor, *, dl_device: DLDevice | None = None, copy: bool | None = None) -> Any:
    """A capsule of `data` for one call of `from_dlpack`. The old way: `from_dlpack` takes tensors themselves."""
    if not isinstance(data, Tensor):
        raise TypeError(f"_to_dlpack(): argument 'data' (position 1) must be Tensor, not {type_name(data)}")
    return _capsule(data, -1, False, dl_device, copy)


def _capsule(
    tensor: Tensor, stream: int | None, is_versioned: bool, dl_device: DLDevice | None, copy: bool | None
) -> Any:
    if dl_device is not None or copy is not None:
        tensor = _placed(tensor, dl_device, copy)
    array = raw_array(tensor)
    is_bfloat16 = tensor._dtype is bfloat16
    if is_bfloat16:
        array = array.view("int16")
    if not hasattr(array, "__dlpack__"):
        raise explained(
            BufferError(f"Cannot pack tensors on {tensor.device}"),
            "No other library can reach this device's memory: tensor.cpu() copies it to the host.",
        )
    if not array.size and tensor.is_cpu:  # NumPy changes the strides of arrays without elements
        strides = [step * array.itemsize for step in tensor._stride]
        array = _HOST.xp.lib.stride_tricks.as_strided(array, strides=strides)
    wishes: dict[str, Any] = {} if tensor.is_cpu else {"stream": stream}
    # NumPy 2.0 makes only capsules of the old version, which every consumer accepts.
    if is_versioned and _speaker(tensor.device).reads_versioned_capsules:
        wishes["max_version"] = (1, 0)
    capsule = array.__dlpack__(**wishes) if tensor.is_cpu else tensor._backend.run(partial(array.__dlpack__, **wishes))
    if is_bfloat16:
        call_int16_bfloat16(capsule)
    return capsule


def _placed(tensor: Tensor, dl_device: Any, copy: Any) -> Tensor:
    """The tensor on the device that its consumer wants; a copy if the consumer asks for one."""
    if copy is not None and not isinstance(copy, bool):
        raise TypeError(f"_to_dlpack(): argument 'copy' must be bool, not {type_name(copy)}")
    place = tensor.device
    if dl_device is not None:
        if not isinstance(dl_device, tuple):
            raise TypeError(f"_to_dlpack(): argument 'dl_device' must be tuple of ints, not {type_name(dl_device)}")
        place = _device_of_numbers(dl_device)
        if place != tensor.device and copy is False:
            raise ValueError(f"cannot move (i.e. copy=False) tensor from {tensor.device} to {place} without copying.")
    return tensor.detach().to(place, copy=bool(copy))


@operator("interop", function=False, signatures=None)
def __dlpack_device__(self: Tensor) -> DLDevice:
    """The device that the memory is on, in DLPack's numbers: (1, 0) is the CPU."""
    device = self._storage.device
    if device.type == "meta":
        raise ValueError("Unknown device type meta for Dlpack")
    if device is not CPU:
        return _dl_device(device)
    if self._storage.is_pinned() and devices.accelerator_type() == "cuda":
        return DLDeviceType.kDLCUDAHost, 0
    return _ON_CPU


def _dl_device(device: Device) -> DLDevice:
    """DLPack's numbers for a device."""
    if device.type == "cpu":
        return _ON_CPU
    if device.type == "meta":
        raise BufferError("Cannot pack tensors on meta")
    return (DLDeviceType.kDLCUDA if device.type == "cuda" else DLDeviceType.kDLExtDev), device.index or 0


def _device_of_numbers(dl_device: DLDevice) -> Device:
    """The device that DLPack's numbers mean."""
    device_type = _DEVICE_TYPES.get(dl_device[0])  # type: ignore[call-overload]  # any number may be asked for
    if device_type is None:
        raise BufferError(f"Unsupported device_type: {int(dl_device[0])}")
    return CPU if device_type == "cpu" else devices.with_index(device_type, dl_device[1])


# --- from others -----------------------------------------------------------------------------------------------------


class _Offer:
    """A capsule in the form in which array modules accept it: as the method of an array."""

    __slots__ = ("capsule", "device")

    def __init__(self, capsule: Any, device: DLDevice) -> None:
        self.capsule = capsule
        self.device = device

    def __dlpack__(self, **wishes: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> DLDevice:
        return self.device


@operator("interop", method=False, signatures=None)
def from_dlpack(ext_tensor: Any, *, device: Device | str | None = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of another library's array, which offers it by the DLPack protocol.

    `ext_tensor` is an array with the methods `__dlpack__` and `__dlpack_device__`, or a capsule that was not used yet.
    `device` says where the tensor should be. `copy` True always copies, False refuses to, None copies where nothing
    else will do. What may only be read makes a tensor that refuses to be written to.
    """
    if not hasattr(ext_tensor, "__dlpack__"):
        if device is not None or copy is not None:
            raise AssertionError("device and copy kwargs not supported when ext_tensor is already a DLPack capsule.")
        return _consumed(ext_tensor)
    if device is None and copy is None and type(ext_tensor) is numpy_values.ndarray:
        dtype = _HOST.find_dtype(ext_tensor)
        if dtype is not None and dtype is not bfloat16 and ext_tensor.flags.c_contiguous:
            # The same header as through a capsule, without making one.
            return on_array(ext_tensor, dtype, strides_of(ext_tensor))
    source = ext_tensor.__dlpack_device__()
    wishes: dict[str, Any] = {}
    place = None
    if device is not None:
        if not isinstance(device, Device | str):
            raise AssertionError(f"from_dlpack: unsupported device type: {type(device)}")
        place = as_device(device)
        target = _dl_device(place)
        if target == source:
            place = None
            wishes["dl_device"] = target
        elif copy is False:
            raise ValueError(
                f"cannot move DLPack tensor from device {tuple(map(int, source))} to {tuple(map(int, target))} without "
                "copying. Set copy=None or copy=True."
            )
    if copy is not None:
        wishes["copy"] = copy
    if source[0] == DLDeviceType.kDLCUDA:
        wishes["stream"] = _current_stream(source[1])
    capsule, wishes = _asked_for(ext_tensor, wishes)
    tensor = _consumed(capsule)
    if place is not None:
        return tensor.to(place)
    return tensor.clone() if copy and "copy" not in wishes else tensor


def _asked_for(producer: Any, wishes: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The producer's capsule, and the keywords it was called with: fewer and fewer, until it knows them all."""
    if _speaker(CPU).reads_versioned_capsules:
        wishes = {"max_version": (1, 0)} | wishes
    for wish in ("max_version", "copy", "dl_device"):
        try:
            return producer.__dlpack__(**wishes), wishes
        except TypeError:  # a producer of an older version of the protocol
            wishes = {name: value for name, value in wishes.items() if name != wish}
    return producer.__dlpack__(**wishes), wishes


def _current_stream(index: int) -> int:
    """The number of the stream that kernels are launched on; 1 is DLPack's for the default stream."""
    backend: Any = backends.get(devices.with_index("cuda", index))
    return int(backend.run(backend.xp.cuda.get_current_stream).ptr) or 1


def _consumed(capsule: Any) -> Tensor:
    """The tensor on a capsule's memory. The capsule is used up."""
    content = content_of(capsule)
    place = CPU if content.device[0] in ON_HOST else _device_of_numbers(content.device)
    backend = backends.get(place)
    if content.dtype is bfloat16:
        backend.array_dtype(bfloat16)  # raises where there is no such dtype
        call_bfloat16_int16(capsule)
    nbytes = geometry.storage_nbytes(content.size, content.stride, 0, content.dtype.itemsize)
    offer = _Offer(capsule, content.device)
    buffer = _speaker(place).adopt(offer, content.address, nbytes, is_read_only=content.is_read_only)
    storage = UntypedStorage.of_array(backend, place, buffer, is_ours=False)
    return make(storage, content.size, content.stride, 0, content.dtype)
