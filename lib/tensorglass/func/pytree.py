"""Pytrees: nested tuples, lists and dictionaries with tensors in them, flattened and put together again.

Tuples, named tuples, lists, deques, dictionaries and classes given to `register_pytree_node` are containers; everything
else is a leaf, including instances of subclasses. A `TreeSpec` is the structure without the leaves.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tensorglass.core.size import Size

PyTree = Any
Context = Any
KeyPath = tuple[Any, ...]
IsLeaf = Callable[[Any], bool]


@dataclass(frozen=True)
class SequenceKey:
    """The way to an element: ``[idx]``."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, parent: Any) -> Any:
        """The element of `parent`."""
        return parent[self.idx]


@dataclass(frozen=True)
class MappingKey:
    """The way to a value of a dictionary: ``[key]``."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, parent: Any) -> Any:
        """The value in `parent`."""
        return parent[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """The way to an attribute: ``.name``."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, parent: Any) -> Any:
        """The attribute of `parent`."""
        return getattr(parent, self.name)


class NodeDef(NamedTuple):
    """How a container is flattened and unflattened."""

    type: Any
    flatten_fn: Callable[[Any], tuple[list[Any], Any]]
    unflatten_fn: Callable[[Iterable[Any], Any], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None


@dataclass(frozen=True)
class TreeSpec:
    """How leaves are nested. Leaves print as stars."""

    type: Any = None  #: None for a leaf; `collections.namedtuple` for every named tuple
    context: Any = None  #: what the container needs besides its parts, such as a dictionary's keys
    children_specs: Sequence[TreeSpec] = ()

    @property
    def num_leaves(self) -> int:
        """How many leaves there are in all."""
        return 1 if self.is_leaf() else sum(child.num_leaves for child in self.children_specs)

    @property
    def num_nodes(self) -> int:
        """How many leaves and containers there are in all."""
        return 1 + sum(child.num_nodes for child in self.children_specs)

    @property
    def num_children(self) -> int:
        """How many parts this container has."""
        return len(self.children_specs)

    def is_leaf(self) -> bool:
        """Whether this is a leaf."""
        return self.type is None

    def children(self) -> list[TreeSpec]:
        """The specs of the parts."""
        return list(self.children_specs)

    def child(self, index: int) -> TreeSpec:
        """The spec of one part."""
        return self.children_specs[index]

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The nested value with these leaves, given in order. ValueError for another number of them."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
                f"holds {self.num_leaves} items ({self})."
            )
        return self._unflatten(iter(leaves))

    def _unflatten(self, leaves: Iterator[Any]) -> Any:
        if self.is_leaf():
            return next(leaves)
        parts = [child._unflatten(leaves) for child in self.children_specs]
        return SUPPORTED_NODES[self.type].unflatten_fn(parts, self.context)

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """The subtrees of `tree` in the places of this spec's leaves. ValueError if the structures differ."""
        if self.is_leaf():
            return [tree]
        kind = _kind(tree)
        both_dictionaries = self.type in _DICTIONARIES and kind in _DICTIONARIES
        if kind != self.type and not both_dictionaries:
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
        parts, context = SUPPORTED_NODES[kind].flatten_fn(tree)
        if len(parts) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(parts)}.")
        if both_dictionaries:
            wanted = self.context[1] if self.type is defaultdict else self.context
            missing, extra = set(wanted) - set(tree), set(tree) - set(wanted)
            if missing or extra:
                said = f" missing key(s): {missing};" * bool(missing) + f" extra key(s): {extra};" * bool(extra)
                raise ValueError(f"Node keys mismatch;{said.removesuffix(';')}.")
            parts = [tree[key] for key in wanted]
        elif context != self.context and self.type is not deque:
            raise ValueError(f"Node context mismatch for custom node type {self.type!r}.")
        pairs = zip(self.children_specs, parts, strict=True)
        return [leaf for child, part in pairs for leaf in child.flatten_up_to(part)]

    def broadcast_prefix(self, prefix: Any) -> list[Any] | None:
        """A value for each leaf, from a single value or a tree prefix; None if the structures do not match."""
        kind = _kind(prefix)
        if kind is None or self.is_leaf():
            return [prefix] * self.num_leaves if kind is None else None
        parts, context = SUPPORTED_NODES[kind].flatten_fn(prefix)
        if kind != self.type or context != self.context or len(parts) != self.num_children:
            return None
        nested = [child.broadcast_prefix(part) for child, part in zip(self.children_specs, parts, strict=True)]
        return None if None in nested else [value for values in nested for value in values or ()]

    def __hash__(self) -> int:
        return hash((self.type, self.num_children, self.num_leaves))

    def __repr__(self, indent: int = 0) -> str:
        if self.is_leaf():
            return "*"
        inner = "".join(child.__repr__(indent + 2) for child in self.children_specs[:1])
        for child in self.children_specs[1:]:
            inner += f",\n{' ' * (indent + 2)}{child.__repr__(indent + 2)}"
        return f"TreeSpec({self.type.__name__}, {self.context}, [{inner}])"


