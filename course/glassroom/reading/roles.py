"""What the memory of a training step is for: parameters, gradients, optimizer state, activations.

The one idea: roles are read from where programs keep things. A parameter is a leaf that requires a gradient, a gradient
is some leaf's `grad`, optimizer state is in an optimizer's `state`, and an activation is what a node of the graph has
saved. Nothing is computed, and no hook of the program is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from glassroom.reading.adapters import adapter_for
from glassroom.reading.guarded import is_a
from glassroom.reading.nodes import Packed, gradient_of, inputs_of, is_leaf_with_gradient, saved_by
from glassroom.reading.places import attributes_of, everything_at, modules_in, tensors_at
from glassroom.reading.variables import is_a_users
from glassroom.records.printable import printable

PARAMETERS, STATE, GRADIENTS, ACTIVATIONS = "parameters", "optimizer state", "gradients", "activations"
TEMPORARIES, OTHER = "temporaries", "other"
#: From the bottom of a picture to its top; of several roles that one memory plays, the first counts.
ROLES = (PARAMETERS, STATE, GRADIENTS, ACTIVATIONS, OTHER, TEMPORARIES)


def roles_in(variables: Mapping[str, object]) -> Iterator[tuple[str, str, Any]]:
    """What variables lead to: the role of each tensor, the path to it, and the tensor.

    Buffers count as parameters. A tensor without a role of its own is "other".
    """
    buffers: set[int] = set()
    state: set[int] = set()
    named = [(printable(name), value) for name, value in variables.items() if is_a_users(name)]
    for path, value in everything_at(named):
        if adapter_for(value) is None:
            attributes = attributes_of(value)
            if {"param_groups", "state"} <= attributes.keys():
                state.update(id(each) for _, each in tensors_at([("", attributes["state"])]))
            elif "_buffers" in attributes:
                buffers.update(id(each) for each in tensors_of_module(value))
            continue
        is_parameter = id(value) in buffers or is_leaf_with_gradient(value)
        yield STATE if id(value) in state else PARAMETERS if is_parameter else OTHER, path, value
        gradient = gradient_of(value)
        if gradient is not None:
            yield GRADIENTS, f"{path}.grad", gradient


def tensors_of_module(module: object) -> Iterator[Any]:
    """The parameters and buffers of a network, and of the modules in it."""
    for _, each in paths_of_modules("", module):
        attributes = attributes_of(each)
        for kind in ("_parameters", "_buffers"):
            held = attributes.get(kind)
            yield from (each for each in dict.values(held) if adapter_for(each) is not None) if is_a(held, dict) else ()


def paths_of_modules(path: str, module: object) -> Iterator[tuple[str, object]]:
    """A network and all modules in it, each once, with the path to it."""
    seen: set[int] = set()
    waiting = [(path, module)]
    while waiting:
        path, module = waiting.pop()
        if id(module) not in seen:
            seen.add(id(module))
            yield path, module
            waiting += [(f"{path}.{name}" if path else name, each) for name, each in reversed(modules_in(module))]


class Nodes:
    """The nodes of graphs that were looked at so far, by their numbers: each is looked at once, and none is kept."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def saved_behind(self, node: Any) -> Iterator[Any]:
        """What is saved by a node, and by those behind it that were not looked at before."""
        waiting = [node]
        while waiting:
            node = waiting.pop()
            number = node._sequence_nr()
            if number in self._seen or type(node).__name__ == "AccumulateGrad":
                continue
            self._seen.add(number)
            yield from _tensors_saved_by(node)
            waiting += [each for each in inputs_of(node) if each is not None]


def _tensors_saved_by(node: Any) -> Iterator[Any]:
    for _, value in saved_by(node):
        if is_a(value, Packed):
            yield from (each for _, each in tensors_at([("", value.content)]))
        elif adapter_for(value) is not None:
            yield value
