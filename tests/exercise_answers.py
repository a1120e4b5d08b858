"""Answers to exercises, as somebody would write them in a notebook, and what the course's checks make of them.

The tests of a notebook's exercises are tables of answers, and `wrong_answers(TABLE)` and `right_answers(TABLE)` make
the tests of a table. Their argument `torch` is a fixture: each answer is tried with either library.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest

from glassroom.exercises import exercises, judge
from glassroom.exercises._answer_key import hints_of, setup_of
from glassroom.exercises.engine import Verdict

COURSE = exercises()
WRONG_TRIED: dict[str, set[str]] = {}  # by exercise: the answers of all tables that have been made tests of
RIGHT_TRIED: dict[str, set[str]] = {}


def verdict_on(torch: Any, exercise_id: str, attempt: str, **names: Any) -> Verdict:
    """What the check says of code that stands below the exercise's setup. `names` are there already, as `torch` is."""
    exercise = COURSE[exercise_id]
    names["torch"] = torch
    exec(dedent(setup_of(exercise.id)), names)
    exec(attempt, names)
    return judge(
        exercise_id,
        *(names[name] for name in exercise.answers),
        **{name: names[name] for name in exercise.given},
    )


def assert_told(verdict: Verdict, told: str) -> None:
    """The answer is refused, in these words among others, and with a reason."""
    assert not verdict.solved, verdict.message
    assert "which is not right" not in verdict.message, verdict.message
    assert "looking at your answer raised" not in verdict.message, verdict.message
    assert told in verdict.message, verdict.message


def wrong_answers(table: list[tuple[str, str, str]], **names: Any) -> Callable[..., None]:
    """A test of each row: an exercise, a wrong answer to it, and what the check must say of that."""
    for exercise_id, attempt, _ in table:
        WRONG_TRIED.setdefault(exercise_id, set()).add(attempt)

    @pytest.mark.parametrize(("exercise_id", "attempt", "told"), table)
    def test(torch: Any, exercise_id: str, attempt: str, told: str) -> None:
        assert_told(verdict_on(torch, exercise_id, attempt, **names), told)

    return test


def right_answers(table: list[tuple[str, str]], **names: Any) -> Callable[..., None]:
    """A test of each row: an exercise, and an answer that is right though it is not the one of the last hint."""
    for exercise_id, attempt in table:
        RIGHT_TRIED.setdefault(exercise_id, set()).add(attempt)

    @pytest.mark.parametrize(("exercise_id", "attempt"), table)
    def test(torch: Any, exercise_id: str, attempt: str) -> None:
        verdict = verdict_on(torch, exercise_id, attempt, **names)
        assert verdict.solved, verdict.message

    return test


def answers_of_the_last_hint(exercise_id: str) -> dict[str, Any]:
    """The values that the last hint gives for the exercise's answers."""
    names: dict[str, Any] = {}
    exec(dedent(hints_of(exercise_id)[-1]), names)
    return {name: names[name] for name in COURSE[exercise_id].answers}
