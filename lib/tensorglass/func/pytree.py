"""Pytrees: nested tuples, lists and dictionaries with tensors in them, flattened and put together again.

Everything but tuples, named tuples, lists, deques and dictionaries is a leaf, also what is derived from these. A
`TreeSpec` is what is left when the leaves are taken out.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

_DICTIONARIES = (dict, OrderedDict, defaultdict)
_SEQUENCES = (tuple, list, deque)


@dataclass(frozen=True)
class TreeSpec:
    """How leaves are nested. Leaves print as stars."""

    kind: type | None = None  #: None for a leaf
    keys: tuple[Any, ...] | None = None  #: the keys of a dictionary
    children: tuple[TreeSpec, ...] = ()
    default: Callable[[], Any] | None = None  #: what a defaultdict calls for a key that it has not

    def unflatten(self, leaves: Sequence[Any]) -> Any:
        """The nested value with these leaves, given in order."""
        return self._unflatten(iter(leaves))

    def _unflatten(self, leaves: Iterator[Any]) -> Any:
        if self.kind is None:
            return next(leaves)
        parts = [child._unflatten(leaves) for child in self.children]
        if self.keys is not None:
            pairs = zip(self.keys, parts, strict=True)
            return defaultdict(self.default, pairs) if self.kind is defaultdict else self.kind(pairs)
        return self.kind(*parts) if hasattr(self.kind, "_fields") else self.kind(parts)

    def broadcast_prefix(self, prefix: Any) -> list[Any] | None:
        """A value for each leaf, from a value for all or a nested one; None if that is nested differently."""
        leaf_count = len(self.leaf_paths())
        if not _is_nested(prefix):
            return [prefix] * leaf_count
        parts, other = _parts(prefix)
        if other.kind is not self.kind or other.keys != self.keys or len(parts) != len(self.children):
            return None
        nested = [child.broadcast_prefix(part) for child, part in zip(self.children, parts, strict=True)]
        return None if None in nested else [value for each in nested for value in each or ()]

    def leaf_paths(self) -> list[TreeSpec]:
        """The leaves, in order."""
        return [self] if self.kind is None else [leaf for child in self.children for leaf in child.leaf_paths()]

    def __repr__(self, indent: int = 2) -> str:
        if self.kind is None:
            return "*"
        keys = None if self.keys is None else list(self.keys)
        children = f",\n{' ' * indent}".join([child.__repr__(indent + 2) for child in self.children])
        return f"TreeSpec({self.kind.__name__}, {keys}, [{children}])"


def _is_nested(value: Any) -> bool:
    kind = type(value)
    return kind in _SEQUENCES or kind in _DICTIONARIES or (isinstance(value, tuple) and hasattr(kind, "_fields"))


def _parts(value: Any) -> tuple[list[Any], TreeSpec]:
    if type(value) in _DICTIONARIES:
        default = value.default_factory if type(value) is defaultdict else None
        return list(value.values()), TreeSpec(type(value), tuple(value), default=default)
    return list(value), TreeSpec(type(value))


def tree_flatten(value: Any) -> tuple[list[Any], TreeSpec]:
    """The leaves in order, and how they were nested."""
    if not _is_nested(value):
        return [value], TreeSpec()
    parts, kind = _parts(value)
    flat = [tree_flatten(part) for part in parts]
    leaves = [leaf for each, _ in flat for leaf in each]
    return leaves, replace(kind, children=tuple([structure for _, structure in flat]))


def tree_map(function: Callable[[Any], Any], value: Any) -> Any:
    """The tree with `function` of each leaf in the leaf's place."""
    leaves, structure = tree_flatten(value)
    return structure.unflatten([function(leaf) for leaf in leaves])
