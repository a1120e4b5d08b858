"""`graph(loss)`: the autograd graph behind a tensor."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from glassroom.drawing.graph.folding import folds_of
from glassroom.drawing.graph.svg import svg_of_graph
from glassroom.drawing.graph.text import text_of_graph
from glassroom.inspectors.base import Inspector
from glassroom.reading.adapters import adapter_for
from glassroom.reading.call_expressions import argument_names
from glassroom.reading.graph import graph_data
from glassroom.reading.guarded import is_a
from glassroom.reading.loop_variables import left_by_loops
from glassroom.reading.networks import ForwardsFollowed, is_network, networks_in
from glassroom.reading.nodes import grad_fn_of
from glassroom.reading.places import tensors_at
from glassroom.reading.variables import variables_of, variables_of_function
from glassroom.records.graph import GraphData
from glassroom.records.printable import printable
from glassroom.translations.templates import as_is

MOST_OPENED = 12  # folds that the live form can open


class AutogradGraph(Inspector):
    """The graph as it was when `graph` was called."""

    kind = as_is("autograd graph")

    def __init__(self, name: str, data: GraphData) -> None:
        self.name = name
        self.data: GraphData = data

    @property
    def text(self) -> str:
        return text_of_graph(self.data)

    @property
    def svg(self) -> str:
        return svg_of_graph(self.data, self.label)

    @property
    def label(self) -> str:
        leaves = sum(step.leaf is not None for step in self.data.steps)
        return f"Autograd graph of {self.name}: {len(self.data.steps)} nodes, {leaves} of them leaves"

    def state(self) -> dict[str, Any]:
        folds = list(folds_of(self.data))[:MOST_OPENED]
        opened = {str(key): svg_of_graph(self.data, self.label, opened=key) for key in folds}
        return {**super().state(), "opened": opened}


def graph(*tensors: Any, **named: Any) -> AutogradGraph:
    """Draw the autograd graph behind tensors: the nodes that made them, what each node saved, and where gradients will
    go.

    Takes tensorglass and PyTorch tensors, what holds them, such as the output of a network, and functions without
    arguments, which are called: `graph(lambda: model(x).sum())` shows for each operator its line of code and the
    network that it ran in. For tensors that exist already, lines are shown if anomaly detection was on, and networks
    where operators read their parameters. Leaves and results are named by the caller's variables. Saved tensors and
    results with NaN or infinity are flagged, on the CPU and up to 16 MiB each. Raises TypeError for anything else,
    ValueError for a tensor without a graph, and whatever a function raises.
    """
    if sys.is_finalizing():
        return AutogradGraph.of_nothing()
    frame = sys._getframe(1)
    given = dict(zip(argument_names(frame, tensors), tensors, strict=True)) | named
    if not given:
        raise TypeError("graph needs a tensor: graph(loss)")
    variables = variables_of(frame)
    modules: dict[int, str] = {}
    held = []
    for name, value in list(given.items()):
        if is_a(value, (FunctionType, MethodType, partial)):
            within = {**variables, **variables_of_function(value)}
            given[name], followed = _called(value, within)
            modules |= followed.paths
            held.append(followed)
    short = {"result" if name.startswith(("lambda", "{", "[", "(")) else name: value for name, value in given.items()}
    roots = {printable(path): tensor for name, value in short.items() for path, tensor in _roots(name, value)}
    data = graph_data(roots, variables, frame.f_code.co_filename, modules, left_by_loops(frame))
    return AutogradGraph(", ".join(roots), data)


def _called(function: Any, variables: Mapping[str, object]) -> tuple[object, ForwardsFollowed]:
    """Call a function while the lines of its operators are recorded: its result, and the object that followed its
    networks."""
    libraries = [sys.modules[name] for name in ("torch", "tensorglass") if hasattr(sys.modules.get(name), "autograd")]
    with ExitStack() as stack:
        for library in libraries:
            stack.enter_context(library.autograd.set_detect_anomaly(True, check_nan=False))
        followed = stack.enter_context(ForwardsFollowed(networks_in(variables)))
        return function(), followed


def _roots(name: str, value: Any) -> list[tuple[str, Any]]:
    """The tensors to draw: a tensor itself; of a container or object, the tensors in it that have a graph."""
    if adapter_for(value) is not None or is_a(value, (str, int, float, type(None))):
        return [(name, value)]
    if is_network(value):
        raise TypeError(f"graph takes what a network has computed, but {name} is a network: graph({name}(x))")
    tensors = list(tensors_at([(name, value)]))
    return (
        [(path, tensor) for path, tensor in tensors if grad_fn_of(tensor) is not None] or tensors[:1] or [(name, value)]
    )
