"""Running the course's own solutions before anybody else's: each must pass every check and every hidden test.

`release` runs them before it hands anything out, and `grade` learns from them which exercises can be judged apart. If
all of them pass, the result is kept in `marks/ASSIGNMENT/.reference.json` for as long as notebooks, limits and checks
stay the same.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from glassroom.classroom.course_file import Course
from glassroom.classroom.grading import Stop, Task, reference
from glassroom.classroom.handout import asked_for
from glassroom.classroom.own_course import own_notebooks
from glassroom.classroom.sandbox import Isolation, best_isolation, dismiss_referees
from glassroom.exercises import exercises
from glassroom.workspace.notebook_json import Notebook
from glassroom.workspace.problems import Problem
from glassroom.workspace.whole_files import write_atomically

MARKS = "marks"
_REFERENCE = ".reference.json"

Progress = Callable[[int, int, str], None]


def require_passing(course: Course, tasks: Iterable[Task], progress: Progress = lambda _done, _of, _name: None) -> None:
    """Raise `Problem`, naming each check and each hidden test that the course's own solutions do not pass."""
    waiting = list(tasks)
    stopped = threading.Event()
    # The code is the course's and the teacher's own, so it may run without isolation if no sandbox works.
    isolation = best_isolation([course.folder], trust=True)

    def failed(task: Task) -> list[str]:
        return [f"{task.assignment}, {failure}" for failure in tried(course, task, isolation, stopped.is_set)[1]]

    failures: list[str] = []
    with ThreadPoolExecutor(min(len(waiting), os.cpu_count() or 1) or 1) as pool:
        try:
            for number, (task, lines) in enumerate(zip(waiting, pool.map(failed, waiting), strict=True), 1):
                failures += lines
                progress(number, len(waiting), task.assignment)
        except BaseException:
            stopped.set()  # each sandbox sees it, and ends
            raise
        finally:
            dismiss_referees()
    if failures:
        raise Problem(
            "Nothing was released, because the course's own solutions do not pass their tests:",
            more=[
                *(f"  {failure}" for failure in failures),
                "Change these tests in course.toml, or the notebook, and release again.",
            ],
        )


def tried(course: Course, task: Task, isolation: Isolation, stop: Stop) -> tuple[Task, list[str]]:
    """The task, completed with what its solutions show (see `reference`), and the tests that they fail, with
    reasons."""
    path = course.folder / MARKS / task.assignment / _REFERENCE
    stored: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        stored = json.loads(path.read_bytes())
    is_whole = isinstance(stored.get("apart"), list) and isinstance(stored.get("altered"), dict)
    if stored.get("version") != task.version or not is_whole or stored.get("failed"):
        own = {Path(name).stem for name in own_notebooks(course.folder)}
        plan, failed = reference(task, isolation, stop, own)
        stored = {"version": task.version, "apart": list(plan.apart or ()), "altered": plan.altered}
        if failed:  # the machine may have caused it, so it is not kept
            return plan, failed
        write_atomically(path, json.dumps(stored, indent=1).encode())
    altered = {id: tuple(names) for id, names in stored["altered"].items()}
    return replace(task, apart=tuple(stored["apart"]), altered=altered), []


def require_declared(name: str, notebook: Notebook) -> None:
    """Raise `Problem` for a call of `check` or `hint` in a notebook whose exercise is declared nowhere."""
    for number, cell in enumerate(notebook["cells"], 1):
        for function, id in asked_for(cell):
            if id not in exercises():
                raise Problem(
                    f'{name}, cell {number}: {function}("{id}") asks for an exercise that is declared nowhere, '
                    "so it would give nobody a point."
                )
