"""The index explorer in the browser: it reads, follows and says what Python does; typed, built by mouse or by keys."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from browser.contrast import contrast
from browser.jupyterlab import set_theme
from index_cases import as_numpy, cases, names

import tensorglass
from glassroom import explore_index
from glassroom.inspectors import indexing
from glassroom.live.embed import module_of

CELLS = (
    "import torch, tensorglass\nfrom glassroom import explore_index\nx = torch.arange(12.).reshape(3, 4)\n"
    "explore_index(x, 'rows[:, None], cols', rows=torch.tensor([0, 2]), cols=[1, 1, 3])",
    "explore_index(tensorglass.arange(24).reshape(2, 3, 4)).widget",
)


@pytest.fixture(scope="module")
def opened(pytorch: Any, lab: Any, chromium: Any) -> Any:
    lab.notebook("index.ipynb", *CELLS)
    page, watch = lab.open(chromium, "index.ipynb", height=1800)
    lab.run_all(page)
    page.locator(".gr-index").nth(1).wait_for(timeout=60_000)
    yield page
    assert (watch.errors, watch.from_elsewhere) == ([], [])
    page.close()


def typed_into(explorer: Any, typed: str) -> Any:
    explorer.locator("input").fill(typed)
    return explorer


def said(explorer: Any) -> list[str]:
    return explorer.locator(".gr-lines p").all_inner_texts()


def box(explorer: Any, grid: int, at: int) -> Any:
    return explorer.locator(".gr-boxes").nth(grid).locator(".gr-box").nth(at)


def words(boxes: Any) -> list[str]:
    return boxes.evaluate_all("boxes => boxes.map(box => [...box.children].map(line => line.textContent).join(' '))")


@pytest.mark.sweep
@pytest.mark.parametrize("is_numpys", [False, True], ids=["pytorch", "numpy"])
def test_the_browser_says_what_python_says(chromium: Any, pytorch: Any, is_numpys: bool) -> None:
    everything = names(pytorch).items()
    held = {name: value.numpy() if is_numpys and hasattr(value, "numpy") else value for name, value in everything}
    asked, expected = [], []
    for tensor, typed in cases(pytorch, 1200, seed=2):
        explored = explore_index(as_numpy(tensor) if is_numpys else tensor, typed, **held)
        story, led = explored.indexing, explored.indexing.led
        cells = list(product(*map(range, story.size)))
        asked.append([explored.state()["tensor"], typed])
        expected.append({
            "lines": story.lines(),
            "table": story.table(),
            "sources": led and [list(led.source(index)) for index in product(*map(range, led.size))],
            "times": led and [story.times(index) for index in cells],
        })  # fmt: skip
    page = chromium.new_page()
    answers = page.evaluate(
        """async ([module, asked]) => {
            const made = await import(URL.createObjectURL(new Blob([module], { type: "text/javascript" })));
            return JSON.stringify(JSON.parse(asked).map(([tensor, typed]) => {
                const story = made.indexed(tensor, typed);
                const { led, picks } = story;
                return {
                    lines: made.lines(story), table: made.table(story),
                    sources: led && made.every(led.size).map((index) => made.sourceOf(led, index)),
                    times: led && made.every(tensor.size).map((index) => made.timesOf(led, picks, index)),
                };
            }), (_, value) => value ?? null);
        }""",
        [exporting(module_of(Path(indexing.__file__).with_name("words.js"))), json.dumps(asked)],
    )
    page.close()
    for question, answer, truth in zip(asked, json.loads(answers), expected, strict=True):
        assert answer == truth, (question[1], question[0]["size"])


def exporting(module: str) -> str:
    """The module in one piece, which exports what it imports as well."""
    return module + "\nexport { every, sourceOf, timesOf };\n"


def test_typing_an_index_shows_at_once_what_it_picks(opened: Any) -> None:
    explorer = typed_into(opened.locator(".gr-index").first, "1:, ::2")
    assert said(explorer)[0] == "x[1:, ::2]: size (2, 2), stride (4, 2), offset 4"
    assert "A view of x" in said(explorer)[2]
    picked = words(explorer.locator(".gr-boxes").first.locator(".gr-box:not(.idle)"))
    assert picked == ["4. [1,0]", "6. [1,2]", "8. [2,0]", "10. [2,2]"]
    typed_into(explorer, "x > 9")
    assert words(explorer.locator(".gr-boxes").last.locator(".gr-box")) == ["10. [2,2]", "11. [2,3]"]
    typed_into(explorer, "5")
    assert said(explorer) == ["x[5]: no result", "IndexError: index 5 is out of bounds for dimension 0 with size 3"]
    assert explorer.locator("input").get_attribute("aria-invalid") == "true"


def test_pointing_links_result_tensor_and_index_tensors(opened: Any) -> None:
    explorer = typed_into(opened.locator(".gr-index").first, "rows[:, None], cols")
    box(explorer, 3, 5).hover()
    assert explorer.locator(".gr-status").inner_text() == "result[1, 2] is x[2, 3] (11.)"
    lit = words(explorer.locator(".gr-box:is(.on, .at)"))
    assert lit == ["11. [2,3]", "2 [1,0]", "3 [2]", "11. [2,3]"]
    box(explorer, 0, 1).hover()
    assert explorer.locator(".gr-status").inner_text() == "x[0, 1] (1.) is result[0, 0] and result[0, 1]"
    box(explorer, 2, 2).hover()
    assert explorer.locator(".gr-status").inner_text() == "cols[2] is 3, read for result[0, 2]"


def test_an_index_is_built_by_clicking_and_by_keys(opened: Any) -> None:
    explorer = opened.locator(".gr-index").first
    field = explorer.locator("input")
    box(explorer, 0, 5).click()
    assert field.input_value() == "1, 1"
    box(explorer, 0, 10).click(modifiers=["Shift"])
    assert field.input_value() == "1:3, 1:3"
    explorer.get_by_role("button", name="x[::2]").click()
    assert field.input_value() == "::2"
    opened.mouse.move(2, 2)
    explorer.locator(".gr-stage").focus()
    for key in ("Home", "ArrowDown", "Enter"):
        opened.keyboard.press(key)
    assert field.input_value() == "1, 0"
    for key in ("ArrowRight", "Shift+Enter"):
        opened.keyboard.press(key)
    assert field.input_value() == "1:2, 0:2"


def test_keys_do_not_leak_into_the_notebook(opened: Any) -> None:
    explorer = opened.locator(".gr-index").nth(1)
    explorer.locator("input").focus()
    before = opened.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex")
    opened.keyboard.press("End")
    for key in ("Backspace", "Backspace", "Backspace", "0", ",", "ArrowLeft", "ArrowRight", "1"):
        opened.keyboard.press(key)
    assert said(explorer)[0] == "x[0,1]: size (4,), stride (1,), offset 4"
    explorer.locator(".gr-stage").focus()
    for key in ("b", "d", "d", "m", "PageDown", "ArrowRight", "Escape"):
        opened.keyboard.press(key)
    assert opened.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex") == before
    assert opened.locator(".jp-Notebook .jp-Cell").count() == len(CELLS)


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_words_are_readable_in_both_themes(opened: Any, theme: str) -> None:
    typed_into(opened.locator(".gr-index").first, "rows[:, None], cols")
    opened.mouse.move(2, 2)
    set_theme(opened, theme)
    for selector in (
        ".gr-lines p",
        ".gr-items td",
        ".gr-box b",
        ".gr-box.idle b",
        ".gr-box.again b",
        ".gr-at",
        "input",
    ):
        pair = opened.locator(f".gr-index {selector}").first.evaluate(
            "node => [getComputedStyle(node).color, getComputedStyle(node.closest('.gr-board')).backgroundColor]"
        )
        assert contrast(*pair) >= 4.5, selector


def test_a_saved_page_needs_no_kernel_and_fits_a_narrow_window(chromium: Any, tmp_path: Any) -> None:
    explore_index(tensorglass.arange(120.0).reshape(2, 3, 4, 5), "..., [0, 4]").save(tmp_path / "page.html")
    page = chromium.new_page(viewport={"width": 400, "height": 700})
    page.goto((tmp_path / "page.html").as_uri())
    explorer = typed_into(page.locator(".gr-index"), "1, ..., None")
    assert said(explorer)[0].endswith("size (3, 4, 5, 1), stride (20, 5, 1, 1), offset 60")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.close()
