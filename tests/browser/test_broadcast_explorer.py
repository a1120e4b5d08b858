"""The broadcast explorer in the browser: it says what Python says and links what is read, by mouse and by keys."""

from __future__ import annotations

import random
from typing import Any

import pytest
from browser.contrast import contrast
from browser.jupyterlab import set_theme

from glassroom import explore_broadcast

CELLS = (
    "import torch, tensorglass\nfrom glassroom import explore_broadcast\n"
    "a = torch.arange(3.).reshape(3, 1)\nb = tensorglass.tensor([10., 20., 30., 40.])\nexplore_broadcast(a, b)",
    "explore_broadcast((2, 3), (2,)).widget",
)


@pytest.fixture(scope="module")
def saved_page(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("page") / "broadcast.html"
    explore_broadcast((3, 1), (4,)).save(path)
    page = chromium.new_page(viewport={"width": 900, "height": 700})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(error.stack))
    page.goto(path.as_uri())
    yield page
    assert errors == []
    page.close()


@pytest.fixture(scope="module")
def opened(pytorch: Any, lab: Any, chromium: Any) -> Any:
    lab.notebook("broadcast.ipynb", *CELLS)
    page, watch = lab.open(chromium, "broadcast.ipynb", height=1600)
    lab.run_all(page)
    page.locator(".gr-broadcast").nth(1).wait_for(timeout=60_000)
    yield page
    assert (watch.errors, watch.from_elsewhere) == ([], [])
    page.close()


def begin_with(page: Any, *sizes: tuple[int, ...]) -> None:
    fields = page.locator(".gr-field")
    page.get_by_role("button", name="as given").click()
    while fields.count() > len(sizes):
        fields.last.get_by_role("button").click()
    while fields.count() < len(sizes):
        page.get_by_role("button", name="+ operand").click()
    for at, size in enumerate(sizes):
        fields.nth(at).get_by_role("textbox").fill(str(size))


