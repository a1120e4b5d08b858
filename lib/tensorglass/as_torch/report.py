"""Report the names of PyTorch that a program uses and that are missing here: ``python -m tensorglass --report
train.py``.

Each process of the program adds lines to one file, at once, since workers may end without notice; the first process
counts them at the end.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

from tensorglass.core.out_of_scope import heard_of_missing

_LIBRARY = str(Path(__file__).parents[1]) + os.sep
_IMPORTING = ("<frozen importlib", os.path.dirname(importlib.__file__) + os.sep)


def begin(path: str) -> None:
    """From now on, write each name that is missing and asked for by a program into the file at `path`."""
    if heard_of_missing:
        return
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)  # lines of several processes do not mix

    def write(name: str) -> None:
        place = _asked_at()
        if place is not None and not name.rpartition(".")[2].startswith("__"):
            os.write(file, f"{name}\t{place}\n".encode())

    heard_of_missing.append(write)


def _asked_at() -> str | None:
    """The line of the program that asks; None if the library does, which imports a module of its own."""
    frame: FrameType | None = sys._getframe(2)
    beyond_import = False
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_IMPORTING):
            beyond_import = True
        elif not name.startswith(_LIBRARY):
            return f"{_short(name)}:{frame.f_lineno}"
        elif beyond_import:
            return None
        frame = frame.f_back
    return None


def _short(path: str) -> str:
    """As seen from the folder in which the program was started, if the file is within it."""
    within = os.path.relpath(path) if os.path.isabs(path) else path
    return path if within.startswith(os.pardir) else within


def summary(path: str) -> str:
    """The report: each name, how often it was asked for, and where."""
    counts: dict[str, Counter[str]] = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        name, _, place = line.partition("\t")
        counts.setdefault(name, Counter())[place] += 1
    if not counts:
        return "tensorglass: every name of PyTorch that was asked for is there.\n"
    are = "name of PyTorch was asked for and is" if len(counts) == 1 else "names of PyTorch were asked for and are"
    lines = [f"tensorglass: {len(counts)} {are} missing."]
    for name, places in sorted(counts.items(), key=lambda item: -item[1].total()):
        total = places.total()
        shown = ", ".join([place for place, _ in places.most_common(3)] + ["…"] * (len(places) > 3))
        lines.append(f"  torch.{name}: {total} time{'s' * (total > 1)}, at {shown}")
    return "\n".join(lines) + "\n"
