"""Ids that exercises had before they began with their notebooks' numbers: in an old copy they go on working."""

import pytest

from glassroom.exercises import check, exercises, hint, judge
from glassroom.exercises.engine import Exercise, exercise, is_refused
from glassroom.exercises.stand_in import stand_in
from glassroom.workspace.former_ids import FORMER_IDS


@pytest.mark.parametrize(("old", "new"), FORMER_IDS.items())
def test_a_former_id_is_that_of_the_exercise(old: str, new: str) -> None:
    verdict = judge(old)
    assert verdict == judge(new)
    assert verdict.is_open
    assert old not in exercises()


def test_check_and_hint_in_an_old_copy_do_what_they_do_in_a_new_one(capsys: pytest.CaptureFixture[str]) -> None:
    def brighter(frame: object, by: int) -> object:
        return frame

    said = []
    for id in ("image-brighter", "12-brighter"):
        check(id, brighter, frame=...)
        check(id, ...)
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert is_refused("image-brighter")
    hint("image-brighter")
    first = capsys.readouterr().out
    hint("12-brighter")
    assert first.startswith("Hint 1 of 4")
    assert capsys.readouterr().out.startswith("Hint 2 of 4")


def test_the_courses_own_answer_stands_in_in_an_old_copy(capsys: pytest.CaptureFixture[str]) -> None:
    assert stand_in("image-pixelate", ...).__name__ == "pixelate"


def test_nobody_gives_a_former_id_to_an_exercise_of_their_own() -> None:
    with pytest.raises(ValueError, match="declared twice"):
        exercise("image-pixelate", hints=["a", "b", "c", "d"])
    assert isinstance(exercises()["12-pixelate"], Exercise)
