"""The paths from variables to the storages that they keep alive: through containers, objects, gradients and graphs.

The one idea: each tensor that a variable leads to holds its storage, its gradient's, and those that the graph behind it
has saved. A graph is visited once, however many tensors lead to it, and nothing in it is computed or unpacked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from glassroom.reading.adapters import described_if_there
from glassroom.reading.nodes import grad_fn_of, gradient_of, in_order, inputs_of
from glassroom.reading.parts import descriptions_of
from glassroom.reading.reach import saved_in_graphs
from glassroom.reading.storage_names import Memory, names_of
from glassroom.reading.variables import ARROW, named_tensors, root_of


@dataclass(frozen=True)
class Path:
    """A path to a storage: its words, the variable that it begins at, and whether it goes through a graph."""

    words: str
    root: str
    storage: str
    nbytes: int
    is_saved: bool


def paths_from(variables: Mapping[str, object]) -> list[Path]:
    """Every path to a storage, those through containers before those through graphs. A node of a graph is listed once,
    for the first tensor that leads to it, so that the list stays as short as the graph.
    """
    return _with_names([(words, memory, is_saved) for words, memory, is_saved, _ in _ways(variables)])


def paths_to(wanted: Memory, variables: Mapping[str, object]) -> list[Path]:
    """The paths to one storage. Every tensor whose graph holds it is named: it is freed when all of them are gone."""
    ways = list(_ways(variables))
    direct = [(words, memory, False) for words, memory, is_saved, _ in ways if not is_saved and _is(memory, wanted)]
    holding = {id(node): words.rpartition(ARROW)[2] for words, memory, _, node in ways if node and _is(memory, wanted)}
    roots = [(name, grad_fn_of(tensor)) for name, tensor in named_tensors(variables) if grad_fn_of(tensor) is not None]
    reaching = _reaching([node for _, node in roots], holding)
    through_graph = [
        (f"{name}{ARROW}{reaching[id(node)]}", wanted, True) for name, node in roots if id(node) in reaching
    ]
    return _with_names([*direct, *through_graph])


def _ways(variables: Mapping[str, object]) -> Iterator[tuple[str, Memory, bool, Any]]:
    """For each path its words, the memory, whether a graph has saved it, and the node that did."""
    named = named_tensors(variables)
    for name, tensor in named:
        yield from _at(name, tensor, None)
        gradient = gradient_of(tensor)
        if gradient is not None:
            yield from _at(f"{name}.grad", gradient, None)
    for words, tensor, node in saved_in_graphs(named):
        yield from _at(words, tensor, node)


def _at(words: str, tensor: Any, node: Any) -> Iterator[tuple[str, Memory, bool, Any]]:
    description = described_if_there(tensor)
    if description is not None:
        yield words, description.memory, node is not None, node


def _reaching(roots: list[Any], holding: Mapping[int, str]) -> dict[int, str]:
    """The nodes from which one that holds something can be reached, each with that one's name."""
    order = in_order(roots)
    above: dict[int, list[int]] = {}
    for node in order:
        for below in inputs_of(node):
            above.setdefault(id(below), []).append(id(node))
    words_of: dict[int, str] = {}
    waiting = [(id(node), holding[id(node)]) for node in order if id(node) in holding]
    while waiting:
        key, words = waiting.pop()
        if key not in words_of:
            words_of[key] = words
            waiting += [(holder, words) for holder in above.get(key, [])]
    return words_of


def _is(memory: Memory, other: Memory) -> bool:
    """Whether two memories have bytes in common."""
    end, other_end = memory.start + memory.nbytes, other.start + other.nbytes
    return memory.device == other.device and memory.start < other_end and other.start < end


def is_over(memories: Sequence[Memory], tensor: Any) -> bool:
    """Whether a tensor, or one of its parts, has bytes in any of several memories."""
    return any(_is(description.memory, memory) for description in descriptions_of(tensor) for memory in memories)


def _with_names(ways: list[tuple[str, Memory, bool]]) -> list[Path]:
    names = names_of([memory for _, memory, _ in ways])
    return [
        Path(words, root_of(words), storage, memory.nbytes, is_saved)
        for (words, memory, is_saved), storage in zip(ways, names, strict=True)
    ]
