"""Taking a delivery in: whose each file is, which notebook, which attempt, and what is odd about it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from glassroom.classroom.batch import learners_of
from glassroom.classroom.collecting.course_files import CourseFiles
from glassroom.classroom.collecting.folders import delivered_items, in_homes
from glassroom.classroom.collecting.items import Item
from glassroom.classroom.collecting.names import Layout, attempt_of, safe_name
from glassroom.classroom.collecting.submitted import Collected, folder_of, keep_aside, note_time, take
from glassroom.classroom.course_file import NAME, Course
from glassroom.records.printable import printable
from glassroom.workspace.problems import Exit, Problem

#: What the commands keep in a class's folder.
OWN_FOLDERS = ("source", "release", "submitted", "marks", "pages", "autograded", "feedback")
MANY, AT_ONCE = 3, 60  # this many learners within this many seconds means copied files


def collect(
    course: Course,
    source: Path,
    assignment: str = "",
    within: str | None = None,
    when: datetime | None = None,
    hub: bool = False,
    lateness: bool = True,
) -> Collected:
    """Collect from `source`: a folder of learners, an LMS's zip file, nbgrader's exchange, or a `hub`. `assignment` is
    used for files whose name and cells do not show their assignment; `within` is the folder in the source that has the
    learners' folders; `when` is the time at which everything was handed in, if the files do not show it. Without
    `lateness` no time is recorded, so nobody is late. Raises `Problem` for a source that is missing or of another kind,
    and if it is unclear whose its folders are.
    """
    if assignment:
        course.assignment(assignment)
    home, place = course.folder.resolve(), source.resolve()
    if place == home or (place.is_relative_to(home) and place.relative_to(home).parts[0] in OWN_FOLDERS):
        raise Problem(f"{source} is the class's own. Name what was delivered: a zip file, or a folder of learners.")
    _require_delivery(course, source)
    report = Collected()
    layout = Layout(
        learners_of(course),
        [assignment.name for assignment in course.assignments],
        chosen=None if within is None else PurePosixPath(within).parts,
    )
    items = list(in_homes(source) if hub else delivered_items(source, layout))
    if when is not None:
        items = [replace(item, when=when) for item in items]
    found = _attempts(course, items, assignment, report)
    if when is None and source.is_dir() and lateness and not hub:
        may_be_late = {each.name for each in course.assignments if each.due}
        dated = [item for (_, target, _), attempts in found.items() if target in may_be_late for item in attempts]
        report.oddities[:0] = _dates(dated)
    for (learner, target, name), attempts in sorted(found.items()):
        attempts.sort(
            key=lambda item: (item.when or datetime.min.replace(tzinfo=UTC), attempt_of(item.name), item.origin)
        )
        *earlier, last = attempts
        for item in earlier:
            report.oddities.append(f"{printable(item.origin)}: an earlier attempt of {learner}; kept in collected/")
            keep_aside(course, item)
        take(course, learner, target, name, last, report)
        folder = course.folder / "submitted" / learner / target
        if not lateness:
            (folder / "timestamp.txt").unlink(missing_ok=True)
        elif when is not None and (learner, target) in report.taken and (folder / name).read_bytes() == last.content:
            note_time(folder, when)  # also where the work itself is there already
    report.oddities += _missing(course, report.taken)
    return report


def _require_delivery(course: Course, source: Path) -> None:
    """Raise `Problem` for a class's folder, for what lies in it (but for `collected/`), and for a folder around it."""
    here, own = source.resolve(), course.folder.resolve()
    inside = here.is_relative_to(own) and not here.is_relative_to(own / "collected")
    if inside or own.is_relative_to(here) or (here / NAME).is_file():
        raise Problem(
            f"{source} has a class in it, and no delivery: its folders are no learners'. Name the folder or the zip "
            "file in which work was handed in.",
            Exit.USAGE,
        )


def _attempts(
    course: Course, items: list[Item], assignment: str, report: Collected
) -> dict[tuple[str, str, str], list[Item]]:
    """The notebooks by learner, assignment and name. Everything else is kept aside, and `report` says why."""
    attempts: dict[tuple[str, str, str], list[Item]] = {}
    known = CourseFiles(course)
    shared = _shared_names(items)
    for item in items:
        where = printable(item.origin)
        learner = safe_name(item.learner)
        target, name, why, recognized = "", "", item.fault, ""
        if not item.fault and not learner:
            why = "whose it is cannot be told; kept in collected/"
        elif not item.fault and not item.name.lower().endswith(".ipynb"):
            why = "not a notebook; kept in collected/"
        elif not item.fault:
            target, name, why, recognized = known.place(item, assignment)
        report.oddities += [f"{where}: {remark}" for remark in (why, item.note) if remark]
        if recognized:
            report.recognized.append(f"{where}: {recognized}")
        if not target:
            keep_aside(course, item)
            continue
        learner, why = folder_of(course, learner, target, item, shared)
        if why:
            report.oddities.append(f"{where}: {why}; taken for {learner}")
        attempts.setdefault((learner, target, name), []).append(item)
    return attempts


def _missing(course: Course, taken: list[tuple[str, str]]) -> list[str]:
    """A line for each notebook of an assignment that a learner has not handed in with the others."""
    lines = []
    for learner, target in dict.fromkeys(taken):
        present = {path.name for path in (course.folder / "submitted" / learner / target).glob("*.ipynb")}
        names = [Path(notebook).name for notebook in course.assignment(target).notebooks]
        lines += [f"{learner}, {target}: {name} is missing" for name in names if name not in present]
    return lines


def _dates(items: list[Item]) -> list[str]:
    """A warning if all files of a folder were written at once: they were probably copied, so their dates say
    nothing."""
    dates = {item.learner: item.when for item in items if item.when and item.learner and item.name.endswith(".ipynb")}
    first, last = min(dates.values(), default=None), max(dates.values(), default=None)
    if len(dates) < MANY or first is None or last is None or (last - first).total_seconds() > AT_ONCE:
        return []
    said = f"the files of all {len(dates)} learners are dated {first:%Y-%m-%d %H:%M} UTC, as if copied then"
    return [f"{said}. Lateness counts from that: copy with cp -p, or say --when 2030-01-31T18:00+01:00"]


def _shared_names(items: list[Item]) -> set[str]:
    """The names that several people in a delivery have, ignoring case."""
    people_by_name: dict[str, set[str]] = {}
    for item in items:
        if item.learner:
            people_by_name.setdefault(safe_name(item.learner).casefold(), set()).add(item.person)
    return {name for name, people in people_by_name.items() if len(people) > 1}
