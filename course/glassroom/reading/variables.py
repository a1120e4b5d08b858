"""The variables of the caller's code, and the tensors among them."""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from inspect import getattr_static
from itertools import count
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, cast

from glassroom.reading.adapters import adapter_for
from glassroom.reading.guarded import contents_of, module_of_class
from glassroom.reading.places import attributes_of, is_of_a_program, tensors_at
from glassroom.records.printable import printable

ARROW = " → "  # in a path that leads into a graph


def variables_of(frame: FrameType) -> dict[str, object]:
    """The variables of a frame's code: its globals, overridden by its locals."""
    return {**frame.f_globals, **locals_of(frame)}


def locals_of(frame: FrameType) -> dict[str, object]:
    """The local variables of a frame as they are now; the frame keeps no copy of them."""
    held = frame.f_locals
    variables = dict(held)
    # Before Python 3.13 a function's frame keeps the dict of its locals once it was asked for, and with it every tensor
    # in it, even after `del`. So it is emptied, unless somebody else holds it (frame, `held` and the call make three).
    if frame.f_code.co_flags & inspect.CO_OPTIMIZED and isinstance(held, dict) and sys.getrefcount(held) <= 3:
        held.clear()
    return variables


def tensor_variables(frame: FrameType) -> dict[str, object]:
    """Every tensor that the code of a frame has a variable for, by name."""
    variables = {name: value for name, value in locals_of(frame).items() if not name.startswith("_")}
    return {name: value for name, value in variables.items() if adapter_for(value) is not None}


def is_a_users(name: str) -> bool:
    """Whether a variable's name is the user's own: not Python's, IPython's or pytest's."""
    return name[:1] not in ("_", "@")


def named_tensors(variables: Mapping[str, object]) -> list[tuple[str, Any]]:
    """Tensors by the names that a reader knows: variables, and paths from them to what they hold."""
    return list(tensors_at((printable(name), value) for name, value in variables.items() if is_a_users(name)))


def root_of(path: str) -> str:
    """The variable that a path begins with: `trainer` for `trainer.history[3]`."""
    ends = [at for at in (path.find(mark) for mark in (".", "[", ":", ARROW)) if at > 0]
    return path[: min(ends)] if ends else path


def variables_of_function(function: Any) -> dict[str, object]:
    """The objects that a function's code has names for: globals that it mentions, attributes that it mentions of the
    program's modules and classes, its closure, its defaults, and its `self`; and the same for the program's functions
    among them. Any other callable is itself given as `self`.
    """
    variables: dict[str, object] = {}
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        argument = waiting.pop()
        given: dict[str, object] = {}
        while not issubclass(type(argument), FunctionType):
            if issubclass(type(argument), partial):
                given = {
                    **dict(zip(_arguments_of(argument.func), argument.args, strict=False)),
                    **argument.keywords,
                    **given,
                }
                argument = argument.func
            elif issubclass(type(argument), MethodType):
                given = {"self": argument.__self__, **given}
                argument = argument.__func__
            else:  # a callable object, or none of the program's
                given = {"self": argument, **given}
                argument = attributes_of(argument).get("__wrapped__", getattr_static(type(argument), "__call__", None))
                break
        variables = {**given, **variables}
        if issubclass(type(argument), FunctionType) and id(argument) not in seen:
            seen.add(id(argument))
            inner = _named_by(argument, given) if is_of_a_program(argument.__globals__.get("__name__")) else {}
            variables = {**inner, **variables}
            waiting += [
                value
                for value in (*inner.values(), argument.__dict__.get("__wrapped__"))
                if issubclass(type(value), FunctionType | MethodType | partial)
            ]
    return variables


def _named_by(function: Any, given: Mapping[str, object]) -> dict[str, object]:
    code = function.__code__
    variables = {name: function.__globals__[name] for name in names_in(code) if name in function.__globals__}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # the cell is empty
            variables[name] = cell.cell_contents
    defaults = function.__defaults__ or ()
    ordered = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    variables |= {**dict(zip(ordered, defaults, strict=True)), **(function.__kwdefaults__ or {})}
    for name, value in {**variables, **given}.items():
        if issubclass(type(value), ModuleType | type):
            is_module = issubclass(type(value), ModuleType)
            home = attributes_of(value).get("__name__") if is_module else module_of_class(cast("type", value))
            contents = attributes_of(value) if is_module else contents_of(cast("type", value))
            held = contents if isinstance(home, str) and is_of_a_program(home) else {}
            variables |= {
                f"{name}.{attribute}": held[attribute] for attribute in _attributes_in(code) if attribute in held
            }
    return variables


def _arguments_of(function: Any) -> Iterator[str]:
    """The names of a function's positional parameters, followed by numbers."""
    code = getattr(function, "__code__", None)
    named = code.co_varnames[isinstance(function, MethodType) : code.co_argcount] if isinstance(code, CodeType) else ()
    yield from named
    yield from (f"argument {at}" for at in count(len(named)))


def names_in(code: CodeType) -> list[str]:
    """The global names that code mentions, its inner functions' included."""
    named = [
        instruction.argval
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    ]
    inner = [name for constant in code.co_consts if isinstance(constant, CodeType) for name in names_in(constant)]
    return [*dict.fromkeys([*named, *inner])]


def _attributes_in(code: CodeType) -> list[str]:
    """The names that code mentions, attributes among them."""
    inner = [name for constant in code.co_consts if isinstance(constant, CodeType) for name in _attributes_in(constant)]
    return [*dict.fromkeys([*code.co_names, *inner])]
