"""Deleting everything that a class's folder has about one person, and listing what remains. Work, marks, pages and
lines of tables are deleted; `class.html`, which shows everybody, is deleted too, since it can be made again in a
second. Other files that mention the person are found by name and listed: only a teacher knows whether they mean this
person.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from glassroom.classroom.batch import learners_of, read_rows, row_path
from glassroom.classroom.by_hand import MANUAL
from glassroom.classroom.collecting import safe_name
from glassroom.classroom.course_file import Course
from glassroom.classroom.gradebook import GRADEBOOK, delete_student
from glassroom.classroom.pages.shell import text
from glassroom.classroom.solutions import MARKS
from glassroom.classroom.tables import table_text
from glassroom.drawing.words import in_a_row
from glassroom.records.printable import printable
from glassroom.translations.templates import word
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.whole_files import write_atomically

TABLES = (MANUAL, "marks.csv")
LINES = ("learners.txt", ".nbgrader.log")
FOLDERS = ("feedback", "autograded", "submitted")  # nbgrader's and ours; the last goes last, since it tells the name
MOST_SEARCHED = 50_000_000  # bytes of a file


@dataclass(frozen=True)
class Trace:
    """Something that a class has about a person: what it is, and how it is deleted."""

    what: str
    delete: Callable[[], None]


def known_people(course: Course) -> set[str]:
    """Everybody about whom the class has anything under their name."""
    learners = {*learners_of(course)}
    for assignment in _assignments(course):
        learners |= {*read_rows(course, assignment)}
    for path in (course.folder / name for name in (*FOLDERS, "collected")):
        if path.is_dir():
            learners |= {place.name for place in path.iterdir() if place.is_dir() and not place.name.startswith(".")}
    for name in TABLES:
        learners |= {line[at] for at, line in _lines_of(course.folder / name) if len(line) > at}
    return learners | {*_students(course)}


def require_known(course: Course, person: str) -> None:
    """Raise `Problem`, with similar names, for somebody about whom there is nothing."""
    known = known_people(course)
    if person in known:
        return
    by_small = {name.casefold(): name for name in sorted(known)}
    near = [by_small[name] for name in get_close_matches(person.casefold(), by_small, n=3, cutoff=0.6)]
    hint = f" Did you mean {in_a_row([*map(repr, near)], word(' or '))}?" if near else ""
    raise Problem(f"{course.folder} has nothing of anybody named {person!r}.{hint}", Exit.USAGE)


def traces_of(course: Course, person: str) -> list[Trace]:
    """What there is about a person, in the order of deletion. Each deletion is atomic."""
    folder = course.folder
    traces = [
        Trace(str(path.relative_to(folder)), partial(path.unlink, missing_ok=True))
        for path in _files_of(course, person)
    ]
    for name in TABLES:
        count = sum(line[at : at + 1] in ([person], [printable(person)]) for at, line in _lines_of(folder / name))
        if count:
            what = f"{name}: {count} {word('line') if count == 1 else word('lines')}"
            traces.append(Trace(what, partial(_delete_from_table, folder / name, person)))
    for name in LINES:
        if count := len(_naming(folder / name, person)):
            what = f"{name}: {count} {word('line') if count == 1 else word('lines')}"
            traces.append(Trace(what, partial(_delete_lines, folder / name, person)))
    if person in _students(course):
        traces.append(Trace(f"{GRADEBOOK}: the student, with all marks", partial(_delete_student, course, person)))
    aside = folder / "collected" / (safe_name(person) or "unknown")
    folders = [folder / name / person for name in FOLDERS]
    lie = [path for path in (*([] if _namesakes(course, person) else [aside]), *folders) if os.path.lexists(path)]
    traces += [Trace(f"{path.relative_to(folder)}/{_told(path)}", partial(_delete_folder, path)) for path in lie]
    return traces


def left_of(course: Course, person: str) -> Iterator[str]:
    """What mentions a person and is not deleted: files in the class's folder, and places outside it."""
    own = {path for trace in traces_of(course, person) if (path := course.folder / trace.what.split(":")[0]).exists()}
    if namesakes := _namesakes(course, person):
        yield (
            f"collected/{safe_name(person)}/ stays: it may have work of {', '.join(map(printable, namesakes))} too. "
            "Look through it."
        )
    for path in sorted(course.folder.rglob("*")):
        inside = any(parent in own for parent in (path, *path.parents))
        if not inside and path.is_file() and not path.is_symlink() and _mentions(path, person):
            yield f"{path.relative_to(course.folder)} has this name in it"
    yield "Out of reach: the LMS, deliveries as you downloaded them, tables written elsewhere, backups, a repository"
    yield "and a hub's homes/, each with its own way to delete."


