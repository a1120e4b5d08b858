"""Lines of code: where a program stands, and how a picture calls the line."""

from __future__ import annotations

import linecache
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from glassroom.records.printable import printable

_OURS = ("tensorglass", "torch", "glassroom")


class Place(NamedTuple):
    """A line of somebody's code."""

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
    """The innermost line of code that is neither a library's nor ours."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _OURS:
            return Place(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None


class Places:
    """Lines of code, as they are called in a picture."""

    def __init__(self, home: str) -> None:
        self.home = home
        self._known: dict[Place | None, Where] = {None: Where("somewhere", "")}

    def where(self, place: Place | None) -> Where:
        """What a line is called."""
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
        # A cell is not called by its number, In[3]: that is another one whenever it is run again.
        return "another cell, " if place.function.startswith("<") else f"{place.function}(), "
