"""Marks given by hand: in `manual.csv`, on the page of `glassroom mark`, which writes to that file, and in nbgrader."""

from __future__ import annotations

import contextlib
import csv
import io
import math
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from glassroom.classroom import gradebook
from glassroom.classroom.batch import learners_of
from glassroom.classroom.course_file import Course
from glassroom.classroom.grading import task_of
from glassroom.classroom.handout import current_name
from glassroom.classroom.tables import number, plain_cell, table_csv, table_text
from glassroom.records.printable import printable
from glassroom.workspace.former_ids import current
from glassroom.workspace.problems import Problem
from glassroom.workspace.whole_files import write_atomically

MANUAL = "manual.csv"
COLUMNS = ("learner", "assignment", "id", "points", "comment", "answer")
MOST_SHOWN = 2000  # characters shown of an answer in a cell
MOST_FAULTS = 10  # faulty lines that are named


@dataclass(frozen=True)
class ByHand:
    """A person's mark for one exercise or question: its points, and a comment for the learner."""

    points: float | None
    comment: str = ""


Key = tuple[str, str, str]  # learner, assignment, exercise or question
Manual = Mapping[Key, ByHand]


def said_of(manual: Manual, learner: str, assignment: str, id: str) -> ByHand | None:
    """The marks given by hand for one question, under the learner's name or the form of it that tables have."""
    return manual.get((learner, assignment, id)) or manual.get((printable(learner), assignment, id))


def read_manual(course: Course) -> dict[Key, ByHand]:
    """Read the marks given by hand: those in nbgrader's gradebook (written by its formgrader), and those in
    `manual.csv`, which win. Cells are separated by commas, semicolons (with points such as 1,5, as Excel writes them in
    many countries) or tabs. Raises `Problem`, naming each faulty line, for an unknown learner, assignment or question,
    and for points out of range.
    """
    by_hand = _from_gradebook(course)
    path = course.folder / MANUAL
    if not path.exists():
        return by_hand
    table = _read_table(path)
    known = _Known(course)
    faults = []
    for number_of_line, line in table.lines:
        key = _key(line)
        value, fault = _points(_decimal(_cell(line, "points"), table.separator))
        if fault := known.fault(key, value) or fault:
            faults.append(f"{path}, line {number_of_line}: {fault}.")
        by_hand[key] = ByHand(value, plain_cell(_cell(line, "comment")))
    if faults:
        first, *others = faults[:MOST_FAULTS]
        raise Problem(first, more=[*others, *([f"and {rest} more"] if (rest := len(faults) - MOST_FAULTS) > 0 else [])])
    return by_hand


def save_by_hand(course: Course, key: Key, points: str, comment: str, answer: str = "") -> ByHand:
    """Put one mark into `manual.csv`, in its line or in a new one, and return it; all other lines stay unchanged.
    `points` may be written 1.5 or 1,5, or be empty. Raises `Problem` for an invalid mark, and for a file that cannot be
    read.
    """
    value, fault = _points(points.strip().replace(",", "."))
    if fault := _Known(course).fault(key, value) or fault:
        raise Problem(f"{fault}.")
    path = course.folder / MANUAL
    table = _read_table(path) if path.exists() else _Table(list(COLUMNS), ",", [])
    learner, assignment, id = key
    line = next((line for _, line in table.lines if _key(line) in (key, (printable(learner), assignment, id))), None)
    if line is None:
        line = {"learner": printable(learner), "assignment": assignment, "id": id, "answer": answer[:MOST_SHOWN]}
        table.lines.append((0, line))
    shown = number(value)
    line |= {"points": shown if table.separator == "," else shown.replace(".", ","), "comment": comment.strip()}
    columns = [*table.columns, *(["comment"] if "comment" not in table.columns else [])]
    lines = [columns, *([_cell(line, name) for name in columns] for _, line in table.lines)]
    write_atomically(path, table_csv(lines, table.separator).encode("utf-8", "replace"))
    return ByHand(value, comment.strip())


@dataclass
class _Table:
    """`manual.csv` as it stands: its lines that are not empty, each with its number."""

    columns: list[str]
    separator: str
    lines: list[tuple[int, dict[str, str]]]


