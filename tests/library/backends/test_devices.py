"""Tensors on accelerators: where they are, how they get there, what they refuse, how random numbers are drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest
from devices_here import ACCELERATORS

import tensorglass as torch


@pytest.fixture(params=ACCELERATORS)
def device(request: pytest.FixtureRequest) -> Iterator[str]:
    yield request.param
    torch.set_default_device(None)


def test_a_tensor_is_on_the_current_device_of_the_type(device: str) -> None:
    tensor = torch.zeros(2, device=device)
    assert tensor.device == torch.device(device, 0)
    assert tensor.device.index == 0
    assert torch.device(device).index is None
    assert tensor.untyped_storage().device == tensor.device
    assert tensor.get_device() == 0
    assert repr(tensor) == f"tensor([0., 0.], device='{device}:0')"


def test_to_moves_a_copy_and_leaves_what_is_there_alone(device: str) -> None:
    here = torch.arange(6.0).reshape(2, 3).t()
    there = here.to(device)
    assert there.stride() == here.stride() == (1, 3)
    assert there.tolist() == here.tolist()
    assert there.to(device) is there
    assert there.to(device, copy=True) is not there
    assert there.cpu().tolist() == here.tolist()
    assert here.cpu() is here
    there.zero_()
    assert here.sum().item() == 15


def test_moving_is_recorded(device: str) -> None:
    leaf = torch.ones(3, requires_grad=True)
    (leaf.to(device) * 2).sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.device.type == "cpu"
    assert leaf.grad.tolist() == [2, 2, 2]


def test_the_default_device_is_where_factories_make_tensors(device: str) -> None:
    torch.set_default_device(device)
    assert torch.get_default_device() == torch.device(device, 0)
    for tensor in (torch.zeros(2), torch.tensor([1.0]), torch.arange(3), torch.rand(2), torch.eye(2)):
        assert tensor.device.type == device
    torch.set_default_device("cpu")
    with torch.device(device):
        assert torch.ones(1).device.type == device
    assert torch.ones(1).device.type == "cpu"


MIXED: list[Callable[[Any, Any], Any]] = [
    lambda here, there: here + there,
    lambda here, there: there + here,
    lambda here, there: there.add_(here),
    lambda here, there: here @ there,
    lambda here, there: torch.cat([here, there]),
    lambda here, there: torch.stack([there, here]),
    lambda here, there: torch.where(there > 0, here, there),
    lambda here, there: torch.gather(there, 0, here.long()),
    lambda here, there: there.index_select(0, here[0].long()),
    lambda here, there: torch.add(here, there, out=torch.empty(2, 2)),
    lambda here, there: torch.maximum(there, here),
]


@pytest.mark.parametrize("call", MIXED)
def test_operands_on_two_devices_are_refused_and_nothing_is_written(device: str, call: Callable[..., Any]) -> None:
    here, there = torch.ones(2, 2), torch.ones(2, 2, device=device)
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device, but found at least two"):
        call(here, there)
    assert here.tolist() == there.tolist() == [[1, 1], [1, 1]]


def test_blocks_on_two_devices_make_no_matrix(device: str) -> None:
    here, there = torch.ones(2, 2), torch.ones(1, 2, device=device)
    said = f"same device. Input 0 is on device cpu and input 1 is on device {there.device}."
    with pytest.raises(RuntimeError, match=re.escape(said)):
        torch.block_diag(here, there)


def test_a_0_dim_tensor_on_the_cpu_goes_along_as_a_number(device: str) -> None:
    there = torch.arange(3.0, device=device, requires_grad=True)
    factor = torch.tensor(2.0, requires_grad=True)
    for product in (there * factor, factor * there):
        assert product.device.type == device
        assert product.tolist() == [0, 2, 4]
    product.sum().backward()
    assert factor.grad is not None
    assert factor.grad.device.type == "cpu"
    assert factor.grad.item() == 3
    with pytest.raises(RuntimeError, match="found at least two devices"):
        torch.arange(3.0) * torch.tensor(2.0, device=device)


def test_an_index_may_be_on_the_cpu_but_not_elsewhere(device: str) -> None:
    there = torch.arange(4.0, device=device)
    index = torch.tensor([3, 0])
    assert there[index].tolist() == there[index.to(device)].tolist() == there[[3, 0]].tolist() == [3, 0]
    there[index] = 7.0
    there[torch.tensor([False, True, False, False])] = 9.0
    assert there.tolist() == [7, 9, 2, 7]
    with pytest.raises(RuntimeError, match=r"indices should be either on cpu or on the same device .* \(cpu\)"):
        torch.arange(4.0)[index.to(device)]


def test_the_host_cannot_read_the_memory_by_accident(device: str) -> None:
    there = torch.ones(2, device=device)
    with pytest.raises(TypeError, match=f"can't convert {device}:0 device type tensor to numpy. Use Tensor.cpu"):
        there.numpy()
    with pytest.raises(TypeError, match="device type tensor to numpy"):
        numpy.asarray(there)
    assert there.cpu().numpy().tolist() == [1, 1]


def test_storages_move_as_bytes(device: str) -> None:
    there = torch.tensor([1, 2], dtype=torch.int16, device=device).untyped_storage()
    assert there.device == torch.device(device, 0)
    assert there.tolist() == [1, 0, 2, 0]
    assert there.cpu().tolist() == [1, 0, 2, 0]
    there[0] = 5
    assert (there[0], there[-2]) == (5, 2)
    assert there.clone().device == there.device
    there.resize_(8)
    assert there.tolist()[:4] == [5, 0, 2, 0]


def test_a_generator_draws_on_its_own_device(device: str) -> None:
    generator = torch.Generator(device).manual_seed(5)
    drawn = torch.rand(4, device=device, generator=generator)
    assert drawn.tolist() == torch.rand(4, generator=torch.Generator().manual_seed(5)).tolist()
    with pytest.raises(RuntimeError, match=f"Expected a '{device}' device type for generator but found 'cpu'"):
        torch.rand(2, device=device, generator=torch.Generator())
    with pytest.raises(RuntimeError, match=f"Expected a 'cpu' device type for generator but found '{device}'"):
        torch.rand(2, generator=generator)


def test_manual_seed_seeds_every_device(device: str) -> None:
    torch.rand(1, device=device)
    torch.manual_seed(11)
    first = torch.randn(5, device=device).tolist()
    torch.manual_seed(11)
    assert torch.randn(5, device=device).tolist() == first
    state = getattr(torch, device).get_rng_state()
    drawn = torch.rand(3, device=device).tolist()
    getattr(torch, device).set_rng_state(state)
    assert torch.rand(3, device=device).tolist() == drawn


def test_memory_is_counted_and_freed(device: str) -> None:
    module = getattr(torch, device)
    torch.zeros(1, device=device)
    module.empty_cache()
    before = module.memory_allocated()
    module.reset_peak_memory_stats()
    held = torch.zeros(1000, device=device)
    view = held[1:]
    assert module.memory_allocated() - before == 4096  # rounded up to a multiple of 512
    del held
    assert module.memory_allocated() - before == 4096
    del view
    assert module.memory_allocated() == before
    assert module.max_memory_allocated() - before == 4096
    assert module.memory_reserved() >= module.memory_allocated()


def test_asking_for_a_device_that_is_not_there_says_which_there_are(device: str) -> None:
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        torch.zeros(1, device=f"{device}:99")


def test_a_tensor_offers_its_memory_to_cupy_on_a_gpu_alone(device: str) -> None:
    tensor = torch.ones(2, device=device)
    assert hasattr(tensor, "__cuda_array_interface__") == (device == "cuda")
    with pytest.raises(AttributeError, match=r"on non-CUDA tensor type: torch\.FloatTensor"):
        torch.ones(2).__cuda_array_interface__  # noqa: B018  # to be asked for is what it refuses
