"""From rows to marks: lateness, hints and marks by hand taken in; and marks as CSV, for people and for an LMS.

What a spreadsheet would take for a formula is written so that it does not.
"""

from __future__ import annotations

import contextlib
import csv
import io
import math
import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from glassroom.classroom.batch import learners_of
from glassroom.classroom.course_file import Assignment, Course
from glassroom.classroom.grading import Mark, Row, task_of
from glassroom.classroom.release import find_programs
from glassroom.records.printable import printable
from glassroom.workspace.problems import Problem

MANUAL = "manual.csv"
MOST_FAULTS = 10  # lines of it that are named
#: What begins a formula, at the beginning of a cell or of what a program takes for one: in many countries a semicolon
#: parts cells. A sign with nothing after it begins none.
_FORMULA = re.compile(r"(^\s*|[;\t\n]\s*)([=+\-@|%＝＋－＠])(?!\s*(?:[;\t\n]|$))")
_ZONE = re.compile(r"\s+(UTC|GMT|Z)$")


@dataclass(frozen=True)
class ByHand:
    """A person's word on one exercise or question: its points, and a sentence to the learner."""

    points: float | None
    comment: str = ""


@dataclass(frozen=True)
class Result:
    """A learner's marks for an assignment, as they count."""

    row: Row
    earned: dict[str, float | None]  # by exercise or question; None while it waits for a person
    comments: dict[str, str]
    points: float
    factor: float
    seconds_late: float

    @property
    def raw(self) -> float:
        """The points before lateness."""
        return round(sum(each or 0.0 for each in self.earned.values()), 4)

    @property
    def total(self) -> float:
        """The points that count."""
        return round(self.raw * self.factor, 2)

    @property
    def waiting(self) -> list[str]:
        """Questions that a person has not marked yet."""
        return [id for id, each in self.earned.items() if each is None]


Manual = Mapping[tuple[str, str, str], ByHand]


def result(course: Course, assignment: Assignment, row: Row, manual: Manual) -> Result:
    """The marks of a row, by the class's rules and by what people have marked."""
    earned: dict[str, float | None] = {}
    comments = {}
    who = printable(row.learner)  # as tables have it
    for each in row.marks:
        hand = manual.get((row.learner, row.assignment, each.id)) or manual.get((who, row.assignment, each.id))
        if hand is not None and hand.comment:
            comments[each.id] = hand.comment
        earned[each.id] = hand.points if hand is not None and hand.points is not None else _earned(each, course)
    late = 0.0
    submitted = moment(row.submitted)
    if assignment.due is not None and submitted is not None:
        late = max(0.0, (submitted - assignment.due).total_seconds())
    return Result(row, earned, comments, sum(each.points for each in row.marks), course.late.factor(late), late)


def _earned(each: Mark, course: Course) -> float | None:
    if each.part is None:
        return None
    return round(each.points * each.part * max(0.0, 1.0 - course.hint_cost * min(each.hints, 4)), 4)


def read_manual(course: Course) -> dict[tuple[str, str, str], ByHand]:
    """What people have marked: in nbgrader's gradebook (its formgrader writes there), and in `manual.csv`, which wins.

    Cells are parted by commas, semicolons (with points such as 1,5, as Excel writes them in many countries) or tabs.
    Raises `Problem`, naming each line, for what is no mark: a learner, an assignment or a question that there is not,
    or points that it does not have.
    """
    found = _from_gradebook(course)
    path = course.folder / MANUAL
    if not path.exists():
        return found
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{path} cannot be read: {error}") from error
    separator = max(",;\t", key=text.partition("\n")[0].count)
    reader = csv.DictReader(io.StringIO(text), delimiter=separator)
    needed = {"learner", "assignment", "id", "points"}
    if not needed <= set(reader.fieldnames or ()):
        raise Problem(
            f"{path} needs a first line with the columns learner, assignment, id, points and, if you like, comment."
        )
    known = {printable(name) for name in learners_of(course)} | {*learners_of(course)}
    questions: dict[str, dict[str, float]] = {}
    faults = []
    for line in reader:
        if not any(isinstance(each, str) and each.strip() for each in line.values()):
            continue  # as spreadsheets leave them at the end
        points = (line["points"] or "").strip()
        who, where, id = ((line[name] or "").strip().removeprefix("'") for name in ("learner", "assignment", "id"))
        if where not in questions and where in {each.name for each in course.assignments}:
            made = task_of(course, course.assignment(where)).questions()
            questions[where] = {each.id: each.points for each in made}
        value, fault = _points(points.replace(",", ".") if separator != "," else points)
        if who not in known:
            fault = f"there is no learner {printable(who)!r}"
        elif where not in questions:
            fault = f"there is no assignment {printable(where)!r}"
        elif id not in questions[where]:
            fault = f"{where} has no question {printable(id)!r}"
        elif value is not None and value > questions[where][id]:
            fault = f"{value:g} points are more than the {questions[where][id]:g} of {id}"
        if fault:
            faults.append(f"{path}, line {reader.line_num}: {fault}.")
        found[who, where, id] = ByHand(value, (line.get("comment") or "").strip())
    if faults:
        more = f"\nand {len(faults) - MOST_FAULTS} more" if len(faults) > MOST_FAULTS else ""
        raise Problem("\n".join(faults[:MOST_FAULTS]) + more)
    return found


