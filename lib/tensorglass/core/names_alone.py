"""PyTorch's names that are left out here: whole modules, and names of modules that the library has.

Libraries import such names at their beginning, to ask of things what they are or for ways through them that a program
may never take, and programs ask with `hasattr` what there is. `names_alone.txt` has the table: a line for each module,
the first for ``torch`` itself, with its names, written ``f()`` for a function, ``Kind`` for a class, ``Kind<Base`` for
one of a base that the module has, ``Error!`` for an exception, ``Kind=MEMBER,OTHER`` for an enumeration, ``name:3`` for
a plain value, ``name?`` for a type that is only written in annotations, and ``name.`` for any other object. Functions
refuse to be called, and classes to be made; no object is of such a class. `docs/make_from_pytorch.py` writes the table.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Mapping
from enum import Enum
from functools import cache, lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any

from tensorglass.core.left_out import LeftOut, LeftOutValue, left_out

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


def name_alone(module: str, name: str, other: Any = None) -> Any:
    """What a module, "" for ``torch`` itself, has under this name; `other` if there is no such name.

    What a package has too is taken from there, so that it is the same object.
    """
    if module not in table():
        return other
    parts = module.split(".")
    for length in range(1, len(parts)):
        above = ".".join(parts[:length])
        if name in names_of(above):
            return getattr(import_module(f"tensorglass.{above}"), name)
    kind = next((entry[len(name) :] for entry in table()[module] if _bare(entry) == name), None)
    if kind is not None:
        return _made(module, name, kind)
    whole = _IN_WHOLE.get(parts[0])
    return getattr(import_module(whole), name, other) if whole else other


def fill(module: ModuleType) -> None:
    """Make a new module one of the table."""
    path = module.__name__.removeprefix("tensorglass.")
    names = names_of(path)
    module.__doc__ = f"`torch.{path}`: names that programs import, and no more. Using one is refused."
    vars(module).update(__all__=names, __dir__=lambda: sorted({*names, *vars(module)}))


def _bare(entry: str) -> str:
    return re.split(r"[(!<=:?.]", entry, maxsplit=1)[0]


@cache  # so that it is the same object whichever module is asked
def _made(module: str, name: str, kind: str) -> Any:
    path = f"{module}.{name}" if module else name
    home = f"tensorglass.{module}" if module else "tensorglass"
    if kind == "()":
        return left_out(path)
    if kind == "?":
        return Any
    if kind == ".":
        return LeftOutValue(path)
    if kind.startswith(":"):
        return ast.literal_eval(kind[1:])
    if kind.startswith("="):
        members = kind[1:].split(",") if kind[1:] else []
        return Enum(name, members, module=home)
    own = {"__module__": home, "__doc__": "A name, and no more: no object of it can be made."}
    if kind == "!":
        return type(name, (RuntimeError,), own)
    bases = (getattr(import_module(home), kind[1:]),) if kind else ()
    return type(name, (*bases, LeftOut), own)
