"""The tensors that a watch looks at: those that the code has names for, directly, in lists and dicts, and as
gradients."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Mapping, Sequence
from types import FrameType

from glassroom.reading.adapters import adapter_for
from glassroom.reading.places import Place, everything_at, is_of_a_program, modules_in
from glassroom.reading.variables import variables_of

MOST_VISITED = 2_000  # objects visited from one variable
MOST_TENSORS = 24  # tensors whose bytes are read
CONTAINERS = (list, tuple, dict, set, frozenset)


def mentioned(source: str) -> list[str]:
    """The names that code mentions, in the order of their first mention."""
    places: dict[str, tuple[int, int]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            where = (node.lineno, node.col_offset)
            places[node.id] = min(where, places.get(node.id, where))
        elif isinstance(node, ast.Global):
            for name in node.names:
                places.setdefault(name, (node.lineno, node.col_offset))
    return sorted(places, key=lambda name: places[name])


def tensors_of(
    frames: Iterable[FrameType],
    namespace: Mapping[str, object],
    names: Iterable[str],
    only: frozenset[str],
    searched: set[int] | None = None,
) -> dict[str, object]:
    """The tensors by name: first those of the namespace, then the locals of the functions that run.

    `names` are those of the namespace to look at; `only` restricts all to some variables, if it names any. The ids of
    the objects and containers that were searched are added to `searched`.
    """
    known: set[int] = set()
    given = ((name, namespace[name]) for name in names if name in namespace and (not only or name in only))
    by_name = _below(given, known, searched)
    for depth, frame in enumerate(frames):
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            where = f" in {frame.f_code.co_name}()"
            # Unlike `variables_of`, this does not empty the dict: Python copies it back to the variables after a trace.
            held = list(frame.f_locals.items())
            given = ((name, value) for name, value in held if not only or name in only)
            for leaf, tensor in _below(given, known, searched).items():
                plain = depth == 0 and leaf not in by_name  # a variable of the watched function itself
                by_name[leaf if plain else _free(leaf + where, by_name)] = tensor
    return by_name


def other_tensors(
    frames: Sequence[FrameType], namespace: Mapping[str, object], searched: set[int]
) -> dict[str, object]:
    """The tensors that any variable of the program leads to, watched or not: variables of the namespace, of the running
    functions, and of those functions of the program that called them. What was `searched`, by its id, is left out, and
    what several variables hold is searched under one of them.
    """
    held: list[tuple[str, Mapping[str, object]]] = [("", namespace)]
    held += [(f" in {frame.f_code.co_name}()", frame.f_locals) for frame in frames]
    above = frames[0].f_back if frames else None
    while above is not None:
        module = above.f_globals.get("__name__")
        if isinstance(module, str) and module.partition(".")[0] != "glassroom" and is_of_a_program(module):
            held.append((f" in {above.f_code.co_name}()", variables_of(above)))
        above = above.f_back
    plain: dict[str, object] = {}  # variables whose names need no function added
    places: list[tuple[str, object, str]] = []
    for where, variables in held:
        for name, value in list(variables.items()):
            if plain.setdefault(name, value) is not value:
                places.append((name, value, where))
    places = [*[(name, value, "") for name, value in plain.items()], *places]
    by_name: dict[str, object] = {}
    for name, value, where in sorted(places, key=lambda place: place[0].startswith("_")):
        if id(value) in searched:
            continue
        for path, tensor in everything_at([(name, value)], MOST_VISITED, searched, searched):
            if adapter_for(tensor) is not None:
                by_name[_free(path + where, by_name)] = tensor
    return by_name


def with_gradients(tensors: Mapping[str, object], gradients: Mapping[int, object]) -> dict[str, object]:
    """The tensors, each leaf followed by its gradient; `gradients` are those of all tensors, by their ids."""
    by_name: dict[str, object] = {}
    for name, tensor in tensors.items():
        by_name[name] = tensor
        gradient = gradients[id(tensor)]
        if gradient is not None:
            head, _, where = name.partition(" in ")
            by_name[f"{head}.grad{' in ' + where if where else ''}"] = gradient
    return by_name


def by_id(tensors: Mapping[str, object]) -> dict[int, object]:
    """Each tensor once, even if it has several names."""
    return {id(tensor): tensor for tensor in tensors.values()}


def chosen(states: Mapping[str, tuple[int, int | None]], touched: Mapping[str, int], now: int) -> list[str]:
    """The names of the tensors to look at if there are too many: first those touched `now`, then those in variables and
    containers, then those in objects, such as the parameters of networks; within each group, the last `touched` come
    first. `states` says which tensor each name stands for: one with several names counts once.
    """
    order = sorted(states, key=lambda name: (touched[name] != now, "." in name, -touched[name]))
    looked_at: set[int] = set()
    for name in order:
        if len(looked_at) < MOST_TENSORS:
            looked_at.add(states[name][0])
    return [name for name, (number, _) in states.items() if number in looked_at]


def _free(name: str, taken: Mapping[str, object]) -> str:
    """The name, with a number if it is taken, as for the variables of a recursive call."""
    if name not in taken:
        return name
    return next(candidate for candidate in (f"{name}, call {n}" for n in range(2, 10**6)) if candidate not in taken)


def _below(variables: Iterable[Place], known: set[int], searched: set[int] | None) -> dict[str, object]:
    """The tensors that variables lead to, each by every path; variable by variable. An object, such as a network, is
    searched only under the first variable that leads to it, not again as `self` or as a loop variable; `known` are the
    ids of those searched so far.
    """
    by_path: dict[str, object] = {}
    for name, value in variables:
        if name.startswith("_"):
            continue
        met: set[int] = set()
        for path, held in everything_at([(name, value)], MOST_VISITED, known, searched):
            if adapter_for(held) is not None:
                by_path[path] = held
            elif not issubclass(type(held), CONTAINERS):
                met.update(_modules_below(held))
        known |= met
    return by_path


def _modules_below(network: object) -> set[int]:
    """The ids of a network and of all modules in it; of another object its own."""
    met: set[int] = set()
    waiting = [network]
    while waiting:
        module = waiting.pop()
        if id(module) not in met:
            met.add(id(module))
            waiting += [inner for _, inner in modules_in(module)]
    return met
