"""A class for a test, and how a submission gets into it."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from classes import FILE, make_class, teachers_notebook

from glassroom.classroom.course_file import read_course
from glassroom.classroom.grading import task_of
from glassroom.classroom.sandbox import best_isolation, dismiss_referees
from glassroom.classroom.solutions import tried
from glassroom.workspace.notebook_json import Notebook, serialise
from glassroom.workspace.problems import Problem


@pytest.fixture(scope="session")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Notebook:
    """The teacher's notebook 02."""
    return teachers_notebook(make_class(tmp_path_factory.mktemp("teacher")))


@pytest.fixture(scope="session")
def tried_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class whose solutions have been tried, as `release` leaves them."""
    folder = make_class(tmp_path_factory.mktemp("tried") / "class")
    with contextlib.suppress(Problem):  # no sandbox works here: nothing is marked
        course = read_course(folder)
        tried(course, task_of(course, course.assignments[0]), best_isolation([folder]), lambda: False)
        dismiss_referees()
    return folder


@pytest.fixture
def a_class(tried_once: Path, tmp_path: Path) -> Path:
    """A class of its own for one test."""
    return shutil.copytree(tried_once, tmp_path / "class")


@pytest.fixture(scope="session")
def hand_in() -> Callable[..., Path]:
    """Put a submission where nbgrader and `glassroom collect` put them."""

    def put(
        folder: Path, learner: str, work: Any, when: str = "", assignment: str = "memory-02", file: str = FILE
    ) -> Path:
        place = folder / "submitted" / learner / assignment
        place.mkdir(parents=True, exist_ok=True)
        content = work if isinstance(work, bytes) else serialise(work)
        (place / file).write_bytes(content)
        if when:
            (place / "timestamp.txt").write_text(when)
        return place / file

    return put
