"""What a PyTorch engineer asks of a training step, in JupyterLab: `memory_timeline`, `holders`, `model_map`,
`explain_error`.
"""

from __future__ import annotations

from typing import Any

import pytest
from browser.contrast import contrast
from browser.jupyterlab import set_theme

SET_UP = """\
import torch
from glassroom import explain_error, holders, memory_timeline, model_map
net = torch.nn.Sequential(torch.nn.Embedding(50, 16), *[torch.nn.Linear(16, 16) for _ in range(4)])
net.append(torch.nn.Linear(16, 50))
net[-1].weight = net[0].weight
optimizer = torch.optim.AdamW(net.parameters())
def step():
    optimizer.zero_grad()
    net(torch.arange(40)).sum().backward()
    optimizer.step()
memory_timeline(step)"""
HOLDERS = """\
history = []
for _ in range(3):
    hidden = net[0](torch.arange(8))
    history.append({"loss": hidden.pow(2).mean()})
holders(hidden)"""
ERROR = """\
x = torch.ones(3, requires_grad=True)
y = torch.sigmoid(x * 2)
y.add_(1)
y.sum().backward()"""
CELLS = (SET_UP, "model_map(net, optimizer)", HOLDERS, ERROR, "explain_error()")


@pytest.fixture(scope="module")
def opened(pytorch: Any, lab: Any, chromium: Any) -> Any:
    lab.notebook("training.ipynb", *CELLS[:4])
    page, watch = lab.open(chromium, "training.ipynb", height=5200)
    lab.run_all(page)
    page.locator(".jp-OutputArea-output", has_text="modified by an inplace operation").first.wait_for(timeout=90_000)
    page.evaluate("jupyterapp.commands.execute('notebook:insert-cell-below')")
    page.keyboard.press("Enter")
    page.keyboard.insert_text(CELLS[4])
    page.evaluate("jupyterapp.commands.execute('notebook:run-cell')")
    page.locator(".gr-version").wait_for(timeout=60_000)
    yield page, watch
    page.close()


def said(page: Any, place: Any) -> str:
    return "\n".join(place.locator(".gr-panel p").all_inner_texts())


def test_a_timeline_of_a_step_tells_of_each_event_line_bytes_and_what_it_is_for(page: Any) -> None:
    timeline = page.locator(".gr-moments").first
    timeline.focus()
    page.keyboard.press("End")
    assert timeline.locator(".life.on, .mark.on").count() > 0
    assert "optimizer state" in said(page, timeline)
    names = timeline.locator(".share text.fact").all_text_contents()
    assert {"parameters", "gradients", "activations", "optimizer state"} <= set(names)
    timeline.locator(".share", has_text="optimizer.step()").locator("text").first.hover()
    assert "optimizer.step() holds" in said(page, timeline)
    assert "at the peak: " in said(page, timeline)
    page.mouse.move(2, 2)
    page.keyboard.press("Home")
    assert timeline.locator(".on").count() == 0


def test_modules_say_what_they_hold_and_which_weights_are_tied(page: Any) -> None:
    the_map = page.locator(".gr-model")
    status = page.locator(".gr-status").first
    the_map.locator(".module").nth(1).hover()
    assert status.inner_text().startswith("net.0: Embedding, parameters 3,200 bytes")
    assert "tied with net.5.weight" in status.inner_text()
    page.mouse.move(2, 2)
    the_map.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert "Linear" in status.inner_text()
    page.keyboard.press("Escape")
    assert the_map.locator(".at").count() == 0


def test_every_path_to_a_tensor_is_a_row_to_step_to(page: Any) -> None:
    holders = page.locator(".gr-moments").nth(1)
    holders.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert said(page, holders).startswith("hidden")
    page.keyboard.press("ArrowRight")
    assert said(page, holders).startswith("history[2]['loss'] → PowBackward0.self")
    assert holders.locator(".life.on").count() == 1
    holders.locator(".life rect").first.hover()
    assert said(page, holders).startswith("hidden: 512 bytes")


def test_an_error_that_was_raised_is_explained_line_by_line(page: Any) -> None:
    error = page.locator(".gr-version")
    lines = error.locator(".line")
    assert lines.count() == 3
    assert error.locator(".title").first.text_content().startswith("`sigmoid` saved `y` at line 2")
    lines.nth(1).hover()
    assert "y.add_(1)" in lines.nth(1).text_content()
    assert lines.nth(1).evaluate("line => line.classList.contains('at')")
    error.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    assert error.locator(".line.at").count() == 0


def test_keys_do_not_reach_the_notebook(page: Any) -> None:
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    for place in (".gr-moments >> nth=0", ".gr-moments >> nth=1", ".gr-model", ".gr-version"):
        page.locator(place).focus()
        for key in ("b", "d", "d", "ArrowDown", "Escape"):
            page.keyboard.press(key)
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_words_can_be_read_in_both_themes(page: Any, theme: str) -> None:
    set_theme(page, theme)
    for place in (".gr-moments >> nth=0", ".gr-moments >> nth=1", ".gr-model", ".gr-version"):
        root = page.locator(place)
        card = root.locator("svg.gr .card").first.evaluate("card => getComputedStyle(card).fill")
        for text in root.locator("svg.gr text").all()[:40]:
            words = text.evaluate("text => getComputedStyle(text).fill")
            if not text.evaluate(
                "text => Boolean(text.closest('.line, .holding'))"
            ):  # these have a background of their own
                assert contrast(words, card) >= 4.5, (place, text.text_content())


def test_in_a_narrow_window_they_are_drawn_anew_and_stay_at_their_step(page: Any) -> None:
    timeline = page.locator(".gr-moments").first
    timeline.focus()
    page.keyboard.press("Home")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    before = timeline.locator(".gr-count").inner_text()
    page.set_viewport_size({"width": 560, "height": 5200})
    page.wait_for_function("document.querySelector('.gr-moments .gr-picture svg').width.baseVal.value < 400")
    assert timeline.locator(".gr-count").inner_text() == before
    assert page.locator(".gr-version svg").evaluate("svg => svg.width.baseVal.value < 400")
    page.set_viewport_size({"width": 1280, "height": 5200})
    page.wait_for_function("document.querySelector('.gr-moments .gr-picture svg').width.baseVal.value > 600")


def test_nothing_failed_and_nothing_was_fetched_from_elsewhere(opened: Any) -> None:
    watch = opened[1]
    assert (watch.errors, watch.from_elsewhere) == ([], [])
