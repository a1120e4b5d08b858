"""Other errors that autograd raises: the tensors that they are about, and the lines that led to them.

The one idea: the message shows the kind of error. The statement that raised names tensors; those that the error is
about are found among them by the property that it complains of: a leaf, no gradient, more than one element.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

from glassroom.drawing.words import counted, listed
from glassroom.inspectors.version_error.kinds import KINDS, NO_GRAPH, NOT_USED, Kind
from glassroom.inspectors.version_error.lines import (
    CUT,
    FREED,
    MADE,
    Frame,
    Line,
    failed_line,
    frames_of,
    given_to_the_library,
    line_of,
    tensors_of,
)
from glassroom.reading.adapters import described_if_there
from glassroom.reading.guarded import attempted, is_a
from glassroom.reading.nodes import Unread, grad_fn_of, in_order, is_leaf_with_gradient, saved_by
from glassroom.reading.overwritten import operator_of
from glassroom.reading.source_lines import called, is_of_a_library, recorded_place
from glassroom.reading.writes_in_source import (
    expressions_in,
    regions_without_graph,
    spelled,
    statements_of_code,
)
from glassroom.translations.templates import as_is

MOST_NAMES = 3
_FREED = as_is("Trying to backward through the graph a second time")
_OTHERWISE = (
    "No other line here runs a backward: it was this one, in an earlier round of a loop or call, or one in code that "
    "is not shown."
)
_CUTS = re.compile(r"\.(detach_?|item|tolist|numpy|data|argmax|argmin|argsort)\b|\b(?:tensor|as_tensor|from_numpy)\(")


@dataclass(frozen=True)
class GraphError:
    """An error of autograd's: what it is about (`problem`), the tensors' `names`, one sentence, the lines, and
    remarks."""

    problem: str
    names: tuple[str, ...]
    summary: str
    lines: tuple[Line, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class _Raised:
    """An error, with the program's frames, their tensors by name, and the names in the statement that raised."""

    error: BaseException
    frames: list[Frame]
    tensors: Mapping[str, Any]
    statements: list[ast.stmt]  # of the innermost frame, up to the one that raised
    without_graph: list[ast.With]  # its regions of `no_grad` and the like
    named: list[str]

    @property
    def words(self) -> str:
        return str(self.error)

    @property
    def home(self) -> str:
        return self.frames[-1][0].f_code.co_filename

    def those(self, wanted: Callable[[Any], bool]) -> list[str]:
        """The tensors in the statement that raised for which a condition holds."""
        return [name for name in self.named if attempted(partial(wanted, self.tensors[name]), False)]

    def line(self, statement: ast.stmt, did: str) -> Line:
        return line_of(self.home, statement.lineno, did, self.home)


def graph_error(error: BaseException) -> GraphError | None:
    """What is known about an error of autograd's; None for any other error, or if no frame of its traceback is the
    program's."""
    frames = frames_of(error.__traceback__)
    if not frames:
        return None
    raised = _raised(error, frames)
    if _FREED in raised.words:
        return _second_backward(raised)
    for kind in KINDS:
        match = re.search(kind.pattern, raised.words)
        if match is not None:
            return _told(raised, kind, match)
    return None


def _raised(error: BaseException, frames: list[Frame]) -> _Raised:
    frame, at = frames[-1]
    tensors = tensors_of(frames)
    source = "".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))
    statements = statements_of_code(source, frame.f_code, at)
    last = [
        statement for statement in statements if statement.lineno <= at <= (statement.end_lineno or statement.lineno)
    ][-1:]
    mentioned = set().union(*map(expressions_in, last))
    named = [name for name in tensors if spelled(name) in mentioned]
    without_graph = regions_without_graph(source, frame.f_code)
    return _Raised(error, frames, tensors, statements, without_graph, named)


# --- a second backward ------------------------------------------------------------------------------------------------


def _second_backward(raised: _Raised) -> GraphError:
    roots = raised.those(lambda tensor: grad_fn_of(tensor) is not None)
    given = [raised.tensors[name] for name in roots] or list(given_to_the_library(raised.error.__traceback__))
    order = in_order([node for node in map(grad_fn_of, given) if node is not None])
    of_kind: dict[type, list[str]] = {}
    kept = {id(node): [value for _, value in saved_by(node, of_kind)] for node in order}
    freed = [
        node
        for node in order
        if any(is_a(attribute, Unread) and _FREED in attribute.why for attribute in kept[id(node)])
    ]
    is_whole = all(node in freed for node in order if kept[id(node)])
    of = f"the graph of {_names(roots)}" if roots else "the graph"
    if not freed:
        summary = f"an earlier backward has freed what a part of {of} had saved"
    elif is_whole:
        summary = f"an earlier backward has freed what {of} had saved"
    else:
        last = f"from `{operator_of(freed[0])}` on"
        summary = f"an earlier backward has freed {counted(len(freed), 'node')} of {of}, {last}"
    gone = {id(node) for node in freed}
    leading = [name for name in raised.tensors if name not in roots and _leads_to(raised.tensors[name], gone)]
    lines = list(_earlier_backwards(raised))
    remarks = []
    if leading and not is_whole:
        remarks.append(f"What was freed is reached through {_names(leading)}.")
    if not lines:
        remarks.append(_OTHERWISE if raised.statements else "The source cannot be read, so its line is unknown.")
    if is_whole and lines:
        remarks.append("Compute the loss again before each backward, or give the first one retain_graph=True.")
    else:
        remarks.append(
            "Add up losses that share a part of the graph and run one backward, or detach() what is carried from one "
            "step to the next; retain_graph=True for the first backward keeps all that it saved."
        )
    lines = [*lines, failed_line(raised.frames)]
    return GraphError("a second backward", tuple(roots[:MOST_NAMES]), summary, tuple(lines), tuple(remarks))


