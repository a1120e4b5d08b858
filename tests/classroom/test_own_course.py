"""A teacher's own notebooks and exercises: created, tried, handed out, marked and changed, as the command says."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from pathlib import Path

import pytest

pytest.importorskip("nbgrader", reason="nbgrader is not installed")

from glassroom.classroom.batch import grade, on_this_machine
from glassroom.classroom.course_file import read_course
from glassroom.classroom.grading import Row
from glassroom.classroom.own_course import declare_own_exercises
from glassroom.classroom.pages.overview import class_page
from glassroom.classroom.rehearsal import faults_of
from glassroom.classroom.sandbox import best_isolation
from glassroom.cli.app import run
from glassroom.exercises import exercises
from glassroom.workspace.problems import Exit

pytestmark = pytest.mark.timeout(900)  # a busy machine is no fault of the code

NOON, COUNT = "weather-noon", "weather-count"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of one's own as the guide begins it: a notebook with two exercises, and one of the course's."""
    folder = tmp_path_factory.mktemp("own") / "my-course"
    for command in (
        ("new", "course", str(folder)),
        ("new", "notebook", "weather", "--course", str(folder)),
        ("new", "exercise", COUNT, "--in", "weather", "--course", str(folder)),
        ("release", "weather", "1_memory/02", "--course", str(folder)),
    ):
        assert run(command) == Exit.OK
    return folder


@pytest.fixture
def mine(begun: Path, tmp_path: Path) -> Path:
    """A copy of that course for one test."""
    return shutil.copytree(begun, tmp_path / "my-course")


def hand_in(folder: Path, learner: str, *changes: tuple[str, str]) -> None:
    """Hand in the teacher's solutions, with some of them changed."""
    text = (folder / "source" / "weather" / "weather.ipynb").read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    place = folder / "submitted" / learner / "weather"
    place.mkdir(parents=True)
    (place / "weather.ipynb").write_text(text)


def marked(folder: Path) -> dict[str, Row]:
    """The rows of the class's own notebook, by learner."""
    course = read_course(folder)
    isolation = best_isolation([folder], trust=True)
    report = grade(course, [course.assignment("weather")], isolation, on_this_machine(2), threading.Event())
    return {row.learner: row for row in report.rows}


def parts(row: Row) -> dict[str, float | None]:
    """The part of the points for each exercise."""
    return {mark.id: mark.part for mark in row.marks}


def test_learners_get_the_notebook_with_its_exercises_and_data_and_no_solution(begun: Path) -> None:
    handed_out = begun / "release" / "weather"
    assert {path.relative_to(handed_out).as_posix() for path in handed_out.rglob("*") if path.is_file()} == {
        "weather.ipynb",
        "exercises/weather.py",
        "data/weather.csv",
    }
    assert "table[:, 1]" not in (handed_out / "weather.ipynb").read_text()
    declared = (handed_out / "exercises" / "weather.py").read_text()
    assert "noon = table[:, 1]" in (begun / "source" / "weather" / "exercises" / "weather.py").read_text()
    assert "noon = table[:, 1]" not in declared
    assert "count = 3 * 2" not in declared
    assert [path.name for path in (begun / "release" / "memory-02").iterdir()] == ["02_views_share_a_storage.ipynb"]


def test_own_exercises_are_marked_as_the_courses_are_and_stand_on_the_class_page(mine: Path) -> None:
    hand_in(mine, "ada")
    hand_in(mine, "bob", ("noon = table[:, 1]", "noon = table[:, 0]"), ("count = 6", "count = 8"))
    hand_in(mine, "cy", ("noon = table[:, 1]", "noon = table[:, 1].clone()"))
    rows = marked(mine)
    assert parts(rows["ada"]) == {NOON: 1, COUNT: 1}
    assert parts(rows["bob"]) == {NOON: 0, COUNT: 0}
    assert parts(rows["cy"]) == {NOON: 0, COUNT: 1}
    said = {mark.id: mark.message for mark in rows["bob"].marks}
    assert said[NOON] == "That is the morning: columns are counted from 0."
    assert "That would be every second row" in said[COUNT]
    assert {mark.how for row in rows.values() for mark in row.marks} == {"apart"}
    assert "That is the morning" in str(class_page(str(mine), "weather"))


def test_a_check_that_is_changed_after_hand_in_marks_anew_and_learners_copies_stay(mine: Path) -> None:
    hand_in(mine, "ada")
    assert parts(marked(mine)["ada"]) == {NOON: 1, COUNT: 1}
    copy = (mine / "release" / "weather" / "weather.ipynb").read_bytes()
    toml = mine / "course.toml"
    hidden = f'[[assignment.hidden]]\nid = "h"\nexercise = "{COUNT}"\ncode = "assert count == 6"\npoints = 3\n\n'
    toml.write_text(toml.read_text().replace('"weather-count" = 1\n', f'"weather-count" = 1\n{hidden}'))
    declared = mine / "exercises" / "weather.py"
    declared.write_text(declared.read_text().replace("3 rows of 2 columns each.", "Three times two."))
    assert run(["release", "--course", str(mine)]) == Exit.OK
    row = marked(mine)["ada"]
    assert parts(row) == {NOON: 1, COUNT: 1, "h": 1}
    assert any("Three times two." in mark.message for mark in row.marks)
    assert (mine / "release" / "weather" / "weather.ipynb").read_bytes() == copy


