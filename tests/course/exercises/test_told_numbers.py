"""What a check tells of a number that is nearly right: it and the right one, never as two equal numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import dedent
from types import FunctionType
from typing import Any

import pytest
from exercise_answers import COURSE, verdict_on

import tensorglass
from glassroom.exercises._answer_key import hints_of

NUMBER = r"(?<![\w.])(\[[^\]]*\]|-?\d[\d.]*(?:e[+-]?\d+)?)"
BETWEEN = r"(?: instead of|[,;:]? (?:and not|not|(?:and|they|it) should \w+|(?:the|that of) [\w ,]*?(?:is|are)))"
EQUAL = re.compile(rf"{NUMBER}{BETWEEN} `?\1(?!\.?\d)")


def nearly(function: Callable[..., Any], by: float) -> Callable[..., Any]:
    """The function, with results that are larger by this share."""

    def larger(result: Any) -> Any:
        if type(result) in (tuple, list):
            return type(result)(map(larger, result))
        is_float = isinstance(result, float) or (tensorglass.is_tensor(result) and result.is_floating_point())
        return result * (1 + by) if is_float else result

    return lambda *args, **named: larger(function(*args, **named))


@pytest.mark.parametrize("by", [2e-5, 3e-4])
@pytest.mark.parametrize("id", COURSE)
def test_two_numbers_that_a_check_tells_are_not_equal(id: str, by: float) -> None:
    answers = COURSE[id].answers
    functions = f"\nfor name in {answers}:\n    if isinstance(globals()[name], FunctionType):\n"
    attempt = f"{dedent(hints_of(id)[-1])}{functions}        globals()[name] = nearly(globals()[name], {by})"
    verdict = verdict_on(tensorglass, id, attempt, nearly=nearly, FunctionType=FunctionType)
    assert not EQUAL.search(verdict.message), verdict.message


def test_equal_numbers_would_be_seen() -> None:
    assert EQUAL.search("`f(x)` is 0.1492, and should be 0.1492.")
    assert EQUAL.search("`f(x)` holds [1.0, 2.5]; it should hold [1.0, 2.5].")
    assert not EQUAL.search("`f(x)` holds [1.0, 2.5]; it should hold [1.0, 2.501].")
    assert not EQUAL.search("`f(x)` is 0.5; it should be 0.52.")