def LeafSpec() -> TreeSpec:
    """The spec of a leaf."""
    return TreeSpec()


# --- what is a container ---------------------------------------------------------------------------------------------

_DICTIONARIES = (dict, OrderedDict, defaultdict)


def _namedtuple() -> None:
    """Stands for every class of named tuples."""


def _by_number(flatten: Callable[[Any], tuple[list[Any], Any]]) -> Callable[[Any], tuple[list[tuple[Any, Any]], Any]]:
    def flatten_with_keys(value: Any) -> tuple[list[tuple[Any, Any]], Any]:
        parts, context = flatten(value)
        return [(SequenceKey(place), part) for place, part in enumerate(parts)], context

    return flatten_with_keys


def _by_key(flatten: Callable[[Any], tuple[list[Any], Any]]) -> Callable[[Any], tuple[list[tuple[Any, Any]], Any]]:
    def flatten_with_keys(value: Any) -> tuple[list[tuple[Any, Any]], Any]:
        parts, context = flatten(value)
        return [(MappingKey(key), part) for key, part in zip(value, parts, strict=True)], context

    return flatten_with_keys


def _flatten_sequence(value: Any) -> tuple[list[Any], Any]:
    return list(value), None


def _flatten_deque(value: Any) -> tuple[list[Any], Any]:
    return list(value), value.maxlen


def _flatten_dict(value: Any) -> tuple[list[Any], Any]:
    return list(value.values()), list(value)


def _flatten_defaultdict(value: Any) -> tuple[list[Any], Any]:
    return list(value.values()), [value.default_factory, list(value)]


def _flatten_namedtuple(value: Any) -> tuple[list[Any], Any]:
    return list(value), type(value)


def _fields_with_keys(value: Any) -> tuple[list[tuple[Any, Any]], Any]:
    return [(GetAttrKey(name), getattr(value, name)) for name in value._fields], type(value)


