"""The functions that test cells of nbgrader notebooks call, and the one place where the classroom calls the course's
checks. It uses only the public names of `glassroom.exercises`, so that the checks may change behind them.
"""

from __future__ import annotations

import sys
import warnings
from contextlib import redirect_stderr
from typing import Any

from glassroom.exercises import Verdict, exercises, judge
from glassroom.exercises.lines import in_lines
from glassroom.workspace.former_ids import current


def share(verdict: Verdict) -> float:
    """The part of an exercise's points, from 0 to 1, that a verdict is worth."""
    part = getattr(verdict, "credit", None)
    if isinstance(part, int | float) and not isinstance(part, bool) and 0 <= part <= 1:
        return float(part)
    return 1.0 if verdict.solved else 0.0


def names_of(id: str) -> tuple[list[str], list[str]]:
    """The names of an exercise's answers, and of what the notebook gives along with them. Raises KeyError for an
    unknown id."""
    exercise = exercises()[current(id)]
    return exercise.answers, exercise.given


def verdict_of(id: str, answers: list[Any], given: dict[str, Any]) -> tuple[float, str]:
    """The part of the points, and the sentence, that these answers get."""
    verdict = judge(id, *answers, **given)
    return share(verdict), verdict.message.replace("\n", " ")


def graded_check(points: float, id: str, /, *answers: object, **given: object) -> float:
    """Check an exercise as `check` does, and give the points that nbgrader counts. Never raises."""
    with redirect_stderr(sys.stdout), warnings.catch_warnings():  # nbgrader takes any output on stderr for a failure
        verdict = judge(id, *answers, **given)
        print(in_lines(f"✓ {verdict.message}" if verdict.solved else f"Not yet: {verdict.message}"))
        if verdict.printed:
            print(f"While it was checked, your answer printed:\n{verdict.printed}")
    return round(points * share(verdict), 4)
