"""In a language of longer sentences (`pseudo_language`), on a phone: nothing is cut off, and nothing stays English."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.jupyterlab import Lab, running_lab
from browser.kinds import KINDS
from browser.test_every_inspector_on_a_page import OUT_OF_REACH, SMALL
from pseudo_language import CODE, outside_of_brackets, write_pseudo_language

PHONE = {"width": 390, "height": 844}
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
NOTEBOOKS = ("1_memory/02_views_share_a_storage", "2_tensors/07_broadcasting")
#: What is read of a page, and of what it says to those who do not see it; code is the same in every language.
READ = """(roots) => roots.flatMap((root) => {
    const clone = root.cloneNode(true), code = "script, style, code, pre, .gr-source, .gr-code";
    clone.querySelectorAll(code).forEach((each) => each.remove());
    const walker = document.createTreeWalker(clone, NodeFilter.SHOW_TEXT), texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode.data);
    return [...texts, ...[...clone.querySelectorAll("[data-says]")].map((each) => each.dataset.says)];
})"""
#: Names of code and of data, as people gave them; those of code may be cut short.
NAMES = re.compile(
    r"float32|torch|as_strided|tensor|table|turned|held|other|loss|line|keep|bias|column|weights|net|inner|Network|sim|"
    r"cpu|MiB|result|self|\w+Backward0|holders|memory_timeline|history|append|exp|passing|on_device|name|lib|ones|add_|"
    r"requir\w*|backw\w*|size|stride|offset|relu|sum|None|learner|Tensors|class|memory|share|storage|middle|whole|count|rows|S\d+|int64|value|shape|"
    r"view|copy|clone|detach|transpose|error|none|same|twin|True|False|RuntimeError|nbytes|row|tall|wide|zeros|"
    r"broadcast_tensors|sum_to_size|from_above|predictions|targets|arange"
)
CUT = re.compile(r"⟦[^⟦⟧\n]*…")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    folder = write_pseudo_language(tmp_path_factory.mktemp("languages"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSROOM_LANG", CODE)
        patch.setenv("GLASSROOM_TRANSLATIONS", str(folder))
        yield dict(os.environ)


@pytest.fixture(scope="module")
def pages(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every inspector's live form and the page of a class, as files."""
    folder = tmp_path_factory.mktemp("pages")
    script = Path(__file__).with_name("pseudo_pages.py")
    subprocess.run([sys.executable, script, folder], env=environment, check=True)
    return folder


@pytest.fixture(scope="module")
def phone(chromium: Any) -> Iterator[Any]:
    page = chromium.new_page(viewport=PHONE)
    yield page
    page.close()


def english(texts: list[str]) -> set[str]:
    """The words outside of brackets that are no names."""
    words = re.findall(r"[A-Za-z_]\w{2,}", CUT.sub("", outside_of_brackets("\n".join(texts))))
    return {word for word in words if not NAMES.fullmatch(word)}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", [*KINDS, "class"])
def test_a_page_is_whole_and_translated(pages: Path, phone: Any, name: str) -> None:
    phone.goto((pages / f"{name}.html").as_uri())
    phone.evaluate(SETTLED)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert phone.evaluate(OUT_OF_REACH) == []
    assert phone.evaluate(SMALL) == []
    assert english(phone.locator("body").evaluate_all(READ)) == set()


@pytest.fixture(scope="module")
def lab(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A JupyterLab of its own, whose kernels speak the language, with a learner's copy of the course."""
    with running_lab(tmp_path_factory.mktemp("lab")) as running:
        command = [sys.executable, "-m", "glassroom", "lab", "--lang", CODE, "--no-lab", running.folder]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        yield running


ALL_HAVE_RUN = """document.querySelectorAll(".jp-CodeCell").length &&
    [...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")].every((each) => /\\d/.test(each.textContent))"""
CUT_OFF = """() => [...document.querySelectorAll(".gr-answer, .gr-answer *")]
    .filter((each) => each.clientWidth > 1 && each.scrollWidth > each.clientWidth + 1)
    .filter((each) => getComputedStyle(each).display !== "inline" && !each.closest("pre, [tabindex='0']"))
    .map((each) => [each.scrollWidth, each.clientWidth, each.outerHTML.slice(0, 90)])"""


@pytest.mark.sweep
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_learners_notebook_is_whole_and_translated(lab: Lab, chromium: Any, name: str) -> None:
    pytest.importorskip("notebook", reason="Notebook 7 is not installed (extra: test)")
    page, _ = lab.open(chromium, f"{name}.ipynb", width=390, height=30_000, app="notebook")
    lab.run_all(page)
    page.wait_for_function(ALL_HAVE_RUN, timeout=60_000)
    page.evaluate(SETTLED)
    assert page.locator(".gr-answer").count() > 5
    assert english(page.locator(".jp-RenderedMarkdown, .jp-OutputArea-output").evaluate_all(READ)) == set()
    assert page.evaluate(CUT_OFF) == []
    page.close()
