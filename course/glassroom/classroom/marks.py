"""From rows to marks: lateness, hints and marks by hand are applied; and marks as tables for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from glassroom.classroom.by_hand import COLUMNS, MOST_SHOWN, Manual, said_of
from glassroom.classroom.course_file import Assignment, Course
from glassroom.classroom.grading import Mark, Row, task_of
from glassroom.classroom.tables import number, table_csv
from glassroom.drawing.words import counted
from glassroom.records.printable import printable
from glassroom.translations.templates import as_is, word

#: The columns of marks.csv before those of the exercises. Programs read them, so they are the same in every language.
HEADS = as_is("learner,assignment,points,of,before lateness,minutes late,waiting,to look at,with trouble,version")
_ZONE = re.compile(r"\s+(UTC|GMT|Z)$")


@dataclass(frozen=True)
class Result:
    """A learner's marks for an assignment, as they count."""

    row: Row
    earned: dict[str, float | None]  # by exercise or question; None while it waits for a person
    comments: dict[str, str]
    points: float
    factor: float
    seconds_late: float
    asked: Mapping[str, str] = field(default_factory=dict)  # the questions in words, by their ids

    @property
    def raw(self) -> float:
        """The points before lateness."""
        return round(sum(points or 0.0 for points in self.earned.values()), 4)

    @property
    def total(self) -> float:
        """The final points."""
        return round(self.raw * self.factor, 2)

    @property
    def waiting(self) -> list[str]:
        """Questions that a person has not marked yet."""
        return [id for id, points in self.earned.items() if points is None]


def result(course: Course, assignment: Assignment, row: Row, manual: Manual) -> Result:
    """The marks of a row, by the class's rules and with marks given by hand."""
    earned: dict[str, float | None] = {}
    comments = {}
    for mark in row.marks:
        hand = said_of(manual, row.learner, row.assignment, mark.id)
        if hand is not None and hand.comment:
            comments[mark.id] = hand.comment
        earned[mark.id] = hand.points if hand is not None and hand.points is not None else _earned(mark, course)
    late = 0.0
    submitted = moment(row.submitted)
    if assignment.due is not None and submitted is not None:
        late = max(0.0, (submitted - assignment.due).total_seconds())
    asked = {exercise.id: exercise.ask for exercise in assignment.explain}
    points = sum(mark.points for mark in row.marks)
    return Result(row, earned, comments, points, course.late.factor(late), late, asked)


def absentees(course: Course, missing: Iterable[tuple[str, str]]) -> Iterator[Result]:
    """The marks of learners who have handed in nothing, each with the assignment."""
    points: dict[str, float] = {}
    for learner, assignment in missing:
        if assignment not in points:
            points[assignment] = task_of(course, course.assignment(assignment)).points
        row = Row(learner, assignment, problem="nothing was handed in")
        yield Result(row, {}, {}, points[assignment], 1.0, 0.0)


def _earned(mark: Mark, course: Course) -> float | None:
    if mark.part is None:
        return None
    return round(mark.points * mark.part * max(0.0, 1.0 - course.hint_cost * min(mark.hints, 4)), 4)


def manual_template(results: Iterable[Result]) -> str:
    """A `manual.csv` with a line for every answer in words, to be filled in."""
    lines = [[*COLUMNS]]
    for result in results:
        for mark in result.row.marks:
            if mark.how == "hand":
                points = result.earned[mark.id]
                shown = "" if points is None else f"{points:g}"
                comment = result.comments.get(mark.id, "")
                lines.append(
                    [
                        printable(result.row.learner),
                        result.row.assignment,
                        mark.id,
                        shown,
                        comment,
                        mark.answer[:MOST_SHOWN],
                    ]
                )
    return table_csv(lines)


def marks_csv(results: Iterable[Result]) -> str:
    """A line for each learner and assignment, with a column for every exercise."""
    rows = list(results)
    ids = list(dict.fromkeys(mark.id for row in rows for mark in row.row.marks))
    lines = [[*HEADS.split(","), *ids]]
    for result in rows:
        doubt = "; ".join(f"{mark.id}: {mark.doubt}" for mark in result.row.to_look_at)
        earned = [number(result.earned[id]) if id in result.earned else "" for id in ids]
        lines.append(
            [
                *(
                    printable(result.row.learner),
                    result.row.assignment,
                    number(result.total),
                    number(result.points),
                    number(result.raw),
                ),
                *(f"{result.seconds_late / 60:.0f}", " ".join(result.waiting), doubt, "; ".join(result.row.trouble)),
                result.row.version,
                *earned,
            ]
        )
    return table_csv(lines)


def moment(text: str) -> datetime | None:
    """The time that a timestamp stands for, as nbgrader, ISO 8601 and LMSes write it; None if it cannot be read."""
    plain = _ZONE.sub("+00:00", text.strip())
    plain = re.sub(r"\s+([+-]\d\d):?(\d\d)$", r"\1:\2", plain)
    try:
        when = datetime.fromisoformat(plain)
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when
        when.astimezone(UTC)  # fails before the year 1 and after 9999
    except (ValueError, OverflowError):
        return None
    return when


def lateness(seconds: float) -> str:
    """How late, in words: "2 days, 3 hours"."""
    if seconds <= 0:
        return "on time"
    whole = timedelta(seconds=int(seconds))
    hours, minutes = whole.seconds // 3600, whole.seconds % 3600 // 60
    parts = [(whole.days, word("day")), (hours, word("hour")), (minutes if not whole.days else 0, word("minute"))]
    said = [counted(count, name) for count, name in parts if count]
    return f"{word(', ').join(said) or 'less than a minute'} late"
