"""What the caller's code has names for, and the tensors among it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any

from glassroom.reading.adapters import adapter_for
from glassroom.reading.places import is_of_a_program, tensors_at
from glassroom.records.printable import printable

ARROW = " → "  # in a path that goes on into a graph


def variables_of(frame: FrameType) -> dict[str, object]:
    """What the code of a frame has names for: its globals, and over them its locals."""
    held = frame.f_locals
    found = {**frame.f_globals, **held}
    # Before Python 3.13 a function's frame keeps the dict of its locals once it was asked for, and with it every tensor
    # in it, even after `del`. So it is emptied, unless somebody else holds it (frame, `held` and the call make three).
    if frame.f_code.co_flags & inspect.CO_OPTIMIZED and isinstance(held, dict) and sys.getrefcount(held) <= 3:
        held.clear()
    return found


def tensor_variables(frame: FrameType) -> dict[str, object]:
    """Every tensor that the code of a frame has a variable for, by name."""
    variables = {name: value for name, value in frame.f_locals.items() if not name.startswith("_")}
    return {name: value for name, value in variables.items() if adapter_for(value) is not None}


def is_a_users(name: str) -> bool:
    """Whether a variable's name is a user's own: not Python's, IPython's or pytest's."""
    return name[:1] not in ("_", "@")


def named_tensors(variables: Mapping[str, object]) -> list[tuple[str, Any]]:
    """Tensors by the names that a reader knows them by: variables, and the paths from them into what they hold."""
    return list(tensors_at((printable(name), value) for name, value in variables.items() if is_a_users(name)))


def root_of(path: str) -> str:
    """The variable that a path begins with: `trainer` of `trainer.history[3]`."""
    ends = [at for at in (path.find(mark) for mark in (".", "[", ":", ARROW)) if at > 0]
    return path[: min(ends)] if ends else path


def variables_of_function(function: Any) -> dict[str, object]:
    """What a function's code has names for: globals that it mentions, what it closes over, and what it is bound to; and
    the same of the program's functions among them.
    """
    found: dict[str, object] = {}
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        each = waiting.pop()
        if isinstance(each, partial):
            found |= {f"argument {at}": value for at, value in enumerate(each.args)} | each.keywords
            each = each.func
        if isinstance(each, MethodType):
            found.setdefault("self", each.__self__)
            each = each.__func__
        if isinstance(each, FunctionType) and id(each) not in seen and is_of_a_program(each.__module__):
            seen.add(id(each))
            inner = _named_by(inspect.unwrap(each))
            found = {**inner, **found}
            waiting += [
                value for value in inner.values() if issubclass(type(value), FunctionType | MethodType | partial)
            ]
    return found


def _named_by(function: Any) -> dict[str, object]:
    code = function.__code__
    found = {name: function.__globals__[name] for name in names_in(code) if name in function.__globals__}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # nothing is in it yet
            found[name] = cell.cell_contents
    return found


def names_in(code: CodeType) -> list[str]:
    """The global names that code mentions, its inner functions' included."""
    inner = [name for each in code.co_consts if isinstance(each, CodeType) for name in names_in(each)]
    return [*dict.fromkeys([*code.co_names, *inner])]
