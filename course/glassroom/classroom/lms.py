"""Marks and pages in the forms that Moodle and Canvas take.

Moodle takes a worksheet with marks and comments, and a zip file with a folder for each learner, named as its own
deliveries name them: `Full name_NUMBER_assignsubmission_file_`. It splits that name at underscores and finds the
learner by the number, which is that of one assignment. Canvas takes its own export of the gradebook, without comments,
and a zip file of the files that were handed in, under the names that they had in its own zip file.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from glassroom.classroom.collecting import delivered_as, person_of, safe_name
from glassroom.classroom.course_file import Assignment, Course
from glassroom.classroom.grading import submission_files
from glassroom.classroom.marks import Result
from glassroom.classroom.pages.annotated import annotated
from glassroom.classroom.pages.feedback import feedback_page
from glassroom.classroom.pages.questions import questions_of
from glassroom.classroom.submission import Unreadable, read_notebook
from glassroom.classroom.tables import number, table_csv
from glassroom.records.printable import printable
from glassroom.translations.templates import as_is, word
from glassroom.workspace.notebook_json import serialise
from glassroom.workspace.problems import Problem

NO_PERSON = as_is("Points Possible")  # the line of Canvas's file that says how many points there are
TEST_STUDENT = as_is("Student, Test")  # whom Canvas makes for teachers who look at a course as a learner
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")  # columns by which Canvas finds people
COMMENTS = as_is("Feedback comments")
MAIL = as_is("Email address")


def lms_csv(
    kind: str,
    assignment: Assignment,
    results: Iterable[Result],
    roster: Path | None = None,
    numbers: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """One assignment's marks as Moodle or Canvas takes them. `numbers` are those that learners had in the delivery.

    Canvas wants its own export of the gradebook back, with the marks filled in, and Moodle takes its grading worksheet
    back: `roster` is that file. Without it, Moodle matches learners by username or e-mail address, depending on what
    the learners' folders are named after. Raises `Problem` for Canvas without a roster, and for a roster in which
    nobody is found.
    """
    rows = list(results)
    if roster is not None:
        return table_csv(_filled(kind, assignment, rows, roster, numbers))
    if kind == "canvas":
        raise Problem("Canvas takes its own file back: export the gradebook there, and name it with --roster FILE.")
    if full := next((row.row.learner for row in rows if re.search(r"\s", row.row.learner)), ""):
        raise Problem(
            f"Moodle knows people by username or e-mail address, and a folder is named {full!r}. Download the grading "
            "worksheet there, which has full names, and name it with --roster FILE."
        )
    mail = all("@" in row.row.learner for row in rows) and bool(rows)
    lines = [[MAIL if mail else "Username", assignment.name, COMMENTS]]
    lines += [[printable(row.row.learner), number(row.total), _words(row)] for row in rows]
    return table_csv(lines)


def numbers_of(course: Course, results: Iterable[Result]) -> dict[str, str]:
    """The numbers that learners had in the deliveries of this work, where they are known."""
    known = ((result.row.learner, _delivered_as(course, result)[1]) for result in results)
    return {learner: number for learner, number in known if number}


def left_out(
    kind: str, results: Iterable[Result], roster: Path, numbers: Mapping[str, str] = MappingProxyType({})
) -> tuple[list[str], list[str]]:
    """Who has marks and is not in an LMS's file, and who is in that file and has no marks."""
    rows = list(results)
    head, lines = _read_roster(kind, roster)
    matched = list(_matches(kind, rows, head, lines, roster, numbers))
    found = {match.row.learner for _, match in matched if match is not None}
    # Canvas's file has lines that are no people's: they have no number
    people = [(who, match) for who, match in matched if who["Identifier" if kind == "moodle" else "ID"].strip()]
    return (
        [row.row.learner for row in rows if row.row.learner not in found],
        [who["Full name" if kind == "moodle" else "Student"].strip() for who, match in people if match is None],
    )


def _words(result: Result) -> str:
    """What a learner reads beside the mark: the points, and comments of people."""
    points = f"{result.total:g} of {result.points:g} points" + (word(", late") if result.factor < 1 else "")
    if result.waiting:
        points += word(", with answers that wait for a person's mark")
    return "; ".join([points, *(f"{id}: {comment}" for id, comment in result.comments.items())])


