"""The autograd graph behind tensors, as plain data: its nodes, what they saved, where gradients will go.

The one idea: the graph is read in its present state, through the attributes that PyTorch and tensorglass share
(`grad_fn`, `next_functions`, `_saved_self`, `variable`). The data keep no tensor and no node alive.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import Any

from glassroom.reading.adapters import (
    adapter_for,
    declared,
    described_if_there,
    library_of,
    without_modes,
    without_overrides,
)
from glassroom.reading.guarded import attempted, is_a, name_of_class
from glassroom.reading.networks import owners_of_parameters
from glassroom.reading.nodes import (
    Packed,
    Unread,
    grad_fn_of,
    gradient_of,
    in_order,
    inputs_of,
    metadata_of,
    node_of,
    saved_by,
)
from glassroom.reading.nonfinite import nonfinite
from glassroom.reading.source_lines import recorded_line
from glassroom.reading.storage_names import names_of
from glassroom.reading.variables import named_tensors, root_of
from glassroom.records.graph import GraphData, Leaf, Saved, Step
from glassroom.records.snapshot import byte_range
from glassroom.translations.templates import word


def graph_data(
    tensors: Mapping[str, Any],
    variables: Mapping[str, object],
    home: str = "",
    modules: Mapping[int, str] = MappingProxyType({}),
    passing: Container[str] = (),
) -> GraphData:
    """Read the graph behind `tensors`; `variables` gives leaves and intermediate results their names. Variables that
    are `passing`, which loops have left behind, only name leaves that have no other name, and no results. Lines of code
    are given if the graph was recorded with anomaly detection; those of the file `home` by their number only. `modules`
    are paths of networks by the ids of nodes; other nodes belong to the network whose parameter they read. Raises
    TypeError for anything but tensors of tensorglass or PyTorch, ValueError for a tensor without history.
    """
    was_collecting = gc.isenabled()
    try:
        gc.disable()  # thousands of headers come and go: garbage collection would take as long as reading
        return _read({**variables, **tensors}, tensors, home, modules, passing)
    finally:
        if was_collecting:
            gc.enable()


def _read(
    variables: Mapping[str, object],
    tensors: Mapping[str, Any],
    home: str,
    modules: Mapping[int, str],
    passing: Container[str],
) -> GraphData:
    every = named_tensors(variables)
    named = [(name, tensor) for name, tensor in every if name in tensors or root_of(name) not in passing]
    roots = [node_of(name, tensor) for name, tensor in tensors.items()]
    order = in_order(roots)
    numbers = {id(node): number for number, node in enumerate(order)}
    made_by = _made_by(named, numbers)
    names = {id(tensor): name for name, tensor in reversed([*named, *every])}
    of_kind: dict[type, list[str]] = {}
    kept = [list(saved_by(node, of_kind)) for node in order]  # holds the tensors until they are described
    leaves = [_collected_by(node) for node in order]
    seen = _seen(tensor for saved, leaf in zip(kept, leaves, strict=True) for tensor in (*_tensors(saved), *leaf))
    inputs = [
        tuple([None if input_node is None else numbers.get(id(input_node)) for input_node in inputs_of(node)])
        for node in order
    ]
    owners = owners_of_parameters(variables)
    owned = [owners.get(id(leaf[0])) if leaf else None for leaf in leaves]
    has_lines = any("traceback_" in metadata_of(node) for node in roots)
    steps = [
        Step(
            number=number,
            name=type(node).__name__,
            outputs=tuple(dict.fromkeys(name for name, _ in made_by.get(number, ()))),
            saved=tuple([_saved(name, value, seen) for name, value in kept[number]]),
            inputs=inputs[number],
            leaf=_leaf(leaves[number], names, seen),
            line=recorded_line(node, home) if has_lines and not leaves[number] else None,
            module=owned[number] or modules.get(id(node)) or _of_its_parameters(inputs, owned, number),
            flags=tuple(_flags(made_by.get(number, ()), kept[number], leaves[number], names, seen)),
        )
        for number, node in enumerate(order)
    ]
    return GraphData(tuple([numbers[id(node)] for node in roots]), tuple(steps))


def _of_its_parameters(
    inputs: Sequence[tuple[int | None, ...]], owned: Sequence[str | None], number: int
) -> str | None:
    """The network whose parameters a node reads, directly or through a view such as `weight.t()`."""
    for input in inputs[number]:
        if input is not None:
            only = inputs[input][0] if len(inputs[input]) == 1 else None
            owner = owned[input] or (owned[only] if only is not None else None)
            if owner is not None:
                return owner
    return None


def _flags(
    outputs: Iterable[tuple[str, Any]],
    saved: Iterable[tuple[str, Any]],
    leaf: tuple[Any, ...],
    names: Mapping[int, str],
    seen: Mapping[int, _Seen],
) -> Iterator[str]:
    """Those of a node's tensors that hold NaN or infinity: its results, what it saved, a leaf and its gradient."""
    own = [("this leaf", tensor) for tensor in leaf[:1]] + [("its gradient", tensor) for tensor in leaf[1:]]
    kept = [(f"saved {name}", tensor) for name, tensor in saved if adapter_for(tensor) is not None]
    for name, tensor in [*outputs, *kept, *own]:
        odd = seen[id(tensor)].nonfinite if id(tensor) in seen else _nonfinite(tensor)
        if odd is not None:
            yield f"{name} has {odd}"


