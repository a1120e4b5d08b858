"""Every inspector in a notebook: it wakes, in JupyterLab and in Notebook 7, and can be used by everyone."""

from __future__ import annotations

from typing import Any

import pytest
from browser import axe
from browser.jupyterlab import set_theme
from browser.kinds import FAINT, KINDS, PLAYERS, SAID, step

SET_UP = "import tensorglass, {library}\nfrom every_inspector import every_inspector\nmade = every_inspector({library})"
CELLS = """jupyterapp.shell.currentWidget.content.widgets.map((cell) => [cell.model.id, cell.model.type])"""


@pytest.fixture(scope="class")
def notebook(request: Any, lab: Any, chromium: Any) -> Any:
    """A notebook with every inspector, open and run, in a class's application and with the tensors of its library."""
    app, library = request.cls.app, request.cls.library
    if app == "notebook":
        pytest.importorskip("notebook", reason="Notebook 7 is not installed (extra: test)")
    if library == "torch":
        pytest.importorskip("torch", reason="the pictures of real PyTorch tensors need PyTorch")
    name = f"every-{app}-{library}.ipynb"
    lab.notebook(name, SET_UP.format(library=library), *[f"made[{kind!r}]" for kind in KINDS])
    page, watch = lab.open(chromium, name, height=6500, app=app)
    lab.run_all(page)
    woken = "document.querySelectorAll('.glassroom:has(.gr)').length === {}"
    page.wait_for_function(woken.format(len(KINDS)), timeout=60_000)
    page.evaluate("document.querySelectorAll('.glassroom').forEach((each, at) => { each.id = `made-${at}`; })")
    yield page, watch
    page.close()


def place_of(page: Any, kind: str) -> Any:
    return page.locator(f"#made-{KINDS.index(kind)}")


class EveryInspector:
    """What holds in each application. A class's tests share a page, so they are dealt to one process."""

    @pytest.mark.sweep(3)
    @pytest.mark.parametrize("kind", KINDS)
    def test_it_wakes_in_a_notebook_and_answers_to_keys_which_do_not_leak(self, notebook: Any, kind: str) -> None:
        page, _ = notebook
        place = place_of(page, kind)
        cells = page.evaluate(CELLS)
        place.locator("[tabindex='0']").first.focus()
        before = place.locator(SAID).all_inner_texts()
        for key in ("ArrowRight", "ArrowDown"):
            page.keyboard.press(key)
        assert place.locator(SAID).all_inner_texts() != before
        focusable = place.locator(":is([tabindex='0'], button, input[type='range']):not(:disabled):visible")
        for at in range(min(focusable.count(), 6)):
            focusable.nth(at).focus()
            for key in ("d", "d", "m", "ArrowDown"):
                page.keyboard.press(key)
        assert page.evaluate(CELLS) == cells
        page.keyboard.press("Escape")

    @pytest.mark.sweep
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])  # one after the other: a change is slow
    def test_axe_finds_nothing_grave_and_every_word_can_be_read(self, notebook: Any, kind: str, theme: str) -> None:
        page, _ = notebook
        set_theme(page, theme)
        place = place_of(page, kind)
        if kind in PLAYERS:
            step(page, place, "End")
            step(page, place, "ArrowLeft")
        assert axe.faults(page, f"#made-{KINDS.index(kind)}") == []
        assert place.evaluate(FAINT) == []

    def test_no_output_has_a_scroll_bar_that_nothing_is_behind(self, notebook: Any) -> None:
        page, _ = notebook
        higher = "all => all.filter(each => each.scrollHeight > each.clientHeight).map(each => each.innerText)"
        assert page.locator(".jp-OutputArea-output").evaluate_all(higher) == []

    def test_nothing_failed_and_nothing_was_fetched_from_elsewhere(self, notebook: Any) -> None:
        _, watch = notebook
        assert (watch.errors, watch.from_elsewhere) == ([], [])


class TestInJupyterLabOnPyTorch(EveryInspector):
    app, library = "lab", "torch"


class TestInNotebook7OnPyTorch(EveryInspector):
    app, library = "notebook", "torch"


class TestInJupyterLab(EveryInspector):
    app, library = "lab", "tensorglass"
