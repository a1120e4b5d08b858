"""`step_backward(loss)`: the backward of a tensor, node by node."""

from __future__ import annotations

import sys
from itertools import zip_longest
from typing import Any

from glassroom.drawing.canvas import narrow
from glassroom.drawing.graph.folding import boxes_of
from glassroom.drawing.graph.svg import Ran, svg_of_graph
from glassroom.drawing.snapshot.svg import svg_of
from glassroom.inspectors.backward.parts import homes_of, parts_of, turns_of
from glassroom.inspectors.backward.recording import BackwardData, record_backward
from glassroom.inspectors.backward.text import lines_of_part, text_of_backward
from glassroom.inspectors.base import Inspector
from glassroom.reading.call_expressions import argument_names
from glassroom.reading.loop_variables import left_by_loops
from glassroom.reading.variables import variables_of
from glassroom.translations.templates import as_is


class BackwardStepper(Inspector):
    """A backward that was recorded, to be stepped through."""

    kind = as_is("backward stepper")

    def __init__(self, name: str, data: BackwardData) -> None:
        self.name = name
        self.data: BackwardData = data

    @property
    def text(self) -> str:
        return text_of_backward(self.data)

    @property
    def svg(self) -> str:
        turns: dict[int, list[str]] = {}
        for turn, key in enumerate(self._keys(), start=1):
            turns.setdefault(key, []).append(f"{turn:,}")
        badges = {
            key: numbers[0] if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}" for key, numbers in turns.items()
        }
        return svg_of_graph(self.data.graph, self.label, Ran(badges, self._sent(), self._collected()))

    def _sent(self) -> dict[tuple[int, int], tuple[int, str]]:
        """For each arrow, by the key of its box and its place there: the turns in which a gradient went along it, and
        that gradient."""
        turn_of = turns_of(self.data)
        by_output: dict[tuple[int, int], tuple[int, str]] = {}
        boxes = boxes_of(self.data.graph)
        homes = homes_of(boxes)
        for key, box in boxes.items():
            ways: dict[int, list[tuple[int, str] | None]] = {}  # by the box that arrows lead to
            for step in (box.step,) if box.step is not None else box.folded:
                sent = self.data.moments[turn_of[step.number] - 1].sent if step.number in turn_of else ()
                for to, words in zip_longest(step.inputs, sent[: len(step.inputs)]):
                    if to is not None and homes[to] != key:
                        ways.setdefault(homes[to], []).append((turn_of[step.number], words) if words else None)
            for end, all_of_one in ways.items():
                slots = [slot for slot, source in enumerate(box.inputs) if source == end]
                if box.step is None:
                    all_of_one = [way for way in all_of_one if way is not None]
                if len(slots) == len(all_of_one):  # otherwise several gradients go along one arrow
                    by_output |= {
                        (key, slot): way for slot, way in zip(slots, all_of_one, strict=True) if way is not None
                    }
        return by_output

    def _collected(self) -> dict[int, tuple[int, str, str]]:
        """For each leaf, by its box: the turn in which its gradient is accumulated, and `grad` before and after it."""
        keys = self._keys()
        return {
            keys[turn - 1]: (turn, moment.was or "None", moment.collected.partition(" = ")[2])
            for turn, moment in enumerate(self.data.moments, start=1)
            if moment.collected is not None
        }

    @property
    def label(self) -> str:
        return f"Backward of {self.name}, in {len(self.data.moments):,} steps"

    def _keys(self) -> list[int]:
        """The box of each moment: its node's own, or the fold that holds it."""
        homes = homes_of(boxes_of(self.data.graph))
        return [homes[moment.step] for moment in self.data.moments]

    def state(self) -> dict[str, Any]:
        maps: list[str] = []
        frames = []
        turns = turns_of(self.data)
        for part in parts_of(self.data):
            memory = next((moment.memory for moment in reversed(part.moments) if moment.memory is not None), None)
            if memory is not None:
                with narrow():  # the memory map stands beside the graph
                    maps.append(svg_of(memory))
            frames.append(
                {
                    "key": str(part.keys[0]),
                    "keys": [str(key) for key in part.keys],
                    "first": part.first,
                    "turn": part.last,
                    "lines": lines_of_part(part, self.data, turns),
                    "map": len(maps) - 1,
                    "freed": any(moment.freed for moment in part.moments),
                }
            )
        grads = {str(key): [turn, f"grad: {before}"] for key, (turn, before, _) in self._collected().items()}
        return {"grads": grads, "svg": self.svg, "text": self.text, "label": self.label, "frames": frames, "maps": maps}


def step_backward(tensor: Any, gradient: Any = None, *, retain_graph: bool = False) -> BackwardStepper:
    """Run ``tensor.backward(gradient)`` and show it node by node: what arrives, is sent on, is accumulated and is
    freed.

    It is a real backward: it adds to the leaves' `grad`, and frees what the graph saved unless `retain_graph`. Takes a
    tensorglass or PyTorch tensor. In a graph of more than 400 nodes, turns that follow each other within a fold of the
    picture are told together. Raises what the backward raises.
    """
    if sys.is_finalizing():
        return BackwardStepper.of_nothing()
    frame = sys._getframe(1)
    [name] = argument_names(frame, (tensor,))
    variables = variables_of(frame)
    data = record_backward(name, tensor, variables, gradient, retain_graph, left_by_loops(frame))
    return BackwardStepper(name, data).numbered()
