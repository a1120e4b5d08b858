"""The start page leads to every notebook of part 1, and from every question to a notebook that answers it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "notebooks" / "1_memory"
NOTEBOOKS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.ipynb"))}
START_PAGE = "\n".join(
    "".join(cell["source"]) for cell in NOTEBOOKS["00_start_here.ipynb"]["cells"] if cell["cell_type"] == "markdown"
)
INDEX = {
    int(number): re.findall(r"\]\((\w+\.ipynb)\)", links)
    for number, links in re.findall(r"^\| (\d+) \|[^|]+\| (\[\d\d\][^|\n]+) \|$", START_PAGE, flags=re.MULTILINE)
}


def test_every_notebook_stands_in_the_table_in_order():
    table = re.findall(r"^\| (\d\d) \| \[[^]]+\]\((\w+\.ipynb)\) \|", START_PAGE, flags=re.MULTILINE)
    assert [name for _, name in table] == [name for name in NOTEBOOKS if name != "00_start_here.ipynb"]
    assert all(name.startswith(number) for number, name in table)


def test_the_index_has_every_question_about_memory():
    assert sorted(INDEX) == list(range(1, 25))


@pytest.mark.parametrize("question", range(1, 25))
def test_a_question_leads_to_notebooks_that_declare_it(question):
    for name in INDEX[question]:
        assert question in NOTEBOOKS[name]["metadata"]["glassroom"]["questions"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_links_between_notebooks_lead_somewhere(name):
    text = "\n".join("".join(cell["source"]) for cell in NOTEBOOKS[name]["cells"] if cell["cell_type"] == "markdown")
    for target in re.findall(r"\]\(([^)\s]+\.ipynb)\)", text):
        assert (FOLDER / target).is_file(), target