def feedback_zip(course: Course, results: Iterable[Result], roster: Path | None = None) -> tuple[bytes, list[str]]:
    """One assignment's pages as Moodle takes feedback files, and the learners left out because their number is unknown.
    Numbers come from the delivery, or from the grading worksheet `roster`.
    """
    rows = sorted(results, key=lambda result: result.row.learner)
    people = {row.row.learner: _delivered_as(course, row) for row in rows}
    asked = questions_of(course, course.assignment(rows[0].row.assignment)) if rows else {}
    if roster is not None:
        head, lines = _read_roster("moodle", roster)
        for who, match in _matches("moodle", rows, head, lines, roster):
            if match is not None:
                people[match.row.learner] = (who["Full name"], "".join(filter(str.isdigit, who["Identifier"])))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for result in rows:
            name, id = people[result.row.learner]
            if id:
                folder = f"{safe_name(name).replace('_', ' ')}_{id}_assignsubmission_file_"
                html = feedback_page(course.name, result.row.learner, [result], asked)
                archive.writestr(f"{folder}/{result.row.assignment}.html", html.encode("utf-8", "replace"))
    return packed.getvalue(), [row.row.learner for row in rows if not people[row.row.learner][1]]


def canvas_zip(course: Course, results: Iterable[Result]) -> tuple[bytes, list[str]]:
    """One assignment's notebooks, with marks and comments in them, as Canvas takes files back; and the learners who
    have none. Canvas finds the learner by two numbers in each name, the learner's and the file's, and takes only files
    that were handed in there, so the names are those of the delivery.
    """
    packed = io.BytesIO()
    left = []
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for result in sorted(results, key=lambda result: result.row.learner):
            folder = course.folder / "submitted" / result.row.learner / result.row.assignment
            files, _ = submission_files(folder)
            names = {name: delivered for name, delivered in delivered_as(folder).items() if name in files}
            if not names:
                left.append(result.row.learner)
            for name, delivered in names.items():
                with contextlib.suppress(Unreadable):  # the learner gets an unreadable notebook back unchanged
                    files[name] = serialise(annotated(read_notebook(files[name]), result))
                archive.writestr(delivered, files[name])
    return packed.getvalue(), left


def _delivered_as(course: Course, result: Result) -> tuple[str, str]:
    """A learner's name and number in the delivery of their work; the number is "" if it had none."""
    kind, _, id = person_of(course, result.row.learner, result.row.assignment).partition(" ")
    return result.row.learner.removesuffix(f" {id}"), id if kind == "number" and id.isdigit() else ""


def _read_roster(kind: str, roster: Path) -> tuple[list[str], list[list[str]]]:
    """Read an LMS's own file: its header, and the other lines."""
    try:
        table = list(csv.reader(io.StringIO(roster.read_text(encoding="utf-8-sig"))))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Problem(f"{roster} cannot be read: {error}") from error
    head = table[0] if table else []
    if kind == "moodle" and not {"Identifier", "Full name", "Grade"} <= set(head):
        raise Problem(f"{roster} is not Moodle's grading worksheet: it has no Identifier, Full name and Grade.")
    if kind == "canvas" and not {"Student", "ID"} <= set(head):
        raise Problem(f"{roster} is not Canvas's export of a gradebook: its first line has no Student and ID.")
    return head, table[1:]


