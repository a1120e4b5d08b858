"""A person is forgotten: nothing of theirs is left in the class's folder, and nothing of anybody else's is missing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from classes import FILE, make_class

from glassroom.classroom.batch import Work, grade, read_rows, row_path
from glassroom.classroom.by_hand import save_by_hand
from glassroom.classroom.collecting import safe_name
from glassroom.classroom.course_file import read_course
from glassroom.classroom.gradebook import opened
from glassroom.classroom.grading import Row, task_of
from glassroom.classroom.marks import marks_csv, result
from glassroom.classroom.sandbox import best_isolation
from glassroom.cli.app import run
from glassroom.workspace.whole_files import write_atomically

PEOPLE = ("ada", "ada-lovelace", "Bob <b>", "Ada King", "Ada King 99", "x" * 230)
QUESTION = '\n[[assignment.explain]]\nid = "why"\nask = "Why?"\npoints = 2\n'


@pytest.fixture
def folder(tmp_path: Path, hand_in: Callable[..., Path]) -> Path:
    """A class of six, some of whose names begin alike, with everything that the commands leave."""
    folder = make_class(tmp_path / "class", more=QUESTION)
    course = read_course(folder)
    results = []
    for name in PEOPLE:
        hand_in(folder, name, {"cells": [], "by": name})
        row = Row(name, "memory-02", marks=task_of(course, course.assignments[0]).questions())
        row.marks[-1].answer = f"I am {name}"
        write_atomically(row_path(course, "memory-02", name), row.to_json())
        results.append(result(course, course.assignments[0], row, {}))
        save_by_hand(course, (name, "memory-02", "why"), "1", "fine", row.marks[-1].answer)
        for kind in ("feedback", "autograded", "collected"):
            own = safe_name(name.removesuffix(" 99")) if kind == "collected" else name
            place = folder / kind / own / "memory-02"
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{len(name)}.html").write_text(name)
    (folder / "marks.csv").write_text(marks_csv(results))
    (folder / "learners.txt").write_text("".join(f"{name}\n" for name in PEOPLE))
    (folder / ".nbgrader.log").write_text("".join(f"INFO Copying submitted/{name}/x\n" for name in PEOPLE))
    assert run(["feedback", str(folder)]) == run(["class", str(folder)]) == 0
    return folder


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("person", ["ada", "Bob <b>", "x" * 230])
def test_nothing_of_theirs_is_left_and_nothing_of_others_is_missing(
    folder: Path, person: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = everything(folder)
    assert run(["forget", str(folder), person, "--yes"]) == 0
    after = everything(folder)
    assert not [name for name in after if person in Path(name).parts]
    assert not [name for name in after if Path(name).stem == person]
    words = [part for content in after.values() for part in content.decode().replace(",", "\n").splitlines()]
    assert person not in words
    assert f"I am {person}" not in words
    changed = {name for name in before if after.get(name) != before[name]}
    tables = {"manual.csv", "marks.csv", "learners.txt", ".nbgrader.log"}
    assert tables | {"class.html"} <= changed
    others = changed - tables - {"class.html"}
    assert {name for name in others if name in after} == set()
    assert len(others) == 6  # the notebook, the row, the page, feedback, autograded, collected
    for name in tables:  # all lines of other learners are unchanged
        lines = after[name].splitlines()
        assert lines == [line for line in before[name].splitlines() if line in lines]
        assert len(lines) == len(before[name].splitlines()) - 1
    assert "has this name in it" not in capsys.readouterr().out


def test_the_student_goes_from_nbgraders_gradebook_and_from_its_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("nbgrader.api", reason="nbgrader is not installed (extra: classroom)")
    with opened(folder) as book:
        book.add_assignment("memory-02")
        for name in ("zachariah", "ada"):
            book.add_student(name)
            book.add_submission("memory-02", name)
    assert b"zachariah" in (folder / "gradebook.db").read_bytes()
    assert run(["forget", str(folder), "zachariah", "--yes"]) == 0
    assert b"zachariah" not in (folder / "gradebook.db").read_bytes()
    with opened(folder) as book:
        assert [student.id for student in book.students] == ["ada"]
        assert len(book.assignment_submissions("memory-02")) == 1
    assert "2 of 2 deleted" in capsys.readouterr().out


@pytest.mark.parametrize("answer", ["", "n", "perhaps"])
def test_it_asks_first(
    folder: Path, answer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = everything(folder)
    monkeypatch.setattr("builtins.input", lambda _asked: answer)
    assert run(["forget", str(folder), "ada"]) == 1
    assert everything(folder) == before
    said = capsys.readouterr().out
    assert "submitted/ada/ (1 file)" in said
    assert "manual.csv: 1 line" in said
    assert "Nothing was deleted." in said
    monkeypatch.setattr("builtins.input", lambda _asked: "y")
    assert run(["forget", str(folder), "ada"]) == 0
    assert not (folder / "submitted" / "ada").exists()


def test_an_unknown_name_is_refused_with_near_ones(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = everything(folder)
    assert run(["forget", str(folder), "Ada Lovelace", "--yes"]) == 2
    assert "'ada-lovelace'" in capsys.readouterr().err
    for wrong in ("", ".", "..", "../class", "submitted", "ada/memory-02", "nobody at all"):
        assert run(["forget", str(folder), wrong, "--yes"]) == 2
    assert everything(folder) == before


def test_what_may_be_somebody_elses_stays_and_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "notes.txt").write_text("Ada King 99 was ill\n")
    (folder / "submitted" / "ada" / "link").symlink_to(folder / "submitted" / "Ada King 99")
    assert run(["forget", str(folder), "Ada King 99", "--yes"]) == 0
    said = capsys.readouterr().out
    assert "notes.txt has this name in it" in said
    assert "may have work of Ada King too" in said
    assert (folder / "collected" / "Ada King").is_dir()
    assert (folder / "submitted" / "Ada King" / "memory-02" / FILE).is_file()
    assert not (folder / "submitted" / "Ada King 99").exists()


def test_a_link_in_the_place_of_a_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("kept")
    (folder / "submitted" / "zoe").symlink_to(elsewhere)
    assert run(["forget", str(folder), "zoe", "--yes"]) == 0
    assert (elsewhere / "kept").read_text() == "kept"
    assert not (folder / "submitted" / "zoe").is_symlink()


@pytest.mark.parametrize("file", ["a\nb.ipynb", "-rf", "\udce9.bin", ".hidden", "x" * 250, "<b>", "\u202egnp.exe"])
def test_files_of_every_name_go(folder: Path, file: str) -> None:
    place = folder / "submitted" / "ada" / "memory-02"
    (place / "deep" / "deeper").mkdir(parents=True)
    (place / file).write_text("ada")
    (place / "deep" / "deeper" / file).symlink_to(folder / "submitted" / "ada-lovelace")
    assert run(["forget", str(folder), "ada", "--yes"]) == 0
    assert not (folder / "submitted" / "ada").exists()
    assert (folder / "submitted" / "ada-lovelace" / "memory-02" / FILE).is_file()


def test_who_is_forgotten_twice_is_unknown_the_second_time(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["forget", str(folder), "ada", "--yes"]) == 0
    after = everything(folder)
    assert run(["forget", str(folder), "ada", "--yes"]) == 2
    assert everything(folder) == after
    assert "nothing of anybody named 'ada'" in capsys.readouterr().err


def test_who_is_forgotten_while_others_are_marked_gets_no_row(folder: Path) -> None:
    course = read_course(folder)

    def marking(work: Iterable[Work], _isolation: object, _stopped: threading.Event) -> Iterator[Row]:
        rows = [Row(learner, task.assignment) for task, learner, _, _ in work]
        assert run(["forget", str(folder), "ada", "--yes"]) == 0
        yield from rows

    report = grade(course, course.assignments, best_isolation([folder]), marking, threading.Event(), again=True)
    assert sorted(row.learner for row in report.rows) == sorted(set(PEOPLE) - {"ada"})
    assert "ada" not in read_rows(course, "memory-02")
    assert not [path for path in folder.rglob("*") if path.stem == "ada"]
