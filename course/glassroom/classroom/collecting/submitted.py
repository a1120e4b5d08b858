"""The folders that collected work goes to: `submitted/LEARNER/ASSIGNMENT/`, and `collected/` for what is not graded."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from glassroom.classroom.collecting.items import Item
from glassroom.classroom.collecting.names import CANVAS, safe_name
from glassroom.classroom.course_file import Course
from glassroom.classroom.marks import moment
from glassroom.classroom.submission import Unreadable, digest_of, read_file
from glassroom.records.printable import printable
from glassroom.workspace.whole_files import write_atomically

PERSON = ".person"  # in a learner's folder of an assignment: the LMS's number or the full name of the person
DELIVERED = ".delivered"  # beside it: Canvas's name of each notebook, which it needs to take it back


@dataclass
class Collected:
    """What was collected: submissions by learner and assignment, a line about each oddity, and one about each file that
    was recognized under another name."""

    taken: list[tuple[str, str]] = field(default_factory=list)
    oddities: list[str] = field(default_factory=list)
    recognized: list[str] = field(default_factory=list)
    unchanged: int = 0


def person_of(course: Course, learner: str, target: str) -> str:
    """The person whose work a folder has, as recorded when it was collected; "" if none was recorded."""
    try:
        return (
            read_file(course.folder / "submitted" / learner / target / PERSON, 4000).decode("utf-8", "replace").strip()
        )
    except Unreadable:
        return ""


def delivered_as(folder: Path) -> dict[str, str]:
    """Canvas's names for the notebooks in a learner's folder, by their names in that folder."""
    try:
        names = json.loads(read_file(folder / DELIVERED, 100_000))
    except (Unreadable, ValueError):
        return {}
    return (
        {name: delivered for name, delivered in names.items() if isinstance(delivered, str)}
        if isinstance(names, dict)
        else {}
    )


def folder_of(course: Course, learner: str, target: str, item: Item, shared: set[str]) -> tuple[str, str]:
    """The learner's folder, and the reason if it is not named by their name alone. Moodle numbers people anew for each
    assignment, so the owner of a folder is recorded for each assignment.
    """
    number = item.number or ("" if item.person == learner else digest_of(item.person)[:6])
    apart = safe_name(f"{learner[:45]} {number}")
    is_shared, before = learner.casefold() in shared, person_of(course, learner, target)
    if number and before == item.kind_and_person:
        return learner, ""
    if number and (is_shared or person_of(course, apart, target) == item.kind_and_person):
        return apart, "several people have this name"
    if is_shared:
        return learner, "several people have this name"
    if before and before.split(" ")[0] == item.kind_and_person.split(" ")[0] and before != item.kind_and_person:
        number = number or digest_of(item.person)[:6]
        return safe_name(f"{learner[:45]} {number}"), f"{learner} is somebody else so far ({printable(before)})"
    return learner, ""


def take(course: Course, learner: str, assignment: str, name: str, item: Item, report: Collected) -> None:
    folder = course.folder / "submitted" / learner / assignment
    path = folder / name
    for place in (folder.parent, folder, path):
        if place.is_symlink():
            report.oddities.append(f"{printable(item.origin)}: {place} is a link, which is not written through")
            keep_aside(course, item)
            return
        if place.exists() and place.is_dir() == (place is path):
            report.oddities.append(f"{printable(item.origin)}: {place} is in the way")
            keep_aside(course, item)
            return
    report.taken.append((learner, assignment))
    if path.is_file():
        before = path.read_bytes()
        if before == item.content:
            report.unchanged += 1
            return
        was = timestamp_in(folder)
        if was and item.when and item.when < was:
            report.oddities.append(f"{printable(item.origin)}: older than what is there; kept in collected/")
            keep_aside(course, item)
            return
        report.oddities.append(
            f"{printable(item.origin)}: replaces an earlier attempt of {learner}, which is kept in collected/"
        )
        keep_aside(course, Item(f"{learner}-{assignment}", learner, name, before))
    # The notebook comes last: where the disk is full before that, collecting again goes on here.
    if item.number or not (folder / PERSON).exists():
        write_atomically(folder / PERSON, f"{item.kind_and_person}\n".encode("utf-8", "replace"))
    delivered = PurePosixPath(item.origin.rpartition(": ")[2]).name
    if CANVAS.match(delivered):
        names = {**delivered_as(folder), name: delivered}
        write_atomically(folder / DELIVERED, json.dumps(names, ensure_ascii=False).encode("utf-8", "replace"))
    if item.when is not None:
        note_time(folder, item.when)
    write_atomically(path, item.content)


def note_time(folder: Path, when: datetime) -> None:
    """Record when the work in a learner's folder was handed in, as nbgrader does."""
    stamp = when.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f UTC")
    write_atomically(folder / "timestamp.txt", f"{stamp}\n".encode())


def keep_aside(course: Course, item: Item) -> None:
    """Keep a file that is not graded, under a name made from its content: the same file is kept only once."""
    if not item.content:
        return
    owner = safe_name(item.learner) or "unknown"
    name = safe_name(item.name[-80:]) or "file"
    write_atomically(course.folder / "collected" / owner / f"{digest_of(item.content)[:12]}-{name}", item.content)


def timestamp_in(folder: Path, opened: int | None = None) -> datetime | None:
    try:
        return moment(read_file(folder / "timestamp.txt", 200, opened).decode("utf-8", "replace").strip())
    except Unreadable:
        return None