def _made_by(named: list[tuple[str, Any]], numbers: dict[int, int]) -> dict[int, list[tuple[str, Any]]]:
    by_number: dict[int, list[tuple[str, Any]]] = {}
    for name, tensor in named:
        node = grad_fn_of(tensor)
        number = None if node is None else numbers.get(id(node))
        if number is not None:
            by_number.setdefault(number, []).append((name, tensor))
    return by_number


@dataclass(frozen=True)
class _Seen:
    """A tensor in a few words: size, storage and offset, version; the storage is missing if there is no memory."""

    words: str
    storage: str | None = None
    version: int | None = None
    nbytes: int = 0
    bytes: tuple[int, int] | None = None
    nonfinite: str | None = None


def _seen(tensors: Iterable[Any]) -> dict[int, _Seen]:
    """All tensors by id; their storages are named together, which takes no longer than naming one."""
    descriptions = {id(tensor): (tensor, described_if_there(tensor)) for tensor in tensors}
    by_key = {
        key: _Seen(f"a {name_of_class(tensor)} without memory to look at")
        for key, (tensor, description) in descriptions.items()
        if description is None
    }
    known = {key: description for key, (_, description) in descriptions.items() if description is not None}
    storages = names_of([description.memory for description in known.values()])
    for (key, description), storage in zip(known.items(), storages, strict=True):
        at = f"+{description.storage_offset}" if description.storage_offset else ""
        version = "" if description.version is None else f" v{description.version}"
        distinct = [n if stride else min(n, 1) for n, stride in zip(description.size, description.strides, strict=True)]
        nbytes = prod(distinct) * description.itemsize
        words = f"{list(description.size)} {storage}{at}{version}"
        first = (description.storage_offset or 0) * description.itemsize
        reached = byte_range(first, description.size, description.strides, description.itemsize)
        by_key[key] = _Seen(words, storage, description.version, nbytes, reached, nonfinite(description))
    return by_key


def _nonfinite(tensor: Any) -> str | None:
    """NaN or infinity in a tensor whose storage the graph neither shows nor names."""
    description = described_if_there(tensor)
    return None if description is None else nonfinite(description)


def _collected_by(node: Any) -> tuple[Any, ...]:
    """The leaf that a node accumulates gradients for, with its gradient; None for other nodes."""
    variable = attempted(lambda: node.variable, None)
    if library_of(variable) is None:  # a node of a custom function may have anything of this name
        return ()
    gradient = gradient_of(variable)
    return (variable,) if gradient is None else (variable, gradient)


def _leaf(variables: tuple[Any, ...], names: Mapping[int, str], seen: Mapping[int, _Seen]) -> Leaf | None:
    if not variables:
        return None
    variable, *gradients = variables
    library = library_of(variable) or "torch"
    with without_overrides(library), without_modes(library):
        leaf = declared(variable)
        size = attempted(lambda: tuple(leaf.shape), ())
        dtype = attempted(lambda: str(leaf.dtype).removeprefix("torch."), "unknown")
    place = seen[id(variable)]
    return Leaf(
        name=names.get(id(variable), word("unnamed")),
        size=size,
        dtype=dtype,
        storage=place.storage or "no memory",
        version=place.version,
        grad=seen[id(gradients[0])].words if gradients else "None",
    )


def _tensors(saved: Iterable[tuple[str, Any]]) -> list[Any]:
    return [value for _, value in saved if adapter_for(value) is not None]


def _saved(name: str, value: Any, seen: Mapping[int, _Seen]) -> Saved:
    if is_a(value, Packed):
        return Saved(name, "packed", "packed by a hook, not looked at")
    if is_a(value, Unread):
        return _lost(name, value.why)
    place = seen[id(value)]
    return Saved(name, "tensor", place.words, place.storage, place.version, place.nbytes, place.bytes)


def _lost(name: str, message: str) -> Saved:
    if "modified by an inplace operation" in message:
        now, expected = re.findall(r"version (\d+)", message)[:2]
        return Saved(name, "overwritten", f"overwritten: saved v{expected}, now v{now}")
    if "a second time" in message or "have already been freed" in message:
        return Saved(name, "freed", word("freed"))
    return Saved(name, "unknown", "unknown: it cannot be read")
