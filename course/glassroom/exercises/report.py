"""`progress()`: how far a learner is in the course, where to go on, and how much there is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path, PurePosixPath

from glassroom.exercises.engine import exercises
from glassroom.exercises.progress import Attempts, Progress, read_progress
from glassroom.records.columns import ljust
from glassroom.translations.templates import word
from glassroom.workspace.catalogue import Entry, catalogue, in_the_language, parts_of, way_from
from glassroom.workspace.contents import PARTS
from glassroom.workspace.learner_folder import working_copy_around
from glassroom.workspace.sources import notebooks_folder

NOWHERE = (
    "Progress is kept in a working copy of the course: `glassroom lab` makes one, and opens it. "
    "Here there is none, so nothing is on record."
)


@dataclass(frozen=True)
class Row:
    """One notebook: how many of its exercises are solved, and the hints that were taken."""

    entry: Entry
    solved: int
    exercises: int
    hints: int
    is_next: bool

    @property
    def is_done(self) -> bool:
        return bool(self.exercises) and self.solved == self.exercises

    @property
    def mark(self) -> str:
        return "✓" if self.is_done else "▸" if self.is_next else "·"


class Report:
    """How far a learner is: print it, or let a notebook display it."""

    def __init__(self, rows: Sequence[Row], progress: Progress, page: PurePosixPath) -> None:
        self.rows = list(rows)
        self.progress = progress
        self._page = page  # where the notebook is that displays it, in the course's folder

    @property
    def minutes_left(self) -> int:
        """Minutes of the notebooks that are not done, less those for the exercises that are."""
        return round(sum(row.entry.minutes * (1 - row.solved / max(row.exercises, 1)) for row in self.rows))

    @property
    def following(self) -> Row | None:
        """The notebook to go on with; None when all is done."""
        return next((row for row in self.rows if row.is_next), None)

    @property
    def summary(self) -> str:
        solved, all_of_them = (sum(getattr(row, name) for row in self.rows) for name in ("solved", "exercises"))
        hints = sum(row.hints for row in self.rows)
        right, said = (sum(prediction[place] for prediction in self.progress.predictions.values()) for place in (0, 1))
        told = [f"{solved} of {all_of_them} exercises solved", f"{hints} hint{'' if hints == 1 else 's'} taken"]
        if said:
            told.append(f"{right} of {said} predictions right")
        left = self.minutes_left
        told.append(f"about {left / 60:.1f} hours left" if left else "nothing left: you have done the whole course")
        return " · ".join(told)

    def __repr__(self) -> str:
        told = [self.summary]
        for part, members in parts_of([row.entry for row in self.rows]).items():
            told += ["", f"Part {part[0]}: {PARTS.get(part, (part,))[0]}"]
            told += [self._line(row) for row in self.rows if row.entry in members]
        return "\n".join(told)

    def _line(self, row: Row) -> str:
        told = f"  {row.mark} {row.entry.number} {ljust(row.entry.title, 40)} {_of(row)}"
        return f"{told}   ← continue here" if row.is_next else told

    def _repr_html_(self) -> str:
        """A table for each part, that of the part to go on with open; ticks are written as well as colored."""
        label = word("Your progress")
        told = [f'<div class="gr-progress" role="region" aria-label="{label}"><p>{escape(self.summary)}</p>']
        following = self.following
        if following is not None:
            target = escape(way_from(self._page, following.entry.place))
            name = escape(f"{following.entry.number} {following.entry.title}")
            told.append(f'<p>Continue here: <a href="{target}">{name}</a></p>')
        for part, members in parts_of([row.entry for row in self.rows]).items():
            rows = [row for row in self.rows if row.entry in members]
            name = escape(f"Part {part[0]}: {PARTS.get(part, (part,))[0]}")
            solved, all_of_them = sum(row.solved for row in rows), sum(row.exercises for row in rows)
            told.append(
                f"<details{' open' if following in rows else ''}><summary>{name} · {solved} of {all_of_them}</summary>"
                f'<table aria-label="{name}"><tbody>{"".join(map(self._html, rows))}</tbody></table></details>'
            )
        return "".join([*told, "</div>"])

    def _html(self, row: Row) -> str:
        target = escape(way_from(self._page, row.entry.place))
        state = word("done") if row.is_done else "continue here" if row.is_next else "to do"
        return (
            f'<tr><td title="{state}">{row.mark}</td>'
            f'<td style="text-align:left"><a href="{target}">{escape(f"{row.entry.number} {row.entry.title}")}</a></td>'
            f'<td style="text-align:left">{escape(_of(row))}</td></tr>'
        )


class NoRecord:
    """What `progress()` gives outside of a working copy."""

    def __repr__(self) -> str:
        return NOWHERE


def progress(folder: str | Path | None = None) -> Report | NoRecord:
    """How far you are: ticks, hints taken, where to go on, and the hours that are left.

    It is about the working copy of the course that this kernel runs in, or about the one in `folder`.
    """
    here = Path.cwd() if folder is None else Path(folder).expanduser().resolve()
    course_folder = working_copy_around(here)
    if course_folder is None:
        return NoRecord()
    inside = here.relative_to(course_folder) if here.is_relative_to(course_folder) else Path()
    return report_on(read_progress(course_folder), PurePosixPath(inside.as_posix(), "page.ipynb"))


def report_on(done: Progress, page: PurePosixPath) -> Report:
    """The report on a record, as the notebook at `page` shows it."""
    entries = in_the_language(catalogue(notebooks_folder()))
    rows: list[Row] = []
    for entry in entries:
        ids = exercises_of(entry)
        attempts = [done.exercises.get(id, Attempts()) for id in ids]
        solved, hints = sum(attempt.solved for attempt in attempts), sum(attempt.hints for attempt in attempts)
        is_next = solved < len(ids) and not any(row.is_next for row in rows)
        rows.append(Row(entry, solved, len(ids), hints, is_next))
    return Report(rows, done, page)


def exercises_of(entry: Entry) -> list[str]:
    """The ids of the exercises that are declared for a notebook."""
    module = f"glassroom.exercises.{entry.part.partition('_')[2]}.nb{entry.place.stem}"
    return [exercise.id for exercise in exercises().values() if exercise.examine.__module__ == module]


def _of(row: Row) -> str:
    told = f"{row.solved} of {row.exercises}"
    return f"{told}, {row.hints} hint{'' if row.hints == 1 else 's'}" if row.hints else told
