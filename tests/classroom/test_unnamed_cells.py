"""Submissions whose cells have lost their names: other editors keep the sources of cells, and no metadata."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from classes import answered, make_class, teachers_notebook

from glassroom.classroom.handout import course_notebook, exercises_of
from glassroom.classroom.submission import compose
from glassroom.workspace.notebook_json import Notebook
from glassroom.workspace.sources import course_notebooks, notebooks_folder

HOME = notebooks_folder()
WITH_EXERCISES = [
    path.as_posix()
    for path in course_notebooks(HOME)
    if len(path.parts) == 2 and exercises_of(course_notebook(HOME, path.as_posix()))
]


def without_names(notebook: Notebook) -> Notebook:
    cells = [{**cell, "metadata": {}, "id": f"new-{number}"} for number, cell in enumerate(notebook["cells"])]
    return {**notebook, "cells": cells}


@pytest.mark.parametrize("part", ["1_memory", "2_tensors", "3_autograd", "4_extensions", "5_networks"])
def test_every_answer_of_the_course_is_found(part: str, tmp_path: Path) -> None:
    names = [name for name in WITH_EXERCISES if name.startswith(part)]
    assert names
    for number, name in enumerate(names):
        folder = make_class(tmp_path / str(number), (name,))
        (assignment,) = (folder / "source").iterdir()
        teachers = teachers_notebook(folder, assignment.name, Path(name).name)
        for solved in (True, False):
            work = answered(teachers, {}, solved)
            found = compose(copy.deepcopy(teachers), without_names(work))
            assert found.lost == [], name
            assert found.steps == compose(copy.deepcopy(teachers), work).steps, name
