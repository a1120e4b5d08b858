"""Families of operators that few programs use: their modules are fetched when somebody first asks for one of them.

`lazy_names.txt` says which names each gives: ``linalg.det`` in the namespace, ``Tensor.det`` as a method. It is made by
`python docs/make_operators.py`. Until such a module is fetched nothing of it is there but names; the namespace looks
them up when Python finds no such global, and Tensor has an `Awaited` in the place of each method. From then on they are
what all others are.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from tensorglass.tensor.tensor import Tensor


def read_blocks(path: str | os.PathLike[str]) -> dict[str, list[str]]:
    """The text of a file by its headings: under each, the lines that are indented."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith(" "):
                lines.append(line.strip())
            else:
                lines = found[line] = []
    return found


_NAMES = read_blocks(os.path.join(os.path.dirname(__file__), "lazy_names.txt"))
#: The families by module, each with the names that it gives.
FAMILIES = {family: " ".join(lines).split() for family, lines in _NAMES.items()}
_FAMILY_OF = {path: family for family, paths in FAMILIES.items() for path in paths}


def fetch(path: str) -> bool:
    """Fetch the family that gives this name. False: none does."""
    family = _FAMILY_OF.get(path)
    if family is None:
        return False
    import_module(f"tensorglass.{family}")
    return True


def fetch_all() -> None:
    """Fetch every family: the operator table is complete from then on."""
    for family in FAMILIES:
        import_module(f"tensorglass.{family}")


def awaited() -> list[str]:
    """The names of all families, whether fetched or not."""
    return list(_FAMILY_OF)


class Awaited:
    """A method of a family that is not there yet. Looking at it fetches the family, and finds the method."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, tensor: Tensor | None, owner: type) -> Any:
        fetch(f"Tensor.{self._name}")
        return vars(Tensor)[self._name].__get__(tensor, owner)
