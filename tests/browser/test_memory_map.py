"""The live memory map in JupyterLab: linked cells, keyboard, themes, restarts, tabs, saved pages."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import nbformat
import pytest
from browser.contrast import contrast, luminance
from browser.jupyterlab import set_theme

CELLS = (
    "import torch, tensorglass\nfrom glassroom import show\na = torch.arange(12.).reshape(3, 4)\nb = a.t()",
    "show(a, b)",
    "x = tensorglass.arange(6.)\ny = x.view(2, 3)\nshow(x, y)",
    "m = show(torch.arange(24).reshape(2, 3, 4))\nm",
    "m",
    "m.widget",
    "show(torch.zeros(1).expand(10**9), torch.empty(10**9, dtype=torch.uint8))",
    "m.save('page.html')",
)
MAPS = 6
WIDGET = 4
DARK, LIGHT = "JupyterLab Dark", "JupyterLab Light"


@pytest.fixture(scope="module")
def opened(pytorch: Any, lab: Any, chromium: Any) -> Any:
    lab.notebook("map.ipynb", *CELLS)
    page, watch = lab.open(chromium, "map.ipynb", height=3600)
    lab.run_all(page)
    page.locator(".jp-OutputArea-output .gr-map").nth(MAPS - 1).wait_for(timeout=60_000)
    yield page, watch
    page.close()


def the_map(page: Any, position: int) -> Any:
    return page.locator(".gr-map").nth(position)


def cell_of(which: Any, name: str, index: str) -> Any:
    return which.locator(f'[data-name="{name}"] .cell[data-i="{index}"]')


def lit(which: Any) -> list[str]:
    """Which cells are lit, as `name[index]`, in the order of the picture."""
    return which.locator(".cell.on, .cell.at").evaluate_all(
        "cells => cells.map(cell => `${cell.parentNode.dataset.name}[${cell.dataset.i}]`)"
    )


def status(page: Any, position: int) -> str:
    return page.locator(".gr-status").nth(position).inner_text()


def test_hovering_a_tensors_cell_lights_its_storage_cell_and_every_other_tensors_cell(page: Any) -> None:
    cell_of(the_map(page, 0), "b", "1,2").hover()
    assert lit(the_map(page, 0)) == ["S0[9]", "a[2,1]", "b[1,2]"]
    assert status(page, 0).startswith("b[1, 2] is S0[9], bytes 36–39, also a[2, 1]")


def test_hovering_a_storage_cell_lights_the_cells_of_its_tensors(page: Any) -> None:
    cell_of(the_map(page, 1), "S1", "4").hover()
    assert lit(the_map(page, 1)) == ["S1[4]", "x[4]", "y[1,1]"]
    assert status(page, 1).startswith("S1[4], bytes 16–19, is x[4] and y[1, 1]")


def test_leaving_the_map_puts_the_lights_out(page: Any) -> None:
    cell_of(the_map(page, 0), "a", "0,0").hover()
    page.mouse.move(2, 2)
    assert lit(the_map(page, 0)) == []


def test_arrows_walk_over_the_dimensions_and_escape_leaves(page: Any) -> None:
    chosen = the_map(page, 2)
    chosen.focus()
    [name] = {cell.partition("[")[0] for cell in lit(chosen)} - {"S2"}
    walk = {
        "ArrowRight": "0,0,1",
        "ArrowDown": "0,1,1",
        "End": "0,1,3",
        "ArrowUp": "0,0,3",
        "ArrowLeft": "0,0,2",
        "Home": "0,0,0",
    }
    for key, index in walk.items():
        page.keyboard.press(key)
        assert chosen.locator(".at").get_attribute("data-i") == index, key
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert status(page, 2).startswith(f"{name}[1, 0, 0] is S2[12]")
    page.keyboard.press("Enter")
    assert status(page, 2).startswith("S2[12], bytes 96–103, is ")
    page.keyboard.press("Escape")
    assert lit(chosen) == []
    assert page.evaluate("document.activeElement.className") != "gr-map"


def test_a_map_is_one_tab_stop(page: Any) -> None:
    the_map(page, 0).focus()
    page.keyboard.press("Tab")
    assert the_map(page, 0).evaluate("map => map.querySelectorAll('[tabindex], a, button, input').length") == 0
    assert not the_map(page, 0).evaluate("map => map.contains(document.activeElement)")


def test_keys_do_not_leak_into_the_notebook(page: Any) -> None:
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    active = "jupyterapp.shell.currentWidget.content.activeCellIndex"
    cell_of(the_map(page, 0), "a", "0,0").click()
    before = page.evaluate(active)
    for key in ("b", "a", "d", "d", "ArrowDown", "m", "Enter", "z", "ArrowDown"):
        page.keyboard.press(key)
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells
    assert page.locator(".jp-MarkdownCell").count() == 0
    assert page.evaluate(active) == before


def test_a_map_has_its_text_beside_it_for_screen_readers(page: Any) -> None:
    text = page.locator(".gr-text").first
    assert text.text_content().startswith("S0 · 48 bytes on cpu")
    assert text.bounding_box()["width"] <= 1


def test_a_focused_map_shows_where_the_keyboard_is(page: Any) -> None:
    the_map(page, 0).focus()
    page.keyboard.press("ArrowRight")
    assert the_map(page, 0).evaluate("map => getComputedStyle(map).boxShadow") != "none"


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_words_and_numbers_are_readable_in_both_themes(page: Any, theme: str) -> None:
    set_theme(page, theme)
    colours = the_map(page, 0).evaluate(
        """map => {
            const fill = (selector) => getComputedStyle(map.querySelector(selector)).fill;
            const [card, value, fact, tiny] = ['.card', '.tensor .cell text', '.soft', '.tiny'].map(fill);
            return { card, value, fact, tiny };
        }"""
    )
    card = colours.pop("card")
    assert (luminance(card) > 0.5) == (theme == LIGHT)
    for what, colour in colours.items():
        assert contrast(colour, card) >= 4.5, what


def test_a_map_shown_twice_is_two_maps(page: Any) -> None:
    the_map(page, 3).locator(".tensor .cell").nth(5).hover()
    assert len(lit(the_map(page, 3))) == 2
    assert lit(the_map(page, 2)) == []


def test_the_widget_form_is_linked_too(page: Any) -> None:
    the_map(page, WIDGET).locator(".tensor .cell").nth(5).hover()
    assert len(lit(the_map(page, WIDGET))) == 2


def test_a_tensor_of_a_billion_elements_is_drawn_by_its_ends(page: Any) -> None:
    huge = the_map(page, 5)
    assert huge.locator(".tensor").first.locator(".cell").last.get_attribute("data-i") == str(10**9 - 1)
    huge.locator(".tensor").first.locator(".cell").last.hover()
    assert "(of the cells shown)" in status(page, 5)


def test_the_console_is_free_of_errors_and_no_request_leaves_the_machine(opened: Any) -> None:
    _, watch = opened
    assert watch.errors == []
    assert watch.from_elsewhere == []


def test_maps_stay_live_after_a_kernel_restart_in_two_tabs_and_in_exports(opened: Any, lab: Any, chromium: Any) -> None:
    first, _ = opened
    lab.save(first)
    first.evaluate("jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    for shown in (WIDGET, 0):
        the_map(first, shown).locator(".tensor .cell").nth(5).hover()
        assert len(lit(the_map(first, shown))) > 1
    cell_of(the_map(first, 0), "b", "1,2").hover()

    second, _ = lab.open(chromium, "map.ipynb", height=3600)
    the_map(second, 0).wait_for()
    cell_of(the_map(second, 0), "b", "1,2").hover()
    assert lit(the_map(second, 0)) == ["S0[9]", "a[2,1]", "b[1,2]"]
    assert lit(the_map(first, 0)) == lit(the_map(second, 0))
    second.close()

    export = [sys.executable, "-m", "nbconvert", "--to=html", "--template=basic", "map.ipynb"]
    subprocess.run(export, cwd=lab.folder, check=True, capture_output=True)
    exported = chromium.new_page()
    exported.goto((lab.folder / "map.html").as_uri())
    cell_of(the_map(exported, 0), "b", "1,2").hover()
    assert lit(the_map(exported, 0)) == ["S0[9]", "a[2,1]", "b[1,2]"]
    exported.close()


def test_a_notebook_from_somebody_else_shows_the_text_and_runs_no_script(opened: Any, lab: Any, chromium: Any) -> None:
    lab.save(opened[0])
    notebook = nbformat.read(lab.folder / "map.ipynb", as_version=4)
    text = notebook.cells[2].outputs[0].data["text/plain"]
    notebook.cells[0].source += "\n# no longer the notebook that was trusted"
    nbformat.write(notebook, lab.folder / "strange.ipynb")
    page, watch = lab.open(chromium, "strange.ipynb", height=3600)
    page.locator(".jp-OutputArea-output pre", has_text="shared by x and y").wait_for()
    shown = page.locator(".jp-OutputArea-output pre", has_text="shared by x and y").inner_text()
    assert shown.split() == text.split()
    assert page.locator(".gr-map").count() == 0
    assert (watch.errors, watch.from_elsewhere) == ([], [])
    page.close()


def test_a_saved_page_is_live_and_needs_nothing_else(opened: Any, lab: Any, chromium: Any) -> None:
    page = chromium.new_page(viewport={"width": 420, "height": 700})
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    address = (lab.folder / "page.html").as_uri()
    page.goto(address)
    page.locator(".tensor .cell").nth(5).hover()
    assert len(lit(the_map(page, 0))) == 2
    assert requests == [address]
    assert the_map(page, 0).evaluate("map => map.scrollWidth <= map.clientWidth"), "it is drawn for a phone"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "and the page does not scroll"
    on_a_phone = the_map(page, 0).locator("svg").evaluate("svg => svg.clientWidth")
    page.set_viewport_size({"width": 640, "height": 700})
    page.wait_for_function("width => document.querySelector('.gr-map svg').clientWidth > width", arg=on_a_phone)
    assert the_map(page, 0).evaluate("map => map.scrollWidth <= map.clientWidth"), "it is drawn for half a window"
    page.close()
