"""Tensors whose values are not in one storage of their own: sparse, quantized, nested ones, and what wraps others.

The oracle is PyTorch's profiler, which the timeline reads: what is kept is what the inspectors must account for.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from glassroom import aliases, holders, memory_timeline, model_map, show
from glassroom.testing import assert_no_leak

torch = pytest.importorskip("torch", reason="these are tensors of real PyTorch")
MAKE: dict[str, Callable[[], Any]] = {
    "sparse_coo": lambda: torch.eye(100).to_sparse(),
    "sparse_csr": lambda: torch.eye(100).to_sparse_csr(),
    "sparse_csc": lambda: torch.eye(100).to_sparse_csc(),
    "sparse_bsr": lambda: torch.eye(100).to_sparse_bsr((2, 2)),
    "quantized": lambda: torch.quantize_per_tensor(torch.ones(1000), 0.1, 0, torch.qint8),
    "by channel": lambda: torch.quantize_per_channel(
        torch.ones(10, 100), torch.ones(10) * 0.1, torch.zeros(10), 0, torch.quint8
    ),
    "nested": lambda: torch.nested.nested_tensor([torch.ones(100), torch.ones(200)]),
    "jagged": lambda: torch.nested.nested_tensor([torch.ones(100), torch.ones(200)], layout=torch.jagged),
    "masked": lambda: torch.masked.masked_tensor(torch.ones(100), torch.ones(100, dtype=torch.bool)),
}


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():  # PyTorch calls most of these kinds prototypes
        warnings.simplefilter("ignore")
        yield


def kept_by(make: Callable[[], Any]) -> tuple[Any, int]:
    """The value that `make` returns, and the bytes that PyTorch's profiler counts for it."""
    make()  # the first call also creates caches, which do not count
    gc.collect()
    kept: list[Any] = []
    with memory_timeline() as timeline:
        kept.append(make())
    return kept[0], timeline.data.curves[0].kept


@pytest.mark.parametrize("kind", MAKE)
def test_every_byte_of_a_tensor_that_is_made_of_others_is_accounted_for(kind: str) -> None:
    tensor, nbytes = kept_by(MAKE[kind])
    assert holders(tensor).data.nbytes == nbytes > 0
    everything = holders()
    assert "cannot be looked at" not in everything.text
    [row] = [row for row in everything.data.rows if row.label == "tensor"]
    assert row.nbytes == nbytes
    groups = [group for group in aliases().data.groups if group.members[0].name.startswith("tensor")]
    assert sum(group.nbytes for group in groups) == nbytes
    net = torch.nn.Module()
    net.register_buffer("table", tensor)
    assert 0 < model_map(net=net).data.buffers <= nbytes  # for a storage with several views, the bytes that they reach
    kept = []
    with pytest.raises(AssertionError, match=r"alive, held by kept\[0\]"), assert_no_leak():
        kept.append(MAKE[kind]())


def test_memory_that_nobody_can_look_at_is_called_unknown() -> None:
    tensor, nbytes = kept_by(lambda: torch.ones(1000).to_mkldnn())
    assert nbytes == 4000
    assert holders().text.endswith("; 1 tensor whose memory cannot be looked at")
    with pytest.raises(TypeError, match="oneDNN keeps its values"):
        holders(tensor)
    net = torch.nn.Module()
    net.register_buffer("table", tensor)
    assert "memory unknown" in model_map(net=net).text
    kept = []
    with pytest.raises(AssertionError, match=r"holder is unknown: the memory of tensor cannot"), assert_no_leak():
        kept.append(torch.ones(1000).to_mkldnn())


def test_fake_tensors_have_no_memory_that_could_be_looked_at() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.ones(1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "fake" not in (text := holders().text)
    assert "cannot be looked at" not in text
    with pytest.raises(TypeError, match="a FakeTensor without memory: it stands for a tensor of its size and dtype"):
        show(fake)


def test_a_quantized_tensor_shows_the_integers_that_it_stores() -> None:
    tensor = torch.quantize_per_tensor(torch.tensor([-1.0, 0.5]), 0.1, 0, torch.qint8)
    assert [cell.value for cell in show(tensor=tensor).data.headers[0].cells] == tensor.int_repr().tolist()


def test_a_gradient_that_is_sparse_is_accounted_for() -> None:
    table = torch.nn.Embedding(1000, 8, sparse=True)
    table(torch.tensor([1, 2])).sum().backward()
    told = {path.words: path.nbytes for path in holders()._storages.values()}
    assert told["table.weight.grad._values()"] == 2 * 8 * 4
    assert model_map(table=table).data.gradients == 2 * 8 * 4 + 2 * 8


@pytest.fixture
def mesh(tmp_path: Any) -> Iterator[Any]:
    """A mesh of this process only."""
    distributed = torch.distributed
    if not distributed.is_available():
        pytest.skip("this PyTorch has no distributed package")
    from torch.distributed.device_mesh import init_device_mesh

    distributed.init_process_group("gloo", init_method=f"file://{tmp_path / 'rendezvous'}", rank=0, world_size=1)
    yield init_device_mesh("cpu", (1,))
    distributed.destroy_process_group()


def test_wrapped_networks_are_counted_by_their_local_memory(mesh: Any) -> None:
    from torch.distributed.fsdp import fully_shard

    net = torch.nn.Linear(30, 40)
    fully_shard(net, mesh=mesh)
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(2, 30)).sum().backward()
    optimizer.step()
    data = model_map(net=net, optimizer=optimizer).data
    nbytes = (30 + 1) * 40 * 4
    assert (data.parameters, data.gradients) == (nbytes, nbytes)
    assert data.state == 2 * nbytes + 2 * 4  # averages, and the steps counted
    told = {path.words: path.nbytes for path in holders()._storages.values()}
    assert told["net.weight._local_tensor"] == 30 * 40 * 4
    assert told["net.weight.grad._local_tensor"] == nbytes  # in one storage with the gradient of the bias
    assert "net.weight._local_tensor" in aliases(net=net).text
