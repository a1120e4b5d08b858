"""What a learner has done: one file of theirs, `.glassroom/progress.json` in their working copy of the course.

`check`, `predict` and `hint` write to it, from as many kernels as are running. It is replaced as a whole, under a lock,
and what is in it only grows: of two versions, both are kept. A damaged one is put aside, and a new one begun. Outside
of a working copy nothing is written.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glassroom.exercises.lines import in_lines
from glassroom.workspace.former_ids import current
from glassroom.workspace.learner_folder import working_copy_around
from glassroom.workspace.problems import Problem
from glassroom.workspace.whole_files import write_atomically

PROGRESS = Path(".glassroom", "progress.json")
LOCK = Path(".glassroom", "progress.lock")
STALE = 10.0  # seconds after which a lock is that of a kernel that was killed
PATIENCE = 3.0  # seconds to wait for another kernel
_is_told = False
WHAT = "what you solved in this course, and the hints you took; glassroom reads and writes it"


@dataclass
class Attempts:
    """What was done about one exercise."""

    solved: bool = False
    checks: int = 0
    hints: int = 0  #: the highest hint that was asked for

    def add(self, more: Attempts) -> None:
        """Count what was done about the exercise under a former id, too."""
        self.solved = self.solved or more.solved
        self.checks += more.checks
        self.hints = max(self.hints, more.hints)


@dataclass
class Progress:
    """Everything that a learner has done: by the ids of exercises, and by the questions of predictions."""

    exercises: dict[str, Attempts] = field(default_factory=dict)
    predictions: dict[str, tuple[int, int]] = field(default_factory=dict)  #: right ones, and all

    def as_json(self) -> bytes:
        stored = {
            "what this is": WHAT,
            "exercises": {
                id: {"solved": attempts.solved, "checks": attempts.checks, "hints": attempts.hints}
                for id, attempts in sorted(self.exercises.items())
            },
            "predictions": {question: list(said) for question, said in sorted(self.predictions.items())},
        }
        return json.dumps(stored, indent=1, ensure_ascii=False).encode() + b"\n"

    @classmethod
    def of_json(cls, content: bytes) -> Progress:
        """Raises ValueError, KeyError, TypeError or AttributeError for what is not such a file."""
        stored = json.loads(content)
        exercises: dict[str, Attempts] = {}
        for id, attempts in stored["exercises"].items():
            exercises.setdefault(current(id), Attempts()).add(
                Attempts(bool(attempts["solved"]), int(attempts["checks"]), int(attempts["hints"]))
            )
        return cls(
            exercises,
            {str(question): (int(said[0]), int(said[1])) for question, said in stored["predictions"].items()},
        )


def read_progress(folder: Path) -> Progress:
    """The progress stored in a working copy. A damaged file is moved aside, under a name that says so."""
    place = folder / PROGRESS
    try:
        return Progress.of_json(place.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return Progress()
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        _put_aside(place)
        return Progress()


def checked(id: str, solved: bool) -> None:
    """A check of this exercise was made."""

    def change(progress: Progress) -> None:
        attempts = progress.exercises.setdefault(id, Attempts())
        attempts.checks += 1
        attempts.solved = attempts.solved or solved

    _change(change)


def hinted(id: str, rung: int) -> None:
    """The hint number `rung` was shown, of 1 to 4."""

    def change(progress: Progress) -> None:
        attempts = progress.exercises.setdefault(id, Attempts())
        attempts.hints = max(attempts.hints, rung)

    _change(change)


def predicted(question: str, right: int, said: int) -> None:
    """A prediction was revealed, of which `right` of the `said` answers were right."""

    def change(progress: Progress) -> None:
        progress.predictions[question] = (right, said)

    if said:
        _change(change)


def _change(change: Any) -> None:
    """Read, change and write the record of the working copy that this kernel runs in. Never raises.

    A record that cannot be written, on a full disk or in a folder without permission, is no reason to fail a check: it
    is told, once in a kernel.
    """
    global _is_told
    try:
        folder = working_copy_around(Path.cwd())
        if folder is None:
            return
        with _locked(folder / LOCK):
            progress = read_progress(folder)
            change(progress)
            write_atomically(folder / PROGRESS, progress.as_json())
    except (OSError, Problem) as error:
        if not _is_told:
            print(in_lines(f"Your progress is not recorded: {error}"))
        _is_told = True


@contextlib.contextmanager
def _locked(lock: Path) -> Iterator[None]:
    """One kernel after the other. The lock is a file that only one of them can make."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            with contextlib.suppress(OSError):
                if time.time() - lock.stat().st_mtime > STALE:
                    lock.unlink()
                    continue
            if time.monotonic() > deadline:
                raise OSError("another kernel keeps the record of progress locked") from None
            time.sleep(0.01)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.unlink()


def _put_aside(place: Path) -> None:
    """Keep a damaged record under another name, so that nothing of it is lost."""
    number = 1
    while (aside := place.with_name(f"progress-damaged-{number}.json")).exists():
        number += 1
    with contextlib.suppress(OSError):
        place.rename(aside)
