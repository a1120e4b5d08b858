"""Where a learner has not written a function yet, the course's own stands in for it."""

from __future__ import annotations

import linecache

import pytest
from exercise_answers import answers_of_the_last_hint

import tensorglass as torch
from glassroom import check, stand_in
from glassroom.exercises import engine

SAMPLES = [torch.arange(24).view(2, 3, 4), torch.arange(12).view(3, 4).t()[1:]]


@pytest.fixture(autouse=True)
def nothing_is_checked_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the exercises that other tests have checked in this process, as a new kernel does."""
    monkeypatch.setattr(engine, "_accepted", {})


def right(index: tuple[int, ...], stride: tuple[int, ...], offset: int) -> int:
    return offset + sum(i * s for i, s in zip(index, stride, strict=True))


def test_an_answer_that_was_accepted_is_handed_back_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    cell = right
    check("11-cell", cell, samples=SAMPLES)
    assert stand_in("11-cell") is cell
    assert stand_in("11-cell", len) is len
    assert "stands in" not in capsys.readouterr().out


def test_dots_become_the_courses_own_and_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert stand_in("11-cell", ...)((1, 2), (4, 1), 3) == 9
    said = capsys.readouterr().out
    assert "`cell` is still to be written" in said
    assert "zip" not in said


def test_the_courses_own_uses_the_names_that_are_there() -> None:
    asked = []

    def tiles(frame: torch.Tensor, size: int) -> torch.Tensor:
        asked.append(size)
        return frame.view(2, size, 2, size, 3).transpose(1, 2)

    stand_in("12-pixelate", ...)(torch.ones(4, 4, 3), 2)
    assert asked == [2]


def test_a_function_of_the_learners_is_stopped_after_the_time_that_the_cell_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    check("11-cell", right, samples=SAMPLES)

    def cell(*_: object) -> None:
        while True:
            pass

    with pytest.raises(TimeoutError, match=r"`cell` ran for more than 0\.05 seconds and was stopped: look for a loop"):
        stand_in("11-cell", cell, seconds=0.05)()
    assert stand_in("11-cell", right, seconds=60)((1, 2), (4, 1), 3) == 9


def test_an_exercise_that_is_not_there_is_reported() -> None:
    with pytest.raises(ValueError, match="no exercise '11-cel'"):
        stand_in("11-cel", ...)


def test_what_the_last_check_refused_is_stood_in_for(capsys: pytest.CaptureFixture[str]) -> None:
    def cell(index: tuple[int, ...], stride: tuple[int, ...], offset: int) -> int:
        return offset

    check("11-cell", right, samples=SAMPLES)
    check("11-cell", cell, samples=SAMPLES)
    capsys.readouterr()
    assert stand_in("11-cell")((1, 2), (4, 1), 3) == 9
    assert capsys.readouterr().out.startswith("The last check refused `cell`. Until one accepts it, the course's own")


def test_dots_that_were_checked_are_refused_by_nobody_also_when_the_cell_runs_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cell = ...
    check("11-cell", cell, samples=SAMPLES)
    capsys.readouterr()
    for _ in range(2):
        cell = stand_in("11-cell")
        assert capsys.readouterr().out.startswith("`cell` is still to be written. Until then")
    assert stand_in("11-cell", right) is right  # written since, and not checked yet
    assert capsys.readouterr().out == ""
    check("11-cell", lambda index, stride, offset: offset, samples=SAMPLES)
    capsys.readouterr()
    for _ in range(2):
        cell = stand_in("11-cell", cell)
        assert capsys.readouterr().out.startswith("The last check refused `cell`")


def test_an_answer_whose_cell_raised_is_stood_in_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NameError):
        contiguous_stride = undefined_name  # noqa: F821, F841  # it must not be there
    assert stand_in("11-stride")((2, 3)) == (3, 1)
    assert "`contiguous_stride` is still to be written" in capsys.readouterr().out


@pytest.mark.parametrize("its_cell", ["# the notebook's\n", 'attempt = "11-runs"\n'])
def test_a_function_of_the_notebooks_own_is_no_answer(its_cell: str, capsys: pytest.CaptureFixture[str]) -> None:
    """For example a function with a bug that the learner is to fix, if the cell that replaces it raised."""
    code = f"{its_cell}def runs(size, stride):\n    return []\n"
    linecache.cache["<cell>"] = len(code), None, code.splitlines(keepends=True), "<cell>"
    names = {"stand_in": stand_in}
    exec(compile(code, "<cell>", "exec"), names)
    exec('used = stand_in("11-runs")', names)
    is_the_learners = "11-runs" in its_cell
    assert (names["used"] is names["runs"]) == is_the_learners
    assert ("`runs` is still to be written" in capsys.readouterr().out) != is_the_learners


def test_of_several_answers_all_are_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert stand_in("06-which-ones") == tuple(answers_of_the_last_hint("06-which-ones").values())
    told = " ".join(capsys.readouterr().out.split())
    assert "`every_other_row`, `one_row` and `one_column` are still to be written" in told
