"""Where a learner has not written a function yet, the course's own stands in for it."""

from __future__ import annotations

import pytest

from glassroom import stand_in


def test_an_answer_is_handed_back_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    def cell(index: object, stride: object, offset: object) -> None:
        """Wrong, and the learner's own."""

    assert stand_in("11-cell", cell) is cell
    assert capsys.readouterr().out == ""


def test_dots_become_the_courses_own_and_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert stand_in("11-cell", ...)((1, 2), (4, 1), 3) == 9
    said = capsys.readouterr().out
    assert "`cell` is still to be written" in said
    assert "zip" not in said


def test_the_courses_own_uses_the_names_that_are_there() -> None:
    counted = []

    def waiting(root: str) -> dict[str, int]:
        counted.append(root)
        return {root: 0}

    class Leaf:
        rule, grad = None, None

    leaf = Leaf()
    stand_in("a09-backward", ...)(leaf, 2.0)
    assert counted == [leaf]
    assert leaf.grad == 2.0


def test_an_exercise_that_is_not_there_is_told() -> None:
    with pytest.raises(ValueError, match="no exercise '11-cel'"):
        stand_in("11-cel", ...)


def test_an_exercise_with_several_answers_is_told() -> None:
    with pytest.raises(ValueError, match="several answers: first_rows"):
        stand_in("07-which-work", ...)
