"""nbgrader's gradebook of a class: made as nbgrader makes it, and its faults told in a line."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sysconfig
from pathlib import Path

import pytest

from glassroom.classroom import gradebook
from glassroom.cli.app import run

api = pytest.importorskip("nbgrader.api", reason="nbgrader is not installed (extra: classroom)")


def test_a_new_gradebook_is_the_one_that_nbgrader_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]]))
    (tmp_path / "theirs").mkdir()
    with api.Gradebook(f"sqlite:///{tmp_path}/theirs/gradebook.db"), gradebook.opened(tmp_path):
        pass
    contents = []
    for place in (tmp_path, tmp_path / "theirs"):
        with contextlib.closing(sqlite3.connect(place / gradebook.GRADEBOOK)) as book:
            tables = book.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall()
            contents.append((tables, book.execute("SELECT * FROM alembic_version").fetchall()))
    assert contents[0] == contents[1]


@pytest.mark.parametrize("fault", ["damaged", "locked"])
def test_a_gradebook_that_cannot_be_used_is_told_in_a_line(
    tmp_path: Path, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / gradebook.GRADEBOOK
    with gradebook.opened(tmp_path) as book:
        book.add_student("ada")
    (tmp_path / "course.toml").write_text("")
    with contextlib.closing(sqlite3.connect(path)) as other:
        if fault == "damaged":
            content = path.read_bytes()
            path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
        else:
            other.execute("BEGIN EXCLUSIVE")
        code = run(["release", "1_memory/02", "--course", str(tmp_path)])
    said = capsys.readouterr().err
    assert code == 3
    assert said.splitlines()[-1].startswith(f"glassroom: {path}: ")
    assert "Traceback" not in said


def test_what_nbgrader_cannot_finish_leaves_learners_copies_as_they_were(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    release = ["release", "1_memory/02", "--course", str(tmp_path)]
    assert run(release) == 0
    copies = {path: path.read_bytes() for path in (tmp_path / "release").rglob("*") if path.is_file()}
    refuses = "CREATE TRIGGER refuses BEFORE INSERT ON source_cell BEGIN SELECT RAISE(ABORT, 'no room'); END"
    with contextlib.closing(sqlite3.connect(tmp_path / gradebook.GRADEBOOK)) as book:
        book.execute("DELETE FROM source_cell")
        book.execute(refuses)
        book.commit()
    capfd.readouterr()
    assert run([*release, "--force"]) == 3
    said = capfd.readouterr().err
    assert said.startswith("glassroom: nbgrader could not make memory-02: ")
    assert "no room" in said
    assert said.count("\n") == 1
    assert {path: path.read_bytes() for path in (tmp_path / "release").rglob("*") if path.is_file()} == copies
