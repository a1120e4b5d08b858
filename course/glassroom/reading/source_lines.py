"""Lines of code that operators come from, if a library has recorded them, and how to refer to them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from glassroom.reading.guarded import attempted
from glassroom.records.printable import printable

_LIBRARIES = ("tensorglass", "torch", "glassroom")
_FRAME = re.compile(r' *File "(.*)", line (\d+), in (.*)')


def recorded_place(node: Any) -> tuple[str, int] | None:
    """The file and line that made a node, recorded by anomaly detection: the innermost one outside of libraries."""
    for frame in reversed(_traceback_of(node)):
        place = _FRAME.match(frame)
        if place is not None and not is_of_a_library(place[1]):
            return place[1], int(place[2])
    return None


def recorded_line(node: Any, home: str = "") -> str | None:
    """How to refer to the line that made a node."""
    place = recorded_place(node)
    return None if place is None else called(*place, home)


def _traceback_of(node: Any) -> list[str]:
    return attempted(lambda: list(node.metadata.get("traceback_", ())), [])


def called(file: str, line: int, home: str = "") -> str:
    """`line 34` in the file `home`, `model.py line 34` in another, `another cell, line 34`."""
    return f"line {line}" if file == home else f"{file_called(file)} line {line}"


def file_called(file: str) -> str:
    """How to refer to a file before one of its lines: `model.py`, `another cell,`."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is not None and shell.compile.format_code_name(file) is not None:
        return "another cell,"
    return printable(Path(file).name)


def is_of_a_library(file: str) -> bool:
    """Whether a file belongs to PyTorch, tensorglass or glassroom."""
    modules = (getattr(sys.modules.get(name), "__file__", None) for name in _LIBRARIES)
    return any(Path(file).is_relative_to(Path(module).parent) for module in modules if module is not None)
