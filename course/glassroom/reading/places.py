"""Where tensors are held: in variables, containers, networks, optimizers and objects, each with the path to it.

The one idea: what is held is read from where Python keeps it, dicts, slots and the items of lists, and nothing of the
program's own is called: no `items`, no `__getattr__`, no `named_parameters`. So a look cannot raise, and changes
nothing.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import UserDict, UserList, deque
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from types import FunctionType, MemberDescriptorType, MethodType, ModuleType, SimpleNamespace
from typing import Any, cast

from glassroom.reading.adapters import adapter_for
from glassroom.records.printable import printable

MOST_DEPTH = 8  # containers within containers; the modules of a network count as one
MOST_VISITED = 200_000  # things looked at on the way
SIMPLE = (str, bytes, int, float, complex, type(None), type, ModuleType, FunctionType, MethodType)
OF_MODULES = {"_parameters", "_buffers", "_modules"}
OF_OPTIMIZERS = {"param_groups", "state"}

Place = tuple[str, object]  # a path and what is there


def tensors_at(places: Iterable[Place], most: int = MOST_VISITED) -> Iterator[Place]:
    """Every tensor that `places` lead to, by every path, the shortest first; `most` things are visited at most.

    Objects are looked into if their class is of a program, not of an installed package, or of PyTorch or tensorglass.
    """
    return ((path, value) for path, value in everything_at(places, most) if adapter_for(value) is not None)


def everything_at(places: Iterable[Place], most: int = MOST_VISITED, known: Iterable[int] = ()) -> Iterator[Place]:
    """As `tensors_at`, with the containers and objects on the way, each before what it holds.

    Objects whose ids are `known` are not looked into.
    """
    seen = set(known)
    level = list(places)
    visited = 0
    for _ in range(MOST_DEPTH):
        below: list[Place] = []
        for path, value in level:
            if issubclass(type(value), SIMPLE):
                continue
            is_tensor = adapter_for(value) is not None
            if is_tensor:
                yield path, value
            if id(value) not in seen and visited < most:
                seen.add(id(value))
                if not is_tensor:
                    yield path, value
                held = _set_on_a_tensor(path, value) if is_tensor else _inside(path, value)
                inner = list(islice(held, most - visited))
                visited += len(inner)
                below += inner
        level = below


def _set_on_a_tensor(path: str, tensor: object) -> Iterator[Place]:
    """What a program has set on a tensor: `weight.main_grad`."""
    try:
        own = object.__getattribute__(tensor, "__dict__")
    except AttributeError:
        return
    if own and isinstance(own, dict):
        yield from ((f"{path}.{name}", item) for name, item in list(dict.items(own)))


def _inside(path: str, value: object) -> Iterator[Place]:
    """What a container or an object holds, with the paths to it."""
    kind = type(value)
    if issubclass(kind, dict):
        for at, (key, item) in enumerate(list(dict.items(cast("dict[object, object]", value)))):
            yield f"{path}[{printable(repr(key)) if type(key) in (str, int) else f'#{at}'}]", item
    elif issubclass(kind, list | tuple | deque | set | frozenset):
        base = next(each for each in (list, tuple, deque, set, frozenset) if issubclass(kind, each))
        is_ordered = base not in (set, frozenset)
        for at, item in enumerate(list(base.__iter__(cast("Any", value)))):  # past an `__iter__` of its class
            yield f"{path}[{at}]" if is_ordered else f"{path}: element", item
    elif issubclass(kind, UserDict | UserList):
        yield from _inside(path, attributes_of(value).get("data"))
    elif _is_looked_into(kind):
        attributes = attributes_of(value)
        if attributes.keys() >= OF_MODULES:
            yield from _of_module(path, value, ())
        elif attributes.keys() >= OF_OPTIMIZERS:  # an optimizer, whose groups are others' parameters
            yield f"{path}.state", attributes["state"]
        else:
            yield from ((f"{path}.{name}", item) for name, item in attributes.items())


def _of_module(path: str, module: object, above: tuple[object, ...]) -> Iterator[Place]:
    """What a network holds: parameters, buffers, plain attributes, and the same of the modules in it.

    A tensor or a module that is there twice, as tied weights are, is told twice.
    """
    attributes = attributes_of(module)
    for kind in ("_parameters", "_buffers"):
        held = attributes.get(kind)
        if isinstance(held, dict):
            yield from ((f"{path}.{name}", item) for name, item in list(dict.items(held)))
    yield from (
        (f"{path}.{name}", item)
        for name, item in attributes.items()
        if name not in ("_parameters", "_buffers", "_modules")
    )
    for name, item in modules_in(module):
        if not any(item is each for each in (*above, module)):
            yield from _of_module(f"{path}.{name}", item, (*above, module))


def is_network_or_optimizer(value: object) -> bool:
    """Whether an object is a network or an optimizer, by what it is made of."""
    made_of = attributes_of(value).keys()
    return made_of >= OF_MODULES or made_of >= OF_OPTIMIZERS


def modules_in(module: object) -> list[Place]:
    """The modules that a network holds directly, by their names in it."""
    inner = attributes_of(module).get("_modules")
    return [(name, item) for name, item in dict.items(inner) if item is not None] if isinstance(inner, dict) else []


def attributes_of(value: object) -> dict[str, object]:
    """What an object has in its dict and in its slots, read past any `__getattr__` of its class."""
    found: dict[str, object] = {}
    for kind in reversed(type(value).__mro__):
        for name, slot in vars(kind).items():
            if isinstance(slot, MemberDescriptorType) and not name.startswith("__"):
                try:
                    found[name] = slot.__get__(value)
                except AttributeError:  # nothing is in it yet
                    continue
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return found
    return {**found, **own} if isinstance(own, dict) else found


def _is_looked_into(kind: type) -> bool:
    """Whether the attributes of objects of a class are looked at: those of a program, and of the libraries."""
    if kind in (SimpleNamespace, Namespace):
        return True
    module = kind.__module__ if isinstance(kind.__module__, str) else ""
    root = module.partition(".")[0]
    # glassroom's own pictures keep no tensors, and have very many parts.
    return root in ("torch", "tensorglass") or (root != "glassroom" and is_of_a_program(module))


@cache
def is_of_a_program(module: str | None) -> bool:
    """Whether a module is part of somebody's program, and of no installed package."""
    root = (module or "").partition(".")[0]
    if root == "__main__":
        return True
    if root in sys.stdlib_module_names or root in ("torch", "tensorglass"):
        return False
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    return file is not None and not {"site-packages", "dist-packages"}.intersection(Path(file).parts)
