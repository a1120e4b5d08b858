"""Holders of a tensor that no variable of the caller's leads to: closures, defaults, generators, tracebacks, classes,
running functions.

The one idea: Python's garbage collector knows who refers to an object. Only holders that a reader can find in the
program are listed, by name.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import CellType, FrameType, FunctionType, ModuleType
from typing import Any

from glassroom.reading.adapters import adapter_for
from glassroom.reading.guarded import attempted, contents_of, is_a, name_of_class
from glassroom.reading.places import is_of_a_program
from glassroom.reading.referrers import CACHE, SUSPENDED, is_of_a_look, suspended
from glassroom.reading.variables import variables_of
from glassroom.records.printable import printable
from glassroom.translations.templates import word


def holders_out_of_sight(tensor: object, is_alike: Callable[[Any], bool], caller: FrameType) -> list[str]:
    """Words for whatever holds a tensor, or one that `is_alike`, without what the variables of `caller` lead to."""
    kinds: dict[type, bool] = {}

    def is_tensor(value: object) -> bool:
        kind = type(value)
        if kind not in kinds:
            kinds[kind] = adapter_for(value) is not None
        return kinds[kind]

    tensors = [
        tensor,
        *[object_ for object_ in gc.get_objects() if is_tensor(object_) and is_alike(object_)],
    ]  # NumPy's are unknown
    ids = {id(tensor) for tensor in tensors}
    lines = [words for frame in _running_above(caller) for words in _of_frame(frame, ids)]
    for referrer in gc.get_referrers(*tensors):
        if referrer is not caller.f_globals:
            lines += attempted(lambda holder=referrer: list(_of(holder, ids)), [])  # type: ignore[misc]  # of the loop
    return list(dict.fromkeys(map(printable, lines)))


def _running_above(caller: FrameType) -> Iterator[FrameType]:
    frame = caller.f_back
    while frame is not None:
        module = frame.f_globals.get("__name__")
        if isinstance(module, str) and module.partition(".")[0] != "glassroom" and is_of_a_program(module):
            yield frame
        frame = frame.f_back


def _of(referrer: object, ids: set[int]) -> Iterable[str]:
    if is_of_a_look(referrer):
        return []
    if is_a(referrer, CellType):
        return _of_cell(referrer)
    if is_a(referrer, SUSPENDED):
        frame = suspended(referrer)
        return [] if frame is None else _of_frame(frame, ids)
    if is_a(referrer, FrameType):  # a frame that a traceback keeps
        return _of_frame(referrer, ids)
    if is_a(referrer, tuple):
        return _of_arguments(referrer)
    if is_a(referrer, dict):
        return _of_dict(referrer, ids)
    return [f"cache of {_named(referrer)}()"] if name_of_class(referrer) == CACHE else []


def _of_dict(held: dict[Any, Any], ids: set[int]) -> Iterator[str]:
    for owner in gc.get_referrers(held):
        if is_a(owner, type) or (is_a(owner, ModuleType) and vars(owner) is held):
            held_by = contents_of(owner) if is_a(owner, type) else held
            name = attempted(lambda cls=owner: cls.__name__, "a class")  # type: ignore[misc]  # of the loop
            yield from (f"{name}.{key}" for key, value in held_by.items() if id(value) in ids)
        elif name_of_class(owner) == CACHE:
            yield f"cache of {_named(owner)}()"


def _of_arguments(given: tuple[object, ...]) -> Iterator[str]:
    for owner in gc.get_referrers(given):
        if is_a(owner, FunctionType) and owner.__defaults__ is given:
            yield f"defaults of {_named(owner)}()"
        elif is_a(owner, partial) and owner.args is given:
            yield f"arguments of a partial of {_named(owner.func)}()"


def _named(function: object) -> str:
    return str(attempted(lambda: function.__qualname__, name_of_class(function)))  # type: ignore[attr-defined]  # most have one


def _of_cell(cell: CellType) -> Iterator[str]:
    for closure in gc.get_referrers(cell):
        if is_a(closure, tuple):
            for function in gc.get_referrers(closure):
                if is_a(function, FunctionType) and function.__closure__ is closure and not is_of_a_look(function):
                    at = next(at for at, content in enumerate(closure) if content is cell)
                    yield f"closure of {_named(function)}(): {function.__code__.co_freevars[at]}"


def _of_frame(frame: FrameType, ids: set[int]) -> list[str]:
    code = frame.f_code
    own = {*code.co_varnames, *code.co_cellvars}
    return [
        word(f"{name} in {code.co_name}()")
        for name, value in variables_of(frame).items()
        if name in own and id(value) in ids
    ]
