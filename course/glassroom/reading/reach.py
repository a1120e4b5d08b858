"""What the graphs behind a program's tensors keep: the number of nodes, and the tensors that they have saved.

The one idea: graphs overlap, such as those of a running total and of each loss in it. So each node is visited once, for
the first tensor that leads to it, and the time is proportional to the number of nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf
from typing import Any

from glassroom.reading.adapters import adapter_for, described_if_there
from glassroom.reading.guarded import is_a
from glassroom.reading.nodes import MOST_READ, Packed, grad_fn_of, gradient_of, in_order, saved_by
from glassroom.reading.parts import with_parts
from glassroom.reading.places import tensors_at
from glassroom.reading.variables import ARROW, named_tensors, root_of


def held_nodes(named: Iterable[tuple[str, Any]], most: float = MOST_READ) -> Iterator[tuple[str, Any]]:
    """Each node behind named tensors and their gradients, with the name of the first that leads to it; at most `most`
    new nodes for each tensor.
    """
    seen: dict[int, Any] = {}  # by id; holding them keeps the ids unique
    for name, tensor in named:
        for words, held in ((name, tensor), (f"{name}.grad", gradient_of(tensor))):
            root = None if held is None else grad_fn_of(held)
            if root is not None:
                new = in_order([root], seen, most)
                seen.update((id(node), node) for node in new)
                yield from ((words, node) for node in new)


def saved_in_graphs(named: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any, Any]]:
    """What the graphs behind named tensors have saved: paths such as `loss → PowBackward0.self`, tensors, nodes."""
    of_kind: dict[type, list[str]] = {}
    for name, node in held_nodes(named):
        for attribute, value in saved_by(node, of_kind):
            dot = "" if attribute.startswith("[") else "."
            words = f"{name}{ARROW}{type(node).__name__}{dot}{attribute}"
            if is_a(value, Packed):
                for _, tensor in tensors_at([("", value.content)]):
                    yield f"{words}, packed by a hook", tensor, node
            elif adapter_for(value) is not None:
                yield from ((path, value, node) for path, value in with_parts(words, value))


def nodes_behind(tensor: Any) -> int:
    """The number of nodes in a tensor's graph, without a limit; 0 for a tensor without a graph."""
    node = grad_fn_of(tensor)
    return 0 if node is None else len(in_order([node], most=inf))


def nodes_by_root(variables: Mapping[str, object]) -> dict[str, int]:
    """The number of nodes that each variable leads to; those that several lead to are counted for the first."""
    counts: dict[str, int] = {}
    for words, _ in held_nodes(named_tensors(variables), inf):
        root = root_of(words)
        counts[root] = counts.get(root, 0) + 1
    return counts


def kept_behind(name: str, tensor: Any) -> int:
    """The bytes of the storages that a tensor's graph has saved."""
    descriptions = (described_if_there(value) for _, value, _ in saved_in_graphs([(name, tensor)]))
    return sum(
        {
            description.memory.identity: description.memory.nbytes
            for description in descriptions
            if description is not None
        }.values()
    )


class Growth:
    """The number of nodes that each tensor of a program reaches, so that later one can see which reach more. Tensors
    are identified by their paths, since `total = total + loss` makes a new tensor each time.
    """

    def __init__(self, variables: Mapping[str, object]) -> None:
        self._before = _reached_first(named_tensors(variables))

    def since(self, variables: Mapping[str, object]) -> list[tuple[str, Any, int]]:
        """The tensors whose graphs have grown, each with its path and the number of new nodes, the largest first.
        Tensors that are new are left out, and so are those that have only taken over nodes from another tensor.
        """
        named = [(name, tensor) for name, tensor in named_tensors(variables) if name in self._before]
        now = _reached_first(named)
        if sum(now.values()) <= sum(self._before.values()):
            return []
        grown = {name: count - self._before[name] for name, count in now.items() if count > self._before[name]}
        tensors = {**{f"{name}.grad": gradient_of(tensor) for name, tensor in named}, **dict(named)}
        return [(name, tensors[name], more) for name, more in sorted(grown.items(), key=lambda item: -item[1])]


def _reached_first(named: list[tuple[str, Any]]) -> dict[str, int]:
    """For each tensor and each gradient, the number of nodes that no tensor before it reaches."""
    counts = {words: 0 for name, _ in named for words in (name, f"{name}.grad")}
    for words, _ in held_nodes(named, inf):
        counts[words] += 1
    return counts
