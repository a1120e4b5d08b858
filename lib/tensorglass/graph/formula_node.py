"""Nodes of operators whose derivative is declared by formulas: all but a few.

The one idea to keep in mind: what the nodes of one operator have in common is worked out once, on a `Blueprint`. A node
itself is little more than where its gradients go and what was kept.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Sequence
from typing import Any, NamedTuple

from tensorglass.graph import inplace
from tensorglass.graph.derivative import GRADIENTS, Derivative, Formula
from tensorglass.graph.node import Gradients, Node
from tensorglass.graph.saved import FREED, SavedTensor
from tensorglass.tensor import Tensor, header_of

RESULTS = ("result", "results")

#: For each input of a call where its gradient goes: somewhere, nowhere, or None: it has no edge. For a list of tensors
#: the number of its edges, and whether any leads somewhere.
Flow = tuple["bool | tuple[int, bool] | None", ...]


class Step(NamedTuple):
    """How the gradient of one input is found."""

    formula: Formula | None  #: None: it goes nowhere
    needs: tuple[int, ...]  #: the formula's arguments, by their places in ``[grad, grads, *kept]``
    edges: int  #: how many: several for a list of tensors


class Blueprint:
    """What all nodes have in common of calls of one operator in which gradients flow to the same inputs."""

    __slots__ = (
        "derivative",
        "keeps_input",
        "leads",
        "needs_grads",
        "node_class",
        "of_result",
        "saved",
        "sources",
        "steps",
    )

    def __init__(self, derivative: Derivative, title: str, places: dict[str, int], flow: Flow) -> None:
        self.derivative = derivative
        self.node_class = node_class(title)
        counts = [each[0] if isinstance(each, tuple) else int(each is not None) for each in flow]
        flows = [each[1] if isinstance(each, tuple) else bool(each) for each in flow]
        wanted = [name for name, is_wanted in zip(derivative.formulas, flows, strict=True) if is_wanted]
        needed = {need for name in wanted for need in derivative.kept[name]}
        operands = sorted(needed.difference(RESULTS), key=pytorchs_name)  # packed and read in PyTorch's order
        #: the names of the results that are kept
        self.of_result = tuple([name for name in RESULTS if name in needed])
        #: the names of all that is kept, in the order in which nodes keep it
        self.saved = (*operands, *self.of_result)
        #: for each but the results how it is kept, and the place of the argument
        self.sources = tuple([_source(name, places) for name in operands])
        self.keeps_input = "input" in needed
        place = {name: number for number, name in enumerate((*GRADIENTS, *self.saved))}
        self.steps = tuple([
            Step(
                derivative.formulas[name] if name in wanted else None,
                tuple([place[need] for need in derivative.parameters[name]]) if name in wanted else (),
                count,
            )
            for name, count in zip(derivative.formulas, counts, strict=True)
            if count
        ])  # fmt: skip
        self.leads = bool(wanted)  #: whether gradients go on from such nodes; not from a view that knows of none
        self.needs_grads = any("grads" in derivative.parameters[name] for name in wanted)


def _source(name: str, places: dict[str, int]) -> tuple[Callable[[Any], Any], int]:
    """How a formula's parameter is kept, and of which argument."""
    if name not in places:
        if name.endswith("_header"):
            return header_of, places[name.removesuffix("_header")]
        if name.endswith("_size"):
            return _size_of, places[name.removesuffix("_size")]
    return kept, places[name]


def kept(value: Any) -> Any:
    """What is kept of an argument: its tensors as `SavedTensor`."""
    if isinstance(value, Tensor):
        return SavedTensor(value)
    if isinstance(value, (list, tuple)) and any(isinstance(each, Tensor) for each in value):
        return type(value)([SavedTensor(each) if isinstance(each, Tensor) else each for each in value])
    return value


def _size_of(value: Any) -> Any:
    return [tuple(each._size) for each in value] if isinstance(value, (list, tuple)) else value._size


def _read(value: Any, node: Node) -> Any:
    if isinstance(value, SavedTensor):
        return value.unpack(node)
    if isinstance(value, (list, tuple)) and any(isinstance(each, SavedTensor) for each in value):
        return type(value)([_read(each, node) for each in value])
    return value


class FormulaNode(Node):
    """An operator whose derivative is declared by formulas. `Recorder` makes it."""

    __slots__ = ("blueprint", "kept")

    blueprint: Blueprint
    kept: list[Any]  #: what the formulas need, in the order of `Blueprint.saved`

    def apply(self, gradients: Sequence[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        blueprint = self.blueprint
        gradient = gradients[0]
        if gradient is None:
            if all(each is None for each in gradients):
                return [None] * len(self.next_functions)
            gradient = self._zeros(0)
        given: list[Any] = [gradient, None]
        if blueprint.needs_grads:
            given[1] = tuple([self._zeros(nr) if each is None else each for nr, each in enumerate(gradients)])
        if self.kept:
            # What is gone, or overwritten, is an error even if nobody wants this gradient.
            given += [each.unpack(self) if type(each) is SavedTensor else _read(each, self) for each in self.kept]
        found: list[Tensor | None] = []
        for formula, needs, edges in blueprint.steps:
            if formula is None or (towards is not None and not self._leads(towards, len(found), edges)):
                found += [None] * edges
                continue
            answer = formula(*map(given.__getitem__, needs))
            if type(answer) is list or type(answer) is tuple:
                found += answer
            else:
                found.append(answer)
        return found

    def _leads(self, towards: Container[Node | None], first: int, count: int) -> bool:
        """Whether one of the edges from `first` on leads to these nodes."""
        return any(node in towards for node, _ in self.next_functions[first : first + count])

    def _zeros(self, nr: int) -> Tensor | None:
        """The gradient of an output that nobody used."""
        output = self.outputs[nr]
        return None if output is None else inplace.zeros(output)

    def release(self) -> None:
        for place, value in enumerate(self.kept):
            if type(value) is SavedTensor:
                value.release()
                continue
            for each in value if isinstance(value, (list, tuple)) else ():
                if isinstance(each, SavedTensor):
                    each.release()
            if self.blueprint.saved[place] in self.blueprint.derivative.keeps:
                self.kept[place] = FREED

    def __getattr__(self, name: str) -> Any:
        blueprint = self.blueprint
        for prefix in ("_saved_", "_raw_saved_"):
            if not name.startswith(prefix):
                continue
            wanted = name.removeprefix(prefix)
            for ours, value in zip(blueprint.saved, self.kept, strict=True):
                if pytorchs_name(ours) == wanted:
                    return _read(value, self) if prefix == "_saved_" else value
            needs = {each for names in blueprint.derivative.kept.values() for each in names}
            if prefix == "_saved_" and any(pytorchs_name(each) == wanted for each in needs):
                return None  # not needed for the gradients that flow
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        derivative = self.blueprint.derivative
        names = list(dict.fromkeys(each for names in derivative.kept.values() for each in names))
        raw = [name for name in names if name in derivative.formulas or name in RESULTS]
        return [
            *super().__dir__(),
            *(f"_saved_{pytorchs_name(name)}" for name in names),
            *(f"_raw_saved_{pytorchs_name(name)}" for name in raw),
        ]


def pytorchs_name(name: str) -> str:
    """What PyTorch calls what is kept."""
    if name == "input":
        return "self"
    if name.endswith("_size"):
        return f"{pytorchs_name(name.removesuffix('_size'))}_sym_sizes"
    return name


@functools.cache
def node_class(name: str) -> type[FormulaNode]:
    """The class of nodes with PyTorch's name for an operator."""
    return type(name, (FormulaNode,), {"__slots__": ()})
