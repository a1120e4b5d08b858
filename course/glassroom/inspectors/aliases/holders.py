"""Who holds tensors: variables, and what is in the lists, dicts, modules and objects that they hold.

The one idea to keep in mind: a tensor lives as long as anybody holds it, so each is listed once, with every path that
leads to it. Walking through containers computes nothing and calls nothing but what lists parameters and buffers.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import CellType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from glassroom.reading.adapters import adapter_for
from glassroom.records.printable import printable

MOST_DEPTH = 5
MOST_VISITED = 200_000  # things looked at on the way
SIMPLE = (str, bytes, int, float, complex, type(None), type, ModuleType, FunctionType, MethodType)


def held_by(namespace: Mapping[str, object]) -> dict[int, tuple[Any, list[str]]]:
    """Every tensor that a namespace leads to, by its id: the tensor, and the paths to it, the shortest first.

    Objects are looked into if their class is of a program, not of an installed package, or of PyTorch or tensorglass.
    """
    found: dict[int, tuple[Any, list[str]]] = {}
    seen: set[int] = set()
    level: list[tuple[str, object]] = [(printable(name), value) for name, value in namespace.items() if name[:1] != "_"]
    visited = 0
    for _ in range(MOST_DEPTH):
        below: list[tuple[str, object]] = []
        for path, value in level:
            if isinstance(value, SIMPLE):
                continue
            if adapter_for(value) is not None:
                found.setdefault(id(value), (value, []))[1].append(path)
            elif id(value) not in seen and visited < MOST_VISITED:
                seen.add(id(value))
                inner = list(_inside(path, value))
                visited += len(inner)
                below += inner
        level = below
    return found


def _inside(path: str, value: Any) -> Iterator[tuple[str, object]]:
    """What a container holds, with the paths to it."""
    if isinstance(value, Mapping):
        try:
            items = list(value.items())
        except Exception:  # a mapping of somebody's own, which cannot be read now
            return
        for at, (key, item) in enumerate(items):
            yield (f"{path}[{printable(repr(key))}]" if isinstance(key, str | int) else f"{path}[#{at}]"), item
    elif isinstance(value, list | tuple):
        yield from ((f"{path}[{at}]", item) for at, item in enumerate(value))
    elif isinstance(value, set | frozenset):
        yield from ((f"{path}: element", item) for item in value)
    elif callable(getattr(type(value), "named_parameters", None)):
        yield from ((f"{path}.{name}", item) for name, item in value.named_parameters())
        buffers = getattr(value, "named_buffers", None)
        yield from ((f"{path}.{name}", item) for name, item in (buffers() if callable(buffers) else ()))
    elif isinstance(getattr(value, "param_groups", None), list) and isinstance(getattr(value, "state", None), Mapping):
        yield f"{path}.state", value.state
    elif _is_looked_into(type(value)):
        yield from ((f"{path}.{name}", item) for name, item in getattr(value, "__dict__", {}).items())


def _is_looked_into(kind: type) -> bool:
    """Whether the attributes of objects of a class are looked at: those of a program, and of the libraries."""
    module = kind.__module__
    root = module.partition(".")[0]
    if root in ("__main__", "torch", "tensorglass"):
        return True
    if root in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is not None and not {"site-packages", "dist-packages"}.intersection(Path(file).parts)


def everywhere(known: Iterable[int]) -> list[tuple[Any, str]]:
    """Tensors of the whole process that are not among the `known` ids, each with who holds it, in words.

    Python's collector knows them all but arrays that nothing else of Python's refers to. The arrays inside of
    tensorglass's own storages are not counted: they are the tensors' memory.
    """
    skip = set(known)
    libraries = (("tensorglass", "Tensor"), ("torch", "Tensor"), ("numpy", "ndarray"), ("cupy", "ndarray"))
    wanted = tuple(filter(None, (getattr(sys.modules.get(module), name, None) for module, name in libraries)))
    kinds: dict[type, bool] = {}

    def is_tensor(value: object) -> bool:
        kind = type(value)  # isinstance would ask the object, and some objects answer with code of their own
        if kind not in kinds:
            kinds[kind] = issubclass(kind, wanted)
        return kinds[kind]

    objects = gc.get_objects()
    found: dict[int, Any] = {id(each): each for each in objects if is_tensor(each)}
    holders: dict[int, list[str]] = {}
    for holder in objects:
        if holder is found or type(holder) is FrameType or is_tensor(holder):
            continue
        for each in gc.get_referents(holder):
            if is_tensor(each) and id(each) not in skip:
                if type(holder).__module__.partition(".")[0] == "tensorglass":
                    skip.add(id(each))
                found.setdefault(id(each), each)
                holders.setdefault(id(each), []).append(_in_words(holder, each))
    return [
        (tensor, holders.get(key, ["held by a running function, or by C++"])[0])
        for key, tensor in found.items()
        if key not in skip
    ]


def _in_words(holder: object, tensor: object) -> str:
    """Where in `holder` the tensor is, in words."""
    if isinstance(holder, dict):
        key = next((key for key, value in holder.items() if value is tensor), None)
        module = holder.get("__name__") if isinstance(key, str) else None
        owner = f"variable {key} of module {module}" if isinstance(module, str) and module in sys.modules else None
        return printable(owner or f"in a dict, as {key!r}" if isinstance(key, str | int) else "in a dict")
    if isinstance(holder, list | tuple | set | frozenset):
        return f"in a {type(holder).__name__} of {len(holder)}"
    if isinstance(holder, CellType):
        return "in a closure"
    return f"in an object: {type(holder).__name__}"