def _assignments(course: Course) -> list[str]:
    folder = course.folder / MARKS
    return sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def _files_of(course: Course, person: str) -> list[Path]:
    """Rows, the person's page (which may have another name), and the page of the class."""
    rows = [row_path(course, assignment, person) for assignment in _assignments(course)]
    heading = f"<h1>{text(person)}</h1>"
    pages = course.folder / "pages"
    own = [path for path in sorted(pages.glob("*.html")) if heading in path.read_text("utf-8", "replace")]
    return [path for path in (*rows, *own, course.folder / "class.html") if path.is_file()]


def _namesakes(course: Course, person: str) -> list[str]:
    """Others whose set-aside work lies in the same folder: people of the same name, distinguished by numbers."""
    plain = re.sub(r" [0-9a-f]+$", "", person)
    numbered = re.compile(re.escape(plain) + r"( [0-9a-f]+)?")
    return [learner for learner in learners_of(course) if learner != person and numbered.fullmatch(learner)]


def _told(path: Path) -> str:
    if path.is_symlink():
        return " (a link; what it leads to stays)"
    count = sum(place.is_file() for place in path.rglob("*"))
    return f" ({count} {word('file') if count == 1 else word('files')})"


def _delete_folder(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        path.unlink()
    else:
        shutil.rmtree(path)


def _table(path: Path) -> tuple[list[list[str]], str]:
    """The lines of a table and its delimiter; none if it cannot be read."""
    try:
        content = table_text(path)
    except (OSError, UnicodeDecodeError):
        return [], ","
    separator = max(",;\t", key=content.partition("\n")[0].count)
    return list(csv.reader(io.StringIO(content), delimiter=separator)), separator


def _lines_of(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines of a table after the first, each with the index of the learner's cell, in which the name is
    unescaped."""
    lines, _ = _table(path)
    if lines and "learner" in lines[0]:
        at = lines[0].index("learner")
        for line in lines[1:]:
            yield at, [cell.removeprefix("'") if number == at else cell for number, cell in enumerate(line)]


def _delete_from_table(path: Path, person: str) -> None:
    lines, separator = _table(path)
    at = lines[0].index("learner")
    names = {person, printable(person)}
    kept = [line for line in lines if not (len(line) > at and line[at].removeprefix("'") in names)]
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n", delimiter=separator).writerows(kept)
    write_atomically(path, written.getvalue().encode())


def _named(person: str) -> re.Pattern[bytes]:
    """The name as a pattern that matches only whole words."""
    names = "|".join(re.escape(name) for name in dict.fromkeys((person, printable(person))))
    return re.compile(rf"(?<![\w-])(?:{names})(?![\w-])".encode("utf-8", "replace"))


def _naming(path: Path, person: str) -> list[bytes]:
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError:
        return []
    if path.name == "learners.txt":
        return [line for line in lines if line.decode("utf-8", "replace").strip() == person]
    return [line for line in lines if _named(person).search(line)]


def _delete_lines(path: Path, person: str) -> None:
    gone = _naming(path, person)
    write_atomically(path, b"".join(line for line in path.read_bytes().splitlines(keepends=True) if line not in gone))


def _mentions(path: Path, person: str) -> bool:
    try:
        named = _named(person)
        if named.search(os.fsencode(path.name)):
            return True
        if path.stat().st_size > MOST_SEARCHED:
            return False
        content = path.read_bytes()
        return bool(named.search(content)) or _holds_work_of(content, person)
    except OSError:
        return False


def _holds_work_of(content: bytes, person: str) -> bool:
    """Whether this is a zip file with a folder or a file that Moodle or Canvas named after the person."""
    plain = re.sub(r" \d+$", "", person).casefold()
    wanted = {plain, re.sub(r"[^\w]", "", plain)} - {""}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = {part for name in archive.namelist() for part in name.casefold().split("/")}
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return False
    return any(part == name or part.startswith(f"{name}_") for part in parts for name in wanted)


def _students(course: Course) -> list[str]:
    path = course.folder / GRADEBOOK
    students: list[str] = []
    if path.is_file():
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path)) as book:
            students = [str(learner) for (learner,) in book.execute("SELECT id FROM student")]
    return students


def _delete_student(course: Course, person: str) -> None:
    try:
        delete_student(course.folder, person)
    except ImportError as error:
        raise Problem(f"{GRADEBOOK} stays as it is, because nbgrader is not installed.", Exit.REQUIREMENT) from error
