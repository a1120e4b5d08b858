"""`graph(loss)`, the autograd graph behind a tensor, and `step_backward(loss)`, its backward node by node."""

from __future__ import annotations

import sys
from typing import Any

from glassroom.autograd_graph import GraphData, graph_data
from glassroom.backward_steps import BackwardData, record_backward
from glassroom.callers import argument_names, variables_of
from glassroom.folding import boxes_of
from glassroom.inspector import Inspector
from glassroom.printable import printable
from glassroom.render import svg_of
from glassroom.render.backward_text import lines_of, text_of_backward
from glassroom.render.graph_svg import svg_of_graph
from glassroom.render.graph_text import text_of_graph


class AutogradGraph(Inspector):
    """The graph as it stood when it was asked for."""

    kind = "autograd graph"
    widget_files = "autograd_graph"

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

    @property
    def widget(self) -> Any:
        from glassroom.widgets.autograd_graph import AutogradGraphWidget  # anywidget is in an extra

        return AutogradGraphWidget(**self.state())


class BackwardStepper(Inspector):
    """A backward that was recorded, to be stepped through."""

    kind = "backward stepper"
    widget_files = "backward_stepper"

    def __init__(self, name: str, data: BackwardData) -> None:
        self.name = name
        self.data = data

    @property
    def text(self) -> str:
        return text_of_backward(self.data)

    @property
    def svg(self) -> str:
        turns: dict[int, list[str]] = {}
        for turn, key in enumerate(self._keys(), start=1):
            turns.setdefault(key, []).append(str(turn))
        badges = {key: each[0] if len(each) == 1 else f"{each[0]}–{each[-1]}" for key, each in turns.items()}
        return svg_of_graph(self.data.graph, self.label, badges)

    @property
    def label(self) -> str:
        return f"Backward of {self.name}, in {len(self.data.moments)} steps"

    def _keys(self) -> list[int]:
        """The box of each moment: its own, or the fold that holds it."""
        homes = {}
        for key, box in boxes_of(self.data.graph).items():
            for step in (box.step,) if box.step is not None else box.folded:
                homes[step.number] = key
        return [homes[moment.step] for moment in self.data.moments]

    def state(self) -> dict[str, Any]:
        maps: list[str] = []
        frames = []
        for moment, key in zip(self.data.moments, self._keys(), strict=True):
            if moment.memory is not None:
                maps.append(svg_of(moment.memory))
            lines = lines_of(moment, self.data.graph.steps[moment.step])
            frames.append({"key": str(key), "lines": lines, "map": len(maps) - 1, "freed": bool(moment.freed)})
        return {"svg": self.svg, "text": self.text, "label": self.label, "frames": frames, "maps": maps}

    @property
    def widget(self) -> Any:
        from glassroom.widgets.autograd_graph import BackwardStepperWidget  # anywidget is in an extra

        return BackwardStepperWidget(**self.state())


def step_backward(tensor: Any, gradient: Any = None, *, retain_graph: bool = False) -> BackwardStepper:
    """Run ``tensor.backward(gradient)`` and show it node by node: what arrives, goes on, is collected and is freed.

    It is a real backward: it adds to the leaves' `grad`, and frees what the graph saved unless `retain_graph`. Takes a
    tensorglass or PyTorch tensor. Raises what the backward raises, and ValueError for a graph of more than 400 nodes.
    """
    frame = sys._getframe(1)
    [name] = argument_names(frame, (tensor,))
    variables = variables_of(frame)
    return BackwardStepper(name, record_backward(name, tensor, variables, gradient, retain_graph))


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
