"""Each exercise has, among its tests, at least three wrong answers and two right ones besides that of the last hint."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from exercise_answers import COURSE, RIGHT_TRIED, WRONG_TRIED

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def _all_tables():
    """The tables of all notebooks, whichever files of tests this run was asked for."""
    for path in sorted(HERE.glob("*/test_*.py")):
        spec = spec_from_file_location(f"tables_of_{path.parent.name}_{path.stem}", path)
        spec.loader.exec_module(module_from_spec(spec))


@pytest.mark.usefixtures("_all_tables")
@pytest.mark.parametrize("exercise_id", COURSE)
def test_three_wrong_answers_and_two_right_ones_are_tried(exercise_id):
    assert len(WRONG_TRIED.get(exercise_id, ())) >= 3
    assert len(RIGHT_TRIED.get(exercise_id, ())) >= 2