def _read_table(path: Path) -> _Table:
    try:
        text = table_text(path)
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error}") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{path} cannot be read: save it in your spreadsheet as CSV UTF-8.") from error
    separator = max(",;\t", key=text.partition("\n")[0].count)
    try:
        columns, *rows = list(csv.reader(io.StringIO(text), delimiter=separator)) or [[]]
    except csv.Error as error:
        raise Problem(f"{path} cannot be read: {error}") from error
    if not {"learner", "assignment", "id", "points"} <= set(columns):
        raise Problem(
            f"{path} needs a first line with the columns learner, assignment, id, points and, if you like, comment."
        )
    lines = [
        (number, dict(zip(columns, row, strict=False)))
        for number, row in enumerate(rows, 2)  # as a spreadsheet counts: a comment of two lines is in one row
        if any(cell.strip() for cell in row)  # spreadsheets leave empty rows
    ]
    return _Table(columns, separator, lines)


def _cell(line: Mapping[str, str], name: str) -> str:
    return (line.get(name) or "").strip()


def _key(line: Mapping[str, str]) -> Key:
    learner, assignment, id = (_cell(line, name).removeprefix("'") for name in ("learner", "assignment", "id"))
    return learner, assignment, current(id)


def _decimal(text: str, separator: str) -> str:
    return text if separator == "," else text.replace(",", ".")


class _Known:
    """The learners, assignments and questions that can be marked."""

    def __init__(self, course: Course) -> None:
        self.course = course
        names = learners_of(course)
        self.learners = {printable(name) for name in names} | {*names}
        self.assignments = {assignment.name for assignment in course.assignments}
        self.questions: dict[str, dict[str, float]] = {}

    def fault(self, key: Key, points: float | None) -> str:
        """What is wrong with a mark, as a clause; "" if it is valid."""
        learner, assignment, id = key
        if learner not in self.learners:
            return f"there is no learner {printable(learner)!r}"
        if assignment not in self.assignments:
            return f"there is no assignment {printable(assignment)!r}"
        if assignment not in self.questions:
            questions = task_of(self.course, self.course.assignment(assignment)).questions()
            self.questions[assignment] = {criterion.id: criterion.points for criterion in questions}
        if id not in self.questions[assignment]:
            return f"{assignment} has no question {printable(id)!r}"
        most = self.questions[assignment][id]
        if points is not None and points > most:
            return f"{points:g} points are more than the {most:g} of {id}"
        return ""


def _points(text: str) -> tuple[float | None, str]:
    """The points in a cell (None if it is empty), and what is wrong with them."""
    try:
        value = float(text) if text else None
    except ValueError:
        return None, f"{text!r} is not a number of points"
    fine = value is None or (math.isfinite(value) and value >= 0)
    return (value, "") if fine else (None, f"{text!r} is not a number of points")


def _from_gradebook(course: Course) -> dict[Key, ByHand]:
    path = course.folder / gradebook.GRADEBOOK
    if not path.is_file():
        return {}
    if _nothing_by_hand(path):
        return {}
    try:
        from nbgrader.api import MissingEntry
    except ImportError:
        return {}
    comments = {}
    with gradebook.opened(course.folder) as book:
        for assignment in course.assignments:
            try:
                submissions = book.assignment_submissions(assignment.name)
            except MissingEntry:
                continue
            for submission in submissions:
                for notebook in submission.notebooks:
                    for grade in notebook.grades:
                        if grade.manual_score is not None:
                            key = submission.student_id, assignment.name, current_name(grade.name)
                            comments[key] = ByHand(float(grade.manual_score))
                    for comment in notebook.comments:
                        key = submission.student_id, assignment.name, current_name(comment.name)
                        if comment.manual_comment:
                            points = comments[key].points if key in comments else None
                            comments[key] = ByHand(points, comment.manual_comment)
    return comments


def _nothing_by_hand(path: Path) -> bool:
    """Whether nothing was marked in nbgrader; checked without importing nbgrader, which takes seconds."""
    asked = "SELECT (SELECT count(manual_score) FROM grade) + (SELECT count(manual_comment) FROM comment)"
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path)) as book:
        return bool(book.execute(asked).fetchone() == (0,))
    return False
