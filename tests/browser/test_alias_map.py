"""The alias map in the browser: who shares bytes lights up, by mouse and by keys, in both themes."""

from __future__ import annotations

from typing import Any

import pytest
from browser.contrast import contrast
from browser.jupyterlab import set_theme

CELLS = (
    "import torch, tensorglass\nfrom glassroom import aliases\na = torch.arange(12.).reshape(3, 4)\nb = a.t()\n"
    "left, right = a[:, ::2], a[:, 1::2]\nsmall = tensorglass.zeros(100_000)[5:9]\naliases(a, b, left, right, small)",
    "aliases(a, b).widget",
)


@pytest.fixture(scope="module")
def opened(pytorch: Any, lab: Any, chromium: Any) -> Any:
    lab.notebook("aliases.ipynb", *CELLS)
    page, watch = lab.open(chromium, "aliases.ipynb", height=1500)
    lab.run_all(page)
    page.locator(".gr-aliases").nth(1).wait_for(timeout=60_000)
    yield page
    assert (watch.errors, watch.from_elsewhere) == ([], [])
    page.close()


def lit(page: Any) -> list[str]:
    rows = page.locator(".gr-aliases").first.locator(".alias:is(.on, .at)")
    return rows.evaluate_all("rows => rows.map(row => row.querySelector('text').textContent)")


def status(page: Any) -> str:
    return page.locator(".gr-status").first.inner_text()


def row(page: Any, at: int) -> Any:
    return page.locator(".gr-aliases").first.locator(".alias").nth(at)


def test_pointing_at_a_tensor_lights_those_that_share_bytes_and_no_others(opened: Any) -> None:
    row(opened, 2).hover()
    assert lit(opened) == ["a", "b", "left", "a's base"]
    assert status(opened).startswith("left: (3, 2) float32, bytes 0–43, 24 of them, in pieces. left lies within a")
    assert "left and right: interleaved, not a byte in common" in status(opened)
    opened.mouse.move(2, 2)
    assert lit(opened) == []


def test_arrows_walk_over_tensors_and_storages_and_keys_do_not_leak(opened: Any) -> None:
    opened.mouse.move(2, 2)
    opened.locator(".gr-aliases").first.focus()
    for key, words in [("ArrowDown", "b: "), ("PageDown", "small: "), ("End", "small's base: "), ("Home", "a: ")]:
        opened.keyboard.press(key)
        assert status(opened).startswith(words), key
    before = opened.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex")
    for key in ("b", "d", "d", "ArrowDown", "Escape"):
        opened.keyboard.press(key)
    assert lit(opened) == []
    assert opened.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex") == before
    assert opened.locator(".jp-Notebook .jp-Cell").count() == len(CELLS)


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_lit_and_unlit_words_are_readable_in_both_themes(opened: Any, theme: str) -> None:
    set_theme(opened, theme)
    opened.mouse.move(2, 2)
    card = opened.locator(".gr-aliases .card").first.evaluate("card => getComputedStyle(card).fill")
    for words in (row(opened, 0).locator("text").first, row(opened, 0).locator(".soft")):
        assert contrast(words.evaluate("words => getComputedStyle(words).fill"), card) >= 4.5
    row(opened, 0).hover()
    back = row(opened, 0).locator(".back").evaluate("back => getComputedStyle(back).fill")
    for words in (row(opened, 0).locator("text").first, row(opened, 0).locator(".soft")):
        assert contrast(words.evaluate("words => getComputedStyle(words).fill"), back) >= 4.5


def test_bars_are_as_long_as_storages_have_bytes(opened: Any) -> None:
    bars = opened.locator(".gr-aliases").first.locator(".whole")
    small, large = bars.evaluate_all("bars => bars.map((bar) => bar.width.baseVal.value)")
    assert small < large / 2  # 48 bytes and 400,000
    assert opened.locator(".gr-aliases").first.locator(".scale").count() == 1


def test_it_is_drawn_anew_in_a_narrow_window(opened: Any) -> None:
    opened.set_viewport_size({"width": 560, "height": 1500})
    box = opened.locator(".gr-aliases").first
    opened.wait_for_function("document.querySelector('.gr-aliases svg').width.baseVal.value < 400")
    assert box.evaluate("box => box.getBoundingClientRect().right <= 560")
    opened.set_viewport_size({"width": 1280, "height": 1500})
    opened.wait_for_function("document.querySelector('.gr-aliases svg').width.baseVal.value > 600")
