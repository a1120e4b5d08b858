"""Derivatives computed on arrays, where they are not recorded themselves.

Formulas of plain arithmetic mean the same for arrays as for tensors, and their declarations say so (`on_arrays`).
Others have a second formula here; a test checks that it gives the same as the declared one. Formulas get the arrays of
what the node kept. Unusual cases (other dtypes, conjugated or strided elements, tensors that were overwritten or freed)
are left to `FormulaNode.apply`, which computes them or raises the error.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core.devices import CPU
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.dtypes import float32, float64
from tensorglass.fast.bare_arrays import MOST_BARE, XP, BareArray, filled, in_quiet, shares_memory, spread, tensor_of
from tensorglass.fast.node_rules import RULES, VIEWS, Rule, kept_arrays
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.graph.formula_node import Blueprint, FormulaNode, Step
from tensorglass.graph.node import Gradients, Node
from tensorglass.graph.saved_tensor import SavedInput, SavedNumber, SavedResult, SavedTensor
from tensorglass.ops.kernels.activations import above_threshold, sigmoid_slope, tanh_slope
from tensorglass.ops.kernels.sum import total
from tensorglass.tensor.autograd_meta import OutputLike
from tensorglass.tensor.tensor import Tensor, raw_array

Formula = Callable[..., Any]
_GIVEN = ("grad", "xp")  # passed to every formula, before the kept values


def _share(grad: Array, size: tuple[int, ...]) -> Array | None:
    """Each element's gradient, given the gradient of the mean of all elements."""
    count = geometry.numel(size)
    return filled(grad.item() / count, size, grad.dtype) if count else None


#: Second formulas, on arrays, for each input of an operator. If one returns None, the declared formula runs.
FORMULAS: dict[str, Mapping[str, Formula]] = {
    "mul": {"input": lambda grad, other: grad * other, "other": lambda grad, input: grad * input},
    "div": {
        "input": lambda grad, other, rounding_mode: None if rounding_mode else grad / other,
        "other": lambda grad, input, other, rounding_mode: None if rounding_mode else -grad * (input / other / other),
    },
    "pow": {
        "input": lambda grad, input, exponent: (
            grad * (input + input) if isinstance(exponent, (int, float)) and exponent == 2 else None
        ),
    },
    "square": {"input": lambda grad, input: grad * (input + input)},
    "sin": {"input": lambda xp, grad, input: grad * xp.cos(input)},
    "cos": {"input": lambda xp, grad, input: -grad * xp.sin(input)},
    "tanh": {"input": lambda xp, grad, result: tanh_slope(xp, grad, result)},
    "sigmoid": {"input": lambda xp, grad, result: sigmoid_slope(xp, grad, result)},
    "relu": {"input": lambda xp, grad, result: above_threshold(xp, grad, result, 0)},
    "sum": {"input": lambda grad, input_size, dim: spread(grad, input_size) if dim is None else None},
    "mean": {"input": lambda grad, input_size, dim: _share(grad, input_size) if dim is None else None},
    "softmax": {
        "input": lambda xp, grad, result, dim: (
            (grad - total(xp, grad * result, (dim % grad.ndim,))) * result if grad.ndim else None
        )
    },
    "log_softmax": {
        "input": lambda xp, grad, result, dim: (
            grad - xp.exp(result) * total(xp, grad, (dim % grad.ndim,)) if grad.ndim else None
        )
    },
}


class Known:
    """What this module knows about the nodes that share a `Blueprint`."""

    __slots__ = ("is_elementwise", "is_known", "is_view", "last", "rule", "steps")

    def __init__(self, steps: tuple[Step, ...], rule: Rule | None) -> None:
        self.steps = steps  #: as `Blueprint.steps`, on arrays; empty if an input with a gradient has no such formula
        self.rule = rule  #: instead of steps, a rule for the whole node
        self.is_known = bool(steps or rule)
        self.is_view = rule in VIEWS  #: whether it sends on a view of the gradient
        self.is_elementwise = False  #: whether gradients of operands have the result's size
        #: size, dtype and device of the last result, and its `OutputLike`: in one tuple, because of other threads
        self.last: tuple[Any, Any, Any, tuple[OutputLike, ...]] = (None, None, None, ())


#: What is known of each blueprint, kept as long as the blueprints are.
KNOWN: dict[Blueprint, Known] = {}


def learn(blueprint: Blueprint) -> Known:
    """Work out what is known of these nodes, and add it to `KNOWN`."""
    derivative = blueprint.derivative
    formulas = FORMULAS.get(derivative.operator, derivative.formulas if derivative.on_arrays else {})
    steps: tuple[Step, ...] = ()
    if blueprint.wanted and all(name in formulas for name in blueprint.wanted):
        steps = blueprint.steps_of(formulas, _GIVEN)
    known = KNOWN[blueprint] = Known(steps, RULES.get(derivative.operator))
    return known


