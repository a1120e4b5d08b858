"""`read_again()`: at the end of a review, the notebooks that are worth reading again.

It goes by the review's own predictions, which are revealed with the name of the notebook that taught their answer, and
by the learner's record: exercises that were never solved, or that were solved with the last hint, which is the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import NamedTuple

from glassroom.exercises.engine import RUNGS
from glassroom.exercises.prediction import Prediction, reviewed
from glassroom.exercises.progress import Progress, read_progress
from glassroom.exercises.report import exercises_of
from glassroom.records.columns import ljust
from glassroom.translations.templates import word
from glassroom.workspace.catalogue import Entry, catalogue, in_the_language
from glassroom.workspace.learner_folder import working_copy_around
from glassroom.workspace.sources import notebooks_folder

UNSAID = "Nothing to go by yet: answer the questions above, run their cells, and then this one again."
ALL_RIGHT = "Nothing to read again: go on."


class Row(NamedTuple):
    """A notebook to read again, and why."""

    entry: Entry
    reasons: list[str]

    @property
    def name(self) -> str:
        return f"{self.entry.part[0]}·{self.entry.number} {self.entry.title}"


@dataclass(frozen=True)
class Again:
    """What to read again: print it, or let a notebook display it."""

    right: int
    said: int
    open: int  #: questions that nothing was said to
    rows: list[Row] = field(default_factory=list)

    @property
    def summary(self) -> str:
        told = [f"{self.right} of {self.said} answers right"] if self.said else []
        if self.said and self.open:
            told.append(f"{_count(self.open, word('question'))} left open")
        if not self.rows:
            told.append(ALL_RIGHT if self.said else UNSAID)
        return " · ".join(told) if told else "Read these again:"

    def __repr__(self) -> str:
        rows = (f"  {ljust(row.name, 44)} {word(', ').join(row.reasons)}" for row in self.rows)
        return "\n".join([self.summary, *rows])

    def _repr_html_(self) -> str:
        """A table with links. A review lies in the folder of its part, beside those of the others."""
        rows = [
            f'<tr><td style="text-align:left"><a href="../{escape(row.entry.place.as_posix())}">{escape(row.name)}</a>'
            f'</td><td style="text-align:left">{escape(word(", ").join(row.reasons))}</td></tr>'
            for row in self.rows
        ]
        label = word("What to read again")
        table = f"<table aria-label='{label}'><tbody>{''.join(rows)}</tbody></table>" if rows else ""
        return f'<div role="region" aria-label="{label}"><p>{escape(self.summary)}</p>{table}</div>'


def read_again(folder: str | Path | None = None) -> Again:
    """The notebooks to read again, after the questions of a review; first those with the most against them.

    The record is that of the working copy that this kernel runs in, or of the one in `folder`; outside of one, the
    questions alone decide.
    """
    here = Path.cwd() if folder is None else Path(folder).expanduser().resolve()
    working_copy = working_copy_around(here)
    done = read_progress(working_copy) if working_copy else Progress()
    return again(reviewed(), done, in_the_language(catalogue(notebooks_folder())))


def again(asked: Sequence[Prediction], done: Progress, entries: Iterable[Entry]) -> Again:
    """What these predictions and this record say about these notebooks."""
    weights: list[tuple[int, Row]] = []
    for entry in entries:
        missed = sum(answers.right < answers.said for answers in asked if answers.taught == topic(entry))
        attempts = [done.exercises[id] for id in exercises_of(entry) if id in done.exercises]
        unsolved = sum(not attempt.solved for attempt in attempts)
        given = sum(attempt.solved and attempt.hints >= len(RUNGS) for attempt in attempts)
        reasons = [
            *([f"{_count(missed, word('question'))} missed"] if missed else []),
            *([f"{_count(unsolved, word('exercise'))} not solved"] if unsolved else []),
            *([f"{_count(given, word('exercise'))} solved with the answer"] if given else []),
        ]
        if reasons:
            weights.append((missed + unsolved + given, Row(entry, reasons)))
    rows = [row for _, row in sorted(weights, key=lambda number: -number[0])]
    said = [answers for answers in asked if answers.said]
    return Again(
        sum(answers.right for answers in said), sum(answers.said for answers in said), len(asked) - len(said), rows
    )


def topic(entry: Entry) -> str:
    """A notebook's name without its number, by which predictions say where something was taught: "contiguity"."""
    return entry.place.stem.partition("_")[2]


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 or not thing.isascii() else 's'}"