def _points(text: str) -> tuple[float | None, str]:
    """The points that a cell gives, None where it is empty, and what is wrong with it."""
    try:
        value = float(text) if text else None
    except ValueError:
        return None, f"{text!r} is not a number of points"
    fine = value is None or (math.isfinite(value) and value >= 0)
    return (value, "") if fine else (None, f"{text!r} is not a number of points")


def _from_gradebook(course: Course) -> dict[tuple[str, str, str], ByHand]:
    path = course.folder / "gradebook.db"
    if not path.is_file():
        return {}
    if _nothing_by_hand(path):
        return {}
    try:
        from nbgrader.api import Gradebook, MissingEntry
    except ImportError:
        return {}
    found = {}
    find_programs()
    with Gradebook(f"sqlite:///{path.resolve()}") as book:
        for assignment in course.assignments:
            try:
                submissions = book.assignment_submissions(assignment.name)
            except MissingEntry:
                continue
            for submission in submissions:
                for notebook in submission.notebooks:
                    for grade in notebook.grades:
                        if grade.manual_score is not None:
                            key = submission.student_id, assignment.name, grade.name
                            found[key] = ByHand(float(grade.manual_score))
                    for comment in notebook.comments:
                        key = submission.student_id, assignment.name, comment.name
                        if comment.manual_comment:
                            points = found[key].points if key in found else None
                            found[key] = ByHand(points, comment.manual_comment)
    return found


def _nothing_by_hand(path: Path) -> bool:
    """Whether nobody has marked anything in nbgrader, which takes seconds to import."""
    asked = "SELECT (SELECT count(manual_score) FROM grade) + (SELECT count(manual_comment) FROM comment)"
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path)) as book:
        return bool(book.execute(asked).fetchone() == (0,))
    return False


def manual_template(results: Iterable[Result]) -> str:
    """A `manual.csv` with a line for every answer in words, to be filled in."""
    lines = [["learner", "assignment", "id", "points", "comment", "answer"]]
    for each in results:
        for mark in each.row.marks:
            if mark.how == "hand":
                points = each.earned[mark.id]
                shown = "" if points is None else f"{points:g}"
                comment = each.comments.get(mark.id, "")
                lines.append(
                    [printable(each.row.learner), each.row.assignment, mark.id, shown, comment, mark.answer[:2000]]
                )
    return _csv(lines)


def marks_csv(results: Iterable[Result]) -> str:
    """A line for each learner and assignment, with a column for every exercise."""
    rows = list(results)
    ids = list(dict.fromkeys(mark.id for each in rows for mark in each.row.marks))
    head = [
        "learner",
        "assignment",
        "points",
        "of",
        "before lateness",
        "minutes late",
        "waiting",
        "to look at",
        "with trouble",
    ]
    lines = [[*head, *ids]]
    for each in rows:
        doubt = "; ".join(f"{mark.id}: {mark.doubt}" for mark in each.row.to_look_at)
        earned = [_number(each.earned[id]) if id in each.earned else "" for id in ids]
        lines.append(
            [
                *(
                    printable(each.row.learner),
                    each.row.assignment,
                    _number(each.total),
                    _number(each.points),
                    _number(each.raw),
                ),
                *(f"{each.seconds_late / 60:.0f}", " ".join(each.waiting), doubt, "; ".join(each.row.trouble)),
                *earned,
            ]
        )
    return _csv(lines)


def lms_csv(kind: str, assignment: Assignment, results: Iterable[Result], roster: Path | None = None) -> str:
    """One assignment's marks as Moodle or Canvas takes them.

    Canvas wants its own export of the gradebook back, with the marks filled in, and Moodle takes its grading worksheet
    back: `roster` is that file. Without it Moodle matches learners by username or e-mail address, whichever the
    learners' folders are named by. Raises `Problem` for Canvas without it, and for a roster in which nobody is found.
    """
    rows = list(results)
    if roster is not None:
        return _csv(_filled(kind, assignment, rows, roster))
    if kind == "canvas":
        raise Problem("Canvas takes its own file back: export the gradebook there, and name it with --roster FILE.")
    if full := next((each.row.learner for each in rows if re.search(r"\s", each.row.learner)), ""):
        raise Problem(
            f"Moodle knows people by username or e-mail address, and a folder is named {full!r}. Download the grading "
            "worksheet there, which has full names, and name it with --roster FILE."
        )
    mail = all("@" in each.row.learner for each in rows) and bool(rows)
    lines = [["Email address" if mail else "Username", assignment.name, "Feedback comments"]]
    for each in rows:
        words = f"{each.total:g} of {each.points:g} points" + (", late" if each.factor < 1 else "")
        lines.append([printable(each.row.learner), _number(each.total), words])
    return _csv(lines)


