"""The catalogue that has the sentences of a module or a script."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
#: The catalogue of a module, by the beginning of its path; the first that fits.
HOMES = {
    "translations/": None,
    "cli/__init__.py": None,  # old Pythons must be able to read it
    **dict.fromkeys(
        (
            "classroom/sandbox/supervise.py",  # these say why an answer was not judged, or is to be looked at
            "classroom/inside/crossing.py",
            "classroom/inside/referee.py",
            "classroom/inside/runner.py",
        ),
        "classroom",
    ),
    "classroom/sandbox/": None,
    "classroom/inside/": None,
    "exercises/my_tensor/given/": None,  # what a learner reads as code
    "exercises/": "exercises",
    "inspectors/": "inspectors",
    "drawing/": "inspectors",
    "reading/": "inspectors",
    "live/": "inspectors",
    "own_lines.py": "inspectors",
    "suggestions.py": "inspectors",
    "cli/": "commands",
    "workspace/": "commands",
    "lessons/": "commands",
    "classroom/": "classroom",
    "testing/": "classroom",
    "site/": "classroom",
}
_OF_A_NOTEBOOK = re.compile(r"exercises/(\w+)/nb(\d\d_\w+)\.py")
_PARTS = ("memory", "tensors", "autograd", "extensions", "networks")


def home(module: str) -> str | None:
    """The catalogue that has the sentences of a module, given by its path in the package; None if none has."""
    if match := _OF_A_NOTEBOOK.fullmatch(module):
        return f"{_PARTS.index(match[1]) + 1}_{match[1]}/{match[2]}"
    return next((name for beginning, name in HOMES.items() if module.startswith(beginning)), None)
