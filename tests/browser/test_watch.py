"""`%%watch` in JupyterLab: the cell runs as ever, and its story is stepped by key, button, click and on its own."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from browser.contrast import contrast
from browser.jupyterlab import set_theme

import tensorglass
from glassroom import watch

LOAD = "%load_ext glassroom"
CELL = """\
%%watch
import tensorglass as torch
a = torch.arange(6.)
b = a.view(2, 3)
b[0] = 7
c = b.t().contiguous()
del a, b
names = {"<script>alert(1)</script>": c}
c.sum()"""
#: The same on real PyTorch, where it is installed.
AGAIN = CELL.replace("import tensorglass as torch", "import torch") if find_spec("torch") else CELL
RAISES = """\
%%watch
x = torch.ones(3)
y = x.view(2, 2)"""
AFTER = """\
from glassroom import watch
def double(x):
    return x * 2
story = watch(double, c)
story.save("story.html")
story.widget"""
CELLS = (LOAD, CELL, AFTER, "del c, names", AGAIN, RAISES)


@pytest.fixture(scope="module")
def opened(lab: Any, chromium: Any) -> Any:
    lab.notebook("watch.ipynb", *CELLS)
    page, watch = lab.open(chromium, "watch.ipynb", height=4200)
    lab.run_all(page)
    page.locator(".gr-watch").nth(3).wait_for(timeout=60_000)
    yield page, watch
    page.close()


def said(player: Any) -> str:
    return "\n".join(player.locator(".gr-panel p").all_inner_texts())


@pytest.mark.parametrize("position", [0, 2])
def test_keys_step_through_the_cell(page: Any, position: int) -> None:
    player = page.locator(".gr-watch").nth(position)
    player.focus()
    page.keyboard.press("Home")
    assert player.locator(".gr-count").inner_text() == "step 1 of 8"
    assert player.get_by_label("step back").is_disabled()
    assert player.locator(".gr-line.at").count() == 1
    page.keyboard.press("ArrowRight")
    assert player.locator(".gr-count").inner_text() == "step 2 of 8"
    assert player.locator(".gr-line.at .gr-source").inner_text() == "a = torch.arange(6.)"
    assert "a: new storage S" in said(player)
    assert player.locator(".gr-card").count() == 1
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert player.locator(".gr-card .wrote").count() == 3
    assert "cells 0–2, version 0 → 1" in said(player)
    page.keyboard.press("End")
    assert player.get_by_label("step forwards").is_disabled()


@pytest.mark.parametrize("position", [0, 2])
def test_one_can_jump_to_the_next_copy_write_and_allocation(page: Any, position: int) -> None:
    player = page.locator(".gr-watch").nth(position)
    player.focus()
    page.keyboard.press("Home")
    page.keyboard.press("c")
    assert player.locator(".gr-line.at .gr-source").inner_text() == "c = b.t().contiguous()"
    assert player.get_by_label("next copy").is_disabled()
    page.keyboard.press("Home")
    player.get_by_label("next write").click()
    assert player.locator(".gr-line.at .gr-source").inner_text() == "b[0] = 7"
    page.keyboard.press("a")
    assert "new storage" in said(player) or "temporary" in said(player)


def test_it_opens_on_the_first_step_and_on_an_error(lab: Any, opened: Any, page: Any) -> None:
    fresh, _ = lab.open(page.context.browser, "watch.ipynb", height=4200)
    lab.run_all(fresh)
    fresh.locator(".gr-watch").nth(3).wait_for(timeout=60_000)
    lines = fresh.locator(".gr-watch .gr-line.at .gr-source")
    assert lines.nth(0).inner_text() == "import tensorglass as torch"
    assert lines.nth(3).inner_text() == "y = x.view(2, 2)"
    fresh.close()


def test_lines_say_how_memory_grew_and_the_curve_leads_to_a_step(page: Any) -> None:
    player = page.locator(".gr-watch").first
    sources, gutter = (player.locator(look).all_inner_texts() for look in (".gr-source", ".gr-grown"))
    grown = dict(zip(sources, gutter, strict=True))
    assert grown["a = torch.arange(6.)"] == "+24 B"
    assert grown["b = a.view(2, 3)"] == ""
    assert grown["del a, b"] == "−24 B"
    assert player.locator(".gr-most").inner_text().startswith("peak ")
    curve = player.locator(".gr-curve svg")
    box = curve.bounding_box()
    curve.click(position={"x": box["width"] * 1.5 / 8, "y": 20})
    assert player.locator(".gr-count").inner_text() == "step 2 of 8"
    assert player.locator(".gr-curve .cursor").get_attribute("x") == "1"


def test_what_a_step_touched_is_drawn_and_all_else_is_a_line_that_opens(page: Any) -> None:
    player = page.locator(".gr-watch").first
    player.locator(".gr-line", has_text="del a, b").click()
    assert player.locator(".gr-cards > .gr-card").count() == 1  # what was freed
    rest = player.locator(".gr-brief")
    assert rest.count() == 1
    assert " · 24 bytes · c" in rest.first.inner_text()
    rest.locator("summary").focus()
    page.keyboard.press("Enter")
    rest.locator(".gr-card svg").wait_for()
    assert rest.locator(".gr-card svg").count() == 1
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    rest.locator(".gr-card svg").wait_for()
    assert rest.locator(".gr-card svg").count() == 1  # it stays open
    rest.locator("summary").click()
    assert rest.evaluate("each => each.open") is False


def test_what_is_freed_is_shown_as_gone_once(page: Any) -> None:
    player = page.locator(".gr-watch").first
    player.locator(".gr-line", has_text="del a, b").click()
    assert "is freed, 24 bytes" in said(player)
    assert player.locator(".gr-card .gone").count() == 1
    player.focus()
    page.keyboard.press("ArrowRight")
    assert player.locator(".gr-card .gone").count() == 0


def test_it_plays_on_its_own_to_the_end(page: Any) -> None:
    player = page.locator(".gr-watch").first
    player.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    assert player.get_by_label("play or pause").inner_text() == "pause"
    page.wait_for_function("document.querySelector('.gr-watch .gr-count').textContent === 'step 8 of 8'")
    assert player.get_by_label("play or pause").inner_text() == "play"


def test_the_last_expression_is_displayed_as_usual(page: Any) -> None:
    assert page.locator(".jp-OutputArea-executeResult", has_text="tensor(").count() >= 2


def test_markup_in_a_name_is_only_a_name(page: Any) -> None:
    player = page.locator(".gr-watch").first
    player.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert "<script>alert(1)</script>" in said(player)
    assert player.locator("script").count() == 0


def test_an_exception_ends_the_story_at_its_line(page: Any) -> None:
    player = page.locator(".gr-watch").nth(3)
    player.focus()
    page.keyboard.press("End")
    assert player.locator(".gr-line.raised .gr-source").inner_text() == "y = x.view(2, 2)"
    assert "raises RuntimeError" in said(player)
    traceback = page.locator(".jp-OutputArea-output", has_text="RuntimeError").last.inner_text()
    assert "----> 2 y = x.view(2, 2)" in traceback
    assert "__torch_dispatch__" not in traceback


def test_keys_do_not_reach_the_notebook_and_escape_leaves(page: Any) -> None:
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    page.locator(".gr-watch").first.focus()
    for key in ("b", "d", "a"):
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.closest('.gr-watch')") is None
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_text_can_be_read_in_both_themes(page: Any, theme: str) -> None:
    set_theme(page, theme)
    player = page.locator(".gr-watch").first
    player.locator(".gr-line", has_text="b[0] = 7").click()
    for text in (".name", ".fact.soft", ".tiny"):
        words = player.locator(f"svg.gr text{text}").first.evaluate("text => getComputedStyle(text).fill")
        card = player.locator("svg.gr .card").first.evaluate("card => getComputedStyle(card).fill")
        assert contrast(words, card) >= 4.5, (theme, text)
    marked = player.locator(".wrote").first
    value = marked.locator("text").evaluate("text => getComputedStyle(text).fill")
    assert contrast(value, marked.locator("rect").evaluate("rect => getComputedStyle(rect).fill")) >= 4.5


def test_in_jupyterlab_it_is_no_taller_than_the_window(lab: Any, opened: Any, chromium: Any) -> None:
    lab.notebook(
        "tall.ipynb",
        LOAD,
        "%%watch\nimport tensorglass as torch\nheld = [torch.ones(n) for n in range(1, 24)]\nheld[3][0] = 2",
    )
    page, _ = lab.open(chromium, "tall.ipynb", height=700)
    lab.run_all(page)
    player = page.locator(".gr-watch")
    player.wait_for(timeout=60_000)
    assert player.locator(".gr-line.at .gr-source").inner_text() == "import tensorglass as torch"
    player.locator(".gr-line", has_text="held[3][0] = 2").click()
    assert player.evaluate("player => player.getBoundingClientRect().height <= innerHeight - 100")
    assert player.locator(".gr-curve").evaluate("curve => curve.getBoundingClientRect().height <= 60")
    assert player.locator(".gr-cards > .gr-card").count() == 1
    assert player.locator(".gr-brief").count() == 22
    page.close()


@pytest.mark.parametrize("size", [(1280, 600), (390, 700)], ids=["page", "phone"])
def test_it_is_never_taller_than_the_window_and_long_lines_wrap(chromium: Any, tmp_path: Path, size: Any) -> None:
    source = ["def long(torch):", "    kept = []"]
    source += [f"    kept.append(torch.zeros({number}) + {' + '.join(['1'] * 20)})" for number in range(1, 30)]
    file = tmp_path / "long.py"
    file.write_text("\n".join([*source, f"    {'long_' * 30} = kept", "    return kept"]))
    space: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    watch(space["long"], tensorglass).save(tmp_path / "long.html")
    page = chromium.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto((tmp_path / "long.html").as_uri())
    player = page.locator(".gr-watch")
    assert player.evaluate("player => player.getBoundingClientRect().height <= innerHeight")
    player.focus()
    for key in ("End", "ArrowLeft"):
        page.keyboard.press(key)
    assert player.evaluate("player => player.getBoundingClientRect().height <= innerHeight")
    assert player.locator(".gr-code").evaluate("code => code.scrollWidth <= code.clientWidth")
    inside = """line => {
        const [inner, outer] = [line, line.closest('.gr-code')].map((each) => each.getBoundingClientRect());
        return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1 && inner.height > 20;
    }"""
    assert player.locator(".gr-line.at").evaluate(inside), "the line that ran is in view, and takes two lines or more"
    begins = """words => {
        const range = document.createRange();
        range.setStart(words.lastChild, 0), range.setEnd(words.lastChild, 1);
        return range.getBoundingClientRect().top < words.getBoundingClientRect().top + 10;
    }"""
    last = player.locator(".gr-source", has_text="long_long_")
    assert last.evaluate(begins), "a long word begins beside its indentation, not beneath it"
    page.close()


def test_nothing_is_cut_off_on_a_narrow_page(lab: Any, opened: Any, chromium: Any) -> None:
    page = chromium.new_page(viewport={"width": 400, "height": 800})
    page.goto((lab.folder / "story.html").as_uri())
    player = page.locator(".gr-watch")
    player.focus()
    page.keyboard.press("End")
    assert player.locator(".gr-count").inner_text() == "step 1 of 1"
    assert "result of double(): new storage" in said(player)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.close()


def test_nothing_failed_and_nothing_was_fetched_from_elsewhere(opened: Any) -> None:
    watch = opened[1]
    assert (watch.errors, watch.from_elsewhere) == ([], [])