def _filled(kind: str, assignment: Assignment, rows: list[Result], roster: Path) -> list[list[str]]:
    """The lines of an LMS's own file that are somebody's whose work was marked, with the marks."""
    try:
        table = list(csv.reader(io.StringIO(roster.read_text(encoding="utf-8-sig"))))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Problem(f"{roster} cannot be read: {error}") from error
    head = table[0] if table else []
    if kind == "moodle":
        if not {"Identifier", "Full name", "Grade"} <= set(head):
            raise Problem(f"{roster} is not Moodle's grading worksheet: it has no Identifier, Full name and Grade.")
        kept, title = [at for at, name in enumerate(head) if name != "Grade"], "Grade"
    else:
        if not {"Student", "ID"} <= set(head):
            raise Problem(f"{roster} is not Canvas's export of a gradebook: its first line has no Student and ID.")
        columns = [at for at, name in enumerate(head) if name.split(" (")[0] == assignment.name]
        title = head[columns[0]] if columns else assignment.name
        kept = [
            at for at, name in enumerate(head) if name in ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
        ]
    by_name: dict[str, Result] = {}
    for each in rows:
        same = by_name.setdefault(unicodedata.normalize("NFC", each.row.learner).casefold(), each).row.learner
        if same != each.row.learner:
            raise Problem(
                f"{same!r} and {each.row.learner!r} differ by capitals only, so {roster} does not tell them apart. "
                "Give one of the folders in submitted/ another name, and grade again."
            )
    lines: list[list[str]] = [[*(head[at] for at in kept), title]]
    found: dict[str, str] = {}
    for line in table[1:]:
        who = dict(zip(head, [*line, *[""] * (len(head) - len(line))], strict=False))
        match = next((by_name[name] for name in _names_of(kind, who) if name in by_name), None)
        if match is not None:
            number = who["Identifier" if kind == "moodle" else "ID"]
            other = found.setdefault(match.row.learner, number)
            if other != number:
                raise Problem(
                    f"{match.row.learner!r} may be {other} or {number} in {roster}. Give the folder in submitted/ the "
                    f"name {_names_of(kind, who)[0]!r}, or the other's, and grade again."
                )
        if match is not None or who.get("Student", "").strip() == "Points Possible":
            points = _number(match.total) if match else _number(rows[0].points if rows else 0)
            lines.append([*(who[head[at]] for at in kept), points])
    if rows and not found:
        raise Problem(
            f"None of the {len(rows)} learners is in {roster}: folders are named {rows[0].row.learner!r}, for one."
        )
    return lines


def _names_of(kind: str, who: Mapping[str, str]) -> list[str]:
    """What a learner's folder may be called, by a line of an LMS's file; the surest first."""
    if kind == "canvas":
        known = [who.get(name, "").strip().casefold() for name in ("ID", "SIS User ID", "SIS Login ID")]
        return [*known, _canvas_name(who["Student"])]
    name = unicodedata.normalize("NFC", who["Full name"]).strip()
    number = "".join(filter(str.isdigit, who["Identifier"]))
    known = [f"{name} {number}", who.get("Email address", ""), who.get("Username", ""), who.get("ID number", ""), name]
    return [each.strip().casefold() for each in known if each.strip()]


def _canvas_name(student: str) -> str:
    """ "Lovelace, Ada" as the zip file that Canvas delivers writes it: lovelaceada."""
    return re.sub(r"[^\w]", "", student).casefold()


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}".rstrip("0").rstrip(".")


def _csv(lines: Iterable[Iterable[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    for line in lines:
        writer.writerow([safe_cell(each) for each in line])
    return text.getvalue()


def safe_cell(text: str) -> str:
    """A cell of a table that no spreadsheet takes for a formula: such a one gets an apostrophe in front."""
    cleaned = "".join(letter for letter in text if letter in "\n\t" or letter.isprintable()).strip()
    if _is_number(cleaned):
        return cleaned
    return _FORMULA.sub(r"\1'\2", cleaned)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", text) is not None


def moment(text: str) -> datetime | None:
    """The moment that a timestamp means, as nbgrader, ISO 8601 and LMSes write it; None where it means none."""
    plain = _ZONE.sub("+00:00", text.strip())
    plain = re.sub(r"\s+([+-]\d\d):?(\d\d)$", r"\1:\2", plain)
    try:
        found = datetime.fromisoformat(plain)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found
        found.astimezone(UTC)  # there is no such moment before the year 1 and after 9999
    except (ValueError, OverflowError):
        return None
    return found


def lateness(seconds: float) -> str:
    """How late, in words: "2 days, 3 hours"."""
    if seconds <= 0:
        return "on time"
    whole = timedelta(seconds=int(seconds))
    hours, minutes = whole.seconds // 3600, whole.seconds % 3600 // 60
    parts = [(whole.days, "day"), (hours, "hour"), (minutes if not whole.days else 0, "minute")]
    said = [f"{count} {name}{'s' if count != 1 else ''}" for count, name in parts if count]
    return f"{', '.join(said) or 'less than a minute'} late"
