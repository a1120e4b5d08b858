"""The nodes of autograd graphs: which node made a tensor, which nodes it leads to, and what each has saved.

The one idea: a node is read through the names that PyTorch and tensorglass share (`grad_fn`, `next_functions`,
`_saved_self`, `variable`). Asking for a saved tensor may raise, since a backward has freed it or the program has
written to it; what cannot be read is said so, and nothing that is asked here raises.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from glassroom.reading.adapters import adapter_for, declared, library_of, without_overrides
from glassroom.reading.guarded import attempted, is_a, name_of_class

MOST_READ = 100_000  # nodes of a graph larger than this are counted no further


def node_of(name: str, tensor: Any) -> Any:
    """The node that made a tensor, or that collects a leaf's gradient."""
    library = library_of(tensor)
    if library is None:
        raise TypeError(f"graph takes tensorglass and PyTorch tensors, but {name} is a {name_of_class(tensor)}")
    node = grad_fn_of(tensor)
    if node is not None:
        return node
    with without_overrides(library):
        seen = declared(tensor)
        if seen.requires_grad and str(seen.layout) != "torch.strided":
            raise ValueError(
                f"{name} is a leaf of layout {seen.layout}: it has no graph, and no view to find its node by"
            )
        if seen.requires_grad:
            node = attempted(lambda: _node_of_a_leaf(tensor, sys.modules[library]), None)
            if node is not None:
                return node
            raise ValueError(f"{name} is a leaf, but its {name_of_class(tensor)} does not say the graph's node for it")
    raise ValueError(
        f"{name} has no graph: it does not require a gradient and was not computed from a tensor that does"
    )


def _node_of_a_leaf(tensor: Any, library: Any) -> Any:
    """The node that collects a leaf's gradient: a view of the leaf leads to it, as PyTorch itself finds it."""
    with library.enable_grad():
        return inputs_of(grad_fn_of(declared(tensor).view_as(tensor)))[0]


def grad_fn_of(tensor: Any) -> Any:
    """The node that made a tensor; None for leaves, and for arrays."""
    library = library_of(tensor)
    if library is None:
        return None
    with without_overrides(library):
        return attempted(lambda: declared(tensor).grad_fn, None)


def gradient_of(tensor: Any) -> Any:
    """What backward passes have collected in a leaf; None where there is nothing, and for what is no leaf."""
    library = library_of(tensor)
    if library is None:
        return None
    with without_overrides(library):
        seen = declared(tensor)
        return attempted(lambda: seen.grad if seen.requires_grad and seen.is_leaf else None, None)


def is_leaf_with_gradient(tensor: Any) -> bool:
    """Whether backward passes collect a gradient in a tensor."""
    library = library_of(tensor)
    if library is None:
        return False
    with without_overrides(library):
        seen = declared(tensor)
        return bool(attempted(lambda: seen.requires_grad and seen.is_leaf, False))


def inputs_of(node: Any) -> list[Any]:
    """The nodes that a node sends gradients to, None where it sends none."""
    return attempted(lambda: [each for each, _ in node.next_functions], [])


def metadata_of(node: Any) -> Mapping[str, Any]:
    """What was noted of a node, such as the lines of code that anomaly detection writes down."""
    return attempted(lambda: node.metadata, {})


def in_order(roots: list[Any], known: Container[int] = (), most: float = MOST_READ) -> list[Any]:
    """Every node behind `roots`, `most` of them at most, the first input first: its place is its number. Nodes whose
    ids are `known`, and what they alone lead to, are left out.
    """
    nodes: dict[int, Any] = {}  # by id; holding them keeps the ids unique
    order: list[Any] = []
    stack = list(reversed(roots))
    while stack and len(order) < most:
        node = stack.pop()
        if id(node) in nodes or id(node) in known:
            continue
        nodes[id(node)] = node
        order.append(node)
        stack += [each for each in reversed(inputs_of(node)) if each is not None and id(each) not in nodes]
    return order


@dataclass(frozen=True)
class Packed:
    """What a hook has made of a saved tensor: to unpack it would run the program's code, a checkpoint's for example."""

    content: Any


@dataclass(frozen=True)
class Unread:
    """A saved tensor that cannot be read, and in which words PyTorch or the program says `why`: freed, overwritten."""

    why: str


def saved_by(node: Any, of_kind: dict[type, list[str]] | None = None) -> Iterator[tuple[str, Any]]:
    """What a node keeps for its derivative: names and tensors, what hooks have `Packed`, or what is `Unread`.

    Whoever asks many nodes gives the same `of_kind`, where the names that each class of nodes has are noted.
    """
    kind = type(node)
    names = None if of_kind is None else of_kind.get(kind)
    if names is None:
        prefix = "_raw_saved_"  # attributes that may be tensors have it, numbers do not
        names = sorted(name.removeprefix(prefix) for name in dir(kind) if name.startswith(prefix))
        names = [name for name in names if name != "tensors"]  # a function's own, see below
        if of_kind is not None:
            of_kind[kind] = names
    for name in names:
        # Of several tensors in a list, as an index saves them, even the raw ones are not told once they are freed.
        packed = _packed(_asked(node, f"_raw_saved_{name}"))
        if packed:
            yield from ((f"{name}{at}", each) for at, each in packed)
            continue
        value = _asked(node, f"_saved_{name}")
        if is_a(value, Unread) or adapter_for(value) is not None:
            yield name, value
        elif is_a(value, (list, tuple)):
            yield from ((f"{name}[{at}]", each) for at, each in enumerate(value) if adapter_for(each) is not None)
    yield from _saved_by_a_function(node)


def _asked(node: Any, name: str) -> Any:
    """What a node has under a name, None where it has none; or why it does not say it."""
    try:
        return getattr(node, name, None)
    except Exception as error:
        said = error
        return Unread(attempted(lambda: str(said), ""))


def _packed(raw: Any) -> list[tuple[str, Packed]]:
    """What hooks have packed of a saved tensor, or of a list of them, each with its place in the list."""
    several = is_a(raw, (list, tuple))
    places = [(f"[{at}]", each) for at, each in enumerate(raw)] if several else [("", raw)]
    return [(at, Packed(each.data)) for at, each in places if getattr(each, "unpack_hook", None) is not None]


def _saved_by_a_function(node: Any) -> Iterator[tuple[str, Any]]:
    """What the forward of a custom function gave to `save_for_backward`, by its places: "[0]", "[1]", …"""
    if getattr(getattr(node, "_forward_cls", None), "clear_saved_tensors_on_access", False):
        return  # looking at them would take them away
    packed = _packed(_asked(node, "_raw_saved_tensors"))
    yield from packed
    saved = None if packed else _asked(node, "saved_tensors")
    if is_a(saved, Unread):  # one that is gone or overwritten speaks for all of them
        yield "tensors", saved
    elif is_a(saved, (list, tuple)):
        yield from ((f"[{at}]", value) for at, value in enumerate(saved) if adapter_for(value) is not None)
