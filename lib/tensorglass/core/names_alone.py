"""Modules of PyTorch's subjects that are left out here: each can be imported, and has PyTorch's names and no more.

Libraries import such names at their beginning, to ask of things what they are or for ways through them that a program
may never take. `names_alone.txt` has the table: a line for each module, with its names, written ``f()`` for a function,
``Kind`` for a class, ``Kind<Base`` for one of a base that the module has, ``Error!`` for an exception and
``Kind=MEMBER,OTHER`` for an enumeration. Functions refuse to be called, and classes to be made; no object is of such a
class. `docs/make_from_pytorch.py` writes the table.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any

from tensorglass.core.left_out import LeftOut, left_out

#: Where functions are that the modules of a subject have in PyTorch and that are not left out.
_IN_WHOLE = {"_functorch": "tensorglass.func"}

_TABLE = os.path.join(os.path.dirname(__file__), "names_alone.txt")


@lru_cache(maxsize=1)
def table() -> Mapping[str, list[str]]:
    """The names of each module, such as "fx.passes.shape_prop", as they are written in the file."""
    with open(_TABLE, encoding="utf-8") as file:
        lines = file.read().replace("\n  ", " ").splitlines()
    return {module: names.split() for module, _, names in (line.partition(":") for line in lines)}


@lru_cache(maxsize=1)
def _packages() -> frozenset[str]:
    """The modules of the table, and those above them."""
    parts = [module.split(".") for module in table()]
    return frozenset(".".join(names[:length]) for names in parts for length in range(1, len(names) + 1))


def is_module(path: str) -> bool:
    """Whether the table has this module, such as "fx.passes", or one beneath it."""
    return path in _packages()


def names_of(module: str) -> list[str]:
    """The names of a module, without their kinds."""
    return [_bare(entry) for entry in table().get(module, ())]


def name_alone(module: str, name: str) -> Any:
    """What a module has under this name; None if there is no such name.

    What a package has too is taken from there, so that it is the same object.
    """
    if module not in table():
        return None
    parts = module.split(".")
    for length in range(1, len(parts)):
        above = ".".join(parts[:length])
        if name in names_of(above):
            return getattr(import_module(f"tensorglass.{above}"), name)
    kind = next((entry[len(name) :] for entry in table()[module] if _bare(entry) == name), None)
    if kind is not None:
        return _made(module, name, kind)
    whole = _IN_WHOLE.get(parts[0])
    return getattr(import_module(whole), name, None) if whole else None


def fill(module: ModuleType) -> None:
    """Make a new module one of the table."""
    path = module.__name__.removeprefix("tensorglass.")
    names = names_of(path)
    module.__doc__ = f"`torch.{path}`: names that programs import, and no more. Using one is refused."
    vars(module).update(__all__=names, __dir__=lambda: sorted({*names, *vars(module)}))


def _bare(entry: str) -> str:
    return re.split(r"[(!<=]", entry, maxsplit=1)[0]


def _made(module: str, name: str, kind: str) -> Any:
    if kind == "()":
        return left_out(f"{module}.{name}")
    home = {"__module__": f"tensorglass.{module}", "__doc__": "A name, and no more: no object of it can be made."}
    if kind.startswith("="):
        members = kind[1:].split(",") if kind[1:] else []
        return Enum(name, members, module=home["__module__"])
    if kind == "!":
        return type(name, (RuntimeError,), home)
    bases = (getattr(import_module(f"tensorglass.{module}"), kind[1:]),) if kind else ()
    return type(name, (*bases, LeftOut), home)
