"""The course's own solutions, run before anybody else's: each must pass every check and every hidden test.

`release` tries them before it hands anything out, and `grade` learns from them which exercises are judged apart. What
was found is kept in `marks/ASSIGNMENT/.reference.json` for as long as notebooks, limits and checks stay the same.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from glassroom.classroom.course_file import Course
from glassroom.classroom.grading import Stop, Task, reference
from glassroom.classroom.sandbox import Isolation, best_isolation, dismiss_referees
from glassroom.exercises import exercises
from glassroom.workspace.notebook_json import Notebook, source
from glassroom.workspace.problems import Problem
from glassroom.workspace.whole_files import write_atomically

MARKS = "marks"
CAN_RUN = sys.platform == "linux"  # as marking does: sandboxes are Linux's
_REFERENCE = ".reference.json"

Progress = Callable[[int, int, str], None]


def require_passing(course: Course, tasks: Iterable[Task], progress: Progress = lambda _done, _of, _name: None) -> None:
    """Raise `Problem`, naming each check and each hidden test that the course's own solutions do not pass."""
    waiting = list(tasks)
    stopped = threading.Event()
    # The code is the course's and the teacher's own, so it may run unshut where no sandbox works.
    isolation = best_isolation([course.folder], trust=True)

    def failed(task: Task) -> list[str]:
        return [f"{task.assignment}, {each}" for each in tried(course, task, isolation, stopped.is_set)[1]]

    found: list[str] = []
    with ThreadPoolExecutor(min(len(waiting), os.cpu_count() or 1) or 1) as pool:
        try:
            for number, (task, lines) in enumerate(zip(waiting, pool.map(failed, waiting), strict=True), 1):
                found += lines
                progress(number, len(waiting), task.assignment)
        except BaseException:
            stopped.set()  # each sandbox sees it, and ends
            raise
    if found:
        raise Problem(
            "Nothing was released, because the course's own solutions do not pass their tests:\n  "
            + "\n  ".join(found)
            + "\nChange these tests in course.toml, or the notebook, and release again."
        )


def tried(course: Course, task: Task, isolation: Isolation, stop: Stop) -> tuple[Task, list[str]]:
    """The task with what is judged apart, and the tests that its solutions do not pass, with reasons."""
    path = course.folder / MARKS / task.assignment / _REFERENCE
    found: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        found = json.loads(path.read_bytes())
    if found.get("version") != task.version or not isinstance(found.get("apart"), list):
        try:
            made, failed = reference(task, isolation, stop)
        finally:
            dismiss_referees()  # this thread marks nothing else
        found = {"version": task.version, "apart": list(made.apart or ()), "failed": failed}
        write_atomically(path, json.dumps(found, indent=1).encode())
    return replace(task, apart=tuple(found["apart"])), list(found.get("failed", []))


def require_declared(name: str, notebook: Notebook) -> None:
    """Raise `Problem` for a call of `check` or `hint` in a notebook whose exercise is declared nowhere."""
    for number, cell in enumerate(notebook["cells"], 1):
        for function, id in _asked_for(cell):
            if id not in exercises():
                raise Problem(
                    f'{name}, cell {number}: {function}("{id}") asks for an exercise that is declared nowhere, '
                    "so it would give nobody a point."
                )


def _asked_for(cell: Notebook) -> list[tuple[str, str]]:
    """The exercises that a cell names in calls of `check` and `hint`; none where it is not Python alone."""
    if cell["cell_type"] != "code":
        return []
    try:
        tree = ast.parse(source(cell))
    except SyntaxError:  # a magic, or a shell's line
        return []
    return [
        (node.func.id, node.args[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("check", "hint")
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    ]
