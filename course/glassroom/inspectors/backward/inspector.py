"""`step_backward(loss)`: the backward of a tensor, node by node."""

from __future__ import annotations

import sys
from typing import Any

from glassroom.drawing.graph.folding import boxes_of
from glassroom.drawing.graph.svg import svg_of_graph
from glassroom.drawing.snapshot.svg import svg_of
from glassroom.inspectors.backward.recording import BackwardData, record_backward
from glassroom.inspectors.backward.text import lines_of, text_of_backward
from glassroom.inspectors.base import Inspector
from glassroom.reading.call_expressions import argument_names
from glassroom.reading.variables import variables_of


class BackwardStepper(Inspector):
    """A backward that was recorded, to be stepped through."""

    kind = "backward stepper"

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


def step_backward(tensor: Any, gradient: Any = None, *, retain_graph: bool = False) -> BackwardStepper:
    """Run ``tensor.backward(gradient)`` and show it node by node: what arrives, goes on, is collected and is freed.

    It is a real backward: it adds to the leaves' `grad`, and frees what the graph saved unless `retain_graph`. Takes a
    tensorglass or PyTorch tensor. Raises what the backward raises, and ValueError for a graph of more than 400 nodes.
    """
    frame = sys._getframe(1)
    [name] = argument_names(frame, (tensor,))
    variables = variables_of(frame)
    return BackwardStepper(name, record_backward(name, tensor, variables, gradient, retain_graph))
