"""Predictions are answered by buttons, checks told on cards, hints given by a button; and the keyboard suffices."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from browser.axe import faults
from browser.jupyterlab import Lab, set_theme

from glassroom.exercises.cards.card import Revealed, revealed_card
from glassroom.exercises.progress import read_progress
from glassroom.workspace.learner_folder import MANIFEST

CELLS = (
    "import tensorglass as torch\nfrom glassroom import predict, check, progress\na = torch.arange(6)\n"
    'guess = predict("`a.view(2, 3)`: view or copy?", memory=..., stride=..., contiguous=..., error=...)',
    "guess.reveal(a.view(2, 3), of=a)",
    'check("00-numbers", 12)',
    'check("00-numbers", 6)',
    "progress()",
    'predict("its cache in bytes", nbytes=1_073_741_824).reveal(2_147_483_648)',
    "torch.tensor([torch.ones(1, requires_grad=True).sum()])",  # a number is asked for within a kernel, and warns
    'asked = [predict("a.view(6)", memory=...), predict("a.clone()", memory=...), predict("a", stride=..., error=...)]',
    "for each, result in zip(asked, (a.view(6), a.clone(), a)):\n    each.reveal(result, of=a)",
    'predict("`a.view(7)`", error="none").reveal(lambda: a.t().backward(torch.ones(3)))',
    "from glassroom.exercises import limit\nlimit.SECONDS = 0.2",
    'while True:\n    pass\ncheck("00-numbers", 6)',
)


@pytest.fixture(scope="module")
def opened(lab: Lab, chromium: Any) -> Iterator[Any]:
    lab.notebook("asked.ipynb", *CELLS)
    (lab.folder / MANIFEST).parent.mkdir(exist_ok=True)
    (lab.folder / MANIFEST).write_text("{}")
    page, watch = lab.open(chromium, "asked.ipynb")
    lab.run_all(page)
    page.get_by_role("button", name="Hint 1 of 4").wait_for()
    yield page, watch
    assert watch.errors == []
    assert watch.from_elsewhere == []
    (lab.folder / MANIFEST).unlink()
    page.close()


def cell(page: Any, number: int) -> Any:
    return page.locator(".jp-CodeCell").nth(number)


def test_without_an_answer_the_truth_is_reported_and_no_mark(page: Any) -> None:
    card = cell(page, 1).locator(".gr-answer")
    card.filter(has_text="You did not say anything.").wait_for()
    assert "✗" not in card.inner_text()


def test_answers_are_given_by_keyboard_and_no_key_reaches_the_notebook(page: Any) -> None:
    asking = cell(page, 0).get_by_role("group", name="Prediction", exact=False)
    asking.get_by_role("radio", name="copy").focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowLeft")
    assert asking.get_by_role("radio", name="view").is_checked()
    page.keyboard.press("Tab")
    page.keyboard.type("(1, 3)")
    page.keyboard.press("Tab")
    asking.get_by_role("radio", name="True").focus()
    page.keyboard.press("Space")
    for key in ("a", "b", "d", "d", "x"):  # add, delete and cut cells, if the notebook heard them
        page.keyboard.press(key)
    cell(page, 0).get_by_text("Noted: memory view, stride (1, 3), contiguous True").wait_for()
    assert page.locator(".jp-CodeCell").count() == len(CELLS)


def test_a_long_message_is_broken_between_words(page: Any) -> None:
    message = cell(page, len(CELLS) - 3).locator(".gr-answer pre")
    assert "\n" not in message.text_content()
    assert message.evaluate("pre => getComputedStyle(pre).wordBreak") == "normal"
    assert message.evaluate("pre => pre.clientHeight > 30 && pre.scrollWidth <= pre.clientWidth")


def test_a_warning_stands_under_the_cell_that_ran(page: Any) -> None:
    warned = cell(page, CELLS.index(next(source for source in CELLS if "requires_grad" in source)))
    warned.get_by_text("Converting a tensor with requires_grad=True to a scalar").wait_for()
    assert page.get_by_text("UserWarning").count() == 1


def test_an_exercise_cell_that_runs_on_is_stopped(page: Any) -> None:
    cell(page, len(CELLS) - 1).get_by_text("TimeoutError: this cell ran for more than 0.2 seconds and was").wait_for()


def test_escape_leads_from_a_field_back_to_its_cell(page: Any) -> None:
    cell(page, 0).get_by_role("textbox", name="stride", exact=False).focus()
    page.keyboard.press("Escape")
    focused = page.evaluate("[...document.querySelectorAll('.jp-CodeCell')].indexOf(document.activeElement)")
    assert focused == 0
    assert page.evaluate("jupyterapp.shell.currentWidget.content.mode") == "command"


def test_revealing_tells_how_many_are_right(page: Any, lab: Lab) -> None:
    lab.run_cell(page, 1)
    card = cell(page, 1).locator(".gr-answer[data-kind=partly]")
    card.wait_for()
    assert "2 of 4 right; 1 not answered" in card.inner_text()
    assert "✓ right" in card.inner_text()
    assert "✗ wrong" in card.inner_text()


def test_predictions_of_one_cell_are_one_table_to_ask_and_one_to_tell(page: Any, lab: Lab) -> None:
    number = next(number for number, source in enumerate(CELLS) if source.startswith("asked"))
    asking, told = cell(page, number), cell(page, number + 1).locator(".gr-answer")
    assert asking.locator(".gr-several").filter(has=page.get_by_role("radio")).count() == told.count() == 1
    assert "You did not say anything." in told.inner_text()
    asking.get_by_role("group", name="Prediction: a.view(6)").get_by_role("radio", name="view").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")  # to the next question
    page.keyboard.press("ArrowRight")
    assert asking.get_by_role("group", name="Prediction: a.clone()").get_by_role("radio", name="copy").is_checked()
    asking.get_by_text("Noted: memory copy").wait_for()
    lab.run_cell(page, number + 1)
    told.get_by_text("2 of 4 right; 2 not answered").wait_for()
    rows = told.get_by_role("row").all_inner_texts()
    assert [" ".join(row.split()) for row in rows] == [
        "asked you said truth",
        "a.view(6) memory view view ✓ right",
        "a.clone() memory copy copy ✓ right",
        "a",
        "stride … (1,)",
        "error … none",
    ]
    assert faults(page, f".jp-CodeCell:nth-child({number + 1}) .jp-OutputArea") == []


def test_on_a_phone_a_card_shows_both_numbers_whole_and_the_mark(page: Any) -> None:
    number = next(number for number, source in enumerate(CELLS) if "its cache" in source)
    card = cell(page, number).locator(".gr-answer[data-kind=wrong]").evaluate("card => card.parentElement.innerHTML")
    phone = page.context.browser.new_page(
        viewport={"width": 270, "height": 600}
    )  # the width beside JupyterLab's sidebars
    phone.set_content(card)
    told = phone.locator(".gr-answer")
    assert told.evaluate("card => card.scrollWidth <= card.clientWidth")
    right = told.evaluate("card => card.getBoundingClientRect().right")
    for words in ("1073741824", "2147483648", "✗ wrong"):
        place = told.get_by_text(words, exact=True).bounding_box()
        assert place["x"] + place["width"] <= right
        assert place["height"] < 40  # one line
    phone.close()


@pytest.mark.parametrize("width", [240, 390])  # beside JupyterLab's sidebar on a phone, and on the web site
def test_on_a_phone_no_value_of_a_card_is_broken(chromium: Any, width: int) -> None:
    rows = [
        ("value", "False", "True", "✗"),
        ("dtype", "torch.bool", "torch.float32", "✗"),
        ("error", "none", "RuntimeError", "✗"),
    ]
    rows += [("shape", "(10, 8, 28, 28)", "(10, 8, 28, 28)", "✓")]
    cards = [revealed_card([Revealed("Which?", rows, "")], "")]
    cards += [revealed_card([Revealed(f"Which {kind}?", [(kind, *row)], "") for kind, *row in rows], "")]
    phone = chromium.new_page(viewport={"width": width, "height": 900})
    phone.set_content("".join(card.html for card in cards))
    drawn = phone.evaluate(
        """() => [...document.querySelectorAll("td[data-label]")].map((cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          return [cell.textContent, new Set([...range.getClientRects()].map((line) => line.top)).size];
        })"""
    )
    assert {lines for _, lines in drawn} == {1}, drawn
    assert len(drawn) == 4 * len(rows)
    assert phone.evaluate("document.documentElement.scrollWidth") <= width
    labels = (
        "[...document.querySelectorAll('td[data-label]')].map((cell) => getComputedStyle(cell, '::before').content)"
    )
    assert set(phone.evaluate(labels)) == {'"you said"', '"truth"'}
    phone.close()


def test_when_all_is_said_the_buttons_make_way_for_what_was_said(page: Any, lab: Lab) -> None:
    cell(page, 0).get_by_role("radio", name="none").press("Space")
    cell(page, 0).locator(".gr-said").get_by_text("error none").wait_for()
    lab.run_cell(page, 1)
    cell(page, 0).get_by_role("radio").first.wait_for(state="detached")
    assert "stride (1, 3)" in cell(page, 0).locator(".gr-answer").inner_text()


def test_a_check_is_told_on_a_card_by_mark_word_and_colour(page: Any) -> None:
    wrong, right = (cell(page, number).locator(".gr-answer").first for number in (2, 3))
    assert wrong.get_attribute("data-kind") == "wrong"
    assert "✗" in wrong.inner_text()
    assert "not yet" in wrong.inner_text()
    assert right.get_attribute("data-kind") == "right"
    assert "✓" in right.inner_text()
    assert "is solved" in right.inner_text()


def test_the_button_gives_one_hint_at_a_time_and_they_are_on_record(page: Any, lab: Lab) -> None:
    for number, rung in enumerate(("the concept", "where to look", "nearly the code", "the answer"), 1):
        page.get_by_role("button", name=f"Hint {number} of 4").press("Enter")
        page.get_by_role("list", name="Hints").get_by_text(rung).wait_for()
    assert page.get_by_role("button", name="That was the last hint").is_disabled()
    assert read_progress(lab.folder).exercises["00-numbers"].hints == 4


def test_progress_shows_where_to_go_on(page: Any, lab: Lab) -> None:
    lab.run_cell(page, 4)
    shown = cell(page, 4).get_by_role("region", name="Your progress")
    shown.get_by_text("4 hints").first.wait_for()
    assert shown.get_by_role("link", name="00 Start here").first.get_attribute("href")


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_cards_are_accessible_in_both_themes(page: Any, theme: str) -> None:
    set_theme(page, theme)
    for number in range(4):
        page.evaluate(
            "number => document.querySelectorAll('.jp-CodeCell')[number].setAttribute('id', `cell-${number}`)", number
        )
        assert faults(page, f"#cell-{number} .jp-OutputArea") == []


def test_the_notebook_that_is_saved_keeps_the_text_form_beside_the_card(page: Any, lab: Lab) -> None:
    lab.save(page)
    page.wait_for_function("!document.querySelector('.jp-mod-dirty')")
    cells = json.loads((lab.folder / "asked.ipynb").read_text("utf-8"))["cells"]
    [told] = cells[3]["outputs"]
    assert "".join(told["data"]["text/plain"]) == ("✓ 00-numbers is solved. Two tensors, and six numbers between them.")


def test_after_shift_and_enter_shift_and_tab_lead_into_the_card(page: Any) -> None:
    page.evaluate(
        "() => {const all = jupyterapp.shell.currentWidget.content; all.activeCellIndex = 0; all.mode = 'edit'}"
    )
    cell(page, 0).locator(".cm-content").focus()
    page.keyboard.press("Shift+Enter")
    cell(page, 0).get_by_role("group", name="Prediction", exact=False).wait_for()
    page.wait_for_function("jupyterapp.shell.currentWidget.content.activeCellIndex === 1")
    page.wait_for_function("document.activeElement.matches('.jp-Cell')")
    page.wait_for_function("!document.querySelector('.jp-CodeCell').classList.contains('jp-mod-running')")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.closest('.gr-answer') !== null")


def test_a_notebook_that_is_opened_again_has_cards_in_the_place_of_widgets(lab: Lab, chromium: Any) -> None:
    question = 'from glassroom import hint, predict\nfor each in ("a.view(6)", "a.t()"): predict(each, memory=...)'
    lab.notebook("again.ipynb", question, 'hint("00-numbers")')
    page, _ = lab.open(chromium, "again.ipynb")
    lab.run_all(page)
    page.get_by_role("button", name="Hint 2 of 4").press("Enter")  # hint() gives the card that a check's button is on
    cell(page, 1).get_by_role("listitem").nth(1).wait_for()  # a role finds the widget's, and not the hidden card's
    page.get_by_text("Run this cell again to answer here.").wait_for(state="hidden")
    cell(page, 0).get_by_role("radio", name="copy").first.press("Space")
    cell(page, 0).get_by_text("Noted: memory copy").wait_for()
    lab.save(page)
    page.wait_for_function("!document.querySelector('.jp-mod-dirty')")
    page.evaluate("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.close()

    page, _ = lab.open(chromium, "again.ipynb")  # its widgets went with the kernel
    page.get_by_text("model not found").nth(1).wait_for(state="attached")
    card = cell(page, 0).get_by_text("Run this cell again to answer here.")
    card.wait_for()
    rows = cell(page, 0).get_by_role("row").all_inner_texts()
    assert [" ".join(row.split()) for row in rows] == ["asked you said", "a.view(6) memory copy", "a.t() memory …"]
    assert "where to look: Look at the first picture" in cell(page, 1).locator(".gr-answer").inner_text()
    assert [box.is_visible() for box in page.get_by_text("model not found").all()] == [False, False]
    lab.run_cell(page, 0)
    cell(page, 0).get_by_role("radio", name="copy").first.wait_for()
    card.wait_for(state="hidden")
    page.close()


def test_on_a_busy_machine_all_predictions_of_a_cell_are_asked_and_told(lab: Lab, chromium: Any) -> None:
    """anywidget drops what the kernel says to a widget whose module takes more than two seconds to load."""
    two = (
        'from glassroom import hint, predict\nfor each in ("a.view(6)", "a.t()"): predict(each, memory=..., value=...)'
    )
    lab.notebook("slow.ipynb", two, 'hint("00-numbers")')
    page, watch = lab.open(chromium, "slow.ipynb")
    page.evaluate(
        """() => {
            const made = URL.createObjectURL;
            const late = "await new Promise((go) => setTimeout(go, 3000));";
            URL.createObjectURL = (blob) => {
                const isModule = blob.type.includes("javascript");
                return made(isModule ? new Blob([late, blob], { type: blob.type }) : blob);
            };
        }"""
    )
    lab.run_all(page)
    for question in ("a.view(6)", "a.t()"):
        cell(page, 0).get_by_role("group", name=f"Prediction: {question}").wait_for()
    cell(page, 0).get_by_role("radio", name="copy").last.press("Space")
    cell(page, 0).get_by_text("Noted: memory copy").wait_for()
    field = cell(page, 0).get_by_role("textbox", name="value: a number, or a list").first
    field.fill("0 1 2")
    field.press("Tab")
    cell(page, 0).get_by_text("This cannot be read: write a number such as 15, a list").wait_for()
    field.fill("[0, 1, 2]")
    field.press("Tab")
    cell(page, 0).get_by_text("Noted: value [0, 1, 2]").wait_for()
    assert cell(page, 0).get_by_text("This cannot be read").count() == 0
    page.get_by_role("list", name="Hints").get_by_text("the concept").wait_for()  # the call gave it
    page.get_by_role("button", name="Hint 2 of 4").press("Enter")
    page.get_by_role("list", name="Hints").get_by_text("where to look").wait_for()
    assert [error for error in watch.errors if "Failed to initialize model" not in error] == []
    page.close()
