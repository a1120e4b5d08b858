"""The error of a saved tensor that was overwritten: which operator saved which tensor, found again in the graph.

The one idea: a node that cannot read what it saved says so with the very message that the backward raised. So the node
is found by asking those behind the tensors that variables still hold.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from glassroom.reading.adapters import described_if_there
from glassroom.reading.guarded import attempted, is_a
from glassroom.reading.nodes import Unread, grad_fn_of, in_order, is_leaf_with_gradient, saved_by

_MESSAGE = re.compile(
    r"modified by an inplace operation: \[\S+ \[([\d, ]*)\]\].* is at version (\d+); expected version (\d+)"
)
MOST_NAMES = 3


def is_version_error(words: str) -> bool:
    """Whether an error's words are those of a saved tensor that was overwritten."""
    return _MESSAGE.search(words) is not None


@dataclass
class Overwritten:
    """A saved tensor that was written to: the `node` and the `operator` that saved it, and as what (`saved_as`).

    `names` are those of variables that hold the tensor, or others of the same bytes; none where no variable does.
    """

    node: Any
    operator: str
    saved_as: str
    names: tuple[str, ...]
    size: tuple[int, ...]
    expected: int
    now: int
    is_leaf: bool

    @property
    def name(self) -> str:
        """What the tensor is called."""
        return f"`{self.names[0]}`" if self.names else f"a tensor of size {list(self.size)}"


def overwritten(message: str, tensors: Mapping[str, Any], others: Iterable[Any] = ()) -> Overwritten | None:
    """Who saved what the error `message` speaks of, found behind `tensors`, or behind `others`, which give no names;
    None if it is found nowhere.
    """
    said = _MESSAGE.search(message)
    if said is None:
        return None
    size = tuple([int(each) for each in said[1].split(",") if each.strip()])
    now, expected = int(said[2]), int(said[3])
    roots = [node for node in map(grad_fn_of, (*tensors.values(), *others)) if node is not None]
    for node in in_order(roots):
        for name, value in saved_by(node):
            if is_a(value, Unread) and (same := _MESSAGE.search(value.why)) and same.groups() == said.groups():
                names, is_leaf = _saved_by_name(tensors, node, name, size, now)
                return Overwritten(node, operator_of(node), name, names, size, expected, now, is_leaf)
    return None


def operator_of(node: Any) -> str:
    """What users call the operator of a node: `sigmoid` for SigmoidBackward0."""
    plain = re.sub(r"(Backward)?\d*$", "", type(node).__name__)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()


def _saved_by_name(
    tensors: Mapping[str, Any], node: Any, saved_as: str, size: tuple[int, ...], version: int
) -> tuple[tuple[str, ...], bool]:
    """The variables that hold the tensor that a node has saved, then others of the same storage, of which a parameter
    is one if the node has saved a view of it; and whether it is a leaf.
    """
    memories = _memories_saved(node, saved_as, size, version)
    seen = {name: each for name, tensor in tensors.items() if (each := described_if_there(tensor)) is not None}
    seen = {name: each for name, each in seen.items() if each.memory.identity in memories}
    if not seen:
        return (), False
    same = [name for name, each in seen.items() if (each.size, each.version) == (size, version)]
    same = same or [name for name, each in seen.items() if each.base is None][:1]
    beside = [name for name in seen if name not in same]
    first = tensors[[*same, *beside][0]]
    return (*same[:MOST_NAMES], *beside[:MOST_NAMES]), is_leaf_with_gradient(first)


def _memories_saved(node: Any, saved_as: str, size: tuple[int, ...], version: int) -> set[Hashable]:
    """The memories of what a node has saved under a name, of this size and version: read past the check of versions,
    which refuses to give out the tensor itself.
    """
    raw = attempted(lambda: getattr(node, f"_raw_saved_{saved_as}"), None)
    several = raw if is_a(raw, (list, tuple)) else [raw]
    kept = [attempted(lambda each=each: each.data, None) for each in several]  # type: ignore[misc]  # None if freed
    seen = [each for each in map(described_if_there, kept) if each is not None]
    return {each.memory.identity for each in seen if (each.size, each.version) == (size, version)}
