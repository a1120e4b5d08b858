"""Where tensors are held: in variables, containers, networks, optimizers and objects, each with its path. The one idea:
contents are read from where Python stores them (dicts, slots, the items of lists), and no code of the program's is
called: no `items`, no `__getattr__`, no `named_parameters`. So reading cannot raise, and changes nothing. Networks and
optimizers are recognised by their base class, wherever their own class comes from.
"""

from __future__ import annotations

import sys
import weakref
from argparse import Namespace
from collections import OrderedDict, UserDict, UserList, deque
from collections.abc import Iterable, Iterator
from functools import cache, partial
from itertools import islice
from pathlib import Path
from types import FunctionType, MemberDescriptorType, MethodType, ModuleType, SimpleNamespace
from typing import Any, cast

from glassroom.reading.adapters import adapter_for, is_plain
from glassroom.reading.guarded import attempted, contents_of, is_a, module_of_class, mro_of
from glassroom.reading.nodes import gradient_of
from glassroom.reading.parts import by_layout, over_storage, references_in, set_on, with_parts
from glassroom.records.printable import printable

MOST_DEPTH = 8  # containers within containers; the modules of a network count as one
MOST_VISITED = 200_000  # objects visited on the way
SIMPLE = (str, bytes, int, float, complex, type(None), type, ModuleType, FunctionType, MethodType)
# By id, since a metaclass may make classes equal.
_PLAIN_VALUES = frozenset(map(id, (str, bytes, bool, int, float, complex, type(None), FunctionType, MethodType)))
_PLAIN_CONTAINERS = frozenset(map(id, (dict, list, tuple, set, frozenset, deque, OrderedDict)))
_CONTAINERS = (dict, list, tuple, deque, set, frozenset, UserDict, UserList)
OF_MODULES = {"_parameters", "_buffers", "_modules"}
OF_OPTIMIZERS = {"param_groups", "state"}

_BASES = (("nn", "Module"), ("optim", "Optimizer"))

Place = tuple[str, object]  # a path and the object there
Slot = tuple[int, str]

_known_slots: dict[int, tuple[weakref.ref[type], list[Slot]]] = {}  # by the ids of classes


def tensors_at(places: Iterable[Place], most: int = MOST_VISITED) -> Iterator[Place]:
    """Every tensor that `places` lead to, by every path, the shortest first; at most `most` objects are visited.
    Objects are searched if their class belongs to the program (not to an installed package), to PyTorch or to
    tensorglass; networks and optimizers always are.
    """
    return ((path, value) for path, value in everything_at(places, most) if adapter_for(value) is not None)


def everything_at(
    places: Iterable[Place], most: int = MOST_VISITED, known: Iterable[int] = (), searched: set[int] | None = None
) -> Iterator[Place]:
    """Like `tensors_at`, with the containers and objects on the way, each before what it holds; without empty
    containers. Objects whose ids are `known` are not searched; the ids of those that were, with all that they hold, are
    added to `searched`.
    """
    seen = set(known)
    parts: list[list[Place]] = []  # holding them keeps the ids unique: some are new headers, made by reading
    level = [place for place in places if _may_hold(place[1])]
    visited = 0
    for depth in range(MOST_DEPTH):
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
                elif not _leads_on(value):
                    continue
                inner, passed = _what_can_be_read(path, value, is_tensor, most - visited)
                if is_tensor and inner:
                    parts.append(inner)
                visited += passed
                below += inner
                if searched is not None and depth + 1 < MOST_DEPTH and visited < most:
                    searched.add(id(value))
        level = below


def _may_hold(value: object) -> object:
    """Whether a value may be or hold a tensor: it is no number and no text, and no empty container."""
    kind = id(type(value))
    return kind not in _PLAIN_VALUES and (kind not in _PLAIN_CONTAINERS or value)


