"""`nn.DataParallel` over simulated devices gives what one device gives, forward and backward."""

from __future__ import annotations

import copy
from collections import namedtuple
from typing import Any

import pytest

import tensorglass as torch
from tensorglass import nn
from tensorglass.nn.parallel._functions import Broadcast, Gather, ReduceAddCoalesced, Scatter

Pair = namedtuple("Pair", "left right")


def network() -> Any:
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv1d(2, 3, 2), nn.LayerNorm(3), nn.GELU(), nn.Flatten(), nn.Linear(9, 2))


@pytest.mark.parametrize("batch", [1, 5, 8])
def test_outputs_and_gradients_are_those_of_one_device(batch: int) -> None:
    alone = network().to("sim:0")
    many = nn.DataParallel(copy.deepcopy(alone), device_ids=[0, 1])
    x = torch.randn(batch, 2, 4)
    expected, output = alone(x.to("sim:0")), many(x)
    assert output.device == torch.device("sim:0")
    torch.testing.assert_close(output, expected)
    expected.square().sum().backward()
    output.square().sum().backward()
    for one, other in zip(alone.parameters(), many.parameters(), strict=True):
        torch.testing.assert_close(other.grad, one.grad)


def test_without_device_ids_all_devices_of_the_network_are_used() -> None:
    many = nn.DataParallel(network().to("sim"))
    assert many.device_ids == [0, 1]
    assert nn.DataParallel(network().to("sim"), output_device=1)(torch.randn(4, 2, 4)).device == torch.device("sim:1")
    assert many(torch.randn(4, 2, 4)).device == torch.device("sim:0")


def test_on_the_cpu_the_network_is_called_as_it_is() -> None:
    inner = network()
    x = torch.randn(3, 2, 4)
    wrapped = nn.DataParallel(inner)
    assert wrapped.device_ids == []
    assert torch.equal(wrapped(x), inner(x))


def test_state_dictionaries_have_the_keys_of_the_network_after_module() -> None:
    many = nn.DataParallel(network().to("sim"))
    assert list(many.state_dict())[:2] == ["module.0.weight", "module.0.bias"]
    assert str(many.load_state_dict(many.state_dict())) == "<All keys matched successfully>"


def test_what_is_written_to_buffers_is_kept_on_the_first_device() -> None:
    norm = nn.BatchNorm1d(2, momentum=1.0)
    many = nn.DataParallel(norm.to("sim"))
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [100.0, 100.0], [200.0, 200.0]])
    many(x)
    assert norm.running_mean.tolist() == [2.0, 3.0]
    assert norm.num_batches_tracked.item() == 1


def test_a_shared_weight_gets_the_sum_of_its_gradients() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
            self.b.weight = self.a.weight

        def forward(self, x: Any, scale: float = 1.0) -> Any:
            return {"y": self.b(self.a(x)) * scale, "pair": Pair(x, None)}

    tied = Tied()
    reference = copy.deepcopy(tied)
    many = nn.DataParallel(tied.to("sim"))
    x = torch.randn(4, 2)
    outputs = many(x, scale=2.0)
    assert isinstance(outputs["pair"], Pair)
    assert outputs["pair"].right is None
    outputs["y"].sum().backward()
    reference(x, 2.0)["y"].sum().backward()
    torch.testing.assert_close(tied.a.weight.grad.cpu(), reference.a.weight.grad)


def test_an_error_in_a_replica_keeps_its_class_and_says_where_it_was() -> None:
    many = nn.DataParallel(network().to("sim"))
    with pytest.raises(RuntimeError, match=r"Caught RuntimeError in replica 0 on device sim:0\.\nOriginal Traceback"):
        many(torch.randn(4, 3, 4))
    many.module.to("cpu")
    with pytest.raises(RuntimeError, match="module must have its parameters and buffers on device sim:0"):
        many(torch.randn(4, 2, 4))


def test_without_gradients_replicas_record_none() -> None:
    many = nn.DataParallel(network().to("sim"))
    with torch.no_grad():
        assert not many(torch.randn(4, 2, 4)).requires_grad
    assert not nn.parallel.data_parallel(many.module.requires_grad_(False), torch.randn(4, 2, 4), [0, 1]).requires_grad


def test_scatter_and_gather_go_through_nested_values() -> None:
    parts = nn.parallel.scatter(({"x": torch.arange(5)}, [torch.arange(4)], "same", Pair(torch.ones(2), 3)), [0, 1])
    assert [part[0]["x"].tolist() for part in parts] == [[0, 1, 2], [3, 4]]
    assert [(part[2], part[3].right) for part in parts] == [("same", 3)] * 2
    assert parts[1][1][0].device == torch.device("sim:1")
    joined = nn.parallel.gather([part[0] for part in parts], -1)
    assert joined["x"].tolist() == [0, 1, 2, 3, 4]
    with pytest.warns(UserWarning, match="Was asked to gather along dimension 0"):
        assert nn.parallel.gather([torch.ones((), device="sim:0"), torch.ones((), device="sim:1")], 0).shape == (2,)
    with pytest.raises(ValueError, match="All dicts must have the same number of keys"):
        nn.parallel.gather([{"a": torch.ones(1)}, {}], -1)


def test_the_functions_of_batch_norm_over_devices_move_and_add() -> None:
    a, b = (torch.tensor([value], device="sim:0", requires_grad=True) for value in (1.0, 2.0))
    sent = Broadcast.apply(["sim:0", "sim:1"], a, b)
    assert [(each.item(), each.device.index) for each in sent] == [(1.0, 0), (2.0, 0), (1.0, 1), (2.0, 1)]
    sums = ReduceAddCoalesced.apply(1, 2, *sent)
    assert [(each.item(), each.device.index) for each in sums] == [(2.0, 1), (4.0, 1)]
    parts = Scatter.apply(["sim:0", "sim:1"], [1, 3], 0, torch.arange(4.0))
    assert [part.shape[0] for part in parts] == [1, 3]
    assert Gather.apply("cpu", 0, *parts).tolist() == [0, 1, 2, 3]
    (sums[0] * sums[1]).sum().backward()
    assert (a.grad.item(), b.grad.item()) == (8.0, 4.0)
    for name, call in (("Broadcast", lambda: Broadcast.apply([0], torch.ones(1))),
                       ("Gather", lambda: Gather.apply(0, 0, torch.ones(1)))):  # fmt: skip
        with pytest.raises(AssertionError, match=f"{name} function not implemented for CPU tensors"):
            call()
