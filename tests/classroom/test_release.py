"""What learners get is what nbgrader takes: its own commands run on it, and give our marks."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from classes import EXERCISES, FILE, NOTEBOOK, answered, make_class, teachers_notebook

pytest.importorskip("nbgrader", reason="nbgrader is not installed")

from glassroom.classroom.batch import grade, on_this_machine, read_rows, row_path
from glassroom.classroom.by_hand import read_manual
from glassroom.classroom.course_file import read_course
from glassroom.classroom.grading import task_of
from glassroom.classroom.handout import course_notebook
from glassroom.classroom.links import relinked
from glassroom.classroom.marks import result
from glassroom.classroom.pages import class_page
from glassroom.classroom.release import release
from glassroom.classroom.sandbox import best_isolation
from glassroom.classroom.submission import marks_of
from glassroom.cli.app import run
from glassroom.workspace.notebook_json import parse, source
from glassroom.workspace.problems import Problem
from glassroom.workspace.sources import course_notebooks, notebooks_folder

pytestmark = pytest.mark.timeout(900)  # a busy machine is no fault of the code

QUESTIONS = """
[[assignment.explain]]
id = "why"
ask = "Why does a write show through every view?"
points = 2
after = "02-middle"

[[assignment.hidden]]
id = "middle-hidden"
exercise = "02-middle"
code = "assert middle.storage_offset() == 1, 'HIDDEN SECRET'"
points = 3
"""


def nbgrader(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run nbgrader's own command in a class."""
    command = [sys.executable, "-m", "nbgrader", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=800)


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class to which notebook 02 was handed out, with a question and a hidden test."""
    folder = tmp_path_factory.mktemp("released") / "class"
    make_class(folder, more=QUESTIONS)
    release(folder, [NOTEBOOK], notebooks_folder())
    return folder


def test_learners_copies_are_nbgraders(released: Path) -> None:
    from nbgrader.nbgraderformat import MetadataValidator
    from nbgrader.nbgraderformat import read as read_nbgraders

    copy = read_nbgraders(released / "release" / "memory-02" / FILE, as_version=4)
    MetadataValidator().validate_nb(copy)
    marks = {cell.metadata.nbgrader.grade_id: cell for cell in copy.cells if "nbgrader" in cell.metadata}
    assert all(cell.metadata.nbgrader.schema_version == 3 for cell in marks.values())
    assert all("checksum" in cell.metadata.nbgrader for cell in marks.values())
    for id in EXERCISES:
        assert marks[id].metadata.nbgrader.locked
        assert not marks[id].metadata.editable
        assert marks[id].metadata.nbgrader.points == 1
        assert marks[f"{id}-answer"].metadata.nbgrader.solution
        assert "= ..." in marks[f"{id}-answer"].source
    assert marks["why"].cell_type == "markdown"
    assert marks["why"].metadata.nbgrader.points == 2


def test_learners_copies_hold_no_solution_no_hidden_test_and_no_prediction(released: Path) -> None:
    text = (released / "release" / "memory-02" / FILE).read_text()
    assert "SOLUTION" not in text
    assert "HIDDEN" not in text
    assert "a[1:5].view(2, 2)" not in text
    assert 'memory=\\"view\\"' not in text
    teachers = (released / "source" / "memory-02" / FILE).read_text()
    assert "### BEGIN SOLUTION" in teachers
    assert "### BEGIN HIDDEN TESTS" in teachers


@pytest.fixture(scope="module")
def autograded(
    released: Path, tmp_path_factory: pytest.TempPathFactory, hand_in: Callable[..., Path]
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """That class with four submissions, marked by nbgrader, and what nbgrader said."""
    folder = shutil.copytree(released, tmp_path_factory.mktemp("autograded") / "class")
    teachers = teachers_notebook(folder)
    copy = parse((folder / "release" / "memory-02" / FILE).read_bytes())
    hand_in(folder, "ada", answered(teachers, {"why": "They share one storage."}, solved=True))
    hand_in(folder, "bob", copy)
    wrong = {"02-middle": "middle = a[1:5].clone().view(2, 2)", "02-count": "headers = 4\nstorages = 2"}
    hand_in(folder, "carl", answered(copy, {**wrong, "why": "No idea."}))
    kept = answered(teachers, {"02-middle": "import warnings\nwarnings.warn('x')\nmiddle = a[1:5].view(2, 2)"}, True)
    hand_in(folder, "dora", kept)
    return folder, nbgrader(folder, "autograde", "memory-02")


def test_nbgraders_commands_give_our_marks(autograded: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, graded = autograded
    assert graded.returncode == 0, graded.stderr[-2000:]
    validated = nbgrader(folder, "validate", str(folder / "submitted" / "ada" / "memory-02" / FILE))
    assert "Success" in validated.stdout + validated.stderr
    unsolved = nbgrader(folder, "validate", str(folder / "release" / "memory-02" / FILE))
    assert "VALIDATION FAILED" in unsolved.stdout + unsolved.stderr
    feedback = nbgrader(folder, "generate_feedback", "memory-02")
    assert feedback.returncode == 0, feedback.stderr[-2000:]
    assert (folder / "feedback" / "carl" / "memory-02" / f"{FILE.removesuffix('.ipynb')}.html").is_file()
    assert nbgrader(folder, "export").returncode == 0
    with open(folder / "grades.csv", newline="") as file:
        theirs = {line["student_id"]: float(line["raw_score"]) for line in csv.DictReader(file)}

    course = read_course(folder)
    try:
        isolation = best_isolation([folder])
    except Problem as problem:
        pytest.skip(f"no sandbox works here: {problem}")
    report = grade(course, course.assignments, isolation, on_this_machine(1), threading.Event())
    manual = read_manual(course)
    ours = {row.learner: result(course, course.assignments[0], row, manual).raw for row in report.rows}
    assert ours == theirs == {"ada": 7, "bob": 0, "carl": 1, "dora": 7}


def test_a_mark_that_a_person_gives_in_the_formgrader_counts(
    autograded: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    from nbgrader.api import Gradebook

    folder = shutil.copytree(autograded[0], tmp_path / "class")
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        grade_ = book.find_grade("why", FILE.removesuffix(".ipynb"), "memory-02", "ada")
        grade_.manual_score = 1.5
        book.db.commit()
    manual = read_manual(read_course(folder))
    assert manual["ada", "memory-02", "why"].points == 1.5


def test_every_notebook_of_the_course_can_be_handed_out(tmp_path: Path) -> None:
    from nbformat import from_dict
    from nbgrader.nbgraderformat import MetadataValidator
    from nbgrader.preprocessors import CheckCellMetadata

    notebooks = tuple(path.as_posix() for path in course_notebooks(notebooks_folder()) if path.parent.name)
    folder = make_class(tmp_path / "class", notebooks)
    paths = sorted(folder.glob("source/*/*.ipynb"))
    assert len(paths) == len(notebooks)
    for path in paths:
        notebook = from_dict(json.loads(path.read_text()))
        MetadataValidator().validate_nb(notebook)
        CheckCellMetadata().preprocess(notebook, {})
        solutions = [cell for cell in notebook.cells if marks_of(cell).get("solution")]
        tests = [cell for cell in notebook.cells if marks_of(cell).get("grade")]
        assert len(solutions) == len(tests) > 0
        assert all("graded_check(1, " in source(cell) for cell in tests)


def test_what_is_released_again_keeps_the_teachers_file_and_what_was_handed_in(
    released: Path, tmp_path: Path, hand_in: Callable[..., Path]
) -> None:
    folder = shutil.copytree(released, tmp_path / "class")
    before = (folder / "course.toml").read_bytes()
    hand_in(folder, "ada", b"{}")
    released_now = release(folder, [], notebooks_folder())
    assert released_now.kept == ["memory-02"]
    assert (folder / "course.toml").read_bytes() == before


def test_hidden_tests_are_renewed_where_others_have_handed_in_and_nothing_else_is(
    released: Path, tmp_path: Path, hand_in: Callable[..., Path]
) -> None:
    folder = shutil.copytree(released, tmp_path / "class")
    hand_in(folder, "ada", b"{}")
    copies = {path: path.read_bytes() for path in folder.rglob("release/**/*") if path.is_file()}
    text = (folder / "course.toml").read_text()
    (folder / "course.toml").write_text(text.replace("storage_offset() == 1", "storage_offset() > 0"))
    released_now = release(folder, [], notebooks_folder())
    assert (released_now.hidden, released_now.kept) == (["memory-02"], [])
    source = (folder / "source" / "memory-02" / FILE).read_text()
    assert "storage_offset() > 0" in source
    (folder / "course.toml").write_text(text.replace("Why does a write", "How does a write"))
    released_now = release(folder, [], notebooks_folder())
    assert (released_now.hidden, released_now.kept) == ([], ["memory-02"])
    assert (folder / "source" / "memory-02" / FILE).read_text() == source
    assert {path: path.read_bytes() for path in copies} == copies
    assert (folder / ".gitignore").read_text().splitlines()[-1] == "*"


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("[late]\nper_day = 2", "per_day is a number from 0 to 1"),
        ("[late]\nper_week = 2", "per_week, which means nothing here"),
        ("[limits]\nwall = 0", "wall is a number from 1"),
        ("[[assignment]]\nname = '../x'\nnotebooks = ['a.ipynb']", "is not letters"),
        ("[[assignment]]\nname = 'x'\nnotebooks = ['../../etc/a.ipynb']", "is not a notebook of the course"),
        ("[[assignment]]\nname = 'x'\nnotebooks = []", "notebooks are a list"),
        ("[[assignment]]\nname = 'x'\nnotebooks = ['a.ipynb']\ndue = 'tomorrow'", "due is a date and a time"),
        ("[[assignment]]\nname = 'x'\nnotebooks = ['a.ipynb']\ndue = 2030-01-31T18:00:00", "due needs a zone"),
        ("[[assignment]]\nname = 'x'\nnotebooks = ['a.ipynb']\n[assignment.points]\n'02-a' = -1", "from 0 to"),
        ("[[assignment]]\nname = 'x'\nnotebooks = ['a.ipynb']\n[[assignment.hidden]]\nid='h'\nexercise='e'\ncode='def'",
         "a hidden test is not Python"),
        ("nothing = [", "is not TOML"),
    ],
)  # fmt: skip
def test_a_course_file_that_means_nothing_says_where(tmp_path: Path, toml: str, says: str) -> None:
    (tmp_path / "course.toml").write_text(toml)
    with pytest.raises(Problem, match=says):
        read_course(tmp_path)


def test_the_command_says_what_it_released_and_what_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["release", "1_memory/02", "--course", str(tmp_path / "class")]) == 0
    said = capsys.readouterr().out
    assert "released memory-02 (4 points)" in said
    assert run(["release", "memory-02", "--course", str(tmp_path / "class")]) == 0  # by the assignment's name
    assert "released memory-02 (4 points)" in capsys.readouterr().out
    assert run(["release", "9_nothing", "--course", str(tmp_path / "class")]) == 2
    assert "no part or notebook '9_nothing'" in capsys.readouterr().err


def test_nothing_is_released_whose_solution_does_not_pass_every_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, notebooks = tmp_path / "class", tmp_path / "notebooks"
    shutil.copytree(notebooks_folder() / "1_memory", notebooks / "1_memory")
    make_class(folder, more=QUESTIONS)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    text = (folder / "course.toml").read_text()
    (folder / "course.toml").write_text(text.replace("assert middle.storage", "assert midle.storage"))
    assert run(["release", "--course", str(folder)]) == 3
    said = capsys.readouterr().err
    assert "memory-02, middle-hidden: checking it raised NameError: name 'midle' is not defined" in said
    assert "02-whole" not in said  # what passes is not named
    (folder / "course.toml").write_text(text)
    path = notebooks / NOTEBOOK
    sound = path.read_text()
    path.write_text(sound.replace('check(\\"02-whole\\"', 'check(\\"02-hole\\"'))
    with pytest.raises(Problem, match=r'cell \d+: check\("02-hole"\) asks for an exercise that is declared nowhere'):
        release(folder, [], notebooks)
    path.write_text(sound.replace("middle = a[1:5].view(2, 2)", "middle = a[1:5].clone().view(2, 2)"))
    with pytest.raises(Problem, match="02-middle: `middle` is a copy") as raised:
        release(folder, [], notebooks)
    assert "middle-hidden: checking it raised AssertionError: HIDDEN SECRET" in str(raised.value)
    assert {path: path.read_bytes() for path in before} == before
    assert not (folder / "release").exists()
    assert not list((folder / "marks").rglob("*.json"))  # a failure may have been the machine's: it is tried again
    (folder / "course.toml").write_text(text.replace('"02-middle" = 1', '"02-middle" = 0'))  # its hidden test counts
    assert release(folder, [], notebooks_folder()).assignments == {"memory-02": 8}


def test_what_was_tried_at_release_is_not_tried_again(released: Path) -> None:
    kept = released / "marks" / "memory-02" / ".reference.json"
    assert json.loads(kept.read_text()).keys() == {"version", "apart", "altered"}
    course = read_course(released)
    assert json.loads(kept.read_text())["version"] == task_of(course, course.assignments[0]).version


def test_who_answered_an_earlier_version_is_reported_and_who_is_marked_by_one(tmp_path: Path) -> None:
    folder = make_class(tmp_path / "class", more=QUESTIONS)
    shutil.rmtree(folder / "source")
    release(folder, [NOTEBOOK], notebooks_folder())
    assert (folder / "source").stat().st_mode & 0o077 == 0
    copy = folder / "release" / "memory-02" / FILE
    for learner in ("early", "late"):
        (folder / "submitted" / learner / "memory-02").mkdir(parents=True)
        (folder / "submitted" / learner / "memory-02" / FILE).write_bytes(copy.read_bytes())
        text = (folder / "course.toml").read_text()
        asked = read_course(folder).assignments[0].explain[0].ask
        (folder / "course.toml").write_text(text.replace(asked, f"{asked} Say it in one sentence."))
        release(folder, [NOTEBOOK], notebooks_folder(), force=True)
        if learner == "early":
            assert run(["grade", str(folder)]) == 0
            first = read_rows(read_course(folder), "memory-02")["early"]
            assert first.earlier
    page = class_page(folder).html
    assert f"Marked by version {first.version} of the notebooks" in page
    (folder / "learners.txt").write_text("absent\n")
    assert run(["grade", str(folder)]) == 0
    rows = read_rows(read_course(folder), "memory-02")
    assert {learner: row.earlier for learner, row in rows.items()} == {"early": True, "late": True}
    (folder / "submitted" / "late" / "memory-02" / FILE).write_bytes(copy.read_bytes())
    assert run(["grade", str(folder)]) == run(["marks", str(folder), "--csv", str(tmp_path / "table.csv")]) == 0
    rows = read_rows(read_course(folder), "memory-02")
    assert {learner: row.earlier for learner, row in rows.items()} == {"early": True, "late": False}
    assert len({row.version for row in rows.values()} - {first.version}) == 1
    page = class_page(folder).html
    assert "Marked by version" not in page
    assert "handed out before the present ones: early." in page
    for table in (folder / "marks.csv", tmp_path / "table.csv"):
        lines = {line["learner"]: line for line in csv.DictReader(io.StringIO(table.read_text()))}
        assert lines["late"]["version"] == rows["late"].version
        assert (lines["absent"]["points"], lines["absent"]["with trouble"]) == ("0", "nothing was handed in")
        assert lines["absent"]["of"] == lines["late"]["of"]
    for path in (folder / "marks.csv", row_path(read_course(folder), "memory-02", "late")):
        assert path.stat().st_mode & 0o777 == 0o600


def test_links_of_learners_copies_lead_to_what_the_class_has() -> None:
    """Every notebook as an assignment of its own, in a class that has all of them and in one that has two."""
    notebooks = [path.as_posix() for path in course_notebooks(notebooks_folder()) if path.parent.name]
    every = {name: f"a-{number}/{Path(name).name}" for number, name in enumerate(notebooks)}
    few = {name: every[name] for name in (NOTEBOOK, "1_memory/03_basic_indexing.ipynb")}
    led = {True: 0, False: 0}
    for places in (every, few):
        there = set(places.values())
        for name in places:
            cells = relinked(course_notebook(notebooks_folder(), name), name, places)["cells"]
            text = "\n".join(source(cell) for cell in cells if cell["cell_type"] == "markdown")
            links = re.findall(r"\]\(([^)#\s]+\.ipynb)", text)
            here = Path(places[name]).parent
            assert all(os.path.normpath(here / link) in there for link in links), name
            assert "contents" not in text.splitlines()[2]
            led[places is every] += len(links)
    assert led[True] > 350
    assert led[False] == 5
