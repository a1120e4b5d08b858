"""Answers that are judged apart from the learner's process get the same verdict as inside it."""

from __future__ import annotations

import contextlib
import json
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from textwrap import dedent
from typing import Any

import exercise_answers
import pytest
from by_day import todays
from exercise_answers import COURSE

import tensorglass
from glassroom.classroom import credit
from glassroom.classroom.inside.crossing import CannotCross, Side
from glassroom.classroom.inside.referee import Referee
from glassroom.classroom.inside.runner import Runner
from glassroom.exercises._answer_key import hints_of, setup_of

ANSWERS = Path(__file__).parents[1] / "course" / "exercises"
HEAVY = {"06-small-bill", "t14-small", "t10-never"}  # whose answers have many megabytes


class _Runner(Runner):
    """The runner's side of a crossing, without a shell."""

    def __init__(self, referee: Referee) -> None:
        self.side = Side("r", self.back)
        self.referee = referee

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(json.dumps(self.referee.back(json.loads(json.dumps(message)))))
        return told

    def timed(self, work: Any, seconds: float) -> dict[str, Any]:
        try:
            done: dict[str, Any] = work()
            return done
        except CannotCross as reason:
            return {"cannot": str(reason), "foreign": reason.foreign}
        except Exception as error:
            return {"raised": {"name": type(error).__name__, "message": str(error)}}


class _Referee(Referee):
    """A referee that asks a runner in the same process; they exchange JSON, as in a real crossing."""

    def __init__(self) -> None:
        self.side = Side("j", self.call, judges=True)
        self.raised = None
        self.runner = _Runner(self)

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        told = self.runner.answer(json.loads(json.dumps({**message, "seconds": 9})))
        answer: dict[str, Any] = json.loads(json.dumps(told))
        return answer


def _names(exercise_id: str, attempt: str, names: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    exercise = COURSE[exercise_id]
    scope = {**names, "torch": tensorglass}
    exec(dedent(setup_of(exercise.id)), scope)
    exec(attempt, scope)
    return [scope[name] for name in exercise.answers], {name: scope[name] for name in exercise.given}


def apart(exercise_id: str, attempt: str, names: dict[str, Any]) -> float | str:
    """The part of the points that an answer gets apart, or why it cannot be judged so."""
    referee = _Referee()
    answers, given = _names(exercise_id, attempt, names)
    try:
        told = json.loads(json.dumps(referee.runner.side.encode_all([*answers, *given.values()])))
        referee.side.source = attempt
        values = referee.side.decode_all(told)
        there = dict(zip(given, values[len(answers) :], strict=True))
        return credit.verdict_of(exercise_id, values[: len(answers)], there)[0]
    except CannotCross as reason:
        return str(reason)


def beside(exercise_id: str, attempt: str, names: dict[str, Any]) -> float:
    """The part of the points that an answer gets in the learner's own process."""
    answers, given = _names(exercise_id, attempt, names)
    return credit.verdict_of(exercise_id, answers, given)[0]


def tables(part: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Every answer that the tests of a part's exercises try, right and wrong, with the names that it sees."""
    rows: list[tuple[str, str, dict[str, Any]]] = []

    def collect(table: list[tuple[str, ...]], **names: Any) -> Any:
        rows.extend((row[0], row[1], names) for row in table)
        return lambda: None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exercise_answers, "wrong_answers", collect)
        patch.setattr(exercise_answers, "right_answers", collect)
        for path in sorted((ANSWERS / part).glob("test_*.py")):
            spec = spec_from_file_location(f"answers_of_{part}_{path.stem}", path)
            assert spec is not None
            assert spec.loader is not None
            spec.loader.exec_module(module_from_spec(spec))
    return rows


@cache
def judged_apart(exercise_id: str) -> bool:
    """Whether the course's own solution, which the last hint is, gets its points apart."""
    with contextlib.suppress(Exception):
        return apart(exercise_id, hints_of(exercise_id)[-1], {}) == 1
    return False


@pytest.mark.parametrize("part", ["memory", "tensors", "autograd", "extensions", "networks"])
def test_an_answer_that_can_be_judged_apart_gets_the_verdict_that_it_gets_beside(part: str) -> None:
    different = []
    for exercise_id, attempt, names in todays(tables(part), 6):
        if exercise_id not in HEAVY and judged_apart(exercise_id):
            first = apart(exercise_id, attempt, names)
            if isinstance(first, float) and first != beside(exercise_id, attempt, names):
                different.append((exercise_id, attempt))
    assert different == []


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("part", "least"),
    [("memory", 0.98), ("tensors", 0.92), ("autograd", 0.82), ("extensions", 0.65), ("networks", 0.63)],
)
def test_most_exercises_are_judged_apart(part: str, least: float) -> None:
    known = sorted({exercise_id for exercise_id, _, _ in tables(part)} - HEAVY)
    beside_it = [exercise_id for exercise_id in known if not judged_apart(exercise_id)]
    assert len(beside_it) <= (1 - least) * len(known), beside_it
