"""An attack: classes in which most submissions mean harm, marked as a class is.

Each batch has two honest learners and several of kinds that are drawn: programs in the place of an answer, beside it in
cells of their own, or both, and notebooks whose file is damaged or odd. Everybody gets a row, the honest get their
points and nobody else any, no word of the class gets out, and no process and no folder stays.
"""

from __future__ import annotations

import copy
import gzip
import json
import os
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attacks.unruly_programs import PROGRAMS
from classes import FILE, answered, make_class, nothing_is_left, teachers_notebook

from glassroom.classroom.batch import Report, grade, on_this_machine
from glassroom.classroom.by_hand import read_manual
from glassroom.classroom.course_file import read_course
from glassroom.classroom.marks import marks_csv, result
from glassroom.classroom.pages.feedback import feedback_page
from glassroom.classroom.pages.overview import class_page
from glassroom.classroom.sandbox import best_isolation
from glassroom.classroom.submission import marks_of
from glassroom.workspace.notebook_json import Notebook, source

SECRET = "what-only-the-teacher-knows"
BATCH = 8
SLOWEST = 400  # seconds for one submission on a busy machine
HONEST = {"02-share-storage": 1.0, "02-middle": 1.0, "02-whole": 1.0, "02-count": 1.0}


def run(amount: int, seed: int, kinds: tuple[str, ...] = ()) -> dict[str, Any]:
    """Mark `amount` hostile submissions, each kind once before any comes again. Returns how many of each there were,
    and what went wrong.
    """
    drawn, tried, broken = random.Random(seed), Counter[str](), list[str]()
    names = list(kinds or (*PROGRAMS, *NOTEBOOKS))
    waiting: list[str] = []
    while len(waiting) < amount:
        waiting += drawn.sample(names, len(names))
    with tempfile.TemporaryDirectory() as place:
        first = make_class(Path(place, "first"))
        teachers = teachers_notebook(first)
        for at in range(0, amount, BATCH):
            batch = waiting[at : min(at + BATCH, amount)]
            broken += _round(Path(place, f"class-{at}"), batch, teachers, drawn)
            tried.update(batch)
    return {"tried": sum(tried.values()), "kinds": dict(tried), "broken": broken}


def _round(folder: Path, kinds: list[str], teachers: Notebook, drawn: random.Random) -> list[str]:
    make_class(folder)
    (folder / "secret.txt").write_text(SECRET)
    before = _temporaries()
    work = {f"{number}-{kind}": made(kind, teachers, folder, drawn) for number, kind in enumerate(kinds)}
    work |= {name: json.dumps(answered(teachers, {}, solved=True)).encode() for name in ("ada", "zoe")}
    for learner, content in work.items():
        place = folder / "submitted" / learner / "memory-02"
        place.mkdir(parents=True)
        (place / FILE).write_bytes(content)
    course = read_course(folder)
    began = time.monotonic()
    report = grade(course, course.assignments, best_isolation([folder]), on_this_machine(2), threading.Event())
    faults = [f"{', '.join(kinds)}: {fault}" for fault in _wrong(folder, work, report, time.monotonic() - began)]
    if not nothing_is_left():
        faults.append(f"{', '.join(kinds)}: a sandbox goes on")
    if left := _temporaries() - before:
        faults.append(f"{', '.join(kinds)}: {left} is left")
    return faults


