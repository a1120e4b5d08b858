"""How a node comes about: an operator runs, and what its derivative will need is kept.

The one idea to keep in mind: only the outermost operator is recorded. What it calls on its way runs `below`, so that
the graph shows the operators that the user wrote, each with its own derivative.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Container
from typing import Any

from tensorglass.dtypes import FLOATING
from tensorglass.errors import explained
from tensorglass.graph import anomaly, inplace
from tensorglass.graph.derivative import Derivative, derivative_of
from tensorglass.graph.meta import meta_of, requires_grad
from tensorglass.graph.modes import state
from tensorglass.graph.node import NOWHERE, Edge, Gradients, Node, OutputLike, gradient_edge, like, set_history
from tensorglass.graph.saved import FREED, SavedTensor, hooks
from tensorglass.tensor import Tensor, header_of

_GRADIENTS = ("grad", "grads")
_RESULTS = ("result", "results")


class FormulaNode(Node):
    """An operator whose derivative is declared by formulas."""

    __slots__ = ("_derivative", "_inputs", "_kept")

    def __init__(
        self, edges: list[Edge], derivative: Derivative, inputs: list[tuple[str, int]], kept: dict[str, Any]
    ) -> None:
        super().__init__(edges)
        self._derivative = derivative
        self._inputs = inputs  #: the inputs' names, each with its number of edges: several for a list of tensors
        self._kept = kept  #: what the formulas need, by their parameters' names

    def apply(self, gradients: list[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        found: list[Tensor | None] = []
        if gradients[0] is None and all(gradient is None for gradient in gradients):
            return [None] * len(self.next_functions)
        for name, count in self._inputs:
            first = len(found)
            edges = self.next_functions[first : first + count]
            if edges[0].node is None if count == 1 else all(edge.node is None for edge in edges):
                found.extend([None] * count)
                continue
            # What is gone, or overwritten, is an error even if nobody wants this gradient.
            needed = [self._value(each, gradients) for each in self._derivative.parameters[name]]
            if towards is not None and all(edge.node not in towards for edge in edges):
                found.extend([None] * count)
                continue
            answer = self._derivative.formulas[name](*needed)
            found.extend(answer) if isinstance(answer, (list, tuple)) else found.append(answer)
        return found

    def _value(self, name: str, gradients: list[Tensor | None]) -> Any:
        if name == "grad":
            return gradients[0] if gradients[0] is not None else self._zeros(0)
        if name == "grads":
            return tuple(self._zeros(nr) if each is None else each for nr, each in enumerate(gradients))
        return _read(self._kept[name], self)

    def _zeros(self, nr: int) -> Tensor | None:
        """The gradient of an output that nobody used."""
        output = self.outputs[nr]
        return None if output is None else inplace.zeros(output)

    def release(self) -> None:
        keeps = self._derivative.keeps
        for name, value in self._kept.items():
            for each in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(each, SavedTensor):
                    each.release()
            if name in keeps and not isinstance(value, SavedTensor):
                self._kept[name] = FREED

    def __getattr__(self, name: str) -> Any:
        for prefix in ("_saved_", "_raw_saved_"):
            if name.startswith(prefix):
                saved = self._kept
                if prefix == "_saved_" and any(
                    _pytorchs_name(each) == name.removeprefix(prefix)
                    for needs in self._derivative.parameters.values()
                    for each in needs
                    if each not in saved and each not in _GRADIENTS
                ):
                    return None  # not needed for the gradients that flow
                for ours, value in saved.items():
                    if _pytorchs_name(ours) == name.removeprefix(prefix):
                        return _read(value, self) if prefix == "_saved_" else value
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        derivative = self._derivative
        needs = dict.fromkeys(each for names in derivative.parameters.values() for each in names)
        names = [name for name in needs if name not in _GRADIENTS]
        raw = [name for name in names if name in derivative.formulas or name in _RESULTS]
        return [
            *super().__dir__(),
            *(f"_saved_{_pytorchs_name(name)}" for name in names),
            *(f"_raw_saved_{_pytorchs_name(name)}" for name in raw),
        ]


def _pytorchs_name(name: str) -> str:
    if name == "input":
        return "self"
    if name.endswith("_size"):
        return f"{_pytorchs_name(name.removesuffix('_size'))}_sym_sizes"
    return name


def _read(value: Any, node: Node) -> Any:
    if isinstance(value, SavedTensor):
        return value.unpack(node)
    if isinstance(value, (list, tuple)) and any(isinstance(each, SavedTensor) for each in value):
        return type(value)([_read(each, node) for each in value])
    return value


@functools.cache
def node_class(name: str) -> type[FormulaNode]:
    """The class of nodes with PyTorch's name for an operator."""
    return type(name, (FormulaNode,), {"__slots__": ()})


