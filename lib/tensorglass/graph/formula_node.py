"""Nodes of operators whose derivative is declared by formulas: all but a few.

The one idea to keep in mind: what the nodes of one operator have in common is worked out once, in a `Blueprint`. A node
itself holds little more than its edges and the values that were kept.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, Self

from tensorglass.graph import inplace, saved_attributes
from tensorglass.graph.derivative import GRADIENTS, Derivative, Formula, parameters_of
from tensorglass.graph.node import Gradients, Node
from tensorglass.graph.saved_tensor import FREED, SavedInput, SavedResult, SavedTensor, read
from tensorglass.tensor.grad_mode import FormulaRecorded, state
from tensorglass.tensor.tensor import Tensor, header_of

#: Nodes of the user's own operators with a number, such as ``x * 2``, where PyTorch's graph has a tensor for it.
_WITH_TENSORS = frozenset(("MulBackward0", "DivBackward0"))

#: For each input of a call: whether its gradient goes anywhere, or None if it has no edge. For a list of tensors: the
#: number of its edges, and whether any of them leads anywhere.
Flow = tuple["bool | tuple[int, bool] | None", ...]


class Step(NamedTuple):
    """How the gradient of one input is computed."""

    formula: Formula | None  #: None: it goes nowhere
    pick: Callable[[list[Any]], Sequence[Any]]  #: picks the formula's arguments from ``[*GRADIENTS, *kept]``
    edges: int  #: how many: several for a list of tensors


class Blueprint:
    """What all nodes share whose operator, and whose inputs with gradients, are the same."""

    __slots__ = (
        "_counts", "derivative", "keeps_input", "keeps_result", "leads", "needs_grads", "of_result", "saved", "sources",
        "steps", "title", "wanted",
    )  # fmt: skip

    def __init__(self, derivative: Derivative, title: str, places: dict[str, int], flow: Flow) -> None:
        self.derivative = derivative
        self.title = title
        counts = [output[0] if isinstance(output, tuple) else int(output is not None) for output in flow]
        flows = [output[1] if isinstance(output, tuple) else bool(output) for output in flow]
        wanted = [name for name, is_wanted in zip(derivative.formulas, flows, strict=True) if is_wanted]
        needed = {need for name in wanted for need in derivative.kept[name]}
        operands = sorted(
            needed.difference(saved_attributes.RESULTS), key=saved_attributes.pytorchs
        )  # read in PyTorch's order
        #: the names of the results that are kept
        self.of_result = tuple([name for name in saved_attributes.RESULTS if name in needed])
        #: the names of all kept values, in the order in which nodes keep them
        self.saved = (*operands, *self.of_result)
        #: for each of them except results: how it is kept, and its argument's place
        self.sources = tuple([_source(name, places) for name in operands])
        self.keeps_input = "input" in needed
        self.keeps_result = self.of_result == ("result",)  #: and no more of the results
        self.wanted, self._counts = wanted, counts  #: the inputs that gradients flow to
        self.steps = self.steps_of(derivative.formulas, GRADIENTS)
        self.leads = bool(wanted)  #: whether gradients continue from such nodes; not for a view that has no gradient
        self.needs_grads = any("grads" in derivative.parameters[name] for name in wanted)

    def steps_of(self, formulas: Mapping[str, Formula], given: tuple[str, ...]) -> tuple[Step, ...]:
        """A step for each input that has an edge. Formulas get the values `given` to all, and the kept values."""
        place = {name: number for number, name in enumerate((*given, *self.saved))}
        return tuple([
            Step(formulas[name], _picking([place[need] for need in parameters_of(formulas[name])]), count)
            if name in self.wanted
            else Step(None, _picking([]), count)
            for name, count in zip(self.derivative.formulas, self._counts, strict=True)
            if count
        ])  # fmt: skip


def _picking(places: list[int]) -> Callable[[list[Any]], Sequence[Any]]:
    """A function that returns the elements at these places."""
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(places[0], places[0] + 1) if places else slice(0))


def _source(name: str, places: dict[str, int]) -> tuple[Callable[[Any], Any], int]:
    """How the value for a formula's parameter is kept, and from which argument."""
    if name not in places:
        if name.endswith("_header"):
            return header_of, places[name.removesuffix("_header")]
        if name.endswith("_size"):
            return _size_of, places[name.removesuffix("_size")]
        if name.endswith("_stride"):
            return _stride_of, places[name.removesuffix("_stride")]
        if name.endswith("_device"):
            return _device_of, places[name.removesuffix("_device")]
    return kept, places[name]


