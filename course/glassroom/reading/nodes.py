"""The nodes of autograd graphs: the node that made a tensor, the nodes that it leads to, and what each has saved.

The one idea: a node is read through the attributes that PyTorch and tensorglass share (`grad_fn`, `next_functions`,
`_saved_self`, `variable`). Reading a saved tensor may raise, if a backward has freed it or the program has written to
it; such a tensor is reported as unreadable, and no function here raises.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from glassroom.reading.adapters import adapter_for, declared, is_plain, library_of, without_modes, without_overrides
from glassroom.reading.guarded import attempted, is_a, message_of, name_of_class, refuse_at_shutdown

MOST_READ = 100_000  # the most nodes of a graph that are counted


def node_of(name: str, tensor: Any) -> Any:
    """The node that made a tensor, or that accumulates a leaf's gradient."""
    refuse_at_shutdown()
    library = library_of(tensor)
    if library is None:
        raise TypeError(f"graph takes tensorglass and PyTorch tensors, but {name} is a {name_of_class(tensor)}")
    node = grad_fn_of(tensor)
    if node is not None:
        return node
    with without_overrides(library), without_modes(library):
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
    """The node that accumulates a leaf's gradient: found through a view of the leaf, as PyTorch itself does."""
    with library.enable_grad():
        return inputs_of(grad_fn_of(declared(tensor).view_as(tensor)))[0]


def grad_fn_of(tensor: Any) -> Any:
    """The node that made a tensor; None for leaves, and for arrays."""
    library = library_of(tensor)
    if library is None:
        return None
    if is_plain(tensor):
        if not tensor.requires_grad:
            return None
        if not tensor._is_view():  # of a view, PyTorch may have to make the node first
            return attempted(lambda: tensor.grad_fn, None)
    with without_overrides(library), without_modes(library):
        return attempted(lambda: declared(tensor).grad_fn, None)


def gradient_of(tensor: Any) -> Any:
    """The gradient that backward passes have accumulated in a leaf; None if there is none, and for other tensors."""
    library = library_of(tensor)
    if library is None:
        return None
    if is_plain(tensor):
        if not tensor.requires_grad:
            return None
        if not tensor._is_view():
            return tensor.grad if tensor.is_leaf else None
    with without_overrides(library), without_modes(library):
        seen = declared(tensor)
        return attempted(lambda: seen.grad if seen.requires_grad and seen.is_leaf else None, None)


def node_and_gradient(tensor: Any) -> tuple[Any, Any]:
    """What `grad_fn_of` and `gradient_of` return, for callers that ask for both of many tensors."""
    if is_plain(tensor) and not tensor.requires_grad:
        return None, None
    return grad_fn_of(tensor), gradient_of(tensor)


def is_leaf_with_gradient(tensor: Any) -> bool:
    """Whether backward passes accumulate a gradient in a tensor."""
    library = library_of(tensor)
    if library is None:
        return False
    with without_overrides(library), without_modes(library):
        seen = declared(tensor)
        return bool(attempted(lambda: seen.requires_grad and seen.is_leaf, False))


def inputs_of(node: Any) -> list[Any]:
    """The nodes that a node sends gradients to; None for an input that gets none."""
    return attempted(lambda: [next_node for next_node, _ in node.next_functions], [])


def metadata_of(node: Any) -> Mapping[str, Any]:
    """A node's metadata, such as the lines of code that anomaly detection records."""
    return attempted(lambda: node.metadata, {})


def in_order(roots: list[Any], known: Container[int] = (), most: float = MOST_READ) -> list[Any]:
    """Every node behind `roots`, at most `most` of them, depth first by the first input; a node's position is its
    number. Nodes whose ids are `known`, and what only they lead to, are left out.
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
        stack += [
            input_node
            for input_node in reversed(inputs_of(node))
            if input_node is not None and id(input_node) not in nodes
        ]
    return order


@dataclass(frozen=True)
class Packed:
    """What a hook has made of a saved tensor: unpacking it would run the program's code, such as a checkpoint's
    forward."""

    content: Any


@dataclass(frozen=True)
class Unread:
    """A saved tensor that cannot be read, with the message of PyTorch or the program that says `why`: freed,
    overwritten."""

    why: str


def saved_by(node: Any, of_kind: dict[type, list[str]] | None = None) -> Iterator[tuple[str, Any]]:
    """What a node keeps for its derivative: names and tensors, what hooks have `Packed`, or what is `Unread`. Callers
    that read many nodes pass the same `of_kind`, a cache of the names that each class of nodes has.
    """
    kind = type(node)
    names = None if of_kind is None else of_kind.get(kind)
    if names is None:
        prefix = "_raw_saved_"  # only attributes that may be tensors have this prefix
        names = sorted(name.removeprefix(prefix) for name in dir(kind) if name.startswith(prefix))
        names = [name for name in names if name != "tensors"]  # a custom function's own, see below
        if of_kind is not None:
            of_kind[kind] = names
    for name in names:
        # A list of tensors, such as an index saves, cannot be read once it is freed, not even in raw form.
        packed = _packed(_asked(node, f"_raw_saved_{name}"))
        if packed:
            yield from ((f"{name}{at}", value) for at, value in packed)
            continue
        value = _asked(node, f"_saved_{name}")
        if is_a(value, Unread) or adapter_for(value) is not None:
            yield name, value
        elif is_a(value, (list, tuple)):
            yield from ((f"{name}[{at}]", tensor) for at, tensor in enumerate(value) if adapter_for(tensor) is not None)
    yield from _saved_by_a_function(node)


def _asked(node: Any, name: str) -> Any:
    """A node's attribute, None if there is none; or an `Unread` with the reason why it cannot be read."""
    try:
        return getattr(node, name, None)
    except Exception as error:
        return Unread(message_of(error, ""))


def _packed(raw: Any) -> list[tuple[str, Packed]]:
    """What hooks have packed for a saved tensor, or for a list of them, each with its place in the list."""
    several = is_a(raw, (list, tuple))
    places = [(f"[{at}]", value) for at, value in enumerate(raw)] if several else [("", raw)]
    return [(at, Packed(value.data)) for at, value in places if getattr(value, "unpack_hook", None) is not None]


def _saved_by_a_function(node: Any) -> Iterator[tuple[str, Any]]:
    """What the forward of a custom function passed to `save_for_backward`, by position: "[0]", "[1]", …; and tensors
    that it set on its context, by their names.
    """
    own = attempted(lambda: object.__getattribute__(node, "__dict__"), None) if hasattr(node, "_forward_cls") else None
    if own and is_a(own, dict):
        yield from ((str(name), value) for name, value in list(own.items()) if adapter_for(value) is not None)
    if getattr(getattr(node, "_forward_cls", None), "clear_saved_tensors_on_access", False):
        return  # reading them would free them
    packed = _packed(_asked(node, "_raw_saved_tensors"))
    yield from packed
    saved = None if packed else _asked(node, "saved_tensors")
    if is_a(saved, Unread):  # one that is freed or overwritten stands for all of them
        yield "tensors", saved
    elif is_a(saved, (list, tuple)):
        yield from ((f"[{at}]", value) for at, value in enumerate(saved) if adapter_for(value) is not None)
