"""Where tensors are held: in variables, containers, networks, optimizers and objects, each with the path to it.

The one idea: what is held is read from where Python keeps it, dicts, slots and the items of lists, and nothing of the
program's own is called: no `items`, no `__getattr__`, no `named_parameters`. So a look cannot raise, and changes
nothing. Networks and optimizers are known by their base class, wherever their own class comes from.
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
from glassroom.reading.guarded import attempted, classes_of, contents_of, is_a, module_of_class
from glassroom.records.printable import printable

MOST_DEPTH = 8  # containers within containers; the modules of a network count as one
MOST_VISITED = 200_000  # things looked at on the way
SIMPLE = (str, bytes, int, float, complex, type(None), type, ModuleType, FunctionType, MethodType)
OF_MODULES = {"_parameters", "_buffers", "_modules"}
OF_OPTIMIZERS = {"param_groups", "state"}

_BASES = (("nn", "Module"), ("optim", "Optimizer"))

Place = tuple[str, object]  # a path and what is there


def tensors_at(places: Iterable[Place], most: int = MOST_VISITED) -> Iterator[Place]:
    """Every tensor that `places` lead to, by every path, the shortest first; `most` things are visited at most.

    Objects are looked into if their class is of a program, not of an installed package, or of PyTorch or tensorglass;
    networks and optimizers always.
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
                inner = _what_can_be_read(islice(held, most - visited))
                visited += len(inner)
                below += inner
        level = below


def _what_can_be_read(places: Iterator[Place]) -> list[Place]:
    """The places that come before one that raises."""
    found: list[Place] = []
    attempted(lambda: found.extend(places), None)
    return found


def _set_on_a_tensor(path: str, tensor: object) -> Iterator[Place]:
    """What a program has set on a tensor: `weight.main_grad`."""
    yield from ((f"{path}.{name}", item) for name, item in _dict_of(tensor).items())


def _dict_of(value: object) -> dict[str, object]:
    """What an object has in its dict; nothing where its class has something else in that one's place."""
    own = attempted(lambda: object.__getattribute__(value, "__dict__"), None)
    return dict(dict.items(own)) if own and is_a(own, dict) else {}


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
    elif _is_looked_into(value):
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
        if is_a(held, dict):
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
    return [(name, item) for name, item in dict.items(inner) if item is not None] if is_a(inner, dict) else []


def attributes_of(value: object) -> dict[str, object]:
    """What an object has in its dict and in its slots, read past any `__getattr__` of its class."""
    found: dict[str, object] = {}
    for kind in reversed(classes_of(value)):
        for name, slot in contents_of(kind).items():
            if type(slot) is MemberDescriptorType and not name.startswith("__"):
                try:
                    found[name] = slot.__get__(value)
                except AttributeError:  # nothing is in it yet
                    continue
    return {**found, **_dict_of(value)}


def _is_looked_into(value: object) -> bool:
    """Whether the attributes of an object are looked at: of a program's, of the libraries', of networks and
    optimizers.
    """
    kind = type(value)
    if kind is SimpleNamespace or kind is Namespace or is_a(value, _networks_and_optimizers()):
        return True
    module = module_of_class(kind)
    root = module.partition(".")[0]
    # glassroom's own pictures keep no tensors, and have very many parts.
    return root in ("torch", "tensorglass") or (root != "glassroom" and is_of_a_program(module))


def _networks_and_optimizers() -> tuple[type, ...]:
    """The classes that all networks and optimizers derive from, of the libraries that are there."""
    places = [(library, *place) for library in ("torch", "tensorglass") for place in _BASES]
    found = [getattr(sys.modules.get(f"{library}.{module}"), name, None) for library, module, name in places]
    return tuple(filter(None, found))


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