def apply_to_arrays(node: FormulaNode, gradient: Tensor, towards: Container[Node | None] | None) -> Gradients | None:
    """The gradients that `node` sends on, as tensors; None if its formulas need tensors."""
    known = KNOWN.get(node.blueprint) or learn(node.blueprint)
    if not known.is_known:
        return None
    gradients = in_quiet(gradients_of, known, node, gradient, towards)
    if gradients is None:
        return None
    dtype, version = gradient._dtype, gradient._storage.version
    for place, answer in enumerate(gradients):
        if type(answer) is BareArray:
            tensor = gradients[place] = tensor_of(answer, dtype)
            if version and shares_memory(answer, gradient._array):
                tensor._storage.version = version
    return gradients


def gradients_of(
    known: Known, node: FormulaNode, gradient: Any, towards: Container[Node | None] | None = None
) -> list[Any] | None:
    """The same, as bare arrays if they are small and new; `gradient` may be bare, too. Call it through `in_quiet`."""
    if type(gradient) is BareArray:
        array, dtype = gradient, node.outputs[0].dtype  # type: ignore[union-attr]  # what has a gradient has an output
    else:
        dtype = gradient._dtype
        if (dtype is not float32 and dtype is not float64) or gradient._storage.device is not CPU:
            return None
        array = gradient._array
        if array is None:
            array = raw_array(gradient)
        if gradient._stride != CONTIGUOUS_STRIDES[gradient._size] and any(gradient._stride):
            return None
    if known.rule is not None:
        if known.is_view and gradient is not array:  # others may hold it
            return None
        answers = _by_rule(known.rule, node, array, towards)
        return None if answers is None else _settled(answers, array, gradient, dtype)
    array_dtype = array.dtype
    given = _given(node, array, dtype)
    if given is None:
        return None
    stays_small = known.is_elementwise and gradient is array
    sent: list[Any] = []
    for formula, pick, _ in known.steps:
        if formula is None or (towards is not None and node.edges[len(sent)][0] not in towards):
            sent.append(None)
            continue
        try:
            answer = formula(*pick(given))
        except MemoryError:  # the formula on tensors raises the error again, worded as PyTorch does
            return None
        if type(answer) is BareArray:
            if answer is array:
                if gradient is array and any(item is array for item in sent):  # two get it: they share one tensor
                    gradient = tensor_of(array, dtype)
                    sent = [gradient if item is array else item for item in sent]
                answer = gradient
            elif answer.dtype is not array_dtype:
                return None
            elif not stays_small and answer.nbytes > MOST_BARE:
                answer = tensor_of(answer, dtype)
        elif answer is None or answer.dtype is not array_dtype:
            return None
        else:  # NumPy returned a scalar, which has no memory to share
            answer = XP.asarray(answer)
        sent.append(answer)
    return sent


def _given(node: FormulaNode, array: Array, dtype: DType) -> list[Any] | None:
    """The arguments of formulas: the gradient, the array module, and arrays of what the node kept.

    None if a kept tensor has another dtype or layout, or was overwritten or freed since.
    """
    given = [array, XP]
    for kept in node.kept:
        kind = type(kept)
        if kind is SavedInput:
            tensor = kept.tensor
            if (
                tensor._dtype is not dtype
                or tensor._stride != CONTIGUOUS_STRIDES[tensor._size]
                or tensor._storage.version != kept.version
                or tensor._counter is not None
            ):
                return None
            kept = tensor._array
            if kept is None:
                return None
        elif kind is SavedResult:
            storage = kept.storage
            if kept.dtype is not dtype or storage.version or kept.stride != CONTIGUOUS_STRIDES[kept.size]:
                return None
            kept = storage._array
            if kept is None:  # it was resized
                return None
        elif kind is SavedTensor:
            kept = kept.array(dtype)
            if kept is None:
                return None
        elif kind is SavedNumber:
            return None
        given.append(kept)
    return given


def _by_rule(rule: Rule, node: FormulaNode, array: Array, towards: Container[Node | None] | None) -> list[Any] | None:
    """The result of the rule of a node's operator, for the edges that lead somewhere."""
    kept = kept_arrays(node)
    if kept is None:
        return None
    wanted = [end is not None and (towards is None or end in towards) for end, _ in node.edges]
    try:
        answers = rule(array, kept, wanted)
    except MemoryError:
        return None
    array_dtype = array.dtype
    for answer in answers or ():
        if answer is not None and answer.dtype is not array_dtype and answer.dtype != array_dtype:
            return None
    return answers


def _settled(answers: list[Any], array: Array, gradient: Any, dtype: DType) -> list[Any]:
    """A rule's result, with large arrays as tensors, and the incoming gradient itself unchanged."""
    shared: Any = None
    for place, answer in enumerate(answers):
        if answer is None:
            continue
        if answer is array:
            if shared is not None and gradient is array:  # two get it: they share one tensor
                gradient = tensor_of(array, dtype)
                answers[shared] = gradient
            answers[place], shared = gradient, place
        elif answer.nbytes > MOST_BARE:
            answers[place] = tensor_of(answer, dtype)
    return answers
