"""A backward, recorded node by node: what arrived, what was sent on, what was accumulated, what was freed.

A node of the graph lets hooks watch it run, on PyTorch as on tensorglass. So the backward that is recorded is a real
one, with its real effects on `grad` and on saved tensors.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from glassroom.reading.adapters import declared, described, library_of
from glassroom.reading.graph import graph_data
from glassroom.reading.guarded import attempted
from glassroom.reading.nodes import gradient_of, in_order, node_of
from glassroom.reading.snapshot import snapshot
from glassroom.reading.storage_names import unnumbered
from glassroom.reading.variables import named_tensors
from glassroom.records.graph import GraphData, Leaf
from glassroom.records.snapshot import Snapshot

SHORT = 12  # elements of a gradient that is written out
MOST_LEAVES = 8  # leaves drawn, with their gradients


@dataclass(frozen=True)
class Moment:
    """One node's turn: the gradients that arrived and those that it sent on, as text; None where there was none.

    `sent` has a place for each input of the node. `collected` is a leaf's `grad` after the turn and `was` its `grad`
    before it (None for none); `freed` are the saved tensors that the node let go of; `hooked` says that a hook of the
    user's was called with the gradient first. `memory` is a snapshot of the leaves that are drawn and of their
    gradients, after a turn that changed one of them.
    """

    step: int
    arrived: tuple[str | None, ...]
    sent: tuple[str | None, ...]
    collected: str | None
    was: str | None
    freed: tuple[str, ...]
    hooked: bool
    memory: Snapshot | None


@dataclass(frozen=True)
class BackwardData:
    """The graph as it was before, and the turns of its nodes in order."""

    graph: GraphData
    moments: tuple[Moment, ...]


def record_backward(
    name: str,
    tensor: Any,
    variables: Mapping[str, object],
    gradient: Any = None,
    retain_graph: bool = False,
    passing: Container[str] = (),
) -> BackwardData:
    """Run ``tensor.backward(gradient, retain_graph)`` and record what happens. Variables that are `passing` are not
    used as names of results.

    Raises what the backward raises.
    """
    nodes = in_order([node_of(name, tensor)])
    with unnumbered():
        data = graph_data({name: tensor}, variables, passing=passing)
    named = named_tensors({**variables, name: tensor})
    hooked = _hooked(nodes, named)
    leaves = [(step.leaf, node.variable) for step, node in zip(data.steps, nodes, strict=True) if step.leaf is not None]
    had = {id(variable): _gradient_written(gradient_of(variable)) for _, variable in leaves}
    drawn = leaves[:MOST_LEAVES]
    moments: list[Moment] = []
    handles: list[Any] = []
    for number, node in enumerate(nodes):
        freed = () if retain_graph else tuple([saved.name for saved in data.steps[number].saved])
        handles.append(
            node.register_hook(
                _watch(number, node, freed, number in hooked, data.steps[number].leaf, drawn, had, moments)
            )
        )
    try:
        tensor.backward(gradient, retain_graph=retain_graph)
    finally:
        for handle in handles:
            handle.remove()
    return BackwardData(data, tuple(moments))


def _watch(
    number: int,
    node: Any,
    freed: tuple[str, ...],
    hooked: bool,
    leaf: Leaf | None,
    drawn: list[tuple[Leaf, Any]],
    had: Mapping[int, str | None],
    moments: list[Moment],
) -> Any:
    def hook(sent: tuple[Any, ...], arrived: tuple[Any, ...]) -> None:
        grad = None if leaf is None else _gradient_written(gradient_of(node.variable))
        moments.append(
            Moment(
                step=number,
                arrived=tuple([_gradient_written(gradient) for gradient in arrived]),
                sent=tuple([_gradient_written(gradient) for gradient in sent]),
                collected=None if leaf is None else f"{leaf.name}.grad = {grad}",
                was=None if leaf is None else had[id(node.variable)],
                freed=freed,
                hooked=hooked,
                memory=_memory(drawn) if any(leaf is drawn_leaf for drawn_leaf, _ in drawn) else None,
            )
        )

    return hook


def _memory(drawn: list[tuple[Leaf, Any]]) -> Snapshot:
    tensors: dict[str, Any] = {}
    for leaf, variable in drawn:
        tensors[leaf.name] = variable
        gradient = gradient_of(variable)
        if gradient is not None:
            tensors[f"{leaf.name}.grad"] = gradient
    with unnumbered():
        return snapshot(tensors)


def _hooked(nodes: list[Any], named: list[tuple[str, Any]]) -> set[int]:
    """The nodes whose gradients first go through a hook of the user's."""
    places = {id(node): number for number, node in enumerate(nodes)}
    reached = set()
    for _, tensor in named:
        if library_of(tensor) is not None and _has_hooks(tensor):
            node = node_of("", tensor)
            if id(node) in places:
                reached.add(places[id(node)])
    return reached


def _has_hooks(tensor: Any) -> bool:
    return bool(attempted(lambda: declared(tensor)._backward_hooks, None))


def _gradient_written(gradient: Any) -> str | None:
    """A gradient as text: its elements if they are few, else its size."""
    if gradient is None:
        return None
    description = described(gradient)
    count = 1
    for length in description.size:
        count *= length
    if count > SHORT:
        return f"{description.dtype} of size {list(description.size)}"
    return _rounded(declared(gradient).detach().tolist())


def _rounded(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_rounded(item) for item in value)}]"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
