"""Lines of code: the line that a program is at, and how a picture refers to it."""

from __future__ import annotations

import linecache
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from glassroom.records.printable import printable

_OTHERS = {"tensorglass", "torch", "glassroom"} | sys.stdlib_module_names
_is_of_users: dict[str, bool] = {}  # by module


class Place(NamedTuple):
    """A line of the user's code."""

    file: str
    line: int
    function: str


@dataclass(frozen=True)
class Where:
    """A line of code as people speak of it, "line 3" or "prepare(), line 6", and its source."""

    label: str
    source: str

    def __str__(self) -> str:
        return f"{self.label}: {self.source}" if self.source else self.label


def user_place(frame: FrameType | None) -> Place | None:
    """The innermost line of code that belongs neither to a library, nor to glassroom, nor to Python's own modules."""
    while frame is not None:
        known = _is_of_users.get(frame.f_globals.get("__name__", ""))
        if is_of_users(frame) if known is None else known:
            code = frame.f_code
            return Place(code.co_filename, frame.f_lineno, code.co_name)
        frame = frame.f_back
    return None


def is_of_users(frame: FrameType) -> bool:
    """Whether a frame's code belongs neither to a library, nor to glassroom, nor to Python's own modules: it is not
    `copy` that makes what the program has by `deepcopy`."""
    module = frame.f_globals.get("__name__", "")
    known = _is_of_users.get(module)
    if known is None:
        known = _is_of_users[module] = module.partition(".")[0] not in _OTHERS
    return known


class Places:
    """Lines of code, as a picture refers to them."""

    def __init__(self, home: str) -> None:
        self.home = home
        self._known: dict[Place | None, Where] = {None: Where("somewhere", "")}

    def where(self, place: Place | None) -> Where:
        """How a picture refers to a line."""
        if place not in self._known:
            assert place is not None
            source = linecache.getline(place.file, place.line).strip()
            self._known[place] = Where(f"{self._home_of(place)}line {place.line}", source)
        return self._known[place]

    def _home_of(self, place: Place) -> str:
        if place.file == self.home:
            return ""
        ipython = sys.modules.get("IPython")
        shell = None if ipython is None else ipython.get_ipython()
        if shell is None or shell.compile.format_code_name(place.file) is None:
            return f"{printable(Path(place.file).name)} "
        # A cell is not referred to by its number, In[3], which changes whenever it is run again.
        return "another cell, " if place.function.startswith("<") else f"{place.function}(), "
