"""What one build of the site has rendered the next one keeps; a page is then as if it were rendered anew."""

from __future__ import annotations

import json
import re
import shutil
from base64 import b64encode
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

pytest.importorskip("furo", reason="the site's tests need the extra: site")

from glassroom.site import rendering
from glassroom.workspace.problems import Problem

LIST = "# All\n\n```{toctree}\none\ntwo\n```\n"
PIXEL = b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
        "0000000c49444154789c63f8ffff3f0005fe02fe0def46b80000000049454e44ae426082"
    )
).decode()


def notebook(heading, code, picture):
    output = {"output_type": "display_data", "metadata": {}, "data": {"image/png": picture} if picture else {}}
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": f"# {heading}\n\nTo [one](one.md#first)."},
        {"cell_type": "code", "id": "b", "metadata": {}, "execution_count": 1, "source": code, "outputs": [output]},
    ]
    return json.dumps(
        {
            "cells": cells,
            "metadata": {"language_info": {"name": "python", "pygments_lexer": "ipython3"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


class Site:
    """Sources of three pages; `render` renders them, and `anew` does so without what is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sources = folder / "sources"
        self.number = 0
        for name in (*rendering.STYLES, rendering.SCRIPT, "favicon.svg"):
            self.write(f"static/{name}", name)
        self.write("extra/live/one.js", "1")
        self.write("index.md", LIST)
        self.write("one.md", "# One\n\n## First\n\nA word.\n")
        self.write("two.ipynb", notebook("Two", "1 + 1", PIXEL))

    def write(self, place: str, text: str) -> None:
        (self.sources / place).parent.mkdir(parents=True, exist_ok=True)
        (self.sources / place).write_text(text)

    def render(self, cache: str = "cache") -> Path:
        self.number += 1
        building = self.folder / f"building-{self.number}"
        building.mkdir()
        with ProcessPoolExecutor(1, get_context("fork")) as process:  # as each build has one of its own
            process.submit(rendering.render, self.sources, building / "pages", self.folder / cache, 1).result()
        return building / "pages"

    def anew(self) -> Path:
        pages = self.render("another cache")
        shutil.rmtree(self.folder / "another cache")
        return pages


def content(pages):
    """What is in all files; of the search's index, without words that no page has any more."""
    files = {path.relative_to(pages).as_posix(): path.read_bytes() for path in pages.rglob("*") if path.is_file()}
    for name, page in files.items():
        files[name] = re.sub(rb"(mystnb\.\w+\.css)\?v=\w+", rb"\1", page)  # its name has a digest already
    index = json.loads(files.pop("searchindex.js").removeprefix(b"Search.setIndex(").removesuffix(b")"))
    index["terms"] = {word: places for word, places in index["terms"].items() if places != []}
    return {**files, "searchindex.js": index}


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("one.md", "# One\n\n## First\n\nAnother word.\n"),
        ("one.md", "# A new title\n\n## First\n\nA word.\n"),
        ("two.ipynb", notebook("Two", "# a comment\n1 + 2", None)),
        ("index.md", LIST.replace("one\ntwo", "two\none")),
        ("static/site.css", "body { color: red }"),
        ("static/run-settings.js", "export default {}"),
        ("extra/live/one.js", "2"),
    ],
)
def test_after_a_change_every_file_is_as_if_it_were_made_anew(site, place, text):
    before = content(site.render())
    site.write(place, text)
    kept = content(site.render())
    assert kept != before
    assert kept == content(site.anew())


def test_only_the_page_that_has_changed_is_rendered_and_the_list_that_names_it(site, tmp_path):
    site.render()
    html = tmp_path / "cache" / rendering.FOLDER / "en" / "html"
    before = {page: (html / page).stat().st_mtime_ns for page in ("index.html", "one.html", "two.html")}
    site.write("two.ipynb", notebook("Two", "1 + 2", PIXEL))
    site.render()
    assert {page for page, time in before.items() if (html / page).stat().st_mtime_ns != time} == {
        "index.html",
        "two.html",
    }


def test_a_page_that_is_gone_is_gone(site):
    site.render()
    site.write("index.md", LIST.replace("two\n", ""))
    (site.sources / "two.ipynb").unlink()
    kept = content(site.render())
    assert "two.html" not in kept
    assert kept == content(site.anew())


def test_an_anchor_that_another_page_leads_to_is_missed_when_it_goes(site):
    site.render()
    site.write("one.md", "# One\n\n## Second\n\nA word.\n")
    for _ in range(2):  # the second build keeps nothing of the first, which has failed
        with pytest.raises(Problem, match="first"):
            site.render()


def test_two_builds_at_once_do_not_share_what_is_kept(site, tmp_path):
    expected = content(site.render())
    with rendering._kept(tmp_path / "cache" / rendering.FOLDER / "en", tmp_path):
        assert content(site.render()) == expected
