"""Networks that variables lead to, PyTorch's and tensorglass's, and the operators that ran inside each. The one idea: a
network is whatever has `_parameters`, `_buffers` and `_modules`. Its operators are found by hooks on its forward while
a function runs, and later by the parameters that operators read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from glassroom.reading.adapters import library_of
from glassroom.reading.guarded import is_a, module_of_class, mro_of
from glassroom.reading.nodes import grad_fn_of, inputs_of
from glassroom.reading.places import attributes_of, everything_at, modules_in, tensors_at
from glassroom.records.printable import printable

_MODULE = {"_parameters", "_buffers", "_modules"}


def is_network(value: object) -> bool:
    """Whether a value is a module of PyTorch's kind."""
    return not issubclass(type(value), type) and attributes_of(value).keys() >= _MODULE


def is_optimizer(value: object) -> bool:
    """Whether a value is an optimizer of PyTorch's kind."""
    return not issubclass(type(value), type) and attributes_of(value).keys() >= {"param_groups", "state"}


def networks_in(variables: Mapping[str, object]) -> Iterator[tuple[str, Any]]:
    """Every module that variables lead to, once, with its path: a network before the modules in it."""
    places = ((printable(name), value) for name, value in variables.items() if name[:1] != "_")
    seen: set[int] = set()
    for path, value in everything_at(places):
        if library_of(value) is None and is_network(value):
            yield from _below(path, value, seen)


def _below(path: str, module: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    waiting = [(path, module)]
    while waiting:
        path, module = waiting.pop()
        if id(module) not in seen:
            seen.add(id(module))
            yield path, module
            waiting += [(f"{path}.{name}", child) for name, child in reversed(modules_in(module))]


def owners_of_parameters(variables: Mapping[str, object]) -> dict[int, str]:
    """For each parameter, by its id, the path of the module that it belongs to."""
    paths: dict[int, str] = {}
    for path, module in networks_in(variables):
        held = attributes_of(module)["_parameters"]
        for parameter in dict.values(held) if is_a(held, dict) else ():
            paths.setdefault(id(parameter), path)
    return paths


class ForwardsFollowed:
    """A context that records the nodes made in the forward of each module; the innermost module counts. Nodes are held
    as long as the recorder, since an id is unique only while its node is alive.
    """

    def __init__(self, networks: Iterable[tuple[str, Any]]) -> None:
        self.paths: dict[int, str] = {}
        self._networks = list(networks)
        self._held: list[Any] = []
        self._handles: list[Any] = []

    def __enter__(self) -> ForwardsFollowed:
        for path, module in self._networks:
            if hasattr(module, "register_forward_pre_hook"):
                begun: list[int] = []  # for each running call of a module, the latest node's number at its start
                self._handles.append(module.register_forward_pre_hook(_beginning(begun)))
                self._handles.append(module.register_forward_hook(self._ending(path, begun)))
        return self

    def __exit__(self, *_: object) -> None:
        for handle in self._handles:
            handle.remove()

    def _ending(self, path: str, begun: list[int]) -> Any:
        def note(module: Any, given: Any, result: Any) -> None:
            before, seen = begun.pop(), set[int]()
            waiting = _nodes_behind(result)
            while waiting:
                node = waiting.pop()
                if id(node) in seen or node._sequence_nr() <= before or type(node).__name__ == "AccumulateGrad":
                    continue
                seen.add(id(node))
                if id(node) not in self.paths:  # otherwise a module within this one made it
                    self.paths[id(node)] = path
                    self._held.append(node)
                waiting += [input_node for input_node in inputs_of(node) if input_node is not None]

        return note


def _beginning(begun: list[int]) -> Any:
    def note(module: Any, given: Any) -> None:
        is_ours = any(module_of_class(base).partition(".")[0] == "tensorglass" for base in mro_of(type(module)))
        library = sys.modules["tensorglass" if is_ours else "torch"]
        with library.enable_grad():
            node = library.empty(0, device="cpu", requires_grad=True).view(0).grad_fn
            begun.append(sys.maxsize if node is None else node._sequence_nr())  # None if nothing is recorded

    return note


def _nodes_behind(value: object) -> list[Any]:
    nodes = [grad_fn_of(tensor) for _, tensor in tensors_at([("", value)])]
    return [node for node in nodes if node is not None]
