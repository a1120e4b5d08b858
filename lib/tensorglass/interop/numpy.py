"""Exchange with NumPy: which functions share memory, and the protocols by which NumPy-based libraries use tensors.

`from_numpy`, `frombuffer` and `Tensor.numpy()` copy nothing: tensor and array are two headers on the
same bytes. `tensor(array)` copies; `as_tensor` and `asarray` copy only where dtype or device make it necessary. A
storage over foreign bytes keeps their owner alive, and cannot be resized.
"""

from __future__ import annotations

import builtins
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from tensorglass.backends.numpy_backend import HOST
from tensorglass.core.devices import CPU, as_device
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import bfloat16, get_default_dtype
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained, warn
from tensorglass.graph.tensor_fields import set_requires_grad
from tensorglass.ops.arg_parser.checks import type_name
from tensorglass.ops.creation.factory import check_can_require_grad, read_dtype
from tensorglass.ops.creation.from_memory import on_array, strides_of
from tensorglass.ops.creation.tensor import array_dtype, copied
from tensorglass.ops.declare.registry import OPERATORS, operator
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.construct import make
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, raw_array

# --- from others -----------------------------------------------------------------------------------------------------


@operator("interop", method=False)
def from_numpy(ndarray: np.ndarray) -> Tensor:
    """A tensor on the array's own memory: what is written to one shows in the other."""
    if not isinstance(ndarray, np.ndarray):
        raise explained(
            TypeError(f"expected np.ndarray (got {type_name(ndarray)})"),
            "torch.tensor(data) copies lists, numbers and much else.",
        )
    dtype = array_dtype(ndarray)
    stride = strides_of(ndarray)
    if not ndarray.flags.writeable:
        _warn_of_read_only("NumPy array", "array", "writing to this tensor will result in undefined behavior")
    return on_array(ndarray, dtype, stride)


_warned_of: set[str] = set()  # what PyTorch says once a process


def _warn_of_read_only(what: str, noun: str, danger: str) -> None:
    if what not in _warned_of:
        _warned_of.add(what)
        warn(
            f"The given {what} is not writable, and PyTorch does not support non-writable tensors. This means "
            f"{danger}. "
            f"You may want to copy the {noun} to protect its data or make "
            f"it writable before converting it to a tensor. This type of warning will be suppressed for the rest of "
            "this program."
        )


@operator("interop", method=False)
def frombuffer(buffer: Any, *, dtype: DType, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """A 1-dim tensor on the memory of a bytearray or its like: `count` elements from byte `offset` on (-1: all)."""
    wanted = read_dtype("frombuffer", dtype)
    assert wanted is not None
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if not view.c_contiguous:
        raise explained(
            RuntimeError("could not retrieve buffer from object"),
            "Its elements do not lie in a row: torch.from_numpy takes arrays with strides.",
        )
    length, itemsize = view.nbytes, wanted.itemsize
    if length == 0 or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        )
    if count > 0 and count * itemsize > length - offset:
        raise ValueError(
            f"requested buffer length ({count} * {itemsize} bytes) after offset ({offset} bytes) must not be greater "
            f"than actual buffer length ({length} bytes)"
        )
    if count < 0:
        if (length - offset) % itemsize:
            raise ValueError(
                f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a multiple of element "
                f"size ({itemsize})"
            )
        count = (length - offset) // itemsize
    if requires_grad:
        check_can_require_grad(wanted)
    if view.readonly:
        _warn_of_read_only(
            "buffer", "buffer", "you can write to the underlying (supposedly non-writable) buffer using the tensor"
        )
    run = np.frombuffer(buffer, np.uint8, count * itemsize, offset)
    result = make(UntypedStorage.of_array(HOST, CPU, run, is_ours=False), (count,), (1,), 0, wanted)
    set_requires_grad(result, requires_grad)
    return result


