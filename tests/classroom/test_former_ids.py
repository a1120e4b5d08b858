"""A class that was made when exercises had their former ids: points, marks by hand and submissions are found."""

from __future__ import annotations

import copy
import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from classes import answered, make_class, teachers_notebook

from glassroom.classroom.batch import Report, grade, on_this_machine
from glassroom.classroom.by_hand import read_manual, save_by_hand
from glassroom.classroom.collecting.course_files import CourseFiles
from glassroom.classroom.collecting.items import Item
from glassroom.classroom.course_file import read_course
from glassroom.classroom.grading import Row
from glassroom.classroom.marks import result
from glassroom.classroom.release import changed_since, generate, write_source
from glassroom.classroom.sandbox import best_isolation
from glassroom.workspace.notebook_json import Notebook, parse, serialise
from glassroom.workspace.problems import Problem
from glassroom.workspace.sources import notebooks_folder

try:
    best_isolation()
except Problem as problem:
    pytest.skip(f"no sandbox works here: {problem}", allow_module_level=True)

pytestmark = pytest.mark.timeout(900)  # a busy machine is no fault of the code

NOTEBOOK = "2_tensors/05_mathematics.ipynb"
FILE = "05_mathematics.ipynb"
NAME = "tensors-05"
FORMER = {"t05-bell": "t04-bell", "t05-turned": "t04-turned", "t05-growth": "t04-growth"}
WRONG = "def turned(degrees):\n    return degrees\n"
QUESTIONS = """
[[assignment.explain]]
id = "why"
ask = "Why?"
points = 2
after = "t05-bell"

[[assignment.hidden]]
id = "bell-hidden"
exercise = "t05-bell"
code = "assert callable(bell)"
points = 3
"""
#: the points of a submission with one wrong answer of four, by `course.toml`
MARKS = {
    "t05-bell": 5.0,
    "bell-hidden": 3.0,
    "t05-turned": 0.5,
    "t05-growth": 1.0,
    "why": 0.0,
}  # the last is not answered


def as_it_was(text: str) -> str:
    """A file's text, with the ids that exercises had."""
    for new, old in FORMER.items():
        text = text.replace(new, old)
    return text


@pytest.fixture
def old_class(tmp_path: Path, hand_in: Callable[..., Path]) -> Path:
    """A class in which all ids are former ones: its file, the teacher's notebook, a submission, marks by hand."""
    folder = make_class(tmp_path / "class", (NOTEBOOK,), more=QUESTIONS)
    text = (folder / "course.toml").read_text().replace('"t05-bell" = 1', '"t05-bell" = 5')
    (folder / "course.toml").write_text(text)
    course = read_course(folder)
    write_source(course, course.assignments[0], notebooks_folder())
    place = folder / "source" / NAME / FILE
    place.write_text(as_it_was(place.read_text()))
    (folder / "course.toml").write_text(as_it_was(text))
    work = answered(teachers_notebook(folder, NAME, FILE), {"t05-turned": WRONG}, solved=True)
    work["cells"][1:1] = [{"cell_type": "code", "id": "asked", "metadata": {}, "source": 'hint("t04-growth")'}]
    hand_in(folder, "ada", as_it_was(serialise(work).decode()).encode(), assignment=NAME, file=FILE)
    (folder / "manual.csv").write_text(f"learner,assignment,id,points,comment\nada,{NAME},t04-turned,0.5,nearly\n")
    assert not any(new in path.read_text() for path in folder.rglob("*") if path.is_file() for new in FORMER)
    return folder


def graded(folder: Path) -> Report:
    course = read_course(folder)
    return grade(course, course.assignments, best_isolation([folder]), on_this_machine(1), threading.Event())


def earned(folder: Path, row: Row) -> dict[str, float | None]:
    course = read_course(folder)
    return dict(result(course, course.assignments[0], row, read_manual(course)).earned)


