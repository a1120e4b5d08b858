"""The stride explorer in the browser: it says what Python says, and can be used without a mouse."""

from __future__ import annotations

import random
from typing import Any

import pytest

from glassroom.inspectors.strides.arithmetic import examine, formula
from glassroom.inspectors.strides.inspector import StrideExplorer, explore_strides

CELLS = ("from glassroom import explore_strides\nexplore_strides(12)", "explore_strides(6).widget")


@pytest.fixture(scope="module")
def saved_page(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("page") / "explorer.html"
    explore_strides(12).save(path)
    page = chromium.new_page(viewport={"width": 900, "height": 700})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(error.stack))
    page.goto(path.as_uri())
    yield page
    assert errors == []
    page.close()


def set_to(page: Any, size: list[int], stride: list[int], offset: int) -> None:
    values = {"offset, as a number": offset}
    for dim, (n, step) in enumerate(zip(size, stride, strict=True)):
        values[f"size[{dim}], as a number"] = n
        values[f"stride[{dim}], as a number"] = step
    for label, value in values.items():
        page.get_by_label(label, exact=True).fill(str(value))


def with_dimensions(page: Any, dims: int) -> None:
    while (shown := page.get_by_role("slider").count() // 2) != dims:
        page.get_by_role("button", name="+ dimension" if shown < dims else "− dimension").click()


@pytest.mark.parametrize("dims", [0, 1, 2, 3])
def test_the_browser_says_what_python_says(saved_page: Any, dims: int) -> None:
    with_dimensions(saved_page, dims)
    numbers = random.Random(dims)
    kinds = set()
    for turn in range(12):
        size = [numbers.choice([0, 1, 2, 2, 3, 4]) for _ in range(dims)]
        stride = [numbers.choice([0, 1, 1, 2, 3, 4, 6]) for _ in range(dims)]
        offset = (0, 12, 1, 5)[turn % 4]
        set_to(saved_page, size, stride, offset)
        verdict = examine(12, 4, size, stride, offset)
        shown = saved_page.locator(".gr-verdict")
        assert shown.get_attribute("data-kind") == verdict.kind
        assert shown.inner_text() == verdict.sentence
        storage = explore_strides(12).storage
        assert saved_page.locator(".gr-code").inner_text() == StrideExplorer("x", storage, size, stride, offset).code
        assert saved_page.locator(".gr-rule").inner_text() == formula(stride, offset)
        kinds.add(verdict.kind)
    assert len(kinds) > 1


def test_pointing_at_an_element_shows_the_formula_with_its_numbers(saved_page: Any) -> None:
    with_dimensions(saved_page, 2)
    set_to(saved_page, [3, 4], [4, 1], 0)
    saved_page.locator(".gr-result .gr-box").nth(6).hover()
    assert saved_page.locator(".gr-rule").inner_text() == "t[1, 2] is cell 0 + 1·4 + 2·1 = 6"
    assert saved_page.locator(".gr-storage .on b").all_inner_texts() == ["6."]


def test_sliders_and_the_tensor_obey_the_keyboard(saved_page: Any) -> None:
    with_dimensions(saved_page, 2)
    set_to(saved_page, [3, 4], [4, 1], 0)
    saved_page.get_by_label("stride[0]", exact=True).focus()
    saved_page.keyboard.press("ArrowLeft")
    assert saved_page.locator(".gr-code").inner_text() == "torch.as_strided(x, (3, 4), (3, 1), 0)"
    assert "cell 3 is reached twice, by t[0, 3] and t[1, 0]" in saved_page.locator(".gr-verdict").inner_text()
    saved_page.locator(".gr-result").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown"):
        saved_page.keyboard.press(key)
    assert saved_page.locator(".gr-rule").inner_text() == "t[2, 1] is cell 0 + 2·3 + 1·1 = 7"


def test_numbers_that_are_no_numbers_change_nothing(saved_page: Any) -> None:
    with_dimensions(saved_page, 1)
    set_to(saved_page, [5], [2], 1)
    saved_page.get_by_label("size[0], as a number").fill("")
    assert saved_page.locator(".gr-code").inner_text() == "torch.as_strided(x, (5,), (2,), 1)"
    saved_page.get_by_label("size[0], as a number").fill("-1")
    assert saved_page.locator(".gr-code").inner_text() == "torch.as_strided(x, (5,), (2,), 1)"
    saved_page.get_by_label("size[0], as a number").blur()
    assert saved_page.get_by_label("size[0], as a number").input_value() == "5"
    saved_page.get_by_label("size[0], as a number").fill("999")
    assert saved_page.locator(".gr-verdict").get_attribute("data-kind") == "out of bounds"


def test_the_keyboard_stays_on_a_button_whose_row_is_drawn_anew(saved_page: Any) -> None:
    with_dimensions(saved_page, 1)
    focused = "document.activeElement.textContent || document.activeElement.getAttribute('aria-label')"
    saved_page.get_by_role("button", name="+ dimension").focus()
    saved_page.keyboard.press("Enter")
    assert saved_page.evaluate(focused) == "+ dimension"
    saved_page.keyboard.press("Enter")  # there are three now, and no more
    assert saved_page.evaluate(focused) == "size[0]"


def test_it_works_in_jupyterlab_and_as_a_widget_without_leaking_keys(lab: Any, chromium: Any) -> None:
    lab.notebook("strides.ipynb", *CELLS)
    page, watch = lab.open(chromium, "strides.ipynb", height=1400)
    lab.run_all(page)
    explorers = page.locator(".gr-strides")
    explorers.nth(1).wait_for(timeout=60_000)
    for position, last in enumerate(("(2, 1), 0)", "(2, 1), 0)")):
        slider = explorers.nth(position).get_by_label("stride[0]", exact=True)
        slider.focus()
        slider.fill("2")
        assert explorers.nth(position).locator(".gr-code").inner_text().endswith(last)
    before = page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex")
    for key in ("ArrowDown", "b", "d", "d"):
        page.keyboard.press(key)
    assert page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex") == before
    assert page.locator(".jp-Notebook .jp-Cell").count() == len(CELLS)
    assert (watch.errors, watch.from_elsewhere) == ([], [])
    page.close()


def test_explorers_are_independent_and_live_on_after_a_kernel_restart_and_in_a_second_tab(
    lab: Any, chromium: Any
) -> None:
    lab.notebook("twice.ipynb", "from glassroom import explore_strides\nshown = explore_strides(12)\nshown", "shown")
    first, _ = lab.open(chromium, "twice.ipynb", height=1400)
    lab.run_all(first)
    first.locator(".gr-strides").nth(1).wait_for(timeout=60_000)
    fresh = first.locator(".gr-code").first.inner_text()
    lab.save(first)
    first.evaluate("jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    second, watch = lab.open(chromium, "twice.ipynb", height=1400)
    second.locator(".gr-strides").nth(1).wait_for()
    for page in (first, second):
        page.locator(".gr-strides").nth(1).get_by_label("stride[1], as a number").fill("2")
        codes = page.locator(".gr-code").all_inner_texts()
        assert codes[0] == fresh
        assert codes[1] == fresh.replace("1), 0)", "2), 0)") != fresh
    assert (watch.errors, watch.from_elsewhere) == ([], [])
    first.close()
    second.close()