def kept(value: Any) -> Any:
    """An argument as it is kept: each tensor as a `SavedTensor`."""
    if isinstance(value, Tensor):
        return SavedTensor(value)
    if isinstance(value, (list, tuple)) and any(isinstance(element, Tensor) for element in value):
        return type(value)([SavedTensor(element) if isinstance(element, Tensor) else element for element in value])
    return value


def _size_of(value: Any) -> Any:
    is_list = isinstance(value, (list, tuple))  # the operator refuses a list with anything but tensors
    return [tuple(part._size) for part in value if isinstance(part, Tensor)] if is_list else value._size


def _stride_of(value: Any) -> Any:
    return value._stride


def _device_of(value: Any) -> Any:
    return value._storage.device


class FormulaNode(Node):
    """An operator whose derivative is declared by formulas. `Recorder` makes it."""

    __slots__ = ("blueprint", "kept")

    blueprint: Blueprint
    kept: list[Any]  #: what the formulas need, in the order of `Blueprint.saved`

    def named(self) -> Self:
        # All nodes have one class until a user looks: Python reads fields faster if all objects have the same class.
        if type(self) is FormulaNode:
            self.__class__ = node_class(self.blueprint.title, self.blueprint.derivative)  # type: ignore[assignment]  # Self is this
        return self

    def open(self) -> None:
        """Turn kept values in a light form into `SavedTensor`."""
        for place, saved in enumerate(self.kept):
            if type(saved) is SavedInput or type(saved) is SavedResult:
                self.kept[place] = saved.opened()

    def apply(self, gradients: Sequence[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        blueprint = self.blueprint
        gradient = gradients[0]
        if gradient is None:
            if all(gradient is None for gradient in gradients):
                return [None] * len(self.edges)
            gradient = self._zeros(0)
        self.open()
        given: list[Any] = [gradient, None, gradients]
        if blueprint.needs_grads:
            given[1] = tuple([self._zeros(nr) if grad is None else grad for nr, grad in enumerate(gradients)])
        for saved in self.kept:  # a freed or overwritten tensor is an error even if this gradient is not wanted
            if type(saved) is SavedTensor:
                given.append(saved.unpack(self, state.grad))
            else:
                given.append(read(saved, self))
        if not state.grad or blueprint.title in _WITH_TENSORS:
            return self._answers(given, towards)
        with FormulaRecorded():
            return self._answers(given, towards)

    def _answers(self, given: list[Any], towards: Container[Node | None] | None) -> Gradients:
        answers: Gradients = []
        for formula, pick, edges in self.blueprint.steps:
            if formula is None or (towards is not None and not self._leads(towards, len(answers), edges)):
                answers += [None] * edges
                continue
            answer = formula(*pick(given))
            if type(answer) is list or type(answer) is tuple:
                answers += answer
            else:
                answers.append(answer)
        return answers

    def _leads(self, towards: Container[Node | None], first: int, count: int) -> bool:
        """Whether one of the edges, beginning with `first`, leads to these nodes."""
        return any(node in towards for node, _ in self.edges[first : first + count])

    def _zeros(self, nr: int) -> Tensor | None:
        """The gradient of an output that nobody used."""
        output = self.outputs[nr]
        return None if output is None else inplace.zeros(output)

    def release(self) -> None:
        others = False
        kept = self.kept
        for place, value in enumerate(kept):
            kind = type(value)
            if kind is SavedInput or kind is SavedResult:
                kept[place] = FREED
            elif kind is SavedTensor:
                value.release()
            elif kind is tuple or kind is list:
                others = others or not value or type(value[0]) is not int  # no size and no strides
            elif self.blueprint.derivative.keeps:
                others = True
        if others:
            self._release_others()

    def _release_others(self) -> None:
        """Release lists of tensors, and the values that PyTorch keeps as tensors."""
        for place, value in enumerate(self.kept):
            for element in value if isinstance(value, (list, tuple)) else ():
                if isinstance(element, SavedTensor):
                    element.release()
            if type(value) is not SavedTensor and self.blueprint.saved[place] in self.blueprint.derivative.keeps:
                self.kept[place] = FREED


def node_class(name: str, derivative: Derivative) -> type[FormulaNode]:
    """The node class with PyTorch's name for an operator with this derivative; its attributes show what is kept."""
    cls = _class_named(name)
    saved_attributes.show(cls, derivative)
    return cls


@functools.cache
def _class_named(name: str) -> type[FormulaNode]:
    return type(name, (FormulaNode,), {"__slots__": (), "__module__": "builtins"})