def table(page: Any) -> list[list[str]]:
    return page.locator(".gr-sizes tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )


def grids(page: Any) -> list[str]:
    """The contents of the boxes, grid by grid."""
    return page.locator(".gr-boxes").evaluate_all(
        "grids => grids.map(grid => [...grid.querySelectorAll('.gr-box')].map(box =>"
        " [...box.children].map(line => line.textContent).join(' ') + (box.classList.contains('again') ? '*' : '')))"
    )


def lit(page: Any) -> list[str]:
    return page.locator(".gr-box:is(.on, .at)").evaluate_all(
        "boxes => boxes.map(box => [...box.children].map(line => line.textContent).join(' '))"
    )


def test_the_browser_says_what_python_says(saved_page: Any) -> None:
    numbers = random.Random(7)
    fitting = 0
    for turn in range(40):
        sizes = [
            tuple(numbers.choice([1, 1, 2, 3, 3, 0, 12]) for _ in range(numbers.randrange(4)))
            for _ in range(1 + turn % 4)
        ]
        begin_with(saved_page, *sizes)
        said = explore_broadcast(*sizes).broadcast
        assert saved_page.locator(".gr-lines p").all_inner_texts() == said.lines()
        assert table(saved_page) == said.table()
        fitting += said.size is not None
        svg = explore_broadcast(*sizes).svg
        drawn = [box for boxes in grids(saved_page) for box in boxes]
        assert len(drawn) == svg.count('class="box"') + svg.count('class="box ')
        assert sum(box.endswith("*") for box in drawn) == svg.count('class="box again"')
    assert 10 < fitting < 35


def test_the_keyboard_goes_to_the_operand_that_came_or_is_left(saved_page: Any) -> None:
    begin_with(saved_page, (3, 1), (4,))
    focused = "document.activeElement.getAttribute('aria-label')"
    saved_page.get_by_role("button", name="+ operand").focus()
    saved_page.keyboard.press("Enter")
    assert saved_page.evaluate(focused) == "size of c"
    saved_page.keyboard.press("Tab")
    saved_page.keyboard.press("Enter")
    assert saved_page.evaluate(focused) == "size of b"


def test_the_values_given_stand_in_the_boxes_until_a_size_is_changed(opened: Any) -> None:
    explorer = opened.locator(".gr-broadcast").first
    explorer.get_by_label("size of b").fill("(3, 1)")
    explorer.get_by_label("size of b").fill("(4,)")
    first, second, result = grids(explorer)
    assert first[:5] == ["0. [0,0]", "0. [0,0]*", "0. [0,0]*", "0. [0,0]*", "1. [1,0]"]
    assert second[:5] == ["10. [0]", "20. [1]", "30. [2]", "40. [3]", "10. [0]*"]
    assert result[6] == "a[1,0] 1. b[2] 30."


def test_a_cell_of_the_result_lights_what_it_reads_and_an_operands_cell_who_reads_it(opened: Any) -> None:
    explorer = opened.locator(".gr-broadcast").first
    explorer.locator(".gr-boxes").nth(2).locator(".gr-box").nth(6).hover()
    assert explorer.locator(".gr-status").inner_text() == "result[1, 2] reads a[1, 0] (1.) and b[2] (30.)"
    assert set(lit(explorer)) == {"1. [1,0]", "30. [2]", "a[1,0] 1. b[2] 30."}
    explorer.locator(".gr-boxes").nth(1).locator(".gr-box").nth(1).hover()
    readers = "result[0, 1], result[1, 1] and result[2, 1]"
    assert explorer.locator(".gr-status").inner_text() == f"b[1] (20.) is read by {readers}"
    assert sorted(set(lit(explorer))) == ["20. [1]", "a[0,0] 0. b[1] 20.", "a[1,0] 1. b[1] 20.", "a[2,0] 2. b[1] 20."]


def test_arrows_walk_over_the_cells_and_keys_do_not_leak(opened: Any) -> None:
    explorer = opened.locator(".gr-broadcast").first
    opened.mouse.move(2, 2)
    explorer.locator(".gr-stage").focus()
    status = explorer.locator(".gr-status")
    walk = [
        ("Home", "result[0, 0] reads"), ("ArrowRight", "result[0, 1] reads"), ("ArrowDown", "result[1, 1] reads"),
        ("End", "result[1, 3] reads"), ("ArrowRight", "result[1, 3] reads"), ("PageDown", "a[0, 0] (0.) is read by"),
        ("PageDown", "b[0] (10.) is read by"), ("PageUp", "a[0, 0] (0.)"),
    ]  # fmt: skip
    for key, words in walk:
        opened.keyboard.press(key)
        assert status.inner_text().startswith(words), key
    before = opened.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex")
    for key in ("b", "d", "d", "m"):
        opened.keyboard.press(key)
    opened.keyboard.press("Escape")
    assert lit(explorer) == []
    assert opened.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex") == before
    assert opened.locator(".jp-Notebook .jp-Cell").count() == len(CELLS)


def test_sizes_that_do_not_fit_are_blamed_in_pytorchs_words_and_mended_by_typing(opened: Any) -> None:
    explorer = opened.locator(".gr-broadcast").nth(1)
    refusal = "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1"
    assert explorer.locator(".gr-lines .bad").inner_text() == refusal
    assert explorer.locator(".gr-boxes").count() == 2
    field = explorer.get_by_label("size of b")
    field.fill("2, one")
    assert field.get_attribute("aria-invalid") == "true"
    assert explorer.locator(".gr-lines .bad").inner_text() == refusal
    field.fill("2, 1")
    assert explorer.locator(".gr-lines p").first.inner_text() == "a (2, 3) and b (2, 1) → (2, 3)"
    assert field.evaluate("field => document.activeElement === field")


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_words_are_readable_in_both_themes(opened: Any, theme: str) -> None:
    opened.mouse.move(2, 2)
    set_theme(opened, theme)
    for selector in (
        ".gr-lines p",
        ".gr-sizes th",
        ".gr-box b",
        ".gr-box.again b",
        ".gr-at",
        ".gr-status",
        ".gr-field input",
    ):
        pair = opened.locator(f".gr-broadcast {selector}").first.evaluate(
            "node => [getComputedStyle(node).color, getComputedStyle(node.closest('.gr-board')).backgroundColor]"
        )
        assert contrast(*pair) >= 4.5, selector


def test_a_narrow_window_scrolls_the_picture_and_not_the_page(chromium: Any, tmp_path: Any) -> None:
    explore_broadcast((2, 1, 3, 1), (4, 1, 8), (8,)).save(tmp_path / "page.html")
    page = chromium.new_page(viewport={"width": 400, "height": 700})
    page.goto((tmp_path / "page.html").as_uri())
    page.locator(".gr-broadcast").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.close()