_namedtuple.__name__ = _namedtuple.__qualname__ = "namedtuple"
_NODES = (
    NodeDef(tuple, _flatten_sequence, lambda parts, _: tuple(parts), _by_number(_flatten_sequence)),
    NodeDef(list, _flatten_sequence, lambda parts, _: list(parts), _by_number(_flatten_sequence)),
    NodeDef(Size, _flatten_sequence, lambda parts, _: tuple(parts), _by_number(_flatten_sequence)),
    NodeDef(dict, _flatten_dict, lambda parts, keys: dict(zip(keys, parts, strict=True)), _by_key(_flatten_dict)),
    NodeDef(_namedtuple, _flatten_namedtuple, lambda parts, kind: kind(*parts), _fields_with_keys),
    NodeDef(
        OrderedDict,
        _flatten_dict,
        lambda parts, keys: OrderedDict(zip(keys, parts, strict=True)),
        _by_key(_flatten_dict),
    ),
    NodeDef(
        defaultdict,
        _flatten_defaultdict,
        lambda parts, context: defaultdict(context[0], zip(context[1], parts, strict=True)),
        _by_key(_flatten_defaultdict),
    ),
    NodeDef(deque, _flatten_deque, lambda parts, maxlen: deque(parts, maxlen=maxlen), _by_number(_flatten_deque)),
)
#: How each kind of container is flattened.
SUPPORTED_NODES: dict[Any, NodeDef] = {node.type: node for node in _NODES}


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[list[Any], Any]],
    unflatten_fn: Callable[[Iterable[Any], Any], Any],
    *,
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None = None,
    **serialization: Any,
) -> None:
    """Let objects of `cls` be containers. `flatten_fn` gives their parts, and what `unflatten_fn` needs besides them.

    PyTorch's other arguments are about serializing specs, which is not done here. ValueError for a class that is
    already registered.
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)


def register_dataclass(
    cls: type, *, field_names: list[str] | None = None, drop_field_names: list[str] | None = None, **names: Any
) -> None:
    """Let instances of a data class be containers of their fields."""
    there = [field.name for field in dataclasses.fields(cls) if field.init]
    wanted = [name for name in field_names or there if name not in (drop_field_names or ())]

    def flatten_with_keys(value: Any) -> tuple[list[tuple[Any, Any]], Any]:
        held = [(name, getattr(value, name)) for name in wanted]
        full = [name for name, part in held if part is not None]
        empty = [name for name, part in held if part is None]
        return [(GetAttrKey(name), part) for name, part in held if part is not None], [full, empty]

    def flatten(value: Any) -> tuple[list[Any], Any]:
        pairs, context = flatten_with_keys(value)
        return [part for _, part in pairs], context

    def unflatten(parts: Iterable[Any], context: Any) -> Any:
        return cls(**dict(zip(context[0], parts, strict=True)), **dict.fromkeys(context[1]))

    register_pytree_node(cls, flatten, unflatten, flatten_with_keys_fn=flatten_with_keys)


def register_constant(cls: type) -> None:
    """Let objects of `cls` be a part of the spec, with no leaves."""
    register_pytree_node(
        cls,
        lambda value: ([], value),
        lambda _, value: value,
        flatten_with_keys_fn=lambda value: ([], value),
    )


def _kind(value: Any) -> Any:
    """The kind of container, or None for a leaf."""
    kind = type(value)
    if kind in SUPPORTED_NODES:
        return kind
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return _namedtuple
    return None


def is_namedtuple(obj: Any) -> bool:
    """Whether this is a named tuple, or a class of them."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_namedtuple_class(cls: Any) -> bool:
    """Whether this is a class of named tuples."""
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def tree_is_leaf(tree: Any, is_leaf: IsLeaf | None = None) -> bool:
    """Whether this is a leaf: no container, or one that `is_leaf` calls a leaf."""
    return (is_leaf is not None and is_leaf(tree)) or _kind(tree) is None


# --- taking apart, and putting together ------------------------------------------------------------------------------


def tree_flatten(tree: Any, is_leaf: IsLeaf | None = None) -> tuple[list[Any], TreeSpec]:
    """The leaves in order, and how they were nested."""
    kind = _kind(tree)
    if kind is None or (is_leaf is not None and is_leaf(tree)):
        return [tree], TreeSpec()
    parts, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    flat = [tree_flatten(part, is_leaf) for part in parts]
    leaves = [leaf for leaves, _ in flat for leaf in leaves]
    return leaves, TreeSpec(kind, context, [spec for _, spec in flat])


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """The nested value with these leaves."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    return treespec.unflatten(leaves)


def tree_iter(tree: Any, is_leaf: IsLeaf | None = None) -> Iterator[Any]:
    """The leaves, one after the other."""
    kind = _kind(tree)
    if kind is None or (is_leaf is not None and is_leaf(tree)):
        yield tree
        return
    for part in SUPPORTED_NODES[kind].flatten_fn(tree)[0]:
        yield from tree_iter(part, is_leaf)


def tree_leaves(tree: Any, is_leaf: IsLeaf | None = None) -> list[Any]:
    """The leaves in order."""
    return list(tree_iter(tree, is_leaf))


def tree_structure(tree: Any, is_leaf: IsLeaf | None = None) -> TreeSpec:
    """How the leaves are nested."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf | None = None) -> Any:
    """The tree with `func` applied to each leaf, and to what is at its place in each of the `rests`."""
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten(map(func, leaves, *[spec.flatten_up_to(rest) for rest in rests]))


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf | None = None) -> Any:
    """`tree`, after `func` was called with each leaf."""
    leaves, spec = tree_flatten(tree, is_leaf)
    for arguments in zip(leaves, *[spec.flatten_up_to(rest) for rest in rests], strict=True):
        func(*arguments)
    return tree


