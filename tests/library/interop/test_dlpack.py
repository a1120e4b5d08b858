"""DLPack: memory shared with other libraries, and everything that is refused; nothing aborts."""

from __future__ import annotations

import ctypes
import gc
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import tensorglass as torch
from tensorglass.utils import dlpack


class Producer:
    """An array of another library, which accepts the `known` keywords of the protocol and records its calls."""

    def __init__(self, array: np.ndarray, *known: str, device: tuple[int, int] = (1, 0)) -> None:
        self.array, self.known, self.device, self.asked = array, known, device, []

    def __dlpack__(self, **wishes: Any) -> Any:
        unknown = wishes.keys() - set(self.known)
        if unknown:
            raise TypeError(f"unexpected keyword argument {unknown}")
        self.asked.append(wishes)
        return self.array.__dlpack__(**wishes)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


def test_writes_through_either_side_are_seen() -> None:
    array = np.arange(6.0).reshape(2, 3)
    tensor = torch.from_dlpack(array)
    array[0, 0] = 10
    tensor[1, 2] = 20
    assert tensor[0, 0].item() == 10
    assert array[1, 2] == 20
    exported = np.from_dlpack(tensor)
    exported[0, 1] = 30
    assert array[0, 1] == tensor[0, 1].item() == 30


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_capsules_of_both_versions_carry_every_dtype_and_layout(
    dtype: str, max_version: tuple[int, int] | None
) -> None:
    tensor = torch.arange(12).reshape(3, 4).to(getattr(torch, dtype))
    for view in (tensor, tensor.t(), tensor[1:, ::2], tensor[0, 0], tensor[:0], tensor[:, :1].expand(3, 5)):
        back = torch.from_dlpack(view.__dlpack__(max_version=max_version))
        assert back.dtype is view.dtype
        assert back.tolist() == view.tolist()
        assert back.shape == view.shape
        assert view.numel() == 0 or back.stride() == view.stride()
        assert back.data_ptr() == view.data_ptr()


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_bfloat16_and_complex_numbers_travel(max_version: tuple[int, int] | None) -> None:
    for dtype in (torch.bfloat16, torch.complex64, torch.complex128):
        tensor = torch.tensor([1.5, -2.0, 3.25]).to(dtype)
        back = torch.from_dlpack(tensor.__dlpack__(max_version=max_version))
        back[0] = 7
        assert back.dtype is dtype
        assert torch.equal(back, tensor)
        assert tensor[0].item() == 7


def test_numpy_refuses_bfloat16_and_leaves_the_tensor_as_it_was() -> None:
    tensor = torch.ones(2, dtype=torch.bfloat16)
    with pytest.raises((BufferError, RuntimeError)):
        np.from_dlpack(tensor)
    assert tensor.tolist() == [1, 1]


def test_the_consumer_keeps_the_memory_alive() -> None:
    tensor = torch.full((100_000,), 7)
    array, back = np.from_dlpack(tensor), torch.from_dlpack(tensor)
    del tensor
    gc.collect()
    others = [torch.zeros(100_000, dtype=torch.int64) for _ in range(5)]  # in its memory, if it were free
    assert array.sum() == back.sum().item() == 700_000
    assert all(other.sum().item() == 0 for other in others)


def test_the_producer_lives_as_long_as_some_header_on_its_memory() -> None:
    class Array(np.ndarray):
        """An array that can have weak references."""

    array = np.arange(4.0).view(Array)
    watched = weakref.ref(array)
    tensor = torch.from_dlpack(array)
    view = tensor[1:]
    del array, tensor
    gc.collect()
    assert watched() is not None
    assert view.tolist() == [1, 2, 3]
    del view
    gc.collect()
    assert watched() is None


def test_a_capsule_holds_the_bytes_and_not_the_tensor() -> None:
    tensor = torch.zeros(10)
    watched = weakref.ref(tensor._storage)
    capsule = tensor.__dlpack__()
    del tensor
    gc.collect()
    assert watched() is None, "the storage is gone; the capsule holds its bytes"
    assert torch.from_dlpack(capsule).sum().item() == 0


def test_a_capsule_is_used_once() -> None:
    capsule = torch.to_dlpack(torch.arange(3))
    assert dlpack.from_dlpack(capsule).tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match="can be consumed only once"):
        torch.from_dlpack(capsule)


def test_a_read_only_array_makes_a_tensor_that_refuses_writes() -> None:
    array = np.arange(3)
    array.flags.writeable = False
    tensor = torch.from_dlpack(array)
    with pytest.raises(ValueError, match="read-only"):
        tensor[0] = 1
    assert array.tolist() == tensor.tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match="readonly"):
        tensor.__dlpack__()  # DLPack's old version has no flag for read-only memory
    assert not np.from_dlpack(tensor).flags.writeable


def test_negative_strides_are_refused() -> None:
    with pytest.raises(ValueError, match="At least one stride in the given array is negative"):
        torch.from_dlpack(np.arange(3)[::-1])


@pytest.mark.parametrize(
    "array",
    [np.arange(3).astype(">i8"), np.array(["a"]), np.array([None]), np.zeros(2, "M8[s]"), np.zeros(2, [("a", "i4")]),
     np.zeros(2, np.longdouble), np.zeros(3, [("a", "i4"), ("b", "i2")])["a"]],
    ids=lambda array: str(array.dtype),
)  # fmt: skip
def test_what_no_tensor_can_describe_is_a_buffer_error(array: np.ndarray) -> None:
    with pytest.raises(BufferError):
        torch.from_dlpack(array)


