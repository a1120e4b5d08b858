"""A class for a test, and how a submission gets into it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from classes import FILE, make_class, teachers_notebook

from glassroom.workspace.notebook_json import Notebook, serialise


@pytest.fixture(scope="session")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Notebook:
    """The teacher's notebook 02."""
    return teachers_notebook(make_class(tmp_path_factory.mktemp("teacher")))


@pytest.fixture
def a_class(tmp_path: Path) -> Path:
    """A class of its own for one test."""
    return make_class(tmp_path / "class")


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
