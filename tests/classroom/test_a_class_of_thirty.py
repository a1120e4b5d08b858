"""A class of thirty with three assignments and every kind of submission, collected, marked with a kill in between, and
marked again: everybody ends with the expected marks."""

from __future__ import annotations

import csv
import io
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from classes import answered, make_class, nothing_is_left, teachers_notebook, with_cell

from glassroom.classroom.sandbox import best_isolation
from glassroom.cli.app import run
from glassroom.workspace.notebook_json import Notebook, serialise
from glassroom.workspace.problems import Problem

try:
    best_isolation()
except Problem as problem:
    pytest.skip(f"no sandbox works here: {problem}", allow_module_level=True)

pytestmark = pytest.mark.timeout(900)  # a busy machine is no fault of the code

NOTEBOOKS = (
    "1_memory/01_header_and_storage.ipynb",
    "1_memory/02_views_share_a_storage.ipynb",
    "1_memory/05_strides_and_offset.ipynb",
)
NAMES = ("memory-01", "memory-02", "memory-05")


def without_names(notebook: Notebook) -> Notebook:
    """As another editor leaves it: nbgrader's metadata are gone."""
    return {**notebook, "cells": [{**cell, "metadata": {}} for cell in notebook["cells"]]}


#: The submission of each kind of learner, and the fraction of points that it earns; None if nothing is handed in.
KINDS: dict[str, tuple[Callable[[Notebook], bytes | None], float | None]] = {
    "solved": (lambda teachers: serialise(answered(teachers, {}, solved=True)), 1),
    "open": (lambda teachers: serialise(answered(teachers, {})), 0),
    "hangs": (lambda teachers: serialise(with_cell(answered(teachers, {}, solved=True), "while True: pass", 99)), 1),
    "ends": (
        lambda teachers: serialise(with_cell(answered(teachers, {}, solved=True), "import os; os._exit(0)", 99)),
        1,
    ),
    "raises": (lambda teachers: serialise(with_cell(answered(teachers, {}, solved=True), "1 / 0", 2)), 1),
    "noisy": (lambda teachers: serialise(with_cell(answered(teachers, {}, solved=True), "print('x' * 10**6)", 99)), 1),
    "nameless": (lambda teachers: serialise(without_names(answered(teachers, {}, solved=True))), 1),
    "broken": (lambda teachers: b"{", 0),
    "empty": (lambda teachers: serialise({**teachers, "cells": []}), 0),
    "absent": (lambda teachers: None, None),
}


def marks(folder: Path) -> dict[tuple[str, str], float]:
    """The part of the points that each learner has, from the table that a teacher reads."""
    table = csv.DictReader(io.StringIO((folder / "marks.csv").read_text("utf-8")))
    return {
        (line["learner"], line["assignment"]): float(line["points"]) / float(line["of"])
        for line in table
        if line["of"] and line["points"]
    }


def test_everybody_ends_with_the_marks_of_their_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_class(tmp_path / "class", NOTEBOOKS)
    expected = {}
    for name, notebook in zip(NAMES, NOTEBOOKS, strict=True):
        teachers = teachers_notebook(folder, name, Path(notebook).name)
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            for number, kind in enumerate([*KINDS] * 3, 1):
                make, part = KINDS[kind]
                content = make(teachers)
                if content is not None and part is not None:
                    person = f"{kind.title()} {'ABC'[(number - 1) // len(KINDS)]}"
                    archive.writestr(f"{person}_{number}_assignsubmission_file_/{Path(notebook).name}", content)
                    expected[person, name] = part
        assert run(["collect", str(tmp_path / f"{name}.zip"), "--course", str(folder)]) == 0
    assert len(expected) == 81
    learners = [*dict.fromkeys(person for person, _ in expected), *(f"Absent {letter}" for letter in "ABC")]
    (folder / "learners.txt").write_text("\n".join(learners))

    command = [sys.executable, "-m", "glassroom", "grade", str(folder), "--jobs", "2"]
    grading = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while len(list(folder.glob("marks/*/[!.]*.json"))) < 20:
        assert grading.poll() is None
        time.sleep(0.1)
    os.kill(grading.pid, signal.SIGKILL)
    grading.wait()
    kept = len(list(folder.glob("marks/*/[!.]*.json")))
    capsys.readouterr()
    assert run(command[3:]) == 0
    said = capsys.readouterr().out
    assert f"{81 - kept} marked, {kept} unchanged, 9 not handed in" in said, said
    first = marks(folder)
    assert {key: first[key] for key in expected} == expected
    assert run(["grade", str(folder), "memory-02", "--again", "--jobs", "2"]) == 0
    assert "27 marked, 0 unchanged" in capsys.readouterr().out
    assert run(command[3:]) == 0
    assert "0 marked, 81 unchanged" in capsys.readouterr().out
    assert marks(folder) == first
    assert nothing_is_left()