@settings(max_examples=150, deadline=None)
@given(
    array=arrays.arrays(
        st.one_of(
            arrays.boolean_dtypes(),
            arrays.integer_dtypes(endianness="?"),
            arrays.unsigned_integer_dtypes(endianness="?"),
            arrays.floating_dtypes(endianness="?"),
            arrays.complex_number_dtypes(endianness="?"),
        ),
        arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
    ),
    data=st.data(),
)
def test_every_array_is_taken_as_it_is_or_refused_by_an_error(array: np.ndarray, data: st.DataObject) -> None:
    array = array.transpose(data.draw(st.permutations(range(array.ndim))))
    if array.ndim:
        array = array[data.draw(arrays.basic_indices(array.shape, allow_newaxis=True))]
    try:
        tensor = torch.from_dlpack(np.asarray(array))
    except (BufferError, ValueError):
        return
    assert tensor.shape == array.shape
    assert np.array_equal(tensor.numpy(), array, equal_nan=True)


def test_an_older_producer_is_asked_for_less() -> None:
    array = np.arange(3)
    for known in ((), ("copy",), ("copy", "dl_device"), ("max_version", "copy", "dl_device")):
        producer = Producer(array, *known)
        shared = torch.from_dlpack(producer, device="cpu")
        assert shared.data_ptr() == array.ctypes.data
        copied = torch.from_dlpack(producer, copy=True)
        assert copied.data_ptr() != array.ctypes.data
        assert copied.tolist() == [0, 1, 2]
        assert all(wishes.keys() <= set(known) for wishes in producer.asked)


def test_errors_of_the_producer_come_through() -> None:
    class Broken(Producer):
        def __dlpack__(self, **wishes: Any) -> Any:
            raise MemoryError("mine")

    with pytest.raises(MemoryError, match="mine"):
        torch.from_dlpack(Broken(np.arange(3)))


@pytest.mark.parametrize("nonsense", [5, None, [1, 2], "capsule", object()])
def test_what_is_no_array_and_no_capsule_is_refused(nonsense: object) -> None:
    with pytest.raises(RuntimeError, match="invalid capsule"):
        torch.from_dlpack(nonsense)

    class Odd(Producer):
        def __dlpack__(self, **wishes: Any) -> Any:
            return nonsense

    with pytest.raises(RuntimeError, match="invalid capsule"):
        torch.from_dlpack(Odd(np.arange(3)))


def test_a_capsule_of_another_kind_is_refused() -> None:
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    with pytest.raises(RuntimeError, match="invalid capsule"):
        torch.from_dlpack(new_capsule(1, b"something", None))


def test_a_device_that_we_cannot_reach_is_refused() -> None:
    class Elsewhere(Producer):
        def __dlpack__(self, **wishes: Any) -> Any:
            capsule = self.array.__dlpack__()
            # As if it were on such a device: the device's type follows the address in the structure.
            pointer = ctypes.pythonapi.PyCapsule_GetPointer
            pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
            structure = pointer(capsule, b"dltensor")
            ctypes.c_int32.from_address(structure + ctypes.sizeof(ctypes.c_void_p)).value = dlpack.DLDeviceType.kDLMetal
            return capsule

    with pytest.raises(BufferError, match="Unsupported device_type: 8"):
        torch.from_dlpack(Elsewhere(np.arange(3), device=(8, 0)))


def test_copy_and_device_are_heard() -> None:
    tensor = torch.arange(3)
    assert torch.from_dlpack(tensor, copy=False).data_ptr() == tensor.data_ptr()
    assert torch.from_dlpack(tensor, copy=True).data_ptr() != tensor.data_ptr()
    assert torch.from_dlpack(tensor, device="cpu").data_ptr() == tensor.data_ptr()
    assert torch.from_dlpack(np.arange(3), device="sim").device.type == "sim"
    with pytest.raises(ValueError, match="without copying"):
        torch.from_dlpack(tensor, device="sim", copy=False)


def test_a_simulated_devices_memory_is_nobody_elses() -> None:
    tensor = torch.arange(3, device="sim")
    assert tensor.__dlpack_device__() == (dlpack.DLDeviceType.kDLExtDev, 0)
    with pytest.raises(BufferError, match="Cannot pack tensors on sim:0"):
        tensor.__dlpack__()
    with pytest.raises(BufferError, match="Cannot pack tensors on sim:0"):
        torch.from_dlpack(tensor)
    assert torch.from_dlpack(tensor.__dlpack__(dl_device=(1, 0))).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="without copying"):
        tensor.__dlpack__(dl_device=(1, 0), copy=False)


def test_shared_memory_travels_as_other_memory_does() -> None:
    tensor = torch.arange(3).share_memory_()
    array = np.from_dlpack(tensor)
    array[0] = 9
    assert tensor.tolist() == [9, 1, 2]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no NVIDIA GPU here")
def test_memory_on_a_gpu_is_shared_with_cupy() -> None:
    import cupy

    tensor = torch.arange(6.0, device="cuda").reshape(2, 3)
    array = cupy.from_dlpack(tensor)
    array[0, 0] = 7
    assert tensor[0, 0].item() == 7
    back = torch.from_dlpack(array[:, ::2])
    assert back.stride() == (3, 2)
    back[1, 1] = 9
    assert float(array[1, 2]) == 9
    half = torch.ones(2, dtype=torch.bfloat16, device="cuda")
    assert torch.from_dlpack(half).tolist() == [1, 1]
    assert torch.from_dlpack(tensor, device="cpu").tolist() == tensor.tolist()
