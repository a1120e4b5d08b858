"""Marking a class: a row for every learner, several at a time, each saved as soon as it is ready.

Rows lie in `marks/ASSIGNMENT/LEARNER.json`. A row records what it depends on (the submission's bytes, the teacher's
notebooks, the checks, the limits), so a run that was killed continues where it stopped, and a second run marks only
what has changed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glassroom.classroom.course_file import Assignment, Course
from glassroom.classroom.grading import Row, Task, key_of, mark, submission_files, task_of
from glassroom.classroom.sandbox import Isolation, dismiss_referees, leave_referee
from glassroom.classroom.solutions import MARKS, tried
from glassroom.classroom.submission import digest_of
from glassroom.records.printable import printable
from glassroom.workspace.problems import Problem
from glassroom.workspace.whole_files import clear_leftovers, write_atomically

LONGEST_NAME = 200  # bytes

Work = tuple[Task, str, dict[str, bytes], str]
Runner = Callable[[Iterable[Work], Isolation, threading.Event], Iterator[Row]]


@dataclass
class Report:
    """What a run of `grade` did, and what the teacher should know about it."""

    marked: int = 0
    kept: int = 0  # rows from earlier runs that still hold
    missing: list[tuple[str, str]] = field(default_factory=list)  # (learner, assignment), where others handed in
    warnings: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    @property
    def troubled(self) -> list[Row]:
        """The rows of submissions that could not be run, entirely or in part, or that had to be repaired first."""
        return [row for row in self.rows if row.trouble]

    @property
    def doubtful(self) -> list[Row]:
        """The rows that a person should look at before the marks count."""
        return [row for row in self.rows if row.to_look_at]


def learners_of(course: Course) -> list[str]:
    """Everybody who has a folder under `submitted/`, and everybody listed in `learners.txt` if there is one."""
    folder = course.folder / "submitted"
    names = (
        {path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")}
        if folder.is_dir()
        else set()
    )
    listed = course.folder / "learners.txt"
    if listed.is_file():
        names |= {line.strip() for line in listed.read_text(encoding="utf-8").splitlines() if line.strip()}
    return sorted(names)


def hidden_folders(course: Course) -> list[str]:
    """The folders under `submitted/` that the system or a program has hidden, other than Jupyter's own."""
    folder = course.folder / "submitted"
    hidden = folder.glob(".*") if folder.is_dir() else ()
    return sorted(path.name for path in hidden if path.is_dir() and path.name != ".ipynb_checkpoints")


def row_path(course: Course, assignment: str, learner: str) -> Path:
    """The path of a row: under the learner's name, or a digest of it if no file can have that name."""
    name = learner if len(os.fsencode(learner)) <= LONGEST_NAME else digest_of(learner)
    return course.folder / MARKS / assignment / f"{name}.json"


def read_rows(course: Course, assignment: str) -> dict[str, Row]:
    """The saved rows of an assignment, by learner; rows that cannot be read are left out."""
    rows = {}
    folder = course.folder / MARKS / assignment
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else []:
        if not path.name.startswith("."):
            row = _read_row(path)
            if row is not None:
                rows[row.learner] = row
    return rows


def grade(
    course: Course,
    assignments: Iterable[Assignment],
    isolation: Isolation,
    run: Runner,
    stopped: threading.Event,
    progress: Callable[[int, int, str], None] = lambda _done, _of, _name: None,
    again: bool = False,
) -> Report:
    """Mark what has been handed in, and save each row as soon as it is ready. Rows that are still valid are kept."""
    report = Report()
    report.warnings += [
        f"submitted/{printable(name)} is left alone: a name that begins with a dot is no learner's"
        for name in hidden_folders(course)
    ]
    try:
        waiting = _to_mark(course, assignments, isolation, stopped, progress, again, report)
        leave_referee()  # the first thread that marks takes it over
        total = len(waiting) + report.kept
        progress(report.kept, total, "")
        # Read again when its turn comes, so that only submissions being marked are in memory.
        work = (
            (task, learner, submission_files(folder)[0], when)
            for task, learner, folder, when in waiting
            if folder.is_dir()  # or the person has been forgotten since
        )
        for row in run(work, isolation, stopped):
            if stopped.is_set():
                break
            if not _is_handed_in(course, row):
                continue
            _keep(course, row)
            report.marked += 1
            report.rows.append(row)
            progress(report.marked + report.kept, total, row.learner)
    finally:
        dismiss_referees()
    if stopped.is_set():
        raise KeyboardInterrupt
    report.rows = [row for row in report.rows if _is_handed_in(course, row)]
    report.rows.sort(key=lambda row: (row.assignment, row.learner))
    return report


