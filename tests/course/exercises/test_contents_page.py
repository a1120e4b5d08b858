"""The contents page leads to every notebook, and from 40 questions to answers; it and all links are reproducible."""

from __future__ import annotations

import re
import shutil

import pytest
from stored_notebooks import CONTENTS, FOLDER, NOTEBOOKS, START_PAGE, about, cells, links, number, prose

from glassroom.workspace.contents import PATHS, write_contents
from glassroom.workspace.notebook_json import parse, serialise

PAGE = prose(CONTENTS)
QUESTIONS = [*range(1, 41)]
INDEX = {
    int(question): links(CONTENTS, leads)
    for question, leads in re.findall(r"^\| (\d+)\. [^|]+\| (\[[^|\n]+) \|$", PAGE, flags=re.MULTILINE)
}
ROW = r"^\| (\[(\d\d) [^|]+?\]\(\S+\.ipynb\)), (\d+) min \| ([^|]*) \|$"


def test_every_notebook_stands_in_the_tables_in_order_with_its_minutes():
    rows = re.findall(ROW, PAGE, flags=re.MULTILINE)
    places = [place for link, _, _, _ in rows for place in links(CONTENTS, link)]
    assert places == list(NOTEBOOKS)
    for (link, shown, minutes, asked), place in zip(rows, places, strict=True):
        assert shown == number(place)
        assert link.startswith(f"[{shown} {about(place)['title']}]"), place
        assert asked.startswith(about(place).get("asks", "")), place
        assert int(minutes) == about(place)["minutes"]


def test_what_a_notebook_needs_comes_before_it():
    order = list(NOTEBOOKS)
    for link, _, _, needs in re.findall(ROW, PAGE, flags=re.MULTILINE):
        [place] = links(CONTENTS, link)
        assert all(order.index(link) < order.index(place) for link in links(CONTENTS, needs)), place


def test_the_page_begins_with_where_to_go_on_and_the_paths_and_has_all_notebooks_after_the_questions():
    headings = re.findall(r"^## (.+)$", PAGE, flags=re.MULTILINE)
    assert headings[:3] == ["Three short paths", "If you came with a question", "All notebooks"]
    opening = PAGE.split("\n## ")[0]
    assert "continue here" in opening
    assert "hours" not in opening


def test_no_table_has_an_empty_heading_and_none_more_columns_than_a_phone_has_room_for():
    heads = re.findall(r"^(\|.*\|)\n\|(?:---\|)+$", PAGE, flags=re.MULTILINE)
    assert heads
    for head in heads:
        columns = [column.strip() for column in head.strip("|").split("|")]
        assert all(columns)
        assert len(columns) <= 2


def test_the_index_has_every_question():
    assert sorted(INDEX) == QUESTIONS


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_leads_to_notebooks_that_declare_it(question):
    assert INDEX[question]
    for place in INDEX[question]:
        assert question in about(place)["questions"], place


@pytest.mark.parametrize("name", PATHS)
def test_a_short_path_leads_through_notebooks_in_an_order_in_which_none_is_missing_its_own_part(name):
    places = links(CONTENTS, PAGE.split(f"**{name}**")[1].split("**")[0])
    assert len(places) >= 4
    assert set(places) <= set(NOTEBOOKS)


def test_the_page_tells_the_hours_and_the_words():
    assert re.search(r"About [\d.]+ hours in\s\d+ notebooks", PAGE)
    glossary = PAGE.split("## Glossary")[1]
    for word in ("storage", "view", "stride", "leaf", "reference cycle", "in-place"):
        assert f"| **{word}** |" in glossary


@pytest.mark.parametrize("place", NOTEBOOKS)
def test_previous_contents_and_next_stand_under_the_title(place):
    line = cells(place, "markdown")[0].split("\n")[2]
    order = list(NOTEBOOKS)
    at = order.index(place)
    assert links(place, line) == [*order[max(at - 1, 0) : at], CONTENTS, *order[at + 1 : at + 2]]


def test_the_start_page_is_short_and_ends_in_next():
    assert about(START_PAGE)["minutes"] == 15
    assert len(prose(START_PAGE)) < 8000
    assert prose(START_PAGE).rstrip().split("\n")[-1].startswith("Next: ")


def test_page_and_links_are_as_the_listing_makes_them(tmp_path):
    copy = tmp_path / "notebooks"
    shutil.copytree(FOLDER, copy)
    assert write_contents(copy) == []


def test_links_and_page_follow_a_notebook_that_comes_and_one_that_goes(tmp_path):
    copy = tmp_path / "notebooks"
    for place in list(NOTEBOOKS)[:3]:
        (copy / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(FOLDER / place, copy / place)
    write_contents(copy)
    first, second, third = (copy / place for place in list(NOTEBOOKS)[:3])
    second.unlink()
    assert {path.name for path in write_contents(copy)} == {first.name, third.name, "contents.ipynb"}
    assert f"({third.name})" in first.read_text("utf-8")
    assert second.name not in (copy / CONTENTS).read_text("utf-8")

    new = parse(first.read_bytes())
    new["cells"][0]["source"] = ["# 11 · New\n", "\n", "> Is it there?\n", "\n", "*Before this:* nothing."]
    new["metadata"]["glassroom"] = {"title": "New", "minutes": 30}
    added = copy / "9_more" / "11_new.ipynb"
    added.parent.mkdir()
    added.write_bytes(serialise(new))
    write_contents(copy)
    assert "| [11 New](9_more/11_new.ipynb), 30 min | Is it there? |" in "".join(
        source for cell in parse((copy / CONTENTS).read_bytes())["cells"] for source in cell["source"]
    )
    assert f"../{first.parent.name}/{third.name}" in added.read_text("utf-8")
    assert write_contents(copy) == []
