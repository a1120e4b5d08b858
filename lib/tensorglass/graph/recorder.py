"""How a node is made: an operator runs, and what its derivative will need is kept.

The one idea to keep in mind: only the outermost operator is recorded. Operators that it calls run `below` it, so the
graph shows the operators that the user wrote, each with its own derivative.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

from tensorglass.core.dtypes import FLOATING
from tensorglass.core.errors import explained
from tensorglass.graph import anomaly, inplace
from tensorglass.graph.accumulate_grad import gradient_edge
from tensorglass.graph.derivative import Derivative, defaults_of, derivative_of, parameters_of, takes_many
from tensorglass.graph.formula_node import Blueprint, Flow, FormulaNode, kept
from tensorglass.graph.node import NOWHERE, Edge, next_number, set_history
from tensorglass.graph.result_views import apart, is_view, mark_views, outputs_of
from tensorglass.graph.saved_tensor import SavedTensor, keep_input, keep_result
from tensorglass.tensor.autograd_meta import Meta, OutputLike, like, requires_grad
from tensorglass.tensor.grad_mode import FormulaRecorded, state
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import PLAIN_TYPES

F = TypeVar("F", bound=Callable[..., Any])

_new = object.__new__
_NOWHERE: Flow = (False,)
_SOMEWHERE: Flow = (True,)
#: PyTorch's formulas are C++, where an operator on a number is a different one, without an edge for the number.
_BY_NUMBER = {f"{name}Backward0": f"{name}Backward1" for name in ("Add", "Sub", "Mul", "Div")}
_NUMBERS = frozenset((type(None), bool, int, float))  # values of these types are kept as they are


class Recorder:
    """Records the calls of one operator in the graph. Their arguments come as `values`, in the order of `names`."""

    __slots__ = ("_blueprints", "_inputs", "_named_by", "_title", "derivative", "places")

    def __init__(self, derivative: Derivative, operator: str, names: Iterable[str]) -> None:
        self.derivative = derivative
        self.places = {name: place for place, name in enumerate(names)}
        self._inputs = [self.places[name] for name in derivative.formulas]  # those that gradients flow to
        usual = f"{operator.strip('_').title().replace('_', '')}Backward0"
        self._title = usual if derivative.node_name is None else derivative.node_name
        named_by = () if isinstance(self._title, str) else parameters_of(self._title)
        self._named_by = [self.places[name] for name in named_by]  # the arguments that the title depends on
        self._blueprints: dict[tuple[str, Flow], Blueprint] = {}

    @property
    def is_plain(self) -> bool:
        """Whether all calls have one name, and gradients flow only to the first arguments, from a single result."""
        return (
            isinstance(self._title, str)
            and self._inputs == list(range(len(self._inputs)))
            and self.derivative.real_only is None
        )

    def title(self, values: Sequence[Any]) -> str | None:
        """PyTorch's name for the call's node; None if the operators that it is composed of are recorded instead."""
        title = self._title
        return title if isinstance(title, str) else title(*[values[place] for place in self._named_by])

    def flows(self, values: Sequence[Any]) -> bool:
        """Whether gradients flow to one of the call's inputs."""
        for place in self._inputs:
            value = values[place]
            for tensor in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(tensor, Tensor) and requires_grad(tensor):
                    return True
        return False

    def begin(self, values: Sequence[Any], written: Tensor | None = None) -> FormulaNode | None:
        """The node of a call, with what it needs of the arguments; None if no gradients flow.

        `written` is the tensor that the call overwrites. Operators of which it is composed may have run already.
        """
        title = self._title if type(self._title) is str else self.title(values)
        if title is None:
            return None
        edges: list[Edge] = []
        flow: Flow = ()
        for place in self._inputs:
            value = values[place]
            if type(value) in PLAIN_TYPES:
                edge = NOWHERE if value._meta is None else gradient_edge(value)
                edges.append(edge)
                flow += _NOWHERE if edge[0] is None else _SOMEWHERE
            elif isinstance(value, (list, tuple)):
                several = [gradient_edge(tensor) if isinstance(tensor, Tensor) else NOWHERE for tensor in value]
                edges += several
                flow += ((len(several), any(node is not None for node, _ in several)),)
            elif self.derivative.wraps_numbers:
                if state.in_formula and title in _BY_NUMBER:
                    title = _BY_NUMBER[title]
                    flow += (None,)
                    continue
                edges.append(NOWHERE)
                flow += _NOWHERE
            else:
                flow += (None,)
        blueprint = self._blueprints.get((title, flow))
        if (blueprint is None or not blueprint.leads) and not self.flows(values):
            return None
        if blueprint is None:
            blueprint = self._blueprints[title, flow] = Blueprint(self.derivative, title, self.places, flow)
        # `Node.__init__` is inlined, since every recorded operator passes through; `test_births.py` compares them.
        node = _new(FormulaNode)
        node.edges = tuple(edges)
        node.outputs = ()
        node.sequence_nr = next_number()
        node.attachments = None
        node.blueprint = blueprint
        if anomaly.state.enabled:
            anomaly.remember(node)
        if written is not None and blueprint.keeps_input:
            values = list(values)
            # Its old elements are about to be overwritten. The copy is recorded, for derivatives of derivatives.
            values[self.places["input"]] = written.clone()
        kept_values = node.kept = []
        for keep, place in blueprint.sources:
            value = values[place]
            if keep is not kept:
                value = keep(value)
            elif type(value) in PLAIN_TYPES:
                value = keep_input(value)
            elif type(value) not in _NUMBERS:
                value = kept(value)
            kept_values.append(value)
        return node

    def finish(self, node: FormulaNode, result: Any) -> None:
        """Make the results outputs of the call's node."""
        if self.derivative.real_only is not None:
            _refuse_complex(self.derivative.real_only, result)
        if type(result) in PLAIN_TYPES and result._dtype.category >= FLOATING:
            node.outputs = (like(result),)
            meta = result._meta
            if meta is None:  # `set_history`, inlined
                meta = result._meta = Meta()
            meta.grad_fn, meta.output_nr, meta.requires_grad = node, 0, False
            if node.blueprint.keeps_result:
                node.kept.append(keep_result(result))
                return
        else:
            _set_outputs(outputs_of(result), node, self.derivative.outputs)
        if node.blueprint.of_result:
            self._keep_result(node, result)

    def enter(self, values: Sequence[Any], result: Tensor) -> Tensor:
        """Record a call that has run, with the arguments `values`, and return its `result`."""
        node = self.begin(values)
        if node is not None:
            self.finish(node, result)
        return result

    def overwrite(self, values: Sequence[Any], written: Tensor, run: Callable[[], Any]) -> Any:
        """Run an operator that overwrites a tensor, and record it."""
        if self.title(values) is None or written._dtype.category < FLOATING:  # integers have no derivative
            return run()
        inplace.check(written)
        node = self.begin(values, written)
        result = below(run)
        if node is not None:
            node.outputs = (like(written),)
            inplace.rebase(written, node)
            self._keep_result(node, written, written._base is not None)
        return result

    def _keep_result(self, node: FormulaNode, result: Any, is_written: bool = False) -> None:
        outputs = outputs_of(result)
        for name in node.blueprint.of_result:
            if name == "results":
                node.kept.append([SavedTensor(output, True, is_written) for output in outputs])
            else:
                node.kept.append(SavedTensor(outputs[name == "result1"], True, is_written))


