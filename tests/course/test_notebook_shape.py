"""Every notebook of part 1 has the shape that docs/writing-a-notebook.md asks for; together they cover it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from glassroom.exercises import exercises

FOLDER = Path(__file__).parents[2] / "notebooks" / "1_memory"
NOTEBOOKS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.ipynb"))}
ARTICLES = """
A1.1 A1.2 A1.3 A1.4 A1.5 A1.6 A1.7
A2.1 A2.2 A2.3 A2.4 A2.5 A2.6 A2.7 A2.8 A2.9
A3.1 A3.2 A3.3 A3.4
A4.1 A4.2 A4.3 A4.4
A5.1 A5.2 A5.4 A5.8 A5.9
"""


def cells(name, kind):
    return ["".join(cell["source"]) for cell in NOTEBOOKS[name]["cells"] if cell["cell_type"] == kind]


def checked(name):
    """Ids of the exercises that a notebook checks."""
    return set(re.findall(r'^check\("([^"]+)"', "\n".join(cells(name, "code")), flags=re.MULTILINE))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_small_enough_for_one_sitting(name):
    assert len(NOTEBOOKS[name]["cells"]) <= 40
    assert 1 <= len(checked(name)) <= 6
    assert NOTEBOOKS[name]["metadata"]["glassroom"]["minutes"] <= 45


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_opens_with_its_question_and_ends_with_a_summary_and_pytorch(name):
    opening, *_ = cells(name, "markdown")
    assert opening.startswith(f"# {name[:2]} · {NOTEBOOKS[name]['metadata']['glassroom']['title']}\n")
    assert "\n> " in opening
    assert "*Before this:*" in opening
    prose = "\n".join(cells(name, "markdown"))
    headings = re.findall(r"^## (.+)$", prose, flags=re.MULTILINE)
    assert headings[-1] == "In PyTorch"
    assert "Summary" in headings


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_first_code_cell_imports_tensorglass_as_torch(name):
    first, *others = cells(name, "code")
    assert "import tensorglass as torch\n" in first
    assert "\nfrom glassroom import " in first
    assert "tensorglass" not in "\n".join(others)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_checks_the_exercises_that_are_declared_for_it(name):
    assert checked(name) == {exercise_id for exercise_id in exercises() if exercise_id[:2] == name[:2]}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_exercises_are_numbered_in_their_order(name):
    numbers = re.findall(r"^### Exercise (.*?):", "\n".join(cells(name, "markdown")), flags=re.MULTILINE)
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert len(numbers) in (0, len(checked(name)))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_prediction_is_revealed(name):
    code = "\n".join(cells(name, "code"))
    assert code.count("reveal(") >= 1
    assert "predict(" in code


def declared(what):
    return [each for notebook in NOTEBOOKS.values() for each in notebook["metadata"]["glassroom"][what]]


def test_part_1_has_a_home_for_every_point_of_the_articles_and_for_no_other():
    assert set(declared("articles")) == set(ARTICLES.split())


def test_part_1_answers_the_questions_about_views_storage_and_copies_and_no_others():
    assert set(declared("questions")) == set(range(1, 25))


def test_the_start_page_leads_each_question_to_a_notebook_that_declares_it():
    *_, table = (text for text in cells("00_start_here.ipynb", "markdown") if "If you came with a question" in text)
    leads = re.findall(r"^\| (\d+) \|.*\| \[\d\d\]\(([^)]+)\)", table, flags=re.MULTILINE)
    assert [int(number) for number, _ in leads] == list(range(1, 25))
    for number, name in leads:
        assert int(number) in NOTEBOOKS[name]["metadata"]["glassroom"]["questions"], (number, name)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_links_lead_to_notebooks_that_are_there(name):
    assert set(re.findall(r"\]\(([^)#]+\.ipynb)", "\n".join(cells(name, "markdown")))) <= set(NOTEBOOKS)