def record(
    derivative: Derivative,
    name: str,
    values: dict[str, Any],
    run: Callable[[], Any],
    written: Tensor | None = None,
    *,
    is_kernel: bool = False,
) -> Any:
    """Run an operator and enter it into the graph; `values` are its arguments by name.

    `written` is the tensor that an in-place operator overwrites. What `is_kernel` calls no operators, which would have
    to run `below` it.
    """
    title = _node_name(derivative, name, values)
    if title is None:
        return run()
    if written is not None:
        inplace.check(written)
    edges: list[Edge] = []
    inputs: list[tuple[str, int]] = []
    keep: dict[str, Any] = {}
    for each, needs in derivative.kept.items():
        value = values.get(each)
        if isinstance(value, Tensor):
            edge = gradient_edge(value)
            edges.append(edge)
            inputs.append((each, 1))
            if edge.node is not None:
                for need in needs:
                    keep[need] = None
            continue
        if isinstance(value, (list, tuple)):
            mine = [gradient_edge(one) if isinstance(one, Tensor) else NOWHERE for one in value]
        elif derivative.wraps_numbers:
            mine = [NOWHERE]
        else:
            continue
        edges += mine
        inputs.append((each, len(mine)))
        if any(edge.node is not None for edge in mine):
            keep.update(dict.fromkeys(needs))
    node = node_class(title)(edges, derivative, inputs, keep)
    if anomaly.state.enabled:
        anomaly.remember(node)
    if written is not None and "input" in keep:
        values["input"] = written.clone()  # its old elements are about to go; recorded, for derivatives of derivatives
    for each in sorted(keep, key=_pytorchs_name) if hooks.stack else list(keep):  # packed in PyTorch's order
        if each not in _RESULTS:
            keep[each] = _kept(each, values)
    result = run() if is_kernel else below(run)
    if written is not None:
        node.outputs = (like(written),)
        inplace.rebase(written, node)
        outputs: tuple[Any, ...] = (written,)
    else:
        outputs = tuple(result) if isinstance(result, (list, tuple)) else (result,)
        if is_kernel and result._dtype.category >= FLOATING:
            node.outputs = (like(result),)
            set_history(result, node)
        else:
            _set_outputs(outputs, node, derivative.outputs)
    if "result" in keep:
        keep["result"] = SavedTensor(outputs[0], is_output=True)
    if "results" in keep:
        keep["results"] = [SavedTensor(output, is_output=True) for output in outputs]
    return result


@functools.cache
def _usual_name(operator: str) -> str:
    return f"{operator.strip('_').title().replace('_', '')}Backward0"


def _node_name(derivative: Derivative, name: str, values: dict[str, Any]) -> str | None:
    if derivative.node_name is None:
        return _usual_name(name)
    return derivative.node_name if isinstance(derivative.node_name, str) else derivative.node_name(values)


def _kept(name: str, values: dict[str, Any]) -> Any:
    """What is saved for a formula's parameter."""
    if name in values and type(values[name]) is Tensor:
        return SavedTensor(values[name])
    if name.endswith("_header") and name not in values:
        return header_of(values[name.removesuffix("_header")])
    if name.endswith("_size") and name not in values:
        value = values[name.removesuffix("_size")]
        return [tuple(each._size) for each in value] if isinstance(value, (list, tuple)) else value._size
    value = values[name]
    if isinstance(value, Tensor):
        return SavedTensor(value)
    if isinstance(value, (list, tuple)) and any(isinstance(each, Tensor) for each in value):
        return type(value)([SavedTensor(each) if isinstance(each, Tensor) else each for each in value])
    return value


