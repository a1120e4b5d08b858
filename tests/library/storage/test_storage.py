"""Untyped storages: bytes, their slices, and what happens when they are resized under their headers."""

from __future__ import annotations

import copy
import gc
import weakref
from typing import Any

import pytest

import tensorglass as torch
from tensorglass import memory


def test_a_slice_shares_its_bytes() -> None:
    storage = torch.UntypedStorage([1, 2, 3])
    storage[1:].fill_(9)
    assert storage.tolist() == [1, 9, 9]


def test_resize_keeps_what_fits_and_headers_follow_the_new_bytes() -> None:
    tensor = torch.arange(4, dtype=torch.uint8)
    tensor.untyped_storage().resize_(8)
    tensor.untyped_storage()[0] = 7
    assert tensor.tolist() == [7, 1, 2, 3]


USES = {
    "repr": repr,
    "tolist": lambda tensor: tensor.tolist(),
    "item": lambda tensor: tensor[1, 2].item(),
    "float": lambda tensor: float(tensor[1, 2]),
    "format": lambda tensor: f"{tensor[1, 2]:.2f}",
    "iteration": lambda tensor: [row.tolist() for row in tensor],
    "neg": lambda tensor: -tensor,
    "add": lambda tensor: tensor + tensor,
    "add a number": lambda tensor: tensor + 1,
    "add_": lambda tensor: tensor.add_(1),
    "out": lambda tensor: torch.add(torch.ones(2, 3), 1, out=tensor),
    "fill_": lambda tensor: tensor.fill_(1),
    "write to a part": lambda tensor: tensor[1].fill_(1),
    "sum": lambda tensor: tensor.sum(),
    "matmul": lambda tensor: tensor @ tensor.t(),
    "cat": lambda tensor: torch.cat([tensor, tensor]),
    "clone": lambda tensor: tensor.clone(),
    "double": lambda tensor: tensor.double(),
    "copy from": lambda tensor: torch.zeros(2, 3).copy_(tensor),
    "index": lambda tensor: tensor[torch.tensor([0])],
    "mask": lambda tensor: tensor[torch.ones(2, 3, dtype=torch.bool)],
    "nonzero": lambda tensor: tensor.nonzero(),
    "equal": lambda tensor: torch.equal(tensor, tensor),
    "numpy": lambda tensor: tensor.numpy(),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("left", [12, 0])
def test_every_use_of_elements_past_a_shortened_storage_is_an_error_that_says_how_to_mend_it(use, left) -> None:
    tensor = torch.arange(6.0).view(2, 3)
    storage = tensor.untyped_storage()
    storage.resize_(left)
    held = storage.tolist()
    with pytest.raises(RuntimeError, match=f"out of bounds for storage of size {left}") as caught:
        USES[use](tensor)
    assert any("resized under this tensor" in note and "resize_(" in note for note in caught.value.__notes__)
    assert storage.tolist() == held


def test_views_of_a_tensor_with_a_shortened_storage_can_be_made_and_what_is_left_be_read() -> None:
    tensor = torch.arange(6.0).view(2, 3)
    storage = tensor.untyped_storage()
    storage.resize_(12)
    assert tensor.t().shape == (3, 2)
    assert tensor.view(6)[:3].tolist() == [0, 1, 2]
    storage.resize_(24)
    assert tensor[0].tolist() == [0, 1, 2]


def test_conversions_take_each_byte_for_a_number() -> None:
    assert torch.UntypedStorage([1, 0]).float().tolist() == [1.0, 0.0]
    assert torch.UntypedStorage([1, 0]).bool().tolist() == [True, False]


def test_byteswap_turns_each_element_around() -> None:
    storage = torch.UntypedStorage([1, 2, 3, 4])
    storage.byteswap(torch.int16)
    assert storage.tolist() == [2, 1, 4, 3]


def test_a_resized_storage_finds_the_tensor_that_it_was_made_with() -> None:
    a = torch.ones(3) + 1
    apart = a.detach()
    storage = apart.untyped_storage()
    a + a  # which keeps the array that it read
    storage.resize_(40)
    storage.fill_(0)
    assert a.tolist() == [0.0, 0.0, 0.0]
    assert [header is a or header is apart for header in storage.headers()] == [True, True]


class Births(memory.Observer):
    def __init__(self) -> None:
        self.storages: list[Any] = []

    def born(self, storage: Any, nbytes: int) -> None:
        self.storages.append(weakref.ref(storage))


def on_its_storage(tensor: Any) -> list[Any]:
    """What `headers` should return, in any order: the tensors that Python's garbage collector finds on this storage."""
    storage = tensor.untyped_storage()
    return [seen for seen in gc.get_objects() if issubclass(type(seen), torch.Tensor) and seen._storage is storage]


def test_a_storage_knows_its_tensors_after_gc_freeze() -> None:
    alone, result, gone = torch.ones(3) + 1, torch.ones(3) + 1, torch.ones(3) + 1
    apart, left = result.detach(), gone.detach()
    saved = torch.ones(3, requires_grad=True).exp()
    births = Births()
    with memory.observed(births):
        observed = torch.ones(3) + 1
    del gone
    gc.collect()
    gc.freeze()
    frozen = gc.get_freeze_count()

    assert [header is alone for header in alone.untyped_storage().headers()] == [True]
    assert [header is result or header is apart for header in apart.untyped_storage().headers()] == [True, True]
    assert [header is left for header in left.untyped_storage().headers()] == [True]
    assert [header is observed for header in births.storages[-1]().headers()] == [True]
    unpacked = saved.grad_fn._saved_result  # the node keeps the memory of its result, not the tensor
    assert [header is saved or header is unpacked for header in unpacked.untyped_storage().headers()] == [True, True]
    apart.untyped_storage().resize_(40)
    apart.untyped_storage().fill_(0)
    assert result.tolist() == [0.0, 0.0, 0.0]
    # It stays frozen: an unfreeze would show the collector all tests again, half a second at each later collection.
    assert gc.get_freeze_count() > frozen - 1000, "only a few objects have been freed since"


def copy_of(tensor: Any) -> list[Any]:
    return [copy.copy(tensor)]


def kept_by_a_node(tensor: Any) -> list[Any]:
    result = tensor.requires_grad_().sigmoid()
    return [result, result.grad_fn._saved_result]


def kept_and_read_by_a_hook(tensor: Any) -> list[Any]:
    keep: dict[int, Any] = {}

    def pack(packed: Any) -> int:
        keep[len(keep)] = packed
        return len(keep) - 1

    with torch.autograd.graph.saved_tensors_hooks(pack, keep.__getitem__):
        result = tensor.requires_grad_() * tensor.exp()
    return [result, *keep.values(), result.grad_fn._saved_self, result.grad_fn._saved_other]


def pointed_there(tensor: Any) -> list[Any]:
    other, longer = torch.ones(5), torch.ones(1)
    other.set_(tensor)
    longer.set_(tensor + 1, 0, (20,), (1,))
    return [other, longer]


def with_its_data(tensor: Any) -> list[Any]:
    other = torch.ones(3)
    other.data = tensor
    return [other, other.data]


#: Ways to come to a second tensor on a storage, or to a storage itself.
WAYS = {
    "copy": copy_of,
    "pickled parts": lambda tensor: [tensor.__reduce_ex__(2)[1][0].headers()[0]],
    "live storages": lambda tensor: [storage.headers() for storage in memory.live()],
    "view": lambda tensor: [tensor.view(3, 1), tensor[1:]],
    "detach": lambda tensor: [tensor.detach()],
    "parameter": lambda tensor: [torch.nn.Parameter(tensor)],
    "saved result": kept_by_a_node,
    "hooks": kept_and_read_by_a_hook,
    "set_": pointed_there,
    "data": with_its_data,
    "product": lambda tensor: [tensor @ torch.ones(2, 3, 4), torch.ones(2, 4, 3) @ tensor],
    "NumPy": lambda tensor: [torch.from_numpy(tensor.numpy())],
    "DLPack": lambda tensor: [torch.from_dlpack(tensor)],
    "in place": lambda tensor: [tensor.add_(1), tensor.unsqueeze_(0)],
    "subclass": lambda tensor: [tensor.as_subclass(torch.nn.Buffer)],
}


@pytest.mark.parametrize("way", WAYS)
def test_no_tensor_on_a_storage_is_missed(way: str) -> None:
    tensor = torch.ones(3) + 1
    others = [other for other in WAYS[way](tensor) if isinstance(other, torch.Tensor)]
    for looked_at in (tensor, *others):
        headers = looked_at.untyped_storage().headers()
        assert sorted(map(id, headers)) == sorted(map(id, on_its_storage(looked_at)))


def test_a_first_header_that_is_gone_is_forgotten() -> None:
    result = torch.ones(3) + 1
    storage, view = result.untyped_storage(), result.detach()
    del result
    assert [header is view for header in storage.headers()] == [True]
    assert [header is view for header in storage.headers()] == [True]
