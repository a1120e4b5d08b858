"""The start page leads to every notebook of the course, and from every question to a notebook that answers it."""

from __future__ import annotations

import re

import pytest
from stored_notebooks import NOTEBOOKS, START_PAGE, about, links, number, prose

PAGE = prose(START_PAGE)
QUESTIONS = [*range(1, 41)]
INDEX = {
    int(question): links(START_PAGE, leads)
    for question, leads in re.findall(r"^\| (\d+) \|[^|]+\| (\[[^|\n]+) \|$", PAGE, flags=re.MULTILINE)
}


def test_every_notebook_stands_in_the_tables_in_order():
    rows = re.findall(r"^\| (\d\d) \| (\[.+?\]\(\S+\.ipynb\)) \|", PAGE, flags=re.MULTILINE)
    places = [place for _, link in rows for place in links(START_PAGE, link)]
    assert places == [place for place in NOTEBOOKS if place != START_PAGE]
    assert [shown for shown, _ in rows] == [number(place) for place in places]
    for (_, link), place in zip(rows, places, strict=True):
        assert link.startswith(f"[{about(place)['title']}]"), place


def test_the_index_has_every_question():
    assert sorted(INDEX) == QUESTIONS


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_leads_to_notebooks_that_declare_it(question):
    assert INDEX[question]
    for place in INDEX[question]:
        assert question in about(place)["questions"], place
