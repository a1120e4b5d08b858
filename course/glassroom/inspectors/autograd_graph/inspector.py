"""`graph(loss)`: the autograd graph behind a tensor."""

from __future__ import annotations

import sys
from typing import Any

from glassroom.drawing.graph.svg import svg_of_graph
from glassroom.drawing.graph.text import text_of_graph
from glassroom.inspectors.base import Inspector
from glassroom.reading.call_expressions import argument_names
from glassroom.reading.graph import graph_data
from glassroom.reading.variables import variables_of
from glassroom.records.graph import GraphData
from glassroom.records.printable import printable


class AutogradGraph(Inspector):
    """The graph as it stood when it was asked for."""

    kind = "autograd graph"

    def __init__(self, name: str, data: GraphData) -> None:
        self.name = name
        self.data = data

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
        return {"svg": self.svg, "text": self.text, "label": self.label}


def graph(*tensors: Any, **named: Any) -> AutogradGraph:
    """Draw the autograd graph behind tensors: the nodes that made them, what each saved and where gradients will go.

    Takes tensorglass and PyTorch tensors. Variables of the caller name leaves and results, and the parameters of
    modules that it holds. Raises TypeError for what is no such tensor, ValueError for a tensor without a graph.
    """
    frame = sys._getframe(1)
    given = dict(zip(argument_names(frame, tensors), tensors, strict=True)) | named
    if not given:
        raise TypeError("graph needs a tensor: graph(loss)")
    variables = variables_of(frame)
    return AutogradGraph(", ".join(map(printable, given)), graph_data(given, variables))
