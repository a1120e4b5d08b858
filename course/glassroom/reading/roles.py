"""What the memory of a training step is for: parameters, gradients, optimizer state, activations.

The one idea: a tensor's role follows from where it is held. A parameter is a leaf that requires a gradient, a gradient
is some leaf's `grad`, optimizer state is in an optimizer's `state`, and an activation is what a node of the graph has
saved. Nothing is computed, and no hook of the program is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from glassroom.reading.adapters import adapter_for
from glassroom.reading.guarded import is_a
from glassroom.reading.nodes import Packed, gradient_of, inputs_of, is_leaf_with_gradient, saved_by
from glassroom.reading.places import attributes_of, everything_at, modules_in, tensors_at
from glassroom.reading.variables import is_a_users
from glassroom.records.printable import printable
from glassroom.translations.templates import word

PARAMETERS, STATE, GRADIENTS = word("parameters"), "optimizer state", word("gradients")
ACTIVATIONS, TEMPORARIES, OTHER = word("activations"), word("temporaries"), word("other")
#: From the bottom of a picture to its top; of several roles that one memory has, the first counts.
ROLES = (PARAMETERS, STATE, GRADIENTS, ACTIVATIONS, OTHER, TEMPORARIES)


def roles_in(variables: Mapping[str, object]) -> Iterator[tuple[str, str, Any]]:
    """All tensors that variables lead to: the role of each, its path, and the tensor.

    Buffers count as parameters. A tensor without a role of its own is "other".
    """
    yield from roles_among(everything_in(variables))


def everything_in(variables: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """All objects that a user's variables lead to, with their paths."""
    return everything_at((printable(name), value) for name, value in variables.items() if is_a_users(name))


def roles_among(places: Iterable[tuple[str, object]]) -> Iterator[tuple[str, str, Any]]:
    """Like `roles_in`, for the tensors among objects that were found already."""
    buffers: set[int] = set()
    state: set[int] = set()
    for path, value in places:
        if adapter_for(value) is None:
            attributes = attributes_of(value)
            if {"param_groups", "state"} <= attributes.keys():
                state.update(id(tensor) for _, tensor in tensors_at([("", attributes["state"])]))
            elif "_buffers" in attributes:
                buffers.update(id(tensor) for tensor in tensors_of_module(value))
            continue
        is_parameter = id(value) in buffers or is_leaf_with_gradient(value)
        yield STATE if id(value) in state else PARAMETERS if is_parameter else OTHER, path, value
        gradient = gradient_of(value)
        if gradient is not None:
            yield GRADIENTS, f"{path}.grad", gradient


def tensors_of_module(module: object) -> Iterator[Any]:
    """The parameters and buffers of a network, and of the modules in it."""
    for _, tensor in paths_of_modules("", module):
        attributes = attributes_of(tensor)
        for kind in ("_parameters", "_buffers"):
            held = attributes.get(kind)
            yield from (
                (tensor for tensor in dict.values(held) if adapter_for(tensor) is not None) if is_a(held, dict) else ()
            )


def paths_of_modules(path: str, module: object) -> Iterator[tuple[str, object]]:
    """A network and all modules in it, each once, with its path."""
    seen: set[int] = set()
    waiting = [(path, module)]
    while waiting:
        path, module = waiting.pop()
        if id(module) not in seen:
            seen.add(id(module))
            yield path, module
            waiting += [(f"{path}.{name}" if path else name, child) for name, child in reversed(modules_in(module))]


class Nodes:
    """The nodes of graphs visited so far, by their numbers: each is visited once, and none is kept alive."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._of_kind: dict[type, list[str]] = {}

    def saved_behind(self, node: Any) -> Iterator[Any]:
        """What a node has saved, and what those nodes behind it have saved that were not visited before."""
        waiting = [node]
        while waiting:
            node = waiting.pop()
            number = node._sequence_nr()
            if number in self._seen or type(node).__name__ == "AccumulateGrad":
                continue
            self._seen.add(number)
            yield from _tensors_saved_by(node, self._of_kind)
            waiting += [input_node for input_node in inputs_of(node) if input_node is not None]


def _tensors_saved_by(node: Any, of_kind: dict[type, list[str]]) -> Iterator[Any]:
    for _, value in saved_by(node, of_kind):
        if is_a(value, Packed):
            yield from (tensor for _, tensor in tensors_at([("", value.content)]))
        elif adapter_for(value) is not None:
            yield value