def test_points_and_marks_by_hand_count_before_and_after_it_is_handed_out_anew(old_class: Path) -> None:
    (row,) = graded(old_class).rows
    assert earned(old_class, row) == MARKS
    assert {mark.id: mark.hints for mark in row.marks if mark.hints} == {"t05-growth": 1}
    course = read_course(old_class)
    write_source(course, course.assignments[0], notebooks_folder())
    assert "t05-bell" in (old_class / "source" / NAME / FILE).read_text()
    (again,) = graded(old_class).rows
    assert earned(old_class, again) == MARKS
    assert again.trouble == row.trouble == []


def test_a_row_that_was_kept_is_read(old_class: Path) -> None:
    (row,) = graded(old_class).rows
    kept = Row.from_json(as_it_was(row.to_json().decode()).encode())
    assert earned(old_class, kept) == MARKS


def test_a_mark_by_hand_replaces_the_one_in_its_line(old_class: Path) -> None:
    save_by_hand(read_course(old_class), ("ada", NAME, "t05-turned"), "1", "right")
    assert (old_class / "manual.csv").read_text().splitlines()[1:] == [f"ada,{NAME},t04-turned,1,right"]
    assert read_manual(read_course(old_class))["ada", NAME, "t05-turned"].points == 1


def test_new_ids_alone_are_no_change_of_what_was_handed_out(old_class: Path) -> None:
    course = read_course(old_class)
    assert not changed_since(course, course.assignments[0], notebooks_folder())


def test_nbgraders_gradebook_keeps_its_marks_when_it_is_handed_out_anew(old_class: Path) -> None:
    gradebook = pytest.importorskip("nbgrader.api", reason="nbgrader is not installed (extra: classroom)").Gradebook
    course = read_course(old_class)
    place = f"sqlite:///{old_class}/gradebook.db"
    (old_class / "manual.csv").unlink()
    generate(course, course.assignments[0])
    with gradebook(place) as book:
        book.add_student("ada")
        (work,) = book.update_or_create_submission(NAME, "ada").notebooks
        by_former_id = {grade.name: grade for grade in work.grades}
        assert set(FORMER.values()) < set(by_former_id)
        by_former_id["t04-turned"].manual_score = 0.5
        book.db.commit()
    assert read_manual(course)["ada", NAME, "t05-turned"].points == 0.5
    (row,) = graded(old_class).rows
    assert earned(old_class, row) == MARKS

    write_source(course, course.assignments[0], notebooks_folder())
    generate(read_course(old_class), course.assignments[0])
    with gradebook(place) as book:
        (work,) = book.find_submission(NAME, "ada").notebooks
        marks = {grade.name: grade.manual_score for grade in work.grades}
    assert set(FORMER) < set(marks)
    assert not set(FORMER.values()) & set(marks)
    assert marks["t05-turned"] == 0.5
    assert read_manual(course)["ada", NAME, "t05-turned"].points == 0.5
    (again,) = graded(old_class).rows
    assert earned(old_class, again) == MARKS


@pytest.mark.parametrize("is_new", [False, True])
def test_a_submission_under_another_name_is_recognized_by_its_cells(old_class: Path, is_new: bool) -> None:
    content = (old_class / "submitted" / "ada" / NAME / FILE).read_bytes()
    notebook: Notebook = copy.deepcopy(parse(content))
    for cell in notebook["cells"]:
        cell["id"] = f"x-{cell['id']}"[:64]
    course = read_course(old_class)
    if is_new:
        write_source(course, course.assignments[0], notebooks_folder())
    placed = CourseFiles(course).place(Item("mine.ipynb", "ada", "mine.ipynb", json.dumps(notebook).encode()), "")
    assert placed[:2] == (NAME, FILE)


def test_cells_without_names_are_found_by_their_checks(old_class: Path) -> None:
    place = old_class / "submitted" / "ada" / NAME / FILE
    notebook = parse(place.read_bytes())
    for cell in notebook["cells"]:
        cell["metadata"], cell["id"] = {}, f"x-{cell['id']}"[:64]
    place.write_bytes(serialise(notebook))
    course = read_course(old_class)
    write_source(course, course.assignments[0], notebooks_folder())
    (row,) = graded(old_class).rows
    assert {mark.id: mark.part for mark in row.marks if mark.how == "apart"}["t05-growth"] == 1