def made(kind: str, teachers: Notebook, folder: Path, drawn: random.Random) -> bytes:
    """The file of a submission of that kind."""
    if kind in NOTEBOOKS:
        return NOTEBOOKS[kind](copy.deepcopy(answered(teachers, {"02-middle": "middle = torch.zeros(2, 2)"})))
    code = PROGRAMS[kind].replace("{folder}", str(folder))
    where = drawn.choice(("answer", "cell", "first", "both"))
    notebook = answered(teachers, {"02-middle": code} if where in ("answer", "both") else {})
    if where != "answer":
        own = {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "execution_count": None, "source": code}
        notebook["cells"].insert(0 if where == "first" else len(notebook["cells"]) // 2, own)
    return json.dumps(notebook).encode()


def _wrong(folder: Path, work: dict[str, bytes], report: Report, seconds: float) -> list[str]:
    course, faults = read_course(folder), list[str]()
    if sorted(row.learner for row in report.rows) != sorted(work):
        faults.append(f"rows of {sorted(row.learner for row in report.rows)}")
    for row in report.rows:
        earned = {mark.id: mark.part or 0.0 for mark in row.marks}
        if row.learner in ("ada", "zoe"):
            if earned != HONEST or row.trouble or row.to_look_at:
                faults.append(f"{row.learner} has {earned}, {row.trouble}, {[mark.doubt for mark in row.to_look_at]}")
        elif any(earned.values()):
            faults.append(f"{row.learner} has {earned}")
        if row.problem.startswith("it could not be marked"):
            faults.append(f"{row.learner}: {row.problem}")
        if SECRET in row.to_json().decode() or "root:x:0" in row.to_json().decode():
            faults.append(f"{row.learner} has seen the class")
        if row.seconds > SLOWEST:
            faults.append(f"{row.learner} took {row.seconds} s")
    if seconds > SLOWEST * len(work):
        faults.append(f"it took {seconds:.0f} s")
    results = [result(course, course.assignments[0], row, read_manual(course)) for row in report.rows]
    pages = [feedback_page(course.name, graded.row.learner, [graded]) for graded in results]
    for page in (*pages, class_page(folder).html):
        if any(word in page for word in ("<script", "<iframe", "\x1b", "\u202e", "javascript:alert(")):
            faults.append("a page has what a submission chose")
    if len(marks_csv(results).splitlines()) < len(results):
        faults.append("the table lacks a row")
    return faults


def _temporaries() -> set[str]:
    """What may have come out of a sandbox, or been left beside one."""
    return {name for name in os.listdir(tempfile.gettempdir()) if name.startswith(("escaped", "glassroom-own-"))}


def _changed(change: Callable[[Notebook, list[Notebook]], Any]) -> Callable[[Notebook], bytes]:
    """A function that makes the file of the notebook after a change."""

    def make(notebook: Notebook) -> bytes:
        change(notebook, notebook["cells"])
        return json.dumps(notebook).encode()

    return make


def _each(change: Callable[[Notebook], Any]) -> Callable[[Notebook], bytes]:
    return _changed(lambda notebook, cells: [change(cell) for cell in cells])


def _as_text(change: Callable[[str], str]) -> Callable[[Notebook], bytes]:
    return lambda notebook: change(json.dumps(notebook)).encode("utf-8", "surrogatepass")


def _output(**other: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "data": {}, "metadata": {}, **other}


NOTEBOOKS: dict[str, Callable[[Notebook], bytes]] = {
    "one id for all cells": _each(lambda cell: cell.update(id="same")),
    "ids that are numbers": _each(lambda cell: cell.update(id=7)),
    "ids without end": _each(lambda cell: cell.update(id="x" * 100_000)),
    "no ids": _each(lambda cell: cell.pop("id", None)),
    "metadata that are lists": _each(lambda cell: cell.update(metadata=[])),
    "no metadata": _each(lambda cell: cell.pop("metadata")),
    "marks without a name": _each(lambda cell: marks_of(cell).pop("grade_id", None)),
    "names of marks in lists": _each(lambda cell: cell["metadata"].get("nbgrader", {}).update(grade_id=["02-middle"])),
    "one name for all marks": _each(lambda cell: cell["metadata"].get("nbgrader", {}).update(grade_id="02-middle")),
    "names of marks that lead out": _each(lambda cell: cell["metadata"].update(nbgrader={"grade_id": "../../marks"})),
    "kinds of cells that there are not": _each(lambda cell: cell.update(cell_type="heading")),
    "answers in raw cells": _each(
        lambda cell: cell.update(cell_type="raw") if marks_of(cell).get("solution") else None
    ),
    "answers in text cells": _each(lambda cell: cell.update(cell_type="markdown") if marks_of(cell) else None),
    "kinds of cells that are lists": _each(lambda cell: cell.update(cell_type=["code"])),
    "no outputs": _each(lambda cell: cell.pop("outputs", None)),
    "outputs that are text": _each(lambda cell: cell.update(outputs="</pre><script>alert(1)</script>")),
    "outputs of every kind": _each(
        lambda cell: cell.update(outputs=[None, 7, [], _output(data=[]), _output(data={"image/png": {}}), {}])
    ),
    "tracebacks of markup": _each(
        lambda cell: cell.update(
            outputs=[_output(output_type="error", traceback=["\x1b[31m<script>alert(2)</script>"])]
        )
    ),
    "lines that end in returns": _each(lambda cell: cell.update(source=source(cell).replace("\n", "\r"))),
    "lines that end in both": _each(lambda cell: cell.update(source=source(cell).replace("\n", "\r\n"))),
    "lines that end in separators": _each(lambda cell: cell.update(source=source(cell).replace("\n", "\u2028"))),
    "sources in lists of lists": _each(lambda cell: cell.update(source=[[source(cell)]])),
    "sources letter by letter": _each(lambda cell: cell.update(source=list(source(cell)))),
    "times of other ages": _each(
        lambda cell: cell["metadata"].update(
            execution={"iopub.execute_input": "9999-12-31T23:59:59Z", "x": "0001-01-01T00:00:00+14:00", "y": 5}
        )
    ),
    "tags and names of markup": _each(
        lambda cell: cell["metadata"].update(tags=["<script>"], name="\x1b]0;x\x07", collapsed=[])
    ),
    "cells in a dictionary": _changed(lambda notebook, cells: notebook.update(cells=dict(enumerate(cells)))),
    "cells within cells": _changed(lambda notebook, cells: cells[1].update(cells=copy.deepcopy(cells))),
    "worksheets of an old format": _changed(
        lambda notebook, cells: notebook.update(worksheets=[{"cells": notebook.pop("cells")}], nbformat=3)
    ),
    "two thousand cells and one": _changed(lambda notebook, cells: cells.extend([cells[0]] * 2001)),
    "widgets of ten megabytes": _changed(
        lambda notebook, cells: notebook["metadata"].update(widgets={"x": "y" * 10**7})
    ),
    "a language of its own": _changed(
        lambda notebook, cells: notebook["metadata"].update(
            kernelspec={"name": "../../bin/sh", "language": "sh"}, language_info={"name": "sh", "file_extension": "/x"}
        )
    ),
    "a version that is a word": _changed(lambda notebook, cells: notebook.update(nbformat="four", nbformat_minor=None)),
    "every cell after its test": _changed(lambda notebook, cells: cells.sort(key=lambda cell: bool(marks_of(cell)))),
    "a byte-order mark": _as_text(lambda text: "\ufeff" + text),
    "something behind its end": _as_text(lambda text: f"{text}}}]}}"),
    "comments": _as_text(lambda text: f"// {text[:50]}\n{text}"),
    "single quotes": _as_text(lambda text: text.replace('"', "'")),
    "half letters in names": _as_text(lambda text: text.replace('"02-middle', '"02-\ud800middle')),
    "names twice": _as_text(lambda text: text.replace('"source":', '"source": "x = 1", "source": [], "source":')),
    "endless numbers": _as_text(lambda text: text.replace('"nbformat": 4', f'"nbformat": {"4" * 5000}')),
    "compressed": lambda notebook: gzip.compress(json.dumps(notebook).encode()),
    "an archive": lambda notebook: b"PK\x03\x04" + json.dumps(notebook).encode(),
    "blanks without end": lambda notebook: b" " * 20_000_000 + json.dumps(notebook).encode(),
}