@operator("interop", method=False)
def as_tensor(data: Any, *, dtype: DType | None = None, device: Device | str | None = None) -> Tensor:
    """`data` as a tensor, sharing the memory of tensors and arrays where dtype and device allow."""
    if isinstance(data, np.ndarray):
        data = from_numpy(data)
    elif not isinstance(data, Tensor | list | tuple) and hasattr(data, "__dlpack__"):
        from tensorglass.ops.creation.dlpack import from_dlpack  # when it is needed: imports should be quick

        data = from_dlpack(data)
    if isinstance(data, Tensor):
        if dtype is None and device is None:
            return data
        wanted = read_dtype("as_tensor", dtype) or data._dtype
        return data.to(data.device if device is None else as_device(device), wanted)
    return copied("as_tensor", data, {"dtype": dtype, "device": device})


@operator("interop", method=False)
def asarray(
    obj: Any,
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """`obj` as a tensor. `copy` True always copies, False refuses to, None copies where nothing else will do.

    Memory is shared with tensors, NumPy's arrays and scalars, arrays that offer it by DLPack, and buffers, whose bytes
    are read as elements of `dtype`.
    """
    if copy is not None and not isinstance(copy, builtins.bool):
        raise TypeError(f"asarray(): argument 'copy' must be bool, not {type_name(copy)}")
    shared = _sharing_memory(obj, dtype)
    if shared is None:
        if copy is False and not isinstance(obj, np.ndarray):  # sic: a 0-dim array is copied
            if isinstance(obj, np.generic):
                raise RuntimeError("can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ")
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        if copy is False:
            own = array_dtype(obj)
            _refuse_conversion(own, read_dtype("asarray", dtype) or own)
        if isinstance(obj, np.generic):
            obj = np.asarray(obj)
        return copied("asarray", obj, {"dtype": dtype, "device": device, "requires_grad": builtins.bool(requires_grad)})
    wanted = read_dtype("asarray", dtype) or shared._dtype
    place = shared.device if device is None else as_device(device)
    if requires_grad:
        check_can_require_grad(wanted)
    if copy is False and place != shared.device:
        raise ValueError(f"can't alias tensor from device '{shared.device}' to '{place}'.")
    if copy is False:
        _refuse_conversion(shared._dtype, wanted)
    if requires_grad is None and shared.requires_grad:
        requires_grad = True
        _warn_of_kept_gradient()
    result: Tensor = shared if wanted is shared._dtype and place is shared.device else shared.to(place, wanted)
    if copy and result is shared:
        result = shared.clone()
    if requires_grad:
        return result if result.requires_grad else result.requires_grad_()
    if not result.requires_grad:
        return result
    return result.requires_grad_(False) if result.is_leaf else result.detach()


def _refuse_conversion(own: DType, wanted: DType) -> None:
    if wanted is not own:
        raise ValueError(f"can't alias tensor with dtype '{own.scalar_type}' into dtype '{wanted.scalar_type}'.")


def _warn_of_kept_gradient() -> None:
    if "asarray" not in _warned_of:
        _warned_of.add("asarray")
        warn(
            "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
            "requires_grad=False explicitly to get the old behavior and silence this warning."
        )


def _sharing_memory(obj: Any, dtype: DType | None) -> Tensor | None:
    """A tensor on the memory of `obj`, or None where there is none to share."""
    if isinstance(obj, Tensor):
        return obj
    if isinstance(obj, np.ndarray | np.generic) or hasattr(obj, "__array_interface__"):
        array = np.asarray(obj)
        array_dtype(array)  # raises for elements that no tensor has
        return from_numpy(array) if array.ndim else None
    if hasattr(obj, "__dlpack__") or _is_capsule(obj):
        from tensorglass.ops.creation.dlpack import from_dlpack  # when it is needed: imports should be quick

        return from_dlpack(obj)
    try:
        memoryview(obj)
    except TypeError:
        return None
    return frombuffer(obj, dtype=read_dtype("asarray", dtype) or get_default_dtype())


def _is_capsule(thing: Any) -> bool:
    """Whether this is a DLPack capsule that was not consumed yet."""
    return type(thing).__name__ == "PyCapsule" and '"dltensor' in repr(thing)


# --- to others -------------------------------------------------------------------------------------------------------


@operator("interop", function=False)
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """An array on the tensor's own memory. With `force`, a copy where it cannot be shared."""
    if not isinstance(force, builtins.bool):
        raise TypeError(f"numpy(): argument 'force' must be bool, not {type_name(force)}")
    if force:
        self = self.detach().cpu().resolve_conj()
    if self.requires_grad and state.grad:
        raise explained(
            RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."),
            "NumPy would change values that autograd has recorded, unnoticed.",
        )
    if self._conj:
        raise RuntimeError(
            "Can't call numpy() on Tensor that has conjugate bit set. Use tensor.resolve_conj().numpy() instead."
        )
    if not self.is_cpu:
        raise TypeError(
            f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
            "memory first."
        )
    if self._dtype is bfloat16:
        raise explained(TypeError("Got unsupported ScalarType BFloat16"), "Convert it first: x.float().numpy().")
    self._storage.is_ours = False  # NumPy holds its bytes too: it cannot become longer
    return raw_array(self).view()  # a header of its own: the caller may reshape it in place


@operator("interop", function=False)
def __array__(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """What ``numpy.asarray(tensor)`` asks for: the tensor's own memory, unless another dtype is wanted."""
    array = self.numpy()
    if copy:
        return np.array(array, dtype)
    wanted = array.dtype if dtype is None else np.dtype(dtype)
    if copy is False and wanted != array.dtype:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return array.astype(wanted, copy=False)


@operator("interop", function=False)
def __array_wrap__(self: Tensor, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Tensor:
    """What NumPy's functions make of their result, given a tensor: a tensor again (bools as uint8, as in PyTorch)."""
    array = np.asarray(array)
    return from_numpy(array.astype(np.uint8) if array.dtype == np.bool_ else array)


_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")  # each holds what those before it hold
_namespace: ModuleType | None = None


@operator("interop", function=False, signatures=None)
def __array_namespace__(self: Tensor, *, api_version: str | None = None) -> ModuleType:
    """The functions of the array API standard for tensors: `tensorglass.array_api`. ValueError for other versions."""
    global _namespace
    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(f"there is no version {api_version!r} of the array API here, only {', '.join(_VERSIONS)}")
    if _namespace is None:
        _namespace = import_module("tensorglass.array_api")  # when it is needed: imports should be quick
    return _namespace


@operator("interop", function=False, signatures=None)
def to_device(self: Tensor, device: Device | str, /, *, stream: Any = None) -> Tensor:
    """The array API's name for `to`: this tensor if it is on `device`, else a copy of it there."""
    return self.to(as_device(device))


def _cuda_array_interface(self: Tensor) -> dict[str, Any]:
    """Where on a GPU the elements lie, for CuPy and others: ``cupy.asarray(tensor)`` shares the memory."""
    if not self.is_cuda:
        raise AttributeError(
            f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA data is required use "
            "tensor.cuda() to copy tensor to device memory."
        )
    if self.requires_grad:
        raise RuntimeError(
            "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't required, use "
            "var.detach() to get Variable that doesn't require grad."
        )
    described: dict[str, Any] = raw_array(self).__cuda_array_interface__
    return described


setattr(Tensor, "__cuda_array_interface__", property(_cuda_array_interface))  # noqa: B010  # mypy knows no such name


_equals_tensor_or_number = OPERATORS["eq"].dunders["__eq__"]


@operator("interop", function=False, method=False, dunders=("__eq__",))
def __eq__(self: Tensor, other: Any) -> Any:
    """``tensor == array``, element by element, as of two tensors. (``tensor != array`` is Python's: True.)"""
    answer = _equals_tensor_or_number(self, other)
    if answer is NotImplemented and isinstance(other, np.ndarray):
        try:
            return _equals_tensor_or_number(self, from_numpy(other))
        except TypeError:  # no tensor has such elements
            return NotImplemented
    return answer
