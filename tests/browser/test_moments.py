"""The memory timeline and the device map in JupyterLab: stepping, pointing, keyboard, themes, saved pages."""

from __future__ import annotations

from typing import Any

import pytest
from browser.contrast import contrast
from browser.jupyterlab import set_theme

SET_UP = """\
import tensorglass as torch
from glassroom import device_map, memory_timeline
x = torch.ones(1000)"""
WATCH = """\
with memory_timeline() as timeline:
    y = x.to("sim")
    z = (y * 2).relu()
    total = z.sum().item()
    del y
timeline"""
MOVE = """\
p = x.pin_memory()
q = p.to("sim", non_blocking=True)
placed = device_map(x, p, q, z)
placed"""
CELLS = (SET_UP, WATCH, "timeline.widget", MOVE, "placed.widget", "timeline.save('t.html'); placed.save('d.html')")
TIMELINES, MAPS = (0, 1), (2, 3)


@pytest.fixture(scope="module")
def opened(lab: Any, chromium: Any) -> Any:
    lab.notebook("moments.ipynb", *CELLS)
    page, watch = lab.open(chromium, "moments.ipynb", height=5200)
    lab.run_all(page)
    page.locator(".gr-moments").nth(3).wait_for(timeout=60_000)
    page.wait_for_function("document.querySelectorAll('.jp-InputPrompt')[5].textContent === '[6]:'")
    yield page, watch
    page.close()


@pytest.mark.parametrize("position", TIMELINES)
def test_the_timeline_is_stepped_by_key_and_by_button(page: Any, position: int) -> None:
    timeline = page.locator(".gr-moments").nth(position)
    timeline.focus()
    page.keyboard.press("Home")
    assert timeline.locator(".gr-count").inner_text().startswith("event 0 of ")
    assert timeline.locator(".on").count() == 0
    page.keyboard.press("ArrowRight")
    said = timeline.locator(".gr-panel p").all_inner_texts()
    assert said[0].endswith("is made: 4,000 bytes on sim:0")
    assert said[1] == 'line 2: y = x.to("sim")'
    assert "simulated time" in said[-1]
    assert timeline.locator(".life.on").count() == 1
    assert timeline.locator(".gr-state svg").count() == 1
    page.keyboard.press("ArrowRight")
    assert timeline.locator(".mark.on").count() == 1
    timeline.get_by_label("step back").click()
    assert timeline.locator(".gr-count").inner_text().startswith("event 1 of ")
    timeline.get_by_label("the last event").click()
    assert timeline.get_by_label("step forwards").is_disabled()
    assert timeline.locator(".life.on").count() == 1  # z


@pytest.mark.parametrize("position", TIMELINES)
def test_pointing_at_a_bar_tells_its_life_and_a_click_goes_to_its_birth(page: Any, position: int) -> None:
    timeline = page.locator(".gr-moments").nth(position)
    bar = timeline.locator(".life", has_text="z (S")
    bar.locator("rect").hover()
    said = timeline.locator(".gr-panel p").all_inner_texts()
    assert len(said) == 1
    assert "made at event" in said[0]
    assert "alive, held by z" in said[0]
    bar.locator("rect").click()
    page.mouse.move(2, 2)
    assert "z (S" in timeline.locator(".gr-panel p").first.inner_text()


def test_a_click_on_the_chart_goes_to_the_event_there(page: Any) -> None:
    timeline = page.locator(".gr-moments").first
    timeline.locator(".tiny", has_text="5").first.click()
    assert timeline.locator(".gr-count").inner_text() == "event 5 of 9"
    timeline.locator(".title", has_text="sim:0").first.click()
    assert timeline.locator(".gr-count").inner_text() == "event 5 of 9"


@pytest.mark.parametrize("position", MAPS)
def test_a_step_of_the_device_map_lights_the_arrow_and_both_its_storages(page: Any, position: int) -> None:
    placed = page.locator(".gr-moments").nth(position)
    assert placed.locator(".holding").count() == 4
    placed.focus()
    page.keyboard.press("End")
    assert placed.locator(".move-row.on").count() == 1
    assert placed.locator(".holding.on .title").count() == 2
    said = placed.locator(".gr-panel p").all_inner_texts()
    assert "cpu → sim:0: 4,000 bytes" in said[0]
    assert "simulated · pinned, the host goes on" in said[-1]
    page.keyboard.press("Home")
    assert placed.locator(".on").count() == 0


def test_keys_do_not_reach_the_notebook_and_escape_leaves(page: Any) -> None:
    for position in (*TIMELINES, *MAPS):
        page.locator(".gr-moments").nth(position).focus()
        for key in ("b", "d", "ArrowDown"):
            page.keyboard.press(key)
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.closest('.gr-moments')") is None
    assert page.locator(".jp-Notebook .jp-Cell").count() == len(CELLS)


def test_the_picture_is_named_for_those_who_hear_it(page: Any) -> None:
    for position, kind in ((0, "memory timeline"), (2, "device map")):
        root = page.locator(".gr-moments").nth(position)
        assert root.get_attribute("aria-roledescription") == kind
        assert root.get_attribute("aria-label").lower().startswith(kind)
        assert root.locator("[role=status]").get_attribute("aria-live") == "polite"
    assert page.locator(".gr-text").count() == 4
    assert page.locator(".gr-text").first.inner_text().startswith("memory timeline · ")


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_text_can_be_read_in_both_themes(page: Any, theme: str) -> None:
    set_theme(page, theme)
    for position in (TIMELINES[0], MAPS[0]):
        root = page.locator(".gr-moments").nth(position)
        for text in (".title", ".fact.soft", ".tiny"):
            words = root.locator(f"svg.gr text{text}").first.evaluate("text => getComputedStyle(text).fill")
            card = root.locator("svg.gr .card").first.evaluate("card => getComputedStyle(card).fill")
            assert contrast(words, card) >= 4.5, (theme, text)


@pytest.mark.parametrize(("name", "count"), [("t.html", "event 9 of 9"), ("d.html", "transfer 3 of 3")])
def test_a_saved_page_steps_without_a_kernel(lab: Any, opened: Any, chromium: Any, name: str, count: str) -> None:
    page = chromium.new_page()
    page.goto((lab.folder / name).as_uri())
    page.locator(".gr-moments").focus()
    page.keyboard.press("End")
    assert page.locator(".gr-count").inner_text() == count
    page.close()


def test_nothing_failed_and_nothing_was_fetched_from_elsewhere(opened: Any) -> None:
    watch = opened[1]
    assert (watch.errors, watch.from_elsewhere) == ([], [])
