"""Families of operators that few programs use: their modules are imported on first use.

`lazy_names.txt` says which names each gives: ``linalg.det`` in the namespace, ``Tensor.det`` as a method. It is made by
`python docs/make_operators.py`. Until such a module is imported, only the names exist: the namespace looks them up in
its `__getattr__`, and Tensor has an `Awaited` in place of each method. After that they are like all other operators.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from tensorglass.tensor.tensor import Tensor


def read_blocks(path: str | os.PathLike[str]) -> dict[str, list[str]]:
    """The indented lines of a file, by the heading above them."""
    names: dict[str, list[str]] = {}
    lines: list[str] = []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith(" "):
                lines.append(line.strip())
            else:
                lines = names[line] = []
    return names


_NAMES = read_blocks(os.path.join(os.path.dirname(__file__), "lazy_names.txt"))
#: The families by module, each with the names that it gives.
FAMILIES = {family: " ".join(lines).split() for family, lines in _NAMES.items()}
_FAMILY_OF = {path: family for family, paths in FAMILIES.items() for path in paths}


def fetch(path: str) -> bool:
    """Import the family that provides this name. Returns False if there is none."""
    family = _FAMILY_OF.get(path)
    if family is None:
        return False
    import_module(f"tensorglass.{family}")
    return True


def fetch_all() -> None:
    """Import every family: from then on the operator table is complete."""
    for family in FAMILIES:
        import_module(f"tensorglass.{family}")


def awaited() -> list[str]:
    """The names that all families provide, whether imported or not."""
    return list(_FAMILY_OF)


class Awaited:
    """A descriptor for a method that is not loaded yet. Reading it imports the family and returns the method."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, tensor: Tensor | None, owner: type) -> Any:
        fetch(f"Tensor.{self._name}")
        return vars(Tensor)[self._name].__get__(tensor, owner)
