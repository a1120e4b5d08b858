"""The course in JupyterLite: a kernel in the reader's browser, which keeps what was changed and solved."""

from __future__ import annotations

import os

import pytest

pytestmark = pytest.mark.skipif(
    not (os.environ.get("PYODIDE_DIST") and os.environ.get("JUPYTERLITE_DIST")),
    reason="no Pyodide, or no JupyterLite: .ci/run shows how both are fetched, for PYODIDE_DIST and JUPYTERLITE_DIST",
)
PLACE = "lite/lab/index.html?path=1_memory/01_header_and_storage.ipynb"
START = 240_000  # milliseconds that a kernel may take to start on a busy machine
CELLS = ".jp-Notebook .jp-CodeCell"
ACTIVE = f"{CELLS}.jp-mod-active"


def ready(page):
    page.locator(CELLS).first.wait_for(timeout=START)
    page.locator(".jp-NotebookPanel-toolbar [data-status=idle]").first.wait_for(timeout=START)
    page.locator(CELLS).first.locator(".cm-content").click()
    page.locator(f"{ACTIVE} .cm-focused").wait_for()


def run_six(page):
    """Run the first code cell and five cells more, each once the one before has its number or the text is shown."""
    for _ in range(6):
        active = page.locator(".jp-Notebook .jp-Cell.jp-mod-active")
        is_code = "jp-CodeCell" in active.get_attribute("class")
        active.evaluate("cell => cell.dataset.seen = 'yes'")
        page.keyboard.press("Shift+Enter")
        page.locator(".jp-Notebook .jp-Cell.jp-mod-active:not([data-seen])").wait_for(timeout=START)
        if is_code:
            prompt = page.locator(f"{CELLS}[data-seen] .jp-InputPrompt").last
            page.wait_for_function("prompt => /\\d/.test(prompt.innerText)", arg=prompt.element_handle(), timeout=START)


def go_to(page, text):
    """Make the next cell with this text the active one, by keys: cells that are out of sight are not on the page."""
    page.keyboard.press("Escape")
    for _ in range(60):
        if page.locator(ACTIVE, has_text=text).count():
            return
        before = page.locator(".jp-Notebook .jp-mod-active").inner_text()
        page.keyboard.press("ArrowDown")
        page.wait_for_function(
            "before => document.querySelector('.jp-Notebook .jp-mod-active')?.innerText !== before", arg=before
        )
    raise AssertionError(f"no cell has {text!r}")


def write(page, text, code):
    """Write code into the next cell with this text, and run it; its outputs."""
    go_to(page, text)
    page.keyboard.press("Enter")
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(code)
    page.keyboard.press("Control+Enter")
    return page.locator(f"{ACTIVE} .jp-OutputArea-output")


def test_jupyterlite_has_the_copies_that_learners_have_elsewhere(site, tmp_path):
    from glassroom.workspace.learner_folder import update
    from glassroom.workspace.sources import notebooks_folder

    update(tmp_path, notebooks_folder())
    copies = {path.relative_to(tmp_path): path.read_text("utf-8") for path in tmp_path.rglob("*.ipynb")}
    given = site / "lite" / "files"
    assert {path.relative_to(given): path.read_text("utf-8") for path in given.rglob("*.ipynb")} == copies
    assert len(copies) > 70
    assert not [place for place, text in copies.items() if "BEGIN SOLUTION" in text]


def test_jupyterlite_runs_a_notebook_live_and_remembers_what_was_solved_after_a_reload(page, address):
    page.goto(f"{address}/{PLACE}")
    ready(page)
    run_six(page)
    picture = page.locator(".jp-OutputArea-output .gr-frame").first
    picture.wait_for(timeout=START)
    before = page.locator(".gr-status").first.inner_text()
    picture.locator(".tensor .cell").first.hover()
    page.wait_for_function("before => document.querySelector('.gr-status').innerText !== before", arg=before)
    solved = write(page, "01-same-cell", 'cell = 10\ncheck("01-same-cell", cell)')
    solved.filter(has_text="✓").first.wait_for(timeout=START)
    page.keyboard.press("Control+S")
    page.locator(".lm-TabBar-tab.jp-mod-current:not(.jp-mod-dirty)").first.wait_for(timeout=START)
    page.goto("about:blank")  # and back, on another day
    page.goto(f"{address}/{PLACE}")
    ready(page)
    told = write(page, "import numpy", "from glassroom import progress\nprogress()")
    told.filter(has_text="1 of 4").first.wait_for(timeout=START)
    go_to(page, "cell = 10")
