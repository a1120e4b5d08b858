"""A teacher's own exercises: files in a folder `exercises`, beside a notebook or up to two folders above it.

They are declared as the course's own are, each file by itself. Other people have folders of that name too, so only
files that declare exercises are run.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

FOLDER = "exercises"
_DECLARES = "@exercise("
_PREFIX = "own_exercises_"


def files_in(folder: Path) -> dict[str, str]:
    """The text of every file of a folder that declares exercises, by its path. What cannot be read is left out."""
    texts = {}
    for path in sorted(folder.resolve().glob("*.py")):
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if _DECLARES in text:
            texts[str(path)] = text
    return texts


def files_beside(folder: Path) -> dict[str, str]:
    """The files that declare exercises for a notebook in this folder; none where there is no such file."""
    folder = folder.resolve()
    for path in (folder, *list(folder.parents)[:2]):
        if files := files_in(path / FOLDER):
            return files
    return {}


def run_file(path: str, text: str) -> None:
    """Run a file of declarations as a module of its own. Raises whatever the file raises."""
    module = ModuleType(_PREFIX + Path(path).stem)
    module.__file__ = path
    sys.modules[module.__name__] = module  # an error in it is not an error of the learner's code
    exec(compile(text, path, "exec"), vars(module))


def described(faults: Mapping[str, BaseException]) -> list[str]:
    """A line for each file that could not be run: its name, and what it raised."""
    lines = []
    for path, error in faults.items():
        line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
        at = f", line {line}" if line else ""
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        lines.append(f"{FOLDER}/{Path(path).name}{at}: {type(error).__name__}: {said}")
    return lines
