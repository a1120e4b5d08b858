"""The site in a language of longer sentences (`pseudo_language`), on a phone: nothing is cut off or stays English."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.test_every_inspector_on_a_page import OUT_OF_REACH
from browser.test_pseudo_language import PHONE, READ, SETTLED, english
from pseudo_language import CODE, write_pseudo_language

from .conftest import served

pytestmark = pytest.mark.timeout(900)  # a busy machine is no fault of the code

NOTEBOOK = "1_memory/00_start_here"
PAGES = (
    "index.html",
    "notebooks/contents.html",
    "notebooks/1_memory/index.html",
    f"notebooks/{NOTEBOOK}.html",
    "gallery.html",
    "search.html",
)


@pytest.fixture(scope="module")
def pseudo_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site of one notebook in the language."""
    for module in ("sphinx", "myst_nb", "furo", "latex2mathml"):
        pytest.importorskip(module, reason="the site's tests need the extra: site")
    folder = tmp_path_factory.mktemp("pseudo")
    languages = write_pseudo_language(folder)
    environment = {**os.environ, "GLASSROOM_LANG": CODE, "GLASSROOM_TRANSLATIONS": str(languages)}
    places = ("--out", folder / "out", "--cache", folder / "cache")
    command = [sys.executable, "-m", "glassroom", "site", NOTEBOOK, *places]
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    with served(Path(folder, "out")) as url:
        yield url


@pytest.fixture(scope="module")
def phone(chromium: Any) -> Iterator[Any]:
    page = chromium.new_page(viewport=PHONE)
    yield page
    page.close()


#: Of the library, and in the gallery's code.
NAMES = {"tensorglass", "grad_fn", "alone", "there", "Sequential", "Linear", "ReLU"}
#: Elements that reach past the page, but for the drawers that a button brings in.
CUT_OFF = f"() => ({OUT_OF_REACH})().filter((html) => !document.querySelector('.toc-drawer').outerHTML.includes(html))"


@pytest.mark.sweep
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_and_translated(pseudo_site: str, phone: Any, name: str) -> None:
    phone.goto(f"{pseudo_site}/{name}")
    phone.evaluate(SETTLED)
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert phone.evaluate(CUT_OFF) == []
    phone.evaluate("document.querySelectorAll('noscript').forEach((each) => each.remove())")
    read = ".content article, .mobile-header .toc-header-icon, .sidebar-tree .caption, .toc-title"
    assert english(phone.locator(read).evaluate_all(READ)) <= NAMES
