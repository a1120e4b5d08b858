"""Progress: one file of the learner's, which loses nothing, and the report on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import tensorglass
from glassroom.cli.app import run
from glassroom.exercises import check, hint, predict
from glassroom.exercises.progress import LOCK, PROGRESS, Attempts, read_progress
from glassroom.exercises.report import progress
from glassroom.workspace.learner_folder import MANIFEST

MANY = """
import io, contextlib
from glassroom.exercises import check, hint
with contextlib.redirect_stdout(io.StringIO()):
    for _ in range(20):
        check("{id}", {answer})
"""


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A working copy, in one of whose parts the kernel runs."""
    (tmp_path / MANIFEST).parent.mkdir()
    (tmp_path / MANIFEST).write_text("{}")
    (tmp_path / "1_memory").mkdir()
    monkeypatch.chdir(tmp_path / "1_memory")
    return tmp_path


def test_checks_hints_and_predictions_are_written_down(copy, capsys):
    check("00-numbers", 12)
    check("00-numbers", 6)
    hint("01-same-cell")
    predict("six?", value=6).reveal(6)
    predict("five and six?", value=5, offset=6).reveal(6)
    done = read_progress(copy)
    assert (done.exercises["00-numbers"].solved, done.exercises["00-numbers"].checks) == (True, 2)
    assert not done.exercises["01-same-cell"].solved
    assert done.exercises["01-same-cell"].hints >= 1
    assert done.predictions == {"six?": (1, 1), "five and six?": (1, 2)}


def test_what_was_solved_stays_solved(copy, capsys):
    check("00-numbers", 6)
    check("00-numbers", 12)
    assert read_progress(copy).exercises["00-numbers"].solved


def test_what_was_solved_under_a_former_id_counts(copy, capsys):
    kept = {
        "t05-sizes": {"solved": True, "checks": 3, "hints": 2},
        "t07-sizes": {"solved": False, "checks": 1, "hints": 4},
    }
    (copy / PROGRESS).write_text(json.dumps({"exercises": kept, "predictions": {}}))
    assert read_progress(copy).exercises == {"t07-sizes": Attempts(solved=True, checks=4, hints=4)}
    check("t05-sizes", ...)
    hint("e03-product")
    done = read_progress(copy).exercises
    assert done["t07-sizes"] == Attempts(solved=True, checks=5, hints=4)
    assert done["e04-product"].hints >= 1
    assert {"t05-sizes", "e03-product"}.isdisjoint(done)


def test_outside_of_a_working_copy_nothing_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    check("00-numbers", 6)
    assert list(tmp_path.iterdir()) == []
    assert "glassroom lab" in repr(progress())


@pytest.mark.parametrize(
    "damaged", [b"", b"{", b"[]", b'{"exercises": 3}', b"\xff\xfe", b'{"exercises": {"a": 1}, "predictions": {}}']
)
def test_a_damaged_file_is_put_aside_and_a_new_one_begun(copy, capsys, damaged):
    (copy / PROGRESS).write_bytes(damaged)
    check("00-numbers", 6)
    assert read_progress(copy).exercises["00-numbers"].solved
    assert (copy / ".glassroom" / "progress-damaged-1.json").read_bytes() == damaged
    (copy / PROGRESS).write_bytes(damaged)
    check("00-numbers", 6)
    assert (copy / ".glassroom" / "progress-damaged-2.json").read_bytes() == damaged


def test_two_kernels_lose_nothing(copy):
    programs = [MANY.format(id=id, answer=answer) for id, answer in (("00-numbers", 6), ("01-same-cell", 10))]
    kernels = [subprocess.Popen([sys.executable, "-c", program]) for program in programs]
    assert [kernel.wait() for kernel in kernels] == [0, 0]
    done = read_progress(copy)
    assert {id: record.checks for id, record in done.exercises.items()} == {"00-numbers": 20, "01-same-cell": 20}
    assert not (copy / LOCK).exists()


def test_a_lock_that_a_killed_kernel_left_is_taken_over(copy, capsys):
    (copy / LOCK).touch()
    os.utime(copy / LOCK, (0, 0))
    check("00-numbers", 6)
    assert read_progress(copy).exercises["00-numbers"].solved


def test_a_check_answers_where_nothing_can_be_written(copy, capsys):
    (copy / PROGRESS).mkdir()
    check("00-numbers", 6)
    assert "✓" in capsys.readouterr().out


def test_a_record_that_cannot_be_written_is_told_once(copy):
    (copy / PROGRESS).mkdir()
    twice = "from glassroom.exercises import check\ncheck('00-numbers', 6)\ncheck('00-numbers', 12)"
    said = subprocess.run([sys.executable, "-c", twice], capture_output=True, text=True, check=True).stdout
    assert said.count("Your progress is not recorded: ") == 1


def test_the_report_has_ticks_hints_the_next_notebook_and_the_hours_left(copy, capsys):
    before = progress().minutes_left
    check("00-numbers", 6)
    _solve_the_last_cell()
    hint("01-same-cell")
    report = progress()
    assert report.minutes_left == before - 15
    assert report.following.entry.key == "1_memory/01_header_and_storage"
    text = repr(report)
    assert "  ✓ 00 Start here" in text
    assert "  ▸ 01 Header and storage" in text
    assert "← continue here" in text
    assert "2 of " in text.splitlines()[0]
    page = report._repr_html_()
    assert '<a href="01_header_and_storage.ipynb">' in page
    assert '<a href="../2_tensors/02_creating_tensors.ipynb">' in page


def _solve_the_last_cell():
    a = tensorglass.arange(6)
    b = a.view(2, 3)
    b[1, 2] = 7
    check("00-last-cell", a, b=b)


def test_the_command_prints_the_report_of_the_copy_that_it_is_called_in(copy, capsys):
    check("00-numbers", 6)
    assert run(["progress"]) == 0
    assert "1 of " in capsys.readouterr().out
    assert run(["progress", str(copy / "elsewhere" / "..")]) == 0


def test_the_command_says_where_there_is_no_copy(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["progress"]) == 2
    assert "glassroom lab" in capsys.readouterr().err


def test_the_file_is_json_that_says_what_it_is(copy, capsys):
    check("00-numbers", 6)
    stored = json.loads((copy / PROGRESS).read_text("utf-8"))
    assert "glassroom" in stored["what this is"]
    assert stored["exercises"] == {"00-numbers": {"solved": True, "checks": 1, "hints": 0}}