def _leads_to(tensor: Any, nodes: set[int]) -> bool:
    node = grad_fn_of(tensor)
    return node is not None and any(id(input_node) in nodes for input_node in in_order([node]))


def _earlier_backwards(raised: _Raised) -> Iterator[Line]:
    """The last statement before the one that raised that runs a backward and keeps no graph."""
    earlier = [statement for statement in raised.statements[:-1] if _runs_backward(statement)]
    for statement in earlier[-1:]:
        yield raised.line(statement, FREED)


def _runs_backward(statement: ast.stmt) -> bool:
    for call in (part for part in ast.walk(statement) if isinstance(part, ast.Call)):
        function = ast.unparse(call.func)
        if function.endswith((".backward", "autograd.grad")) or function == "grad":
            return not any(keyword.arg in ("retain_graph", "create_graph") for keyword in call.keywords)
    return False


# --- the other kinds --------------------------------------------------------------------------------------------------


def _told(raised: _Raised, kind: Kind, match: re.Match[str]) -> GraphError:
    names = raised.those(kind.of)
    if not names and "view of a leaf" in raised.words:
        names = _leaves_beneath(raised)
    if kind.is_of_the_root:
        names = _roots(raised.statements, raised.frames[-1][1]) or names
    if kind.problem == NOT_USED:
        names = [name for name in names if not _is_reached(raised.tensors[name], raised)] or names
    summary = kind.says.format(*match.groups(), names=_names(names) if names else "a tensor")
    lines = list(_others(raised, match))
    if kind.problem == NO_GRAPH:
        lines = list(_cuts(raised, names))
    lines = [*lines, failed_line(raised.frames)]
    return GraphError(kind.problem, tuple(names[:MOST_NAMES]), summary, tuple(lines), (kind.advice,))


def _roots(statements: list[ast.stmt], at: int) -> list[str]:
    """The root of the backward in the statement at a line: `loss`, or an expression such as `w * 2`."""
    for statement in reversed(statements):
        for call in (part for part in ast.walk(statement) if isinstance(part, ast.Call) and at >= statement.lineno):
            if isinstance(call.func, ast.Attribute) and call.func.attr in ("backward", "grad"):
                is_method = call.func.attr == "backward" and ast.unparse(call.func.value).split(".")[-1] != "autograd"
                root = call.func.value if is_method else next(iter(call.args), None)
                return [] if root is None else [ast.unparse(root)]
        break
    return []


def _is_reached(leaf: Any, raised: _Raised) -> bool:
    """Whether the graph of the tensors given to the library leads to a leaf."""
    given = [grad_fn_of(tensor) for tensor in given_to_the_library(raised.error.__traceback__)]
    order = in_order([node for node in given if node is not None])
    return any(attempted(partial(getattr, node, "variable"), None) is leaf for node in order)


def _leaves_beneath(raised: _Raised) -> list[str]:
    """The leaves whose memory the tensors in the statement share."""
    seen = [described_if_there(raised.tensors[name]) for name in raised.named]
    memories = {description.memory.identity for description in seen if description is not None}
    tensors = raised.tensors.items()
    leaves = (
        (name, described_if_there(description)) for name, description in tensors if is_leaf_with_gradient(description)
    )
    return [name for name, description in leaves if description is not None and description.memory.identity in memories]


def _cuts(raised: _Raised, names: list[str]) -> Iterator[Line]:
    """The statements, by the source, that detach from the graph what a tensor is computed from."""
    needed = {spelled(name) for name in names}
    lines: dict[int, Line] = {}
    for statement in reversed(raised.statements[:-1]):
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if needed.isdisjoint(spelled(ast.unparse(target)) for target in targets if target is not None):
            continue
        if _CUTS.search(ast.unparse(statement)):
            lines[statement.lineno] = raised.line(statement, CUT)
        for region in raised.without_graph:
            if region.lineno <= statement.lineno <= (region.end_lineno or 0):
                lines[region.lineno] = raised.line(region, CUT)
        needed |= expressions_in(statement)
    yield from (lines[number] for number in sorted(lines))


def _others(raised: _Raised, match: re.Match[str]) -> Iterator[Line]:
    """The lines of the node that the error names: where it was recorded, and the backward of a custom function."""
    kind = next((group for group in match.groups() if group and group.rstrip("0123456789").endswith("Backward")), None)
    roots = (*raised.tensors.values(), *given_to_the_library(raised.error.__traceback__))
    nodes = in_order([node for node in map(grad_fn_of, roots) if node is not None]) if kind else []
    for node in [other for other in nodes if type(other).__name__ == kind][:1]:
        recorded = recorded_place(node)
        if recorded is not None:
            file, number = recorded
            source = linecache.getline(raised.home, number).strip() if file == raised.home else ""
            yield Line(number, called(file, number, raised.home), source, MADE)
        code = attempted(partial(attrgetter("_forward_cls.backward.__code__"), node), None)
        if code is not None and not is_of_a_library(code.co_filename):
            at = code.co_firstlineno
            while linecache.getline(code.co_filename, at).lstrip().startswith("@"):
                at += 1
            yield line_of(code.co_filename, at, MADE, raised.home)


def _names(names: list[str]) -> str:
    return listed([f"`{name}`" for name in names[:MOST_NAMES]])
