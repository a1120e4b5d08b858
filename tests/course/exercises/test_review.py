"""`read_again()`: what a review's answers and the learner's record say about where to look once more."""

from __future__ import annotations

import pytest

import tensorglass
from glassroom.exercises import check, hint, predict, prediction
from glassroom.exercises.review import ALL_RIGHT, UNSAID, read_again
from glassroom.workspace.learner_folder import MANIFEST


@pytest.fixture(autouse=True)
def _a_kernel_of_its_own(monkeypatch):
    monkeypatch.setattr(prediction, "_reviewed", {})


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A working copy, in one of whose parts the kernel runs."""
    (tmp_path / MANIFEST).parent.mkdir()
    (tmp_path / MANIFEST).write_text("{}")
    (tmp_path / "1_memory").mkdir()
    monkeypatch.chdir(tmp_path / "1_memory")
    return tmp_path


def ask(question, said, taught):
    predict(question, value=said).reveal(6, taught=taught)


def test_nothing_said_is_nothing_to_go_by(capsys):
    ask("six?", ..., "contiguity")
    assert repr(read_again()) == UNSAID


def test_all_right_is_nothing_to_read_again(capsys):
    ask("six?", 6, "contiguity")
    ask("and this?", ..., "contiguity")
    assert repr(read_again()) == f"1 of 1 answers right · 1 question left open · {ALL_RIGHT}"


def test_missed_questions_name_their_notebooks_those_with_most_first(capsys):
    ask("one?", 1, "basic_indexing")
    ask("two?", 2, "contiguity")
    ask("three?", 3, "contiguity")
    ask("six?", 6, "view_or_reshape")
    first, second = read_again().rows
    assert first.name.endswith("Contiguity")
    assert first.reasons == ["2 questions missed"]
    assert second.name.endswith("Basic indexing")
    assert "1 of 4 answers right" in repr(read_again())


def test_a_question_that_is_answered_anew_counts_anew(capsys):
    ask("six?", 5, "contiguity")
    ask("six?", 6, "contiguity")
    assert read_again().rows == []


def test_a_prediction_of_any_other_notebook_does_not_count(capsys):
    predict("six?", value=5).reveal(6)
    assert repr(read_again()) == UNSAID


def test_the_record_tells_open_exercises_and_those_solved_with_the_answer(copy, capsys):
    check("00-numbers", 5)
    for _ in range(4):
        hint("01-same-cell")
    check("01-same-cell", (2, 3), m=tensorglass.arange(12).view(3, 4))
    told = {row.name.split()[0]: row.reasons for row in read_again().rows}
    assert told["1·00"] == ["1 exercise not solved"]
    assert told["1·01"] in (["1 exercise not solved"], ["1 exercise solved with the answer"])


def test_the_table_links_to_the_notebooks(copy, capsys):
    ask("one?", 1, "contiguity")
    page = read_again()._repr_html_()
    assert 'href="../1_memory/06_contiguity.ipynb"' in page
    assert "1 question missed" in page