def _what_can_be_read(path: str, value: object, is_tensor: bool, most: int) -> tuple[list[Place], int]:
    """Of the first `most` things in a tensor, a container or an object, up to the first that raises: those that may be
    or hold tensors, with their paths, and how many were passed.
    """
    kind = type(value)
    if kind is dict or kind is list or kind is tuple:  # most are, and nothing in them can raise
        held = list(islice(_inside(path, value), most))
        return [place for place in held if _may_hold(place[1])], len(held)
    places: list[Place] = []
    passed = 0

    def read() -> None:
        nonlocal passed
        if not is_tensor and _is_network(value):
            passed = _read_module(path, value, (), places, most)
            return
        for place in islice(_of_tensor(path, value) if is_tensor else _inside(path, value), most):
            passed += 1
            if _may_hold(place[1]):
                places.append(place)

    attempted(read, None)
    return places, max(passed, len(places))


def _leads_on(tensor: object) -> bool:
    """Whether a tensor or its gradient may have parts, or something set on it."""
    if not is_plain(tensor):
        return True
    gradient = gradient_of(tensor) if cast("Any", tensor).requires_grad else None
    return gradient is not None and not is_plain(gradient)


def _of_tensor(path: str, tensor: object) -> Iterator[Place]:
    """The parts of a tensor, what is set on it (`weight.main_grad`), and the parts of its gradient."""
    if not is_plain(tensor):
        yield from ((f"{path}{step}", item) for step, item in (*by_layout(tensor), *set_on(tensor)))
        yield from ((f"{path}{step}", item) for step, item in references_in(tensor))
    gradient = gradient_of(tensor)
    if gradient is not None:
        yield from islice(with_parts(f"{path}.grad", gradient), 1, None)


