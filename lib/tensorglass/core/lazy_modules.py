"""Modules that a package imports when one of them, or a name from one of them, is first used.

Python calls a module's `__getattr__` for names that it does not find among its globals. What is found here becomes a
global, so it is looked up once; ``import a.b`` and ``from a import b`` still work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from tensorglass.core.refusing import refusing

Look = Callable[[str], Any]


def fetching(there: dict[str, Any], modules: Mapping[str, Iterable[str]], beyond: Look | None = None) -> Look:
    """Make `__getattr__` for a package whose globals are `there`.

    `modules` maps each lazily imported module to the names that come from it; `beyond` handles all other names.
    """
    package = there["__name__"]
    module_of = {name: module for module, names in modules.items() for name in names}

    def look(name: str) -> Any:
        if name in module_of:
            value = there[name] = getattr(import_module(f"{package}.{module_of[name]}"), name)
            return value
        if name in modules:
            return import_module(f"{package}.{name}")
        return (beyond or refusing(package.removeprefix("tensorglass.")))(name)

    return look
