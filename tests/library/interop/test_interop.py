"""NumPy and tensors: who shares whose memory, and what is refused."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

import tensorglass as torch


def test_from_numpy_shares_memory_both_ways() -> None:
    array = np.arange(6.0).reshape(2, 3)
    tensor = torch.from_numpy(array)
    array[0, 0] = 10
    tensor[1, 2] = 20
    assert tensor[0, 0].item() == 10
    assert array[1, 2] == 20


def test_from_numpy_keeps_strides_of_a_slice_and_starts_its_storage_there() -> None:
    array = np.arange(12, dtype=np.int32).reshape(3, 4)[1:, ::2]
    tensor = torch.from_numpy(array)
    assert tensor.stride() == (4, 2)
    assert tensor.storage_offset() == 0
    assert tensor.data_ptr() == array.ctypes.data
    assert tensor.tolist() == array.tolist()


def test_a_storage_over_foreign_memory_is_not_resized() -> None:
    tensor = torch.from_numpy(np.arange(3))
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        tensor.untyped_storage().resize_(100)
    assert tensor.tolist() == [0, 1, 2]


def test_the_array_outlives_its_name_as_long_as_the_tensor_does() -> None:
    tensor = torch.from_numpy(np.full(1000, 7))
    assert tensor.sum().item() == 7000


def test_numpy_shares_memory_and_hands_out_a_header_of_its_own() -> None:
    tensor = torch.arange(6)
    array = tensor.numpy()
    array[1] = 9
    array.flags.writeable = False
    tensor[0] = 7
    assert tensor.tolist() == array.tolist() == [7, 9, 2, 3, 4, 5]


@pytest.mark.parametrize("size", [(), (0,), (2, 0, 3), (1, 1)])
def test_odd_sizes_go_to_numpy_and_back(size: tuple[int, ...]) -> None:
    back = torch.from_numpy(torch.ones(size).numpy())
    assert back.shape == size
    assert back.tolist() == torch.ones(size).tolist()


def test_tensor_copies_as_tensor_and_asarray_share() -> None:
    array = np.arange(3)
    copied, shared, also = torch.tensor(array), torch.as_tensor(array), torch.asarray(array)
    array[0] = 9
    assert (copied[0].item(), shared[0].item(), also[0].item()) == (0, 9, 9)


def test_frombuffer_shares_a_bytearray() -> None:
    buffer = bytearray(8)
    tensor = torch.frombuffer(buffer, dtype=torch.int16)
    tensor[1] = 0x0102
    assert bytes(buffer) == np.array([0, 0x0102, 0, 0], np.int16).tobytes()


def test_dlpack_shares_memory_with_numpy() -> None:
    tensor = torch.arange(3)
    array = np.from_dlpack(tensor)
    tensor[0] = 5
    assert array[0] == 5
    assert torch.from_dlpack(np.arange(3)).tolist() == [0, 1, 2]


def test_writing_to_a_read_only_array_is_refused() -> None:
    array = np.arange(3)
    array.flags.writeable = False
    tensor = torch.as_tensor(array)
    with pytest.raises(ValueError, match="read-only"):
        tensor[0] = 1
    assert array.tolist() == [0, 1, 2]


def test_numpy_scalars_are_numbers_to_operators() -> None:
    tensor = torch.ones(2, dtype=torch.int32)
    assert (tensor + np.int64(2)).dtype is torch.int32
    assert (np.int64(2) * tensor).tolist() == [2, 2]
    assert (tensor * np.float32(0.5)).dtype is torch.float32


def test_numpy_is_refused_where_it_would_cut_a_gradient_off_and_nowhere_else() -> None:
    tensor = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Can't call numpy"):
        tensor.numpy()
    with torch.no_grad():
        assert tensor.numpy().tolist() == [1, 1]


def test_a_tensor_keeps_an_array_that_owns_its_memory_and_else_the_memory() -> None:
    array = np.ones(2)
    own, tensor = weakref.ref(array), torch.from_numpy(array)
    del array
    assert own() is not None
    array = tensor.numpy()
    seen, other = weakref.ref(array), torch.from_numpy(array)
    del array
    tensor.zero_()
    assert seen() is None
    assert other.tolist() == [0, 0]