def _set_outputs(outputs: tuple[Any, ...], node: Node, limit: int | None) -> None:
    likes: list[OutputLike | None] = []
    for nr, output in enumerate(outputs):
        if not isinstance(output, Tensor) or output._dtype.category < FLOATING or (limit is not None and nr >= limit):
            likes.append(None)
            continue
        likes.append(like(output))
        set_history(output, node, nr)
    while len(likes) > 1 and likes[-1] is None:
        likes.pop()
    node.outputs = tuple(likes)


def below(run: Callable[[], Any]) -> Any:
    """Run what belongs to an operator that is recorded as a whole."""
    before = state.below, state.grad
    state.below, state.grad = True, False
    try:
        return run()
    finally:
        state.below, state.grad = before


def is_recorded(tensors: Any) -> bool:
    """Whether an operator on these is to be recorded now."""
    if state.below or not state.grad:
        return False
    return any(isinstance(each, Tensor) and each._meta is not None and requires_grad(each) for each in tensors)


def recorded(
    body: Callable[..., Any],
    node: str | None = None,
    *,
    derivative: Derivative | None = None,
    is_in_place: bool = False,
) -> Callable[..., Any]:
    """`body`, an operator that is written with tensors, so that it is recorded when gradients flow to an argument.

    Its derivative is the one declared for it, or `derivative`; `node` is PyTorch's name of the node.
    """
    declared = derivative or derivative_of(body)
    assert declared is not None, f"{body.__name__} has no derivative"
    if node is not None:
        declared.node_name = node
    formulas: Derivative = declared
    signature = inspect.signature(body)
    name = body.__name__

    @functools.wraps(body)
    def form(*arguments: Any, **keywords: Any) -> Any:
        if not _has_meta(arguments) and not (keywords and _has_meta(keywords.values())):
            return body(*arguments, **keywords)
        if state.below:
            return body(*arguments, **keywords)
        values = _bound(signature, arguments, keywords)
        tensors = [each for input in formulas.formulas for each in _tensors(values.get(input))]
        if is_in_place:
            inplace.check_inference(arguments[0])
        if not state.grad or not any(requires_grad(each) for each in tensors):
            result = body(*arguments, **keywords)
            if not is_in_place and any(requires_grad(each) for each in tensors):
                _mark_views(result)
            return result
        if values.get("out") is not None:
            raise no_out_with_gradients(name)
        run = functools.partial(body, *arguments, **keywords)
        return record(formulas, name, values, run, arguments[0] if is_in_place else None)

    return form


def no_out_with_gradients(name: str) -> RuntimeError:
    """The error of an operator that is to be recorded and to write its result to ``out=``."""
    return explained(
        RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        ),
        "Leave `out` away, or compute within torch.no_grad().",
    )


def _has_meta(arguments: Any) -> bool:
    for argument in arguments:
        kind = type(argument)
        if kind is Tensor:
            if argument._meta is not None:
                return True
        elif (kind is list or kind is tuple) and _has_meta(argument):
            return True
    return False


def _tensors(value: Any) -> list[Tensor]:
    if isinstance(value, (list, tuple)):
        return [each for each in value if isinstance(each, Tensor)]
    return [value] if isinstance(value, Tensor) else []


def _bound(signature: inspect.Signature, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    bound = signature.bind(*arguments, **keywords)
    bound.apply_defaults()
    return dict(bound.arguments)


def _mark_views(result: Any) -> None:
    """Let views of tensors with gradients know of them, where nothing is recorded."""
    for output in result if isinstance(result, (list, tuple)) else (result,):
        if isinstance(output, Tensor) and output._base is not None and output._dtype.category >= FLOATING:
            meta_of(output)
