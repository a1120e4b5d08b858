"""``torch.utils._pytree`` takes containers apart, puts them together and prints specs as PyTorch does."""

from __future__ import annotations

import collections
import dataclasses
import re
from typing import Any

import pytest

from tensorglass.utils import _pytree as ours

theirs = pytest.importorskip("torch.utils._pytree", reason="the oracle, PyTorch, is not installed (extra: parity)")

Pair = collections.namedtuple("Pair", "a b")


class Kept:
    def __init__(self, part: Any, rest: Any) -> None:
        self.part, self.rest = part, rest

    def __repr__(self) -> str:
        return f"Kept({self.part}, {self.rest})"


@dataclasses.dataclass
class Data:
    number: int
    several: list[int]
    nothing: None = None


for library in (ours, theirs):
    library.register_pytree_node(Kept, lambda kept: ([kept.part], kept.rest), lambda parts, rest: Kept(*parts, rest))
    library.register_dataclass(Data)

tree = {
    "b": (1, [2, None]),
    "a": Pair(3, collections.deque([4], maxlen=3)),
    "c": collections.OrderedDict(x=5),
    "d": collections.defaultdict(list, {"k": 6}),
    "e": [],
}
CALLS = """
p.tree_flatten(tree)
p.tree_structure(3), p.tree_structure((1, 2)), p.tree_structure([]), p.tree_structure(Kept(1, "c"))
p.tree_structure(tree).num_leaves, p.tree_structure(tree).num_nodes, p.tree_structure(tree).num_children
p.tree_structure(tree).type, p.tree_structure(tree).context, p.tree_structure(tree).is_leaf()
p.tree_structure(tree).children(), p.tree_structure(tree).child(1), p.tree_structure(1).is_leaf()
p.tree_structure(tree) == p.tree_structure(tree), p.tree_structure([1]) == p.tree_structure((1,))
hash(p.tree_structure(tree)) == hash(p.tree_structure(tree))
p.tree_unflatten(range(7), p.tree_structure(tree))
p.tree_unflatten([1], p.tree_structure([1, 2]))
p.tree_unflatten([1], 3)
p.tree_map(lambda x: (x,), tree)
p.tree_map(lambda a, b: a + b, [1, (2,)], [3, (4,)]), p.tree_map(lambda a, b: (a, b), [1], [[2, 3]])
p.tree_map(lambda a, b: a + b, {"a": 1, "b": 2}, {"b": 10, "a": 20})
p.tree_map(lambda a, b: 0, [1, (2,)], [3, 4])
p.tree_map(lambda a, b: 0, [1], [1, 2])
p.tree_map(lambda a, b: 0, {"a": 1}, {"b": 1})
p.tree_map(lambda a, b: 0, {"a": 1, "b": 2}, {"b": 1})
p.tree_map(lambda a, b: 0, Kept(1, 2), Kept(1, 3))
p.tree_map(lambda x: x + 1, [Kept(1, 2), Data(1, [2])])
p.tree_map_(lambda x: None, [1, 2])
p.tree_map_only(int, lambda x: x + 1, [1, "a"]), p.tree_map_only((int, str), lambda x: x * 2, [1, "a", 2.0])
p.tree_map_only(lambda x: x == 1, lambda x: x + 1, [1, "a"]), p.tree_map_only(int | str, lambda x: x * 2, [1, 2.0])
p.tree_map_only(3, lambda x: x, [1])
p.tree_map_only_(int, lambda x: None, [1, "a"])
p.tree_all(bool, [1, 0]), p.tree_any(bool, [1, 0])
p.tree_all_only(int, lambda x: x > 0, [1, "a"]), p.tree_any_only(int, lambda x: x > 0, [0, "a"])
p.tree_leaves([1, Kept(2, 3)]), p.tree_leaves([1, Kept(2, 3)], is_leaf=lambda x: isinstance(x, Kept))
list(p.tree_iter(tree)), p.tree_leaves(None), p.tree_leaves([])
p.tree_flatten_with_path(tree)
[p.keystr(way) for way, _ in p.tree_leaves_with_path([tree, Data(1, [2])])]
p.tree_map_with_path(lambda way, x, y: (p.keystr(way), x, y), [1, {"a": 2}], [3, {"a": 4}])
p.tree_flatten_with_path(Kept(1, 2))
p.key_get([1, {"a": Pair(2, 3)}], (p.SequenceKey(1), p.MappingKey("a"), p.GetAttrKey("b")))
p.tree_flatten(Data(1, [2, 3])), p.tree_flatten(Data(1, [2, 3], "here"))
p.register_pytree_node(list, None, None)
p._broadcast_to_and_flatten(1, p.tree_structure([1, (2, 3)]))
p._broadcast_to_and_flatten([1, 2], p.tree_structure([1, (2, 3)]))
p._broadcast_to_and_flatten([1], p.tree_structure([1, (2, 3)])), p._broadcast_to_and_flatten([1], p.tree_structure(1))
p.tree_structure([1, (2, 3)]).flatten_up_to([[4], (5, {6: 7})])
p.tree_is_leaf(1), p.tree_is_leaf([1]), p.tree_is_leaf([1], is_leaf=lambda x: True), p.is_namedtuple(Pair(1, 2))
"""


def outcome(pytree: Any, call: str) -> str:
    try:
        return repr(eval(call, {**globals(), "p": pytree}))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_calls_give_what_pytorch_gives(call: str) -> None:
    assert outcome(ours, call) == re.sub(r"\s+$", "", outcome(theirs, call))
