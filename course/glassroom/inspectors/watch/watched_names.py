"""Which tensors a watch looks at: those that the code has names for, directly, in lists and dicts, and as gradients."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Mapping, Sequence
from types import FrameType

from glassroom.reading.adapters import adapter_for
from glassroom.reading.nodes import gradient_of
from glassroom.reading.places import Place, everything_at, is_of_a_program, tensors_at
from glassroom.reading.roles import paths_of_modules
from glassroom.reading.variables import variables_of

MOST_VISITED = 2_000  # things looked at on the way from one variable
MOST_TENSORS = 24  # so many have their bytes read
CONTAINERS = (list, tuple, dict, set, frozenset)


def mentioned(source: str) -> list[str]:
    """The names that code mentions, in the order in which it first does."""
    found: dict[str, tuple[int, int]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            where = (node.lineno, node.col_offset)
            found[node.id] = min(where, found.get(node.id, where))
        elif isinstance(node, ast.Global):
            for name in node.names:
                found.setdefault(name, (node.lineno, node.col_offset))
    return sorted(found, key=lambda name: found[name])


def tensors_of(
    frames: Iterable[FrameType], namespace: Mapping[str, object], names: Iterable[str], only: frozenset[str]
) -> dict[str, object]:
    """The tensors by name: first those of the namespace, then the locals of the functions that run.

    `names` are those of the namespace that count; `only` restricts all to some variables, if it names any.
    """
    known: set[int] = set()
    given = ((name, namespace[name]) for name in names if name in namespace and (not only or name in only))
    found = _below(given, known)
    for depth, frame in enumerate(frames):
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            where = f" in {frame.f_code.co_name}()"
            # Not emptied as `variables_of` would: Python copies the dict back to the variables after a trace.
            held = list(frame.f_locals.items())
            given = ((name, value) for name, value in held if not only or name in only)
            for leaf, tensor in _below(given, known).items():
                plain = depth == 0 and leaf not in found  # a name of the watched function itself
                found[leaf if plain else _free(leaf + where, found)] = tensor
    return found


def all_tensors(frames: Sequence[FrameType], namespace: Mapping[str, object]) -> dict[str, object]:
    """The tensors that any variable of the program leads to, also those whose variables are not looked at: of the
    namespace, of the functions that run, and of the program's functions that have called them.
    """
    held: list[tuple[str, Mapping[str, object]]] = [("", namespace)]
    held += [(f" in {frame.f_code.co_name}()", frame.f_locals) for frame in frames]
    above = frames[0].f_back if frames else None
    while above is not None:
        module = above.f_globals.get("__name__")
        if isinstance(module, str) and module.partition(".")[0] != "glassroom" and is_of_a_program(module):
            held.append((f" in {above.f_code.co_name}()", variables_of(above)))
        above = above.f_back
    plain: dict[str, object] = {}  # variables that need no word on whose they are
    places: list[tuple[str, object, str]] = []
    for where, variables in held:
        for name, value in list(variables.items()):
            if plain.setdefault(name, value) is not value:
                places.append((name, value, where))
    places = [*[(name, value, "") for name, value in plain.items()], *places]
    found: dict[str, object] = {}
    for name, value, where in sorted(places, key=lambda place: place[0].startswith("_")):
        for path, each in tensors_at([(name, value)], MOST_VISITED):
            found[_free(path + where, found)] = each
    return found


def with_gradients(tensors: Mapping[str, object]) -> dict[str, object]:
    """The tensors, each leaf followed by its gradient."""
    found: dict[str, object] = {}
    gradients = {number: gradient_of(each) for number, each in by_id(tensors).items()}
    for name, tensor in tensors.items():
        found[name] = tensor
        gradient = gradients[id(tensor)]
        if gradient is not None:
            head, _, where = name.partition(" in ")
            found[f"{head}.grad{' in ' + where if where else ''}"] = gradient
    return found


def by_id(tensors: Mapping[str, object]) -> dict[int, object]:
    """Each tensor once, though it has several names."""
    return {id(each): each for each in tensors.values()}


def chosen(states: Mapping[str, tuple[int, int | None]], touched: Mapping[str, int], now: int) -> list[str]:
    """The names of the tensors to look at where there are too many: what is touched `now`, then what variables and
    containers hold, then what objects do, networks with their parameters above all; of each what was `touched` last.
    `states` say which tensor each name is of: one with several names counts once.
    """
    order = sorted(states, key=lambda name: (touched[name] != now, "." in name, -touched[name]))
    looked_at: set[int] = set()
    for name in order:
        if len(looked_at) < MOST_TENSORS:
            looked_at.add(states[name][0])
    return [name for name, (number, _) in states.items() if number in looked_at]


def _free(name: str, taken: Mapping[str, object]) -> str:
    """The name, or for a recursion's inner variable the name with a number."""
    if name not in taken:
        return name
    return next(each for each in (f"{name}, call {n}" for n in range(2, 10**6)) if each not in taken)


def _below(variables: Iterable[Place], known: set[int]) -> dict[str, object]:
    """The tensors that variables lead to, each by every path; variable by variable.

    An object, such as a network, is looked into under the first variable that leads to it, not once more as `self` or
    as the variable of a loop; `known` are the ids of those so far.
    """
    found: dict[str, object] = {}
    for name, value in variables:
        if name.startswith("_"):
            continue
        met: set[int] = set()
        for path, each in everything_at([(name, value)], MOST_VISITED, known):
            if adapter_for(each) is not None:
                found[path] = each
            elif not issubclass(type(each), CONTAINERS):
                met.update(id(module) for _, module in paths_of_modules("", each))
        known |= met
    return found