def _matches(
    kind: str,
    rows: list[Result],
    head: list[str],
    lines: list[list[str]],
    roster: Path,
    numbers: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[tuple[dict[str, str], Result | None]]:
    """The lines of an LMS's file, each with the learner's result: by the number that their work was delivered with, if
    its name agrees, else by names. Raises `Problem` if a match is ambiguous.
    """
    people = [dict(zip(head, [*line, *[""] * (len(head) - len(line))], strict=False)) for line in lines]
    by_number = {numbers[row.row.learner]: row for row in rows if row.row.learner in numbers}
    delivered = {}
    for place, who in enumerate(people):
        match = by_number.get(_number_of(kind, who))
        if match is not None and _plain_name(match, numbers) == _names_of(kind, who)[-1]:
            delivered[place] = match
    known = {match.row.learner for match in delivered.values()}
    by_name: dict[str, Result] = {}
    for result in rows:
        if result.row.learner in known:
            continue
        same = by_name.setdefault(unicodedata.normalize("NFC", result.row.learner).casefold(), result).row.learner
        if same != result.row.learner:
            raise Problem(
                f"{same!r} and {result.row.learner!r} differ by capitals only, so {roster} does not tell them apart. "
                "Give one of the folders in submitted/ another name, and grade again."
            )
    id_of: dict[str, str] = {}
    for place, who in enumerate(people):
        match = delivered.get(place) or next((by_name[name] for name in _names_of(kind, who) if name in by_name), None)
        if match is not None:
            id = who["Identifier" if kind == "moodle" else "ID"]
            other = id_of.setdefault(match.row.learner, id)
            if other != id:
                raise Problem(
                    f"{match.row.learner!r} may be {other} or {id} in {roster}. Give the folder in submitted/ the "
                    f"name {_names_of(kind, who)[0]!r}, or the other's, and grade again."
                )
        yield who, match
    if rows and not id_of:
        named = [who for who in people if kind == "moodle" or who["Student"].strip() not in (NO_PERSON, TEST_STUDENT)]
        raise Problem(
            f"None of the {len(rows)} learners is in {roster}: folders are named {rows[0].row.learner!r}, for one, and "
            f"its people would be {word(' or ').join(map(repr, filter(None, _names_of(kind, named[-1]))))}."
            if named
            else f"{roster} has no people in it."
        )


def _number_of(kind: str, who: Mapping[str, str]) -> str:
    return "".join(filter(str.isdigit, who["Identifier" if kind == "moodle" else "ID"]))


def _plain_name(result: Result, numbers: Mapping[str, str]) -> str:
    """The name of a learner's folder without the number that tells namesakes apart."""
    return unicodedata.normalize("NFC", result.row.learner).casefold().removesuffix(f" {numbers[result.row.learner]}")


def _filled(
    kind: str, assignment: Assignment, rows: list[Result], roster: Path, numbers: Mapping[str, str]
) -> list[list[str]]:
    """The lines of an LMS's own file for learners whose work was marked, with the marks filled in."""
    head, lines = _read_roster(kind, roster)
    columns = [name for name in head if name.split(" (")[0] == assignment.name]
    title = "Grade" if kind == "moodle" else columns[0] if columns else assignment.name
    kept = [name for name in head if name != "Grade" and (kind == "moodle" or name in CANVAS)]
    table = [[*kept, title]]
    for who, match in _matches(kind, rows, head, lines, roster, numbers):
        if match is not None or who.get("Student", "").strip() == NO_PERSON:
            points = number(match.total) if match else number(rows[0].points if rows else 0)
            if match is not None and kind == "moodle" and not who.get(COMMENTS, "").strip():
                who[COMMENTS] = _words(match)
            table.append([*(who[name] for name in kept), points])
    return table


def _names_of(kind: str, who: Mapping[str, str]) -> list[str]:
    """Names that a learner's folder may have, by a line of an LMS's file; the most reliable first."""
    if kind == "canvas":
        known = [who.get(name, "").strip().casefold() for name in ("ID", "SIS User ID", "SIS Login ID")]
        name = _canvas_name(who["Student"])
        return [f"{name} {known[0]}", *known, name]  # the first, where people of one name were told apart
    name = unicodedata.normalize("NFC", who["Full name"]).strip()
    digits = "".join(filter(str.isdigit, who["Identifier"]))
    known = [f"{name} {digits}", *(who.get(column, "") for column in (MAIL, "Username", "ID number")), name]
    return [name.strip().casefold() for name in known if name.strip()]


def _canvas_name(student: str) -> str:
    """ "Lovelace, Ada" as the zip file that Canvas delivers writes it: lovelaceada."""
    return re.sub(r"[^\w]", "", student).casefold()
