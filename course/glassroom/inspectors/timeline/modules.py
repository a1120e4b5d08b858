"""Which module of a network is running, and the path that names it.

The one idea: modules of tensorglass are found in the frames of their calls. So no hook is registered that an interrupt
could leave behind, and a module runs exactly as it does unwatched.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable
from types import FrameType
from typing import Any

from glassroom.reading.places import attributes_of
from glassroom.reading.roles import paths_of_modules


class ModulePaths:
    """The paths of the modules that variables lead to; a module that no variable leads to is named by its class."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], str]] = {}

    def know(self, objects: Iterable[tuple[str, object]]) -> None:
        """Note the paths of the networks among `objects`, and of the modules in them."""
        for path, value in objects:
            if "_modules" in attributes_of(value):
                self._name(path, value)

    def path_of(self, module: Any) -> str:
        """The path of a module."""
        known, path = self._known.get(id(module), (None, ""))
        if known is None or known() is not module:
            path = type(module).__name__
            self._known.pop(id(module), None)
            self._name(path, module)
        return path

    def around(self, frame: FrameType | None) -> str:
        """The path of the innermost tensorglass module that a frame runs in; "" outside of modules."""
        nn = sys.modules.get("tensorglass.nn")
        call = None if nn is None else nn.Module.__call__.__code__
        path, called = "", []
        while frame is not None and call is not None:
            if frame.f_code is call:
                called.append(frame.f_locals["self"])
            frame = frame.f_back
        for module in reversed(called):  # the outermost first: the paths of modules within it begin with its own
            path = self.path_of(module)
        return path

    def _name(self, path: str, network: Any) -> None:
        for inner, module in paths_of_modules(path, network):
            self._known.setdefault(id(module), (weakref.ref(module), inner))


def module_of(path: str) -> str:
    """The path of the module that the parameter at a path belongs to."""
    return path.rpartition(".")[0]
