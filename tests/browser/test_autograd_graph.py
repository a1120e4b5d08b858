"""The autograd graph and the backward stepper in JupyterLab: pointing, keyboard, themes, saved pages."""

from __future__ import annotations

from typing import Any

import pytest
from browser.contrast import contrast
from browser.jupyterlab import set_theme

SET_UP = """\
import tensorglass
from glassroom import graph, step_backward
w = tensorglass.ones(3, 2, requires_grad=True)
b = tensorglass.zeros(2, requires_grad=True)
x = tensorglass.arange(12.).view(4, 3)
h = (x @ w + b).relu()
loss = ((h - 1) ** 2).mean()"""
CELLS = (SET_UP, "graph(loss)", "graph(loss).widget", "s = step_backward(loss)\ns", "s.widget", "s.save('steps.html')")


@pytest.fixture(scope="module")
def opened(lab: Any, chromium: Any) -> Any:
    lab.notebook("graph.ipynb", *CELLS)
    page, watch = lab.open(chromium, "graph.ipynb", height=3600)
    lab.run_all(page)
    page.locator(".gr-stepper").nth(1).wait_for(timeout=60_000)
    yield page, watch
    page.close()


def lit(which: Any) -> list[str]:
    return which.locator(".box.on .title").all_text_contents()


@pytest.mark.parametrize("position", [0, 1])
def test_pointing_at_a_node_lights_where_its_gradients_go(page: Any, position: int) -> None:
    the_graph = page.locator(".gr-graph[tabindex]").nth(position)
    the_graph.scroll_into_view_if_needed()
    the_graph.locator(".box", has_text="AddBackward0").hover()
    assert sorted(lit(the_graph)) == ["MmBackward0", "b (leaf)"]
    assert the_graph.locator(".edge.on").count() == 2
    status = page.locator(".gr-status").nth(position).inner_text()
    assert status == "#4 AddBackward0: gradients go on to 2 nodes"


def test_the_graph_is_walked_with_the_keys_and_they_do_not_leak(page: Any) -> None:
    the_graph = page.locator(".gr-graph[tabindex]").first
    the_graph.focus()
    before = page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex")
    for key in ("ArrowDown",) * 4 + ("ArrowDown", "ArrowRight", "b", "d"):
        page.keyboard.press(key)
    assert page.locator(".gr-status").first.inner_text().startswith("b: a leaf, [2] float32 in S")
    assert page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex") == before
    assert page.locator(".jp-Notebook .jp-Cell").count() == len(CELLS)
    page.keyboard.press("Escape")
    assert the_graph.locator(".box.at").count() == 0


@pytest.mark.parametrize("position", [0, 1])
def test_the_stepper_goes_forwards_and_back_by_key_and_by_button(page: Any, position: int) -> None:
    stepper = page.locator(".gr-stepper").nth(position)
    stepper.focus()
    page.keyboard.press("Home")
    assert stepper.locator(".gr-count").inner_text() == "step 0 of 8"
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    assert stepper.locator(".gr-panel p").all_inner_texts() == [
        "b (leaf)", "arrives: [15.5, 15.5]", "collects: b.grad = [15.5, 15.5]"
    ]  # fmt: skip
    assert stepper.locator(".box.at .title").all_text_contents() == ["b (leaf)"]
    assert stepper.locator(".box.past").count() == 5
    assert stepper.locator(".box.freed").count() == 2
    assert stepper.locator(".gr-memory .name").all_text_contents()[-2:] == ["storage of b.grad", "b.grad"]
    assert stepper.locator(".box.leaf", has_text="b (leaf)").locator(".grad").inner_html() == "grad: [15.5, 15.5]"
    assert stepper.locator(".box.leaf", has_text="w (leaf)").locator(".grad").inner_html() == "grad: None"
    stepper.get_by_label("step back").click()
    assert stepper.locator(".gr-count").inner_text() == "step 5 of 8"
    assert stepper.locator(".box.leaf", has_text="b (leaf)").locator(".grad").inner_html() == "grad: None"
    on = stepper.locator(".sent.on")
    assert "[15.5, 15.5]" in on.evaluate_all("all => all.map((each) => each.textContent)")
    assert on.count() == 2
    assert stepper.locator(".sent.there").count() == 6
    hidden = stepper.locator(".sent:not(.there)")
    assert hidden.evaluate_all("all => all.map((each) => getComputedStyle(each).visibility)") == ["hidden"]
    assert stepper.locator(".gr-memory svg").count() == 0
    stepper.get_by_label("the last step").click()
    assert "w.grad" in stepper.locator(".gr-memory .name").all_text_contents()
    assert stepper.get_by_label("step forwards").is_disabled()


def test_keys_in_the_stepper_do_not_reach_the_notebook(page: Any) -> None:
    page.locator(".gr-stepper").first.focus()
    for key in ("b", "d", "ArrowDown"):
        page.keyboard.press(key)
    assert page.locator(".jp-Notebook .jp-Cell").count() == len(CELLS)


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_text_can_be_read_in_both_themes(lab: Any, page: Any, theme: str) -> None:
    set_theme(page, theme)
    colours = page.locator(".gr-graph[tabindex] .box.node").first.evaluate(
        "box => [getComputedStyle(box.querySelector('text')).fill, getComputedStyle(box.querySelector('rect')).fill]"
    )
    assert contrast(*colours) >= 4.5


def test_a_saved_page_steps_without_a_kernel(lab: Any, opened: Any, chromium: Any) -> None:
    page = chromium.new_page()
    page.goto((lab.folder / "steps.html").as_uri())
    page.locator(".gr-stepper").focus()
    page.keyboard.press("End")
    assert page.locator(".gr-count").inner_text() == "step 8 of 8"
    page.close()


def test_nothing_failed_and_nothing_was_fetched_from_elsewhere(opened: Any) -> None:
    watch = opened[1]
    assert (watch.errors, watch.from_elsewhere) == ([], [])
