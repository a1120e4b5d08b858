"""Code that is inlined where most tensors and nodes are made does the same as the functions that it replaces."""

from __future__ import annotations

from typing import Any

import tensorglass as torch
from tensorglass import memory
from tensorglass.graph.node import Node
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.construct import make, result_tensor

ABSENT = object()


def fields(value: Any, *, but: tuple[str, ...] = ()) -> dict[str, Any]:
    """The contents of an object's slots, including which are unset."""
    names = {name for kind in type(value).__mro__ for name in vars(kind).get("__slots__", ())}
    return {name: getattr(value, name, ABSENT) for name in sorted(names.difference(but, ("__weakref__", "__dict__")))}


def figures() -> tuple[Any, ...]:
    return tuple(getattr(memory.figures, name) for name in ("allocations", "allocated_bytes", "peak_bytes"))


def test_a_result_is_what_a_storage_of_its_array_and_a_header_on_it_are() -> None:
    like = torch.ones(2, 3)._storage
    array = like.backend.empty(torch.float32, (2, 3))
    before = figures()
    result = result_tensor(array, torch.float32, like.backend, like.device, (2, 3), (3, 1))
    between = figures()
    storage = UntypedStorage.of_array(like.backend, like.device, array)
    header = make(storage, (2, 3), (3, 1), 0, torch.float32)
    after = figures()

    assert [one - other for one, other in zip(between, before, strict=True)][:2] == [
        one - other for one, other in zip(after, between, strict=True)
    ][:2]
    known = ("_storage", "_array", "_contiguous")  # a header without them works them out
    assert fields(result, but=known) == fields(header, but=known)
    births = ("_headers", "_birth", "__del__")
    assert fields(result._storage, but=births) == fields(storage, but=births)
    assert (result.untyped_storage().headers(), storage.headers()) == ([result], [header])
    assert result._storage.__del__.args == storage.__del__.args  # the bytes that its end takes away


def test_a_recorded_node_has_what_nodes_are_made_with() -> None:
    node = (torch.ones(2, requires_grad=True) * 2).grad_fn
    copied = Node(node.edges)
    shared = fields(copied, but=("sequence_nr", "outputs"))
    assert shared == {name: value for name, value in fields(node).items() if name in shared}
    assert copied.sequence_nr > node.sequence_nr
