"""Modules that a package fetches when somebody first asks for one of them, or for a name that it has of one.

Python calls a module's `__getattr__` for names that it does not find among its globals. What is found here becomes one
of them, so that nobody asks twice; ``import a.b`` and ``from a import b`` go on working.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

Look = Callable[[str], Any]


def fetching(there: dict[str, Any], modules: Mapping[str, Iterable[str]], beyond: Look | None = None) -> Look:
    """`__getattr__` of a package whose globals are `there`.

    `modules` are those that it fetches, each with the names that it has of it; `beyond` is asked for all others.
    """
    package = there["__name__"]
    module_of = {name: module for module, names in modules.items() for name in names}

    def look(name: str) -> Any:
        if name in module_of:
            found = there[name] = getattr(import_module(f"{package}.{module_of[name]}"), name)
            return found
        if name in modules:
            return import_module(f"{package}.{name}")
        if beyond is not None:
            return beyond(name)
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return look
