"""A class in a folder: the course's notebook 02, and learners who answer it."""

from __future__ import annotations

import copy
import json
import os
import time
from pathlib import Path
from typing import Any

from glassroom.classroom.course_file import add_assignments, read_course
from glassroom.classroom.handout import course_notebook, exercises_of
from glassroom.classroom.release import write_source
from glassroom.classroom.submission import marks_of
from glassroom.workspace.notebook_json import Notebook, parse, source
from glassroom.workspace.sources import notebooks_folder

NOTEBOOK = "1_memory/02_views_share_a_storage.ipynb"
FILE = "02_views_share_a_storage.ipynb"
EXERCISES = ("02-share-storage", "02-middle", "02-whole", "02-count")
LIMITS = """
[limits]
wall = 120
cell = 2
cpu = 25
memory = 1500
processes = 24
files = 16
output = 4
"""


def make_class(folder: Path, notebooks: tuple[str, ...] = (NOTEBOOK,), rules: str = LIMITS, more: str = "") -> Path:
    """A class with an assignment for each notebook, with `source/` but without nbgrader's part."""
    names = {}
    for notebook in notebooks:
        part, file = notebook.split("/")
        names[notebook] = f"{part.split('_')[1]}-{file[:2]}"
    wanted = {
        notebook: {one.id: "" for one in exercises_of(course_notebook(notebooks_folder(), notebook))}
        for notebook in notebooks
    }
    add_assignments(folder, [(names[notebook], notebook, wanted[notebook]) for notebook in notebooks])
    text = (folder / "course.toml").read_text()
    head, tail = text.split("[limits]")[0], text[text.index("[[assignment]]") :]
    (folder / "course.toml").write_text(head + rules + "\n" + tail + more)
    course = read_course(folder)
    for assignment in course.assignments:
        write_source(course, assignment, notebooks_folder())
    return folder


def teachers_notebook(folder: Path, name: str = "memory-02", file: str = FILE) -> Notebook:
    """The teacher's notebook of an assignment."""
    return parse((folder / "source" / name / file).read_bytes())


def answered(teachers: Notebook, answers: dict[str, str], solved: bool = False) -> Notebook:
    """A submission with these answers by exercise; the others are solved, or left open."""
    copied = copy.deepcopy(teachers)
    for cell in copied["cells"]:
        marks = marks_of(cell)
        if not marks.get("solution"):
            continue
        text = source(cell)
        id = marks["grade_id"].removesuffix("-answer")
        if id in answers:
            cell["source"] = answers[id]
        elif not solved and cell["cell_type"] == "code":
            cell["source"] = text.split("### BEGIN SOLUTION")[0]
    return copied


def with_cell(notebook: Notebook, code: str, at: int) -> Notebook:
    """The notebook with a cell of the learner's own."""
    own = {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "execution_count": None, "source": code}
    cells = [*notebook["cells"]]
    cells.insert(at, own)
    return {**notebook, "cells": cells}


def dumps(value: Any) -> bytes:
    """The JSON as it is, even if it is not a valid notebook."""
    return json.dumps(value).encode()


def sandboxes_left() -> list[bytes]:
    """The commands of sandboxes that this process has not ended, and of orphaned ones. Sandboxes of other runs on this
    machine have a parent of their own.
    """
    commands, parents = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            commands[int(name)] = Path(f"/proc/{name}/cmdline").read_bytes()
            parents[int(name)] = int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    left = []
    for pid, command in commands.items():
        if b"glassroom.classroom.inside" in command or b"time.sleep(599)" in command:
            parent = parents[pid]
            while b"glassroom.classroom.inside" in commands.get(parent, b""):
                parent = parents[parent]
            if parent in (0, 1, os.getpid()):
                left.append(command)
    return left


def nothing_is_left(seconds: float = 120) -> bool:
    """Whether every sandbox ends. An interrupted one is an orphan for a moment, longer on a busy machine."""
    until = time.monotonic() + seconds
    while sandboxes_left():
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True
