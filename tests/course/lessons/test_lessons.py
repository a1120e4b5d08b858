"""The lessons on messages: each program raises its message on both libraries, and each message leads to its lesson."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from stored_notebooks import NOTEBOOKS

import glassroom
import tensorglass
from glassroom.lessons import lesson as home
from glassroom.lessons.lesson import Lesson, explain, lessons

LESSONS = lessons()
PLACES = {str(place).removesuffix(".ipynb") for place in NOTEBOOKS}
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=[lesson.heading[:50] for lesson in LESSONS])


def test_every_section_of_the_files_is_read():
    files = Path(home.__file__).parent.glob("*.md")
    headings = [line for file in files for line in file.read_text("utf-8").splitlines() if line.startswith("## ")]
    assert len(LESSONS) == len(headings) >= 40


@pytest.mark.parametrize("library", ["tensorglass", "torch"])
@each_lesson
def test_the_program_raises_exactly_its_message_and_the_mended_one_runs(lesson: Lesson, library: str):
    torch = tensorglass if library == "tensorglass" else pytest.importorskip("torch")
    with pytest.raises(Exception, match=re.escape(lines(lesson.message)[0])) as raised:
        exec(lesson.program, {"torch": torch})
    assert lines(str(raised.value)) == lines(lesson.message)
    exec(lesson.mended, {"torch": torch})
    assert explain(raised.value) is lesson


@each_lesson
def test_a_message_leads_to_its_lesson_whatever_its_numbers_and_however_it_is_broken(lesson: Lesson):
    other = re.sub(r"\b\d+\b", "77", lesson.message)
    for text in (lesson.message, other, "\n".join(other.split()), f"Traceback …\n  x = f(y)\nRuntimeError: {other}"):
        assert explain(text) is lesson
    assert all(explain(each) is lesson for each in lesson.also)


@each_lesson
def test_a_lesson_leads_to_a_notebook(lesson: Lesson):
    assert lesson.notebook in PLACES
    assert f"(../{lesson.notebook}.ipynb)" in lesson._repr_markdown_()


def test_of_an_unknown_message_the_nearest_are_named():
    with pytest.raises(ValueError, match=r"nearest are on:\n  mat1 and mat2 shapes cannot be multiplied"):
        explain("matrices: shapes cannot be multiplied")
    with pytest.raises(ValueError, match=r"^no lesson is on this message$"):
        explain("segmentation fault")


def test_after_an_error_that_nobody_caught_it_needs_no_argument(monkeypatch):
    for name in ("last_exc", "last_value"):
        monkeypatch.setattr(sys, name, None, raising=False)
    with pytest.raises(ValueError, match="there is no error to explain"):
        glassroom.explain()
    with pytest.raises(RuntimeError) as raised:
        tensorglass.arange(6).view(4, 2)
    monkeypatch.setattr(sys, "last_value", raised.value)
    assert glassroom.explain().notebook == "1_memory/07_view_or_reshape"


def test_the_command_takes_a_message_as_an_argument_or_from_its_input():
    message = LESSONS[0].message
    argued = command(message)
    assert argued.returncode == 0
    assert LESSONS[0].meaning.split()[:9] == argued.stdout.partition(LESSONS[0].heading)[2].split()[:9]
    assert command(given=f"Traceback …\nRuntimeError: {message}\n").stdout == argued.stdout
    unknown = command("shapes cannot be multiplied, said somebody")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "The nearest are on:\n  mat1 and mat2 shapes" in unknown.stderr
    assert command(given="").returncode == 2
    assert command("--list").stdout.splitlines() == [lesson.heading for lesson in LESSONS]


def command(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    asked = [sys.executable, "-m", "glassroom", "explain", *arguments]
    return subprocess.run(asked, input=given, capture_output=True, text=True, check=False)


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]