def _dict_of(value: object) -> dict[str, object]:
    """An object's dict; empty if its class overrides `__dict__`."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except KeyboardInterrupt:
        raise
    except BaseException:  # a property may raise anything
        return {}
    return dict.copy(own) if is_a(own, dict) else {}


def _inside(path: str, value: object) -> Iterator[Place]:
    """What a container or an object holds, with the paths to it."""
    kind = type(value)
    if issubclass(kind, dict):
        for at, (key, item) in enumerate(list(dict.items(cast("dict[object, object]", value)))):
            yield f"{path}[{printable(repr(key)) if type(key) is str or type(key) is int else f'#{at}'}]", item
    elif issubclass(kind, list | tuple | deque | set | frozenset):
        base = next(builtin for builtin in (list, tuple, deque, set, frozenset) if issubclass(kind, builtin))
        is_ordered = base not in (set, frozenset)
        for at, item in enumerate(list(base.__iter__(cast("Any", value)))):  # not by an `__iter__` of its class
            yield f"{path}[{at}]" if is_ordered else f"{path}: element", item
    elif issubclass(kind, UserDict | UserList):
        yield from _inside(path, attributes_of(value).get("data"))
    elif is_a(value, memoryview):
        yield f"{path}.obj", value.obj
    elif is_a(value, _futures()):
        yield f"{path}.result()", attempted(lambda: cast("Any", value)._result, None)
    elif is_a(value, getattr(sys.modules.get("torch"), "UntypedStorage", ())):
        yield from ((path, tensor) for _, tensor in over_storage(value))
    elif _is_looked_into(value):
        attributes = attributes_of(value)
        if attributes.keys() >= OF_OPTIMIZERS:  # an optimizer: the parameters in its groups belong to others
            yield f"{path}.state", attributes["state"]
        else:
            yield from ((f"{path}.{name}", item) for name, item in attributes.items())


def _is_network(value: object) -> bool:
    """Whether an object is a network whose attributes are searched."""
    return not issubclass(type(value), _CONTAINERS) and _dict_of(value).keys() >= OF_MODULES and _is_looked_into(value)


def _read_module(path: str, module: object, above: tuple[object, ...], places: list[Place], most: int) -> int:
    """Add to `places` what a network holds, among the first `most` things in it: parameters, buffers, attributes, and
    the same of the modules in it. Returns how many things were passed.

    A tensor or a module that occurs twice, as tied weights do, is listed twice.
    """
    attributes = attributes_of(module)
    passed = 0
    others = {name: item for name, item in attributes.items() if name not in OF_MODULES}
    for held in (attributes.get("_parameters"), attributes.get("_buffers"), others):
        if held and is_a(held, dict):
            items = list(dict.items(held))[: most - passed]
            passed += len(items)
            places += [(f"{path}.{name}", item) for name, item in items if _may_hold(item)]
    for name, item in modules_in(module):
        if passed < most and not any(item is other for other in (*above, module)):
            passed += _read_module(f"{path}.{name}", item, (*above, module), places, most - passed)
    return passed


def is_network_or_optimizer(value: object) -> bool:
    """Whether an object is a network or an optimizer, by its attributes."""
    made_of = attributes_of(value).keys()
    return made_of >= OF_MODULES or made_of >= OF_OPTIMIZERS


def modules_in(module: object) -> list[Place]:
    """The modules that a network holds directly, by their names in it."""
    inner = _dict_of(module).get("_modules")
    return [(name, item) for name, item in dict.items(inner) if item is not None] if is_a(inner, dict) else []


def attributes_of(value: object) -> dict[str, object]:
    """What an object has in its dict and in its slots, read without any `__getattr__` of its class."""
    attributes: dict[str, object] = {}
    classes = mro_of(type(value))
    for at, name in _slots_of(type(value)):
        try:
            attributes[name] = contents_of(classes[at])[name].__get__(value)
        except AttributeError:  # the slot is empty
            continue
    return {**attributes, **_dict_of(value)}


def _slots_of(kind: type) -> list[Slot]:
    """The slots of a class: their place in its MRO, and their names. They are searched once for each class."""
    known, slots = _known_slots.get(id(kind), (None, []))
    if known is None or known() is not kind:
        slots = [
            (at, name)
            for at, base in reversed([*enumerate(mro_of(kind))])
            for name, slot in contents_of(base).items()
            if type(slot) is MemberDescriptorType and not name.startswith("__")
        ]
        # By id, since a metaclass may make classes equal; and not the slot itself, which would keep its class alive.
        _known_slots[id(kind)] = weakref.ref(kind, partial(_forget, id(kind))), slots
    return slots


def _forget(number: int, _: object) -> None:
    _known_slots.pop(number, None)


def _is_looked_into(value: object) -> bool:
    """Whether an object's attributes are searched: those of the program's and the libraries' objects, networks and
    optimizers.
    """
    kind = type(value)
    if kind is SimpleNamespace or kind is Namespace or is_a(value, _networks_and_optimizers()):
        return True
    module = module_of_class(kind)
    root = module.partition(".")[0]
    # glassroom's own pictures hold no tensors, and have very many parts.
    return root in ("torch", "tensorglass") or (root != "glassroom" and is_of_a_program(module))


def _futures() -> tuple[type, ...]:
    """The classes of what threads and coroutines have computed, of the modules that are imported."""
    modules = (sys.modules.get(name) for name in ("_asyncio", "concurrent.futures._base"))
    return tuple(filter(None, [getattr(module, "Future", None) for module in modules]))


def _networks_and_optimizers() -> tuple[type, ...]:
    """The base classes of networks and optimizers, of the libraries that are imported."""
    places = [(library, *place) for library in ("torch", "tensorglass") for place in _BASES]
    classes = [getattr(sys.modules.get(f"{library}.{module}"), name, None) for library, module, name in places]
    return tuple(filter(None, classes))


@cache
def is_of_a_program(module: str | None) -> bool:
    """Whether a module is part of the user's program, not of an installed package."""
    root = (module or "").partition(".")[0]
    if root == "__main__":
        return True
    if root in sys.stdlib_module_names or root in ("torch", "tensorglass"):
        return False
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    return file is not None and not {"site-packages", "dist-packages"}.intersection(Path(file).parts)
