"""The lessons on messages: each program raises its message on both libraries, and each message leads to its lesson."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from polib import POEntry
from stored_notebooks import NOTEBOOKS

import glassroom
import tensorglass
from glassroom.lessons import lesson as home
from glassroom.lessons.lesson import Lesson, explain, lessons, unread
from glassroom.translations.checking import Term, terms, troubles
from glassroom.translations.language import languages
from tensorglass.core import errors

LESSONS = lessons()
NAMED = "`glassroom explain` has a lesson on this message."
PLACES = {str(place).removesuffix(".ipynb") for place in NOTEBOOKS}
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=[lesson.heading[:50] for lesson in LESSONS])


def test_every_section_of_the_files_is_read():
    files = Path(home.__file__).parent.glob("*.md")
    headings = [line for file in files for line in file.read_text("utf-8").splitlines() if line.startswith("## ")]
    assert len(LESSONS) == len(headings) >= 40


@each_lesson
def test_the_notes_under_a_message_that_has_a_lesson_name_it(lesson: Lesson):
    with pytest.raises(Exception, match=re.escape(lines(lesson.message)[0])) as raised:
        exec(lesson.program, {"torch": tensorglass})
    *notes, last = getattr(raised.value, "__notes__", ["", NAMED])
    assert last == NAMED
    assert NAMED not in notes


def test_what_the_library_takes_for_a_message_with_a_lesson_has_one():
    texts = [text for lesson in LESSONS for text in (lesson.heading, lesson.message, *lesson.also)]
    for part in errors._HAVE_LESSONS.pattern.split("|"):
        assert any(re.search(part, text) for text in texts), part
    assert not hasattr(errors.explained(RuntimeError("no lesson is on this")), "__notes__")


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
    assert all(explain(words) is lesson for words in lesson.also)


@each_lesson
def test_a_lesson_leads_to_a_notebook(lesson: Lesson):
    assert lesson.notebook in PLACES
    assert f"(../{lesson.notebook}.ipynb)" in lesson._repr_markdown_()


@pytest.mark.parametrize("language", languages().values(), ids=lambda language: language.code)
def test_every_lesson_in_another_language_has_its_message_and_programs(language):
    assert list(unread(language.folder / "lessons")) == []
    for english, other in zip(LESSONS, lessons_in(language.code), strict=True):
        words = {"meaning": other.meaning, "advice": other.advice, "title": other.title}
        assert other == replace(english, **words)
        is_there = other.meaning != english.meaning
        assert is_there or not language.released, english.heading
        for ours, theirs in ((english.meaning, other.meaning), (english.advice, other.advice)) if is_there else ():
            own = terms_of(language.code)
            assert troubles(POEntry(msgid=" ".join(ours.split()), msgstr=theirs), own) == [], english.heading
            assert theirs.endswith("。") or language.code != "zh_CN"


def terms_of(code: str) -> list[Term]:
    page = Path(__file__).parents[3] / "docs" / f"terms.{code.replace('_', '-')}.md"
    return terms(page.read_text("utf-8")) if page.is_file() else []


def test_a_lesson_that_cannot_be_read_hides_no_other(tmp_path):
    text = (Path(home.__file__).parent / "dtypes.md").read_text("utf-8")
    assert list(unread(Path(home.__file__).parent)) == []
    (tmp_path / "dtypes.md").write_text(text.replace("Also: `", "Voir aussi\u00a0: `"), "utf-8")
    assert list(unread(tmp_path)) == []
    first, second = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")][:2]
    (tmp_path / "dtypes.md").write_text(text.replace(f"## {first}\n\n```text", f"## {first}\n\n```"), "utf-8")
    assert list(unread(tmp_path)) == [("dtypes.md", first)]
    assert second in [lesson.heading for lesson in home._read(tmp_path)]


def test_a_lesson_that_another_language_has_not_is_english(tmp_path):
    folder = tmp_path / "xx" / "lessons"
    folder.mkdir(parents=True)
    (tmp_path / "xx" / "language.json").write_text('{"name": "Xx", "released": false}')
    text = (Path(home.__file__).parent / "shapes.md").read_text("utf-8")
    one = text.partition("\n## shape")[0]
    (folder / "any.md").write_text(one.replace("A tensor is a row", "Xx"), "utf-8")
    expected = [replace(lesson, meaning=lesson.meaning.replace("A tensor is a row", "Xx")) for lesson in LESSONS]
    assert lessons_in("xx", GLASSROOM_TRANSLATIONS=str(tmp_path)) == expected != list(LESSONS)


def lessons_in(code: str, **variables: str) -> list[Lesson]:
    """The lessons as a process that speaks another language has them."""
    program = (
        "import json, glassroom.lessons.lesson as home; print(json.dumps([vars(each) for each in home.lessons()]))"
    )
    environment = {**os.environ, "GLASSROOM_LANG": code, **variables}
    said = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return [Lesson(**{**row, "also": tuple(row["also"])}) for row in json.loads(said.stdout)]


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