def test_a_changed_copy_of_a_notebook_takes_its_place(mine: Path) -> None:
    assert run(["new", "notebook", "1_memory/03", "--copy", "--course", str(mine)]) == Exit.OK
    path = mine / "notebooks" / "1_memory" / "03_basic_indexing.ipynb"
    notebook = json.loads(path.read_text())
    notebook["cells"][0]["source"].append("\nOur class's own words.")
    path.write_text(json.dumps(notebook))
    assert run(["release", "1_memory/03", "--course", str(mine)]) == Exit.OK
    assert "Our class's own words." in (mine / "release" / "memory-03" / path.name).read_text()


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("expect_view(noon", "expect_vieww(noon", "expect_vieww"),
        ("def check_weather_noon(", "def check_weather_noon(:", "exercises/weather.py, line"),
        ('"weather-noon"', '"02-middle"', "exercise '02-middle' is declared twice"),
        ('"weather-count"', '"weather-sum"', '"weather-count"'),
    ],
    ids=["misspelt name", "not Python", "an id of the course", "declared nowhere"],
)
def test_a_faulty_exercise_is_named_and_nothing_is_released(
    mine: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, told: str
) -> None:
    declared = mine / "exercises" / "weather.py"
    assert before in declared.read_text()
    declared.write_text(declared.read_text().replace(before, after))
    handed_out = (mine / "release" / "weather" / "exercises" / "weather.py").read_bytes()
    assert run(["release", "weather", "--course", str(mine)]) != Exit.OK
    assert told in capsys.readouterr().err
    assert (mine / "release" / "weather" / "exercises" / "weather.py").read_bytes() == handed_out


def test_an_answer_that_cannot_be_taken_out_of_learners_copies_is_named_and_nothing_is_released(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    declared = mine / "exercises" / "weather.py"
    text = declared.read_text().replace("@exercise(", "LADDER = ['a', 'b', 'c', 'count = 3 * 2']\n\n\n@exercise(", 1)
    declared.write_text(re.sub(r"hints=\[.*?\n?\s*\],", "hints=LADDER,", text, count=1, flags=re.DOTALL))
    shutil.rmtree(mine / "release")
    assert run(["release", "weather", "--course", str(mine)]) != Exit.OK
    assert "weather.py, line" in capsys.readouterr().err
    assert not (mine / "release").exists()


def test_what_others_could_read_is_for_the_teacher_alone_after_any_command(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(mine, "ada")
    (mine / "gradebook.db-wal").touch()
    (mine / "manual.csv").write_text("learner,assignment,id,points,comment\n")
    open_to_all = [
        path for path in mine.rglob("*") if path != mine / "release" and mine / "release" not in path.parents
    ]
    for path in open_to_all:
        path.chmod(0o755 if path.is_dir() else 0o644)
    run(["marks", str(mine)])
    told = capsys.readouterr().err
    assert "now your account alone can: course.toml, manual.csv" in told
    assert "gradebook.db-wal" in told
    still = [path.name for path in open_to_all if path.exists() and path.stat().st_mode & 0o077]
    assert set(still) <= {".gitignore"}
    assert (mine / "release" / "weather" / "weather.ipynb").stat().st_mode & 0o044
    run(["marks", str(mine)])
    assert "your account alone" not in capsys.readouterr().err


def test_the_rehearsal_finds_each_fault_where_it_is(mine: Path) -> None:
    declared, notebook = mine / "exercises" / "weather.py", mine / "notebooks" / "weather.ipynb"
    declared.write_text(declared.read_text().replace('"count = 3 * 2"', '"count = 3 * 3"'))
    notebook.write_text(notebook.read_text().replace("noon = table[:, 1]", "noon = table[1]"))
    declare_own_exercises(mine)
    faults = faults_of("weather.ipynb", mine)
    assert any("is one day" in fault for fault in faults["solutions"])
    assert any(COUNT in fault for fault in faults["last hints"])
    assert not faults["learner's copy"]


def test_the_command_tries_stored_outputs_solutions_copies_and_hints(
    mine: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mine.parent)
    assert run(["test", "--course", str(mine), "--jobs", "1"]) == Exit.OK
    data = mine / "notebooks" / "data" / "weather.csv"
    data.write_text(data.read_text().replace("11.5", "99.5"))
    assert run(["test", "--course", "my-course", "--jobs", "1"]) == Exit.FAILED
    advised = re.search(r"^ +glassroom refresh (.*)$", capfd.readouterr().out, re.MULTILINE)
    assert advised is not None
    assert advised[1] == os.path.join("my-course", "notebooks", "weather.ipynb")


def test_exercises_of_one_class_are_none_of_another(mine: Path, tmp_path: Path) -> None:
    declare_own_exercises(mine)
    assert NOON in exercises()
    declare_own_exercises(tmp_path)
    assert NOON not in exercises()