def _refuse_complex(name: str, result: Any) -> None:
    first = result[0] if isinstance(result, (list, tuple)) else result
    if isinstance(first, Tensor) and first._dtype.is_complex:
        raise explained(
            RuntimeError(f"{name} does not support automatic differentiation for outputs with complex dtype."),
            "Apply it to x.real and x.imag, or to torch.view_as_real(x).",
        )


def _set_outputs(outputs: tuple[Any, ...], node: FormulaNode, limit: int | None) -> None:
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
    """Run the inner part of an operator that is recorded as one node."""
    before = state.below, state.grad
    state.below, state.grad = True, False
    try:
        return run()
    finally:
        state.below, state.grad = before


def in_cpp(body: F) -> F:
    """`body`, which PyTorch composes in C++: there an operator on a number has a different node than in Python."""

    @functools.wraps(body)
    def form(*arguments: Any, **keywords: Any) -> Any:
        with FormulaRecorded():
            return body(*arguments, **keywords)

    return cast(F, form)


def is_recorded(tensors: Any) -> bool:
    """Whether an operator on these arguments must be recorded now."""
    if not state.grad or state.below:
        return False
    for tensor in tensors:  # noqa: SIM110  # `any` with a generator takes twice the time
        if isinstance(tensor, Tensor) and tensor._meta is not None and requires_grad(tensor):
            return True
    return False


