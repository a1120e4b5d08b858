"""Shortcuts of recording: common calls of elementwise operators, and products, recorded as `Recorder` does.

What to do depends only on which operands have gradients, so it is looked up by a number with a bit for each operand.
Unusual calls are left to the recorder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.fast.array_derivatives import KNOWN, Known, learn
from tensorglass.graph import anomaly
from tensorglass.graph.accumulate_grad import gradient_edge
from tensorglass.graph.derivative import derivative_of
from tensorglass.graph.formula_node import Blueprint, FormulaNode, kept
from tensorglass.graph.node import NOWHERE, Edge, next_number
from tensorglass.graph.recorder import Recorder, recorder_of
from tensorglass.graph.saved_tensor import SavedInput, keep_input, keep_result
from tensorglass.tensor.autograd_meta import Meta, like
from tensorglass.tensor.grad_mode import watched
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import PLAIN_TYPES

_new = object.__new__
_anomaly = anomaly.state
Enter = Callable[[tuple[Any, ...], Tensor], Tensor]


def _edges_of(count: int, takes_numbers: bool) -> Callable[[tuple[Any, ...]], tuple[int, tuple[Edge, ...]]]:
    """A function that returns the flow and the edges of `count` operands; the flow is negative for unusual operands.

    Unrolled for one and for two, since a loop takes longer.
    """

    def edges_of_one(operands: tuple[Any, ...]) -> tuple[int, tuple[Edge, ...]]:
        (operand,) = operands
        edge = gradient_edge(operand)
        return edge is not NOWHERE, (edge,)

    def edges_of_two(operands: tuple[Any, ...]) -> tuple[int, tuple[Edge, ...]]:
        one, two = operands
        first = second = NOWHERE
        flow = 0
        if type(one) in PLAIN_TYPES:
            if one._meta is not None:
                first = gradient_edge(one)
                if first is not NOWHERE:
                    flow = 1
        elif not takes_numbers or watched.recorded_formulas:
            flow = -4
        if type(two) in PLAIN_TYPES:
            if two._meta is not None:
                second = gradient_edge(two)
                if second is not NOWHERE:
                    flow += 2
        elif not takes_numbers or watched.recorded_formulas:
            flow = -4
        return flow, (first, second)

    def edges_of_several(operands: tuple[Any, ...]) -> tuple[int, tuple[Edge, ...]]:
        flow, edges = 0, []
        for place, operand in enumerate(operands):
            edge = gradient_edge(operand) if type(operand) in PLAIN_TYPES else NOWHERE
            if edge is not NOWHERE:
                flow += 1 << place
            elif type(operand) not in PLAIN_TYPES and not takes_numbers:
                flow = -(1 << count)
            edges.append(edge)
        return flow, tuple(edges)

    return edges_of_one if count == 1 else edges_of_two if count == 2 else edges_of_several


def entering(recorder: Recorder, left_out: tuple[Any, ...], count: int, *, is_elementwise: bool = True) -> Enter:
    """A function that records a finished call of `recorder`'s operator, and returns its result.

    It gets the `count` operands and the result; `left_out` are the values of the operator's parameters.
    """
    known_flows: list[tuple[Blueprint, Known] | None] = [None] * 2**count
    takes_numbers = recorder.derivative.wraps_numbers

    def by_recorder(operands: tuple[Any, ...], result: Tensor, flow: int) -> Tensor:
        node = recorder.begin(operands + left_out)
        if node is not None:
            recorder.finish(node, result)
            if flow > 0 and node.blueprint.leads and recorder.is_plain:
                known = KNOWN.get(node.blueprint) or learn(node.blueprint)
                known.is_elementwise = is_elementwise
                known_flows[flow] = node.blueprint, known
        return result

    edges_of = _edges_of(count, takes_numbers)

    def enter(operands: tuple[Any, ...], result: Tensor) -> Tensor:
        flow, edges = edges_of(operands)
        known_flow = known_flows[flow] if flow > 0 else None
        if known_flow is None or watched.saved_tensors_hooks or _anomaly.enabled:
            return by_recorder(operands, result, flow)
        blueprint, known = known_flow
        node = _new(FormulaNode)
        node.edges = edges
        size, dtype, device = result._size, result._dtype, result._storage.device
        known_size, known_dtype, known_device, outputs = known.last  # results are often like the last one
        if size is not known_size or dtype is not known_dtype or device is not known_device:
            outputs = (like(result),)
            known.last = size, dtype, device, outputs
        node.outputs = outputs
        node.sequence_nr = next_number()
        node.attachments = None
        node.blueprint = blueprint
        node.kept = kept_values = []
        for keep, place in blueprint.sources:
            if place >= count:
                kept_values.append(left_out[place - count])
                continue
            value = operands[place]
            if keep is not kept:
                value = keep(value)
            elif type(value) in PLAIN_TYPES:
                meta = value._meta
                if value._counter is None and (meta is None or not meta.is_inference):
                    saved = _new(SavedInput)  # `keep_input`, inlined
                    saved.tensor = value
                    saved.version = value._storage.version
                    saved.made_by = edges[place][0]
                    value = saved
                else:
                    value = keep_input(value)
            kept_values.append(value)
        meta = result._meta = Meta()
        meta.grad_fn = node
        if blueprint.keeps_result:  # it reads the result's `grad_fn`
            kept_values.append(keep_result(result))
        return result

    return enter


def entering_view(form: Callable[..., Tensor]) -> Callable[[tuple[Any, ...], Tensor], Tensor]:
    """A function that records a call of `form`, an operator that makes a view, and returns the view.

    It gets all arguments, the viewed tensor first, and the view. All calls of the operator share one blueprint.
    """
    recorder: Recorder | None = None
    blueprint: Blueprint | None = None

    def enter(arguments: tuple[Any, ...], view: Tensor) -> Tensor:
        nonlocal recorder, blueprint
        edge = gradient_edge(arguments[0])
        if edge is NOWHERE:  # a write to its base may give the view a history later
            return form(*arguments)
        if blueprint is None or _anomaly.enabled:
            recorder = recorder or recorder_of(form)[0]
            node = recorder.begin(arguments)
            if node is not None:
                recorder.finish(node, view)
                blueprint = node.blueprint
            return view
        node = _new(FormulaNode)
        node.edges = (edge,)
        node.outputs = (like(view),)
        node.sequence_nr = next_number()
        node.attachments = None
        node.blueprint = blueprint
        node.kept = [arguments[place] if keep is kept else keep(arguments[place]) for keep, place in blueprint.sources]
        meta = view._meta = Meta()
        meta.grad_fn = node
        return view

    return enter


def unrecorded(body: Callable[..., Any]) -> Callable[..., Any]:
    """The operator without recording, for a first argument without gradients."""
    derivative, bare = derivative_of(body), getattr(body, "__wrapped__", body)
    return bare if derivative is not None and list(derivative.formulas) == ["input"] else body
