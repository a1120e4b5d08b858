"""An attack: a class hands in three assignments, of three parts of the course, with every kind of submission. Marking
is killed in the middle and run to its end, and then everything is marked anew. Both times everybody has the marks of
their kind.
"""

from __future__ import annotations

import csv
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from classes import answered, make_class, nothing_is_left, teachers_notebook, with_cell

from glassroom.classroom.submission import marks_of
from glassroom.workspace.notebook_json import Notebook, serialise

NOTEBOOKS = {
    "memory-02": "1_memory/02_views_share_a_storage.ipynb",
    "tensors-08": "2_tensors/08_reductions_and_dimensions.ipynb",
    "autograd-02": "3_autograd/02_the_graph_and_backward.ipynb",
}
DUE = "due = 2030-01-31T18:00:00+00:00"
IN_TIME, LATE = (2030, 1, 30, 6, 0, 0), (2030, 2, 2, 6, 0, 0)  # late by a day and a half: two days have begun
END = 999  # the place of a cell behind all others


def _solved(teachers: Notebook) -> Notebook:
    return answered(teachers, {}, solved=True)


def _ids(teachers: Notebook) -> list[str]:
    marks = [marks_of(cell) for cell in teachers["cells"]]
    return [one["grade_id"].removesuffix("-answer") for one in marks if one.get("solution")]


def _with(code: str, at: int = END) -> Callable[[Notebook], bytes]:
    return lambda teachers: serialise(with_cell(_solved(teachers), code, at))


def _nameless(teachers: Notebook) -> bytes:
    """As another editor leaves it: nbgrader's metadata are gone."""
    notebook = _solved(teachers)
    return serialise({**notebook, "cells": [{**cell, "metadata": {}} for cell in notebook["cells"]]})


def _hinted(teachers: Notebook) -> bytes:
    return serialise(with_cell(_solved(teachers), f'from glassroom import hint\nhint("{_ids(teachers)[0]}")', END))


#: What each kind of learner hands in, and the points that it earns, of `n` exercises.
KINDS: dict[str, tuple[Callable[[Notebook], bytes], Callable[[int], float]]] = {
    "solved": (lambda teachers: serialise(_solved(teachers)), lambda n: n),
    "open": (lambda teachers: serialise(answered(teachers, {})), lambda n: 0),
    "one open": (
        lambda teachers: serialise(answered(teachers, {_ids(teachers)[0]: "# your code here"}, solved=True)),
        lambda n: n - 1,
    ),
    "hangs": (_with("while True: pass"), lambda n: n),
    "ends": (_with("import os; os._exit(0)"), lambda n: n),
    "raises": (_with("1 / 0", 2), lambda n: n),
    "noisy": (_with("print('x' * 10**6)"), lambda n: n),
    "large": (_with("much = bytearray(10**11)"), lambda n: n),
    "nameless": (_nameless, lambda n: n),
    "renamed": (lambda teachers: serialise(_solved(teachers)), lambda n: n),
    "hinted": (_hinted, lambda n: n - 0.1),
    "late": (lambda teachers: serialise(_solved(teachers)), lambda n: 0.8 * n),
    "broken": (lambda teachers: b"{", lambda n: 0),
    "empty": (lambda teachers: serialise({**teachers, "cells": []}), lambda n: 0),
}
ABSENT = "absent"  # a kind that hands in nothing, and gets no points


def run(amount: int, seed: int, assignments: Iterable[str] = NOTEBOOKS) -> dict[str, Any]:
    """A class of `amount` learners. Returns how many marks were compared, and what went wrong."""
    with tempfile.TemporaryDirectory() as place:
        return _run(Path(place), amount, random.Random(seed), {name: NOTEBOOKS[name] for name in assignments})


def _run(place: Path, amount: int, drawn: random.Random, notebooks: dict[str, str]) -> dict[str, Any]:
    folder, expected = _collected(place, amount, notebooks)
    command = [sys.executable, "-m", "glassroom", "grade", str(folder), "--jobs", "2"]
    handed_in = sum(not person.startswith(ABSENT.title()) for person, _ in expected)
    kill_at = drawn.randrange(1, max(2, handed_in - 3))
    grading = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while len(_rows(folder)) < kill_at and grading.poll() is None:
        time.sleep(0.05)
    os.kill(grading.pid, signal.SIGKILL)
    grading.wait()
    kept, broken = len(_rows(folder)), []
    if not kill_at <= kept < handed_in:
        broken.append(f"killed at {kill_at} rows, there were {kept} of {handed_in}")
    for again, counts in (
        ((), f"{handed_in - kept} marked, {kept} unchanged"),
        (["--again"], f"{handed_in} marked"),
    ):
        done = subprocess.run([*command, *again], capture_output=True, text=True, check=False)
        if done.returncode or counts not in done.stdout:
            broken.append(f"{again} was to say {counts!r}: {done.stdout[-500:]} {done.stderr[-500:]}")
        points = _points(folder)
        broken += [
            f"{again} {who}: {points.get(who)}, not {wanted}"
            for who, wanted in expected.items()
            if abs(points.get(who, -1) - wanted) > 0.005
        ]
        broken += [f"{again} {who}: there should be no mark" for who in points.keys() - expected.keys()]
    if not nothing_is_left():
        broken.append("a sandbox goes on")
    return {"tried": 2 * len(expected), "broken": broken}


def _collected(place: Path, amount: int, notebooks: dict[str, str]) -> tuple[Path, dict[tuple[str, str], float]]:
    """A class whose work is collected, and the points that everybody should have for each assignment."""
    folder = make_class(place / "class", tuple(notebooks.values()))
    rules = folder / "course.toml"
    text = rules.read_text().replace("cost = 0.0", "cost = 0.1")
    rules.write_text(text.replace("[assignment.points]", f"{DUE}\n[assignment.points]"))
    kinds = [*KINDS, ABSENT]
    people = [f"{kinds[number % len(kinds)]} {number // len(kinds)}".title() for number in range(amount)]
    expected = {}
    for name, notebook in notebooks.items():
        teachers = teachers_notebook(folder, name, Path(notebook).name)
        with zipfile.ZipFile(place / f"{name}.zip", "w") as archive:
            for number, person in enumerate(people):
                kind = kinds[number % len(kinds)]
                expected[person, name] = 0.0
                if kind != ABSENT:
                    make, worth = KINDS[kind]
                    file = "my work.ipynb" if kind == "renamed" else Path(notebook).name
                    path = f"{person}_{number + 1}_assignsubmission_file_/{file}"
                    archive.writestr(zipfile.ZipInfo(path, LATE if kind == "late" else IN_TIME), make(teachers))
                    expected[person, name] = worth(len(_ids(teachers)))
        command = [sys.executable, "-m", "glassroom", "collect", str(place / f"{name}.zip"), "--course", str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (folder / "learners.txt").write_text("\n".join(people))
    return folder, expected


def _rows(folder: Path) -> list[Path]:
    return list(folder.glob("marks/*/[!.]*.json"))


def _points(folder: Path) -> dict[tuple[str, str], float]:
    """Everybody's points, from the table that a teacher reads."""
    with open(folder / "marks.csv", encoding="utf-8", newline="") as file:
        return {
            (line["learner"], line["assignment"]): float(line["points"])
            for line in csv.DictReader(file)
            if line["points"]
        }