def _is_wanted(wanted: Any) -> Callable[[Any], bool]:
    if isinstance(wanted, (type, tuple)) or hasattr(wanted, "__args__"):
        return lambda leaf: isinstance(leaf, wanted)
    if callable(wanted):
        return wanted
    raise TypeError("Argument must be a type, a tuple of types, or a callable.")


def map_only(type_or_types_or_pred: Any, /) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """A decorator: the function of leaves of these types, or for which a predicate holds; others stay."""
    is_wanted = _is_wanted(type_or_types_or_pred)
    return lambda func: lambda leaf: func(leaf) if is_wanted(leaf) else leaf


def tree_map_only(
    type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf | None = None
) -> Any:
    """The tree with `func` of each leaf of these types in its place."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf | None = None
) -> Any:
    """`tree`, after `func` was called with each leaf of these types."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf | None = None) -> bool:
    """Whether it holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf | None = None) -> bool:
    """Whether it holds for a leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf | None = None) -> bool:
    """Whether it holds for all leaves of these types."""
    return all(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


def tree_any_only(type_or_types: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf | None = None) -> bool:
    """Whether it holds for a leaf of these types."""
    return any(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


# --- with the ways to the leaves -------------------------------------------------------------------------------------


def _with_paths(tree: Any, way: KeyPath, is_leaf: IsLeaf | None) -> Iterator[tuple[KeyPath, Any]]:
    kind = _kind(tree)
    if kind is None or (is_leaf is not None and is_leaf(tree)):
        yield way, tree
        return
    flatten = SUPPORTED_NODES[kind].flatten_with_keys_fn
    if flatten is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a flatten_with_keys_fn argument to "
            "register_pytree_node."
        )
    for key, part in flatten(tree)[0]:
        yield from _with_paths(part, (*way, key), is_leaf)


def tree_flatten_with_path(tree: Any, is_leaf: IsLeaf | None = None) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """The leaves in order, each with the keys that lead to it, and how they were nested."""
    return list(_with_paths(tree, (), is_leaf)), tree_structure(tree, is_leaf)


def tree_leaves_with_path(tree: Any, is_leaf: IsLeaf | None = None) -> list[tuple[KeyPath, Any]]:
    """The leaves in order, each with the keys that lead to it."""
    return list(_with_paths(tree, (), is_leaf))


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf | None = None) -> Any:
    """As `tree_map`, but `func` is called with the keys that lead to the leaf, first."""
    pairs, spec = tree_flatten_with_path(tree, is_leaf)
    ways, leaves = [way for way, _ in pairs], [leaf for _, leaf in pairs]
    return spec.unflatten(map(func, ways, leaves, *[spec.flatten_up_to(rest) for rest in rests]))


def keystr(kp: KeyPath) -> str:
    """Keys as Python writes them: ``['a'][0].b``."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """What the keys lead to."""
    for key in kp:
        obj = key.get(obj)
    return obj


def _broadcast_to_and_flatten(tree: Any, treespec: TreeSpec, is_leaf: IsLeaf | None = None) -> list[Any] | None:
    """A value for each leaf of the spec; None if `tree` is nested differently."""
    return treespec.broadcast_prefix(tree)


_register_pytree_node = register_pytree_node
