"""The error of a saved tensor that was overwritten: the operator and the tensor, found in the graph. The one idea: a
node whose saved tensor was overwritten raises the same message as the backward did. So the node is found by reading the
nodes behind the tensors that variables still hold.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from glassroom.reading.adapters import described_if_there
from glassroom.reading.guarded import attempted, is_a
from glassroom.reading.nodes import Unread, grad_fn_of, in_order, inputs_of, is_leaf_with_gradient, saved_by

_MESSAGE = re.compile(
    r"modified by an inplace operation: \[\S+ \[([\d, ]*)\]\].* is at version (\d+); expected version (\d+)"
)
MOST_NAMES = 3


def is_version_error(words: str) -> bool:
    """Whether an error's message is that of a saved tensor that was overwritten."""
    return _MESSAGE.search(words) is not None


@dataclass
class Overwritten:
    """A saved tensor that was written to: the `node` and the `operator` that saved it, and under which name
    (`saved_as`). `names` are the variables that hold the tensor, or others of the same bytes; empty if there are none.
    `readers` are the operators that used it, if it is a result: each as one lower-case word.
    """

    node: Any
    operator: str
    saved_as: str
    names: tuple[str, ...]
    size: tuple[int, ...]
    expected: int
    now: int
    is_leaf: bool
    readers: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The tensor's name."""
        return f"`{self.names[0]}`" if self.names else f"a tensor of size {list(self.size)}"


def overwritten(message: str, tensors: Mapping[str, Any], others: Iterable[Any] = ()) -> Overwritten | None:
    """Find the node that saved the tensor that the error `message` is about, behind `tensors`, or behind `others`,
    which give no names; None if it is not found.
    """
    said = _MESSAGE.search(message)
    if said is None:
        return None
    size = tuple([int(number) for number in said[1].split(",") if number.strip()])
    now, expected = int(said[2]), int(said[3])
    roots = [node for node in map(grad_fn_of, (*tensors.values(), *others)) if node is not None]
    nodes = in_order(roots)
    for node in nodes:
        for name, value in saved_by(node):
            if is_a(value, Unread) and (same := _MESSAGE.search(value.why)) and same.groups() == said.groups():
                names, is_leaf = _saved_by_name(tensors, node, name, size, now)
                readers = frozenset(_readers(nodes, node) if name == "result" else ())
                return Overwritten(node, operator_of(node), name, names, size, expected, now, is_leaf, readers)
    return None


def _readers(nodes: list[Any], node: Any) -> Iterator[str]:
    """The operators that used the result of `node` and may have been called in place."""
    for input_node in nodes:
        if any(behind is node for behind in inputs_of(input_node)):
            yield operator_of(input_node).replace("_", "")


def operator_of(node: Any) -> str:
    """The user's name for the operator of a node: `sigmoid` for SigmoidBackward0."""
    plain = re.sub(r"(Backward)?\d*$", "", type(node).__name__)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()


def _saved_by_name(
    tensors: Mapping[str, Any], node: Any, saved_as: str, size: tuple[int, ...], version: int
) -> tuple[tuple[str, ...], bool]:
    """The variables that hold the tensor that a node has saved, then others of the same storage (including a parameter,
    if the node has saved a view of it); and whether it is a leaf.
    """
    memories = _memories_saved(node, saved_as, size, version)
    seen = {
        name: description for name, tensor in tensors.items() if (description := described_if_there(tensor)) is not None
    }
    seen = {name: value for name, value in seen.items() if value.memory.identity in memories}
    if not seen:
        return (), False
    same = [name for name, value in seen.items() if (value.size, value.version) == (size, version)]
    same = same or [name for name, value in seen.items() if value.base is None][:1]
    beside = [name for name in seen if name not in same]
    first = tensors[[*same, *beside][0]]
    return (*same[:MOST_NAMES], *beside[:MOST_NAMES]), is_leaf_with_gradient(first)


def _memories_saved(node: Any, saved_as: str, size: tuple[int, ...], version: int) -> set[Hashable]:
    """The memories of what a node has saved under a name, of this size and version. They are read in raw form, since
    the version check refuses to return the tensor itself.
    """
    raw = attempted(lambda: getattr(node, f"_raw_saved_{saved_as}"), None)
    several = raw if is_a(raw, (list, tuple)) else [raw]
    kept = [attempted(lambda slot=slot: slot.data, None) for slot in several]  # type: ignore[misc]  # None if freed
    seen = [description for description in map(described_if_there, kept) if description is not None]
    return {
        description.memory.identity
        for description in seen
        if (description.size, description.version) == (size, version)
    }
