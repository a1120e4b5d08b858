"""Who holds tensors: variables, and what is in the lists, dicts, modules and objects that they hold.

A tensor lives as long as anything holds it, so each is listed once, with every path that leads to it.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Mapping
from types import CellType, FrameType
from typing import Any

from glassroom.reading.guarded import is_a, module_of_class, name_of_class
from glassroom.reading.places import tensors_at
from glassroom.records.printable import printable


def held_by(namespace: Mapping[str, object]) -> dict[int, tuple[Any, list[str]]]:
    """Every tensor that a namespace leads to, by its id: the tensor, and the paths to it, the shortest first."""
    by_id: dict[int, tuple[Any, list[str]]] = {}
    for path, tensor in tensors_at((printable(name), value) for name, value in namespace.items() if name[:1] != "_"):
        by_id.setdefault(id(tensor), (tensor, []))[1].append(path)
    return by_id


def everywhere(known: Iterable[int]) -> list[tuple[Any, str]]:
    """Tensors of the whole process that are not among the `known` ids, each with who holds it, in words.

    Python's garbage collector knows all of them except arrays that no object it tracks refers to. The arrays inside
    tensorglass's own storages are left out: they are the tensors' memory.
    """
    skip = set(known)
    libraries = (("tensorglass", "Tensor"), ("torch", "Tensor"), ("numpy", "ndarray"), ("cupy", "ndarray"))
    wanted = tuple(filter(None, (getattr(sys.modules.get(module), name, None) for module, name in libraries)))
    kinds: dict[type, bool] = {}

    def is_tensor(value: object) -> bool:
        kind = type(value)  # isinstance may run the object's own `__class__`
        if kind not in kinds:
            kinds[kind] = issubclass(kind, wanted)
        return kinds[kind]

    objects = gc.get_objects()
    tensors: dict[int, Any] = {id(tensor): tensor for tensor in objects if is_tensor(tensor)}
    holders: dict[int, list[str]] = {}
    for holder in objects:
        if holder is tensors or type(holder) is FrameType or is_tensor(holder):
            continue
        for referent in gc.get_referents(holder):
            if is_tensor(referent) and id(referent) not in skip:
                if module_of_class(type(holder)).partition(".")[0] == "tensorglass":
                    skip.add(id(referent))
                tensors.setdefault(id(referent), referent)
                holders.setdefault(id(referent), []).append(_in_words(holder, referent))
    return [
        (tensor, holders.get(key, ["held by a running function, or by C++"])[0])
        for key, tensor in tensors.items()
        if key not in skip
    ]


def _in_words(holder: object, tensor: object) -> str:
    """Words for the place of the tensor in `holder`."""
    if is_a(holder, dict):
        key = next((key for key, value in holder.items() if value is tensor), None)
        module = holder.get("__name__") if isinstance(key, str) else None
        owner = f"variable {key} of module {module}" if isinstance(module, str) and module in sys.modules else None
        return printable(owner or f"in a dict, as {key!r}" if isinstance(key, str | int) else "in a dict")
    if is_a(holder, (list, tuple, set, frozenset)):
        return f"in a {name_of_class(holder)} of {len(holder)}"
    if is_a(holder, CellType):
        return "in a closure"
    return f"in an object: {name_of_class(holder)}"
