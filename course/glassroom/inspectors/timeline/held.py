"""Who holds storages at the end of a block: variables, graphs behind them, and what else has a name, such as a cache or
the traceback of an error that was kept.

The one idea: a storage is found by the key of its memory, its address, so that every tensor over it leads to it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set
from dataclasses import dataclass
from types import FrameType
from typing import Any

from glassroom.reading.adapters import declared, is_on_meta, key_of, library_of
from glassroom.reading.guarded import attempted
from glassroom.reading.nodes import grad_fn_of, gradient_of
from glassroom.reading.parts import descriptions_of, tensor_under
from glassroom.reading.reach import held_nodes, saved_in_graphs
from glassroom.reading.referrers import live_tensors, paths_up
from glassroom.reading.torch_operators import address_of
from glassroom.reading.variables import ARROW, named_tensors

UNREAD = "unread"  # a key


@dataclass(frozen=True)
class Elsewhere:
    """Holders to which no variable leads, by the key of what they hold; and whether the search was complete."""

    holders: dict[Hashable, list[str]]
    is_all: bool


def holders_of(variables: Mapping[str, object]) -> dict[Hashable, list[str]]:
    """The variables that hold each storage, by the key of its memory: directly, in lists and dicts, and as gradients.
    Tensors whose memory cannot be read, such as oneDNN's, have the key `UNREAD`.
    """
    names_of_key: dict[Hashable, list[str]] = {}
    for name, tensor in sorted(named_tensors(variables), key=lambda named: named[0].startswith("Out[")):
        for leaf, held in ((name, tensor), (f"{name}.grad", gradient_of(tensor))):
            key = None if held is None else _key_of(held)
            names = [] if key is None else names_of_key.setdefault(key, [])
            if leaf not in names:
                names.append(leaf)
        if library_of(tensor) == "torch" and not is_on_meta(tensor) and not descriptions_of(tensor):
            names_of_key.setdefault(UNREAD, []).append(name)
    return names_of_key


def saved_by_graphs(variables: Mapping[str, object]) -> dict[Hashable, list[str]]:
    """The graphs that keep storages, by the key of their memory: `losses[0] → PowBackward0.self`."""
    holders: dict[Hashable, list[str]] = {}
    for words, tensor, _ in saved_in_graphs(named_tensors(variables)):
        key = _key_of(tensor)
        if key is not None:
            holders.setdefault(key, []).append(words)
    for words, node in held_nodes(named_tensors(variables)):  # a leaf is kept by the node that collects its gradient
        key = _key_of(attempted(lambda each=node: each.variable, None))  # type: ignore[misc]  # called at once
        if key is not None and key not in holders:
            holders[key] = [f"{words}{ARROW}{type(node).__name__}.variable"]
    return holders


def _key_of(tensor: Any) -> Hashable | None:
    """The key of the memory of a tensorglass or PyTorch tensor, or of an array that looks at one's; None if it has
    none, and for other arrays.
    """
    under = tensor_under(tensor)
    tensor = tensor if under is None else under
    library = library_of(tensor)
    if library == "tensorglass":
        storage = attempted(lambda: declared(tensor).untyped_storage(), None)  # Ctrl-C leaves half a tensor behind
        return None if storage is None else key_of(storage)
    address = address_of(tensor) if library == "torch" else 0
    return ("torch", address) if address else None


def held_elsewhere(lost: Set[Hashable], variables: Mapping[str, object], caller: FrameType) -> Elsewhere:
    """What holds storages with the keys in `lost`, to which no variable leads: functions, caches, classes, frames that
    a traceback or a generator keeps, optimizers, and the graphs behind tensors that these hold.
    """
    if not lost:
        return Elsewhere({}, True)
    known = {id(tensor) for _, tensor in named_tensors(variables)}
    tensors = [tensor for tensor in live_tensors() if id(tensor) not in known]
    tensors = [tensor for tensor in tensors if _leads_to(tensor, lost)]
    above = paths_up(tensors, caller)
    paths = above.paths
    named = [(paths[id(tensor)].replace(ARROW, ": "), tensor) for tensor in tensors if id(tensor) in paths]
    named += [(f"{words}.grad", gradient) for words, tensor in named if (gradient := gradient_of(tensor)) is not None]
    holders: dict[Hashable, list[str]] = {}
    for words, tensor in [*named, *((words, tensor) for words, tensor, _ in saved_in_graphs(named))]:
        key = _key_of(tensor)
        if key in lost and (key not in holders or len(words) < len(holders[key][0])):
            holders[key] = [words]
    return Elsewhere(holders, above.is_all)


def _leads_to(tensor: Any, lost: Set[Hashable]) -> bool:
    """Whether a tensor, its gradient, or perhaps a graph behind it leads to one of the storages."""
    gradient = gradient_of(tensor)
    own = _key_of(tensor) in lost or (gradient is not None and _key_of(gradient) in lost)
    return own or grad_fn_of(tensor) is not None