def recorded(  # noqa: C901  # three functions, which share what the first recorded call works out
    body: F,
    node: str | None = None,
    *,
    derivative: Derivative | None = None,
    is_in_place: bool = False,
) -> F:
    """Wrap `body`, an operator that is written with tensors: it is recorded if gradients flow to an argument.

    Its derivative is the one declared for it, or `derivative`; `node` is PyTorch's name of the node.
    """
    declared = derivative or derivative_of(body)
    assert declared is not None, f"{body.__name__} has no derivative"
    if node is not None:
        declared.node_name = node
    _declared[body] = declared
    recorder: Any = None
    left_out: Any
    bound: Any
    out: Any

    def begin() -> None:
        nonlocal recorder, left_out, bound, out
        new_recorder, signature = _recorder(body), inspect.signature(body)
        assert new_recorder is not None
        left_out, bound, out = defaults_by_count(signature), reader(signature), new_recorder.places.get("out")
        recorder = new_recorder  # last: another thread that sees it must see the others too

    def own(result: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """The result, where a view of a temporary is no longer a view, unless PyTorch composes the call of others."""
        if not is_view(result):
            return result
        if callable(declared.node_name):
            if recorder is None:
                begin()
            values = bound(arguments, keywords)
            if values is not None and recorder.title(values) is None:
                return result
        return apart(result, arguments, keywords)

    @functools.wraps(body)
    def form(*arguments: Any, **keywords: Any) -> Any:
        if state.below or (not _has_meta(arguments) and not (keywords and _has_meta(keywords.values()))):
            return own(body(*arguments, **keywords), arguments, keywords)
        if recorder is None:  # the first call that may have to be recorded
            begin()
        if is_in_place:
            inplace.check_inference(arguments[0])
        if not state.grad:
            result = body(*arguments, **keywords)
            if not is_in_place and is_view(result):
                own(result, arguments, keywords)
                if recorder.flows(bound(arguments, keywords) or ()):
                    mark_views(result)
            return result
        rest = None if keywords else left_out.get(len(arguments))
        values = bound(arguments, keywords) if rest is None else arguments + rest
        if values is None:
            return body(*arguments, **keywords)  # wrong arguments: `body` raises, and the caller words the error
        if is_in_place:
            if not recorder.flows(values):
                return body(*arguments, **keywords)
            return recorder.overwrite(values, arguments[0], functools.partial(body, *arguments, **keywords))
        node = recorder.begin(values)
        if node is None:
            written = None if out is None else values[out]
            if written is not None:
                written = written if isinstance(written, (tuple, list)) else (written,)
                if is_recorded(written):
                    raise no_out_with_gradients(body.__name__)
                for tensor in written:
                    inplace.check_inference(tensor)
            return own(body(*arguments, **keywords), arguments, keywords)
        if out is not None and values[out] is not None:
            raise no_out_with_gradients(body.__name__)
        state.below, state.grad = True, False
        try:
            result = body(*arguments, **keywords)
        finally:
            state.below, state.grad = False, True
        if is_view(result):
            apart(result, arguments, keywords)
        recorder.finish(node, result)
        return result

    return cast(F, form)


#: By body: the derivatives of operators wrapped by `recorded`, and the recorders made from them.
_declared: dict[Callable[..., Any], Derivative] = {}
_recorders: dict[Callable[..., Any], Recorder] = {}


def recorder_of(form: Callable[..., Any]) -> tuple[Any, tuple[Any, ...]]:
    """The `Recorder` of an operator (None if its calls are not recorded), and the defaults of all its parameters."""
    body = inspect.unwrap(form)
    return _recorder(body), defaults_of(body)


def _recorder(body: Callable[..., Any]) -> Recorder | None:
    if body in _declared and body not in _recorders:
        names = inspect.signature(body).parameters if takes_many(body) else parameters_of(body)
        _recorders[body] = Recorder(_declared[body], body.__name__, names)
    return _recorders.get(body)


def no_out_with_gradients(name: str) -> RuntimeError:
    """The error of a call that has to be recorded but also got ``out=``."""
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
        if kind in PLAIN_TYPES:
            if argument._meta is not None:
                return True
        elif (kind is list or kind is tuple) and _has_meta(argument):
            return True
    return False


# --- the arguments of a call -----------------------------------------------------------------------------------------


def defaults_by_count(signature: inspect.Signature) -> dict[int, tuple[Any, ...]]:
    """For each possible number of positional arguments, the defaults of the remaining parameters."""
    parameters = list(signature.parameters.values())
    if any(parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY) for parameter in parameters):
        return {}
    defaults = tuple([parameter.default for parameter in parameters])
    most = len([parameter for parameter in parameters if parameter.kind is parameter.POSITIONAL_OR_KEYWORD])
    return {count: defaults[count:] for count in range(most + 1) if inspect.Parameter.empty not in defaults[count:]}


def reader(signature: inspect.Signature) -> Callable[[tuple[Any, ...], dict[str, Any]], Sequence[Any] | None]:
    """A function that returns a call's arguments in the order of the signature, with defaults for those left out.

    It returns None if the arguments do not fit.
    """
    places = {name: place for place, name in enumerate(signature.parameters)}
    for theirs, ours in (("axis", "dim"), ("keepdims", "keepdim")):  # formulas are written with PyTorch's names
        if theirs in places and ours in places:
            places[theirs] = places[ours]
    left_out = defaults_by_count(signature)
    parameters = list(signature.parameters.values())
    fewest = next((place for place, one in enumerate(parameters) if one.kind is one.VAR_POSITIONAL), sys.maxsize)
    after = [parameter.default for parameter in parameters[fewest + 1 :]]  # those of keywords

    def read(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Sequence[Any] | None:
        rest = left_out.get(len(arguments))
        if rest is not None and all(places.get(name, -1) >= len(arguments) for name in keywords):
            values = [*arguments, *rest]
            for name, value in keywords.items():
                values[places[name]] = value
            return values
        if len(arguments) >= fewest and not keywords:
            return *arguments[:fewest], arguments[fewest:], *after
        try:
            bound = signature.bind(*arguments, **keywords)  # ten times as long
        except TypeError:
            return None
        bound.apply_defaults()
        return list(bound.arguments.values())

    return read