def _to_mark(
    course: Course,
    assignments: Iterable[Assignment],
    isolation: Isolation,
    stopped: threading.Event,
    progress: Callable[[int, int, str], None],
    again: bool,
    report: Report,
) -> list[tuple[Task, str, Path, str]]:
    """What has to be marked, with its task, learner, folder and time. What need not be is entered into the report."""
    waiting: list[tuple[Task, str, Path, str]] = []
    learners = learners_of(course)
    for assignment in assignments:
        clear_leftovers(course.folder / MARKS / assignment.name)
        if not any((course.folder / "submitted" / learner / assignment.name).is_dir() for learner in learners):
            for path in (course.folder / MARKS / assignment.name).glob("[!.]*.json"):
                path.unlink()
            task_of(course, assignment)  # raises if something is wrong with it
            continue  # nobody has handed it in yet
        progress(0, 0, f"the course's own solutions of {assignment.name}")
        task, failed = tried(course, task_of(course, assignment), isolation, stopped.is_set)
        report.warnings += [
            f"{task.assignment}: the course's own solution does not pass {failure}" for failure in failed
        ]
        for learner in learners:
            folder = course.folder / "submitted" / learner / assignment.name
            if not folder.is_dir():
                report.missing.append((learner, assignment.name))
                row_path(course, assignment.name, learner).unlink(missing_ok=True)
                continue
            files, notes = submission_files(folder)
            report.warnings += [f"{printable(learner)}, {assignment.name}: {note}" for note in notes]
            when = submitted_at(folder)
            known = None if again else _read_row(row_path(course, assignment.name, learner))
            if known is not None and known.key == key_of(task, files) and known.learner == learner:
                if known.submitted != when:
                    known.submitted = when
                    _keep(course, known)
                report.kept += 1
                report.rows.append(known)
                continue
            waiting.append((task, learner, folder, when))
    return waiting


def on_this_machine(jobs: int) -> Runner:
    """Mark submissions on this machine, `jobs` at a time."""

    def run(work: Iterable[Work], isolation: Isolation, stopped: threading.Event) -> Iterator[Row]:
        waiting = iter(work)
        with ThreadPoolExecutor(jobs) as pool:
            running: set[Any] = set()
            try:
                for task, learner, files, when in waiting:
                    running.add(pool.submit(mark, task, learner, files, isolation, stopped.is_set, when))
                    if len(running) >= 2 * jobs:
                        done, running = wait(running, return_when=FIRST_COMPLETED)
                        yield from (future.result() for future in done)
                while running:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            except BaseException:
                stopped.set()  # each sandbox sees it, and ends
                raise

    return run


def submitted_at(folder: Path) -> str:
    """When a submission was handed in: what nbgrader's timestamp.txt says, in ISO form; "" if it is not known."""
    from glassroom.classroom.marks import moment

    try:
        with open(folder / "timestamp.txt", "rb") as file:
            due = moment(file.read(200).decode("utf-8", "replace").strip())
    except OSError:
        return ""
    return due.isoformat() if due else ""


def _is_handed_in(course: Course, row: Row) -> bool:
    """Whether a row's submission still exists: a learner may be forgotten while others are marked."""
    return (course.folder / "submitted" / row.learner / row.assignment).is_dir()


def _keep(course: Course, row: Row) -> None:
    write_atomically(row_path(course, row.assignment, row.learner), row.to_json())


def _read_row(path: Path) -> Row | None:
    try:
        return Row.from_json(path.read_bytes())
    except (OSError, ValueError, KeyError, TypeError):
        return None


def require_folder(course: Course) -> None:
    """Raise `Problem` if nothing has been collected."""
    if not os.path.isdir(course.folder / "submitted"):
        raise Problem(
            f"Nothing has been handed in: {course.folder / 'submitted'} is not there. "
            f"Bring submissions in: glassroom collect FOLDER_OR_ZIP --course {course.folder}"
        )
