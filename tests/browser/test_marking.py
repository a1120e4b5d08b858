"""The page in which answers are marked: by the keyboard alone, saved as one types, readable in both themes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import axe
from classes import make_class

from glassroom.classroom.batch import row_path
from glassroom.classroom.by_hand import ByHand, read_manual
from glassroom.classroom.course_file import read_course
from glassroom.classroom.grading import Row, task_of
from glassroom.classroom.marking import MarkingServer
from glassroom.workspace.whole_files import write_atomically

QUESTION = """
[[assignment.explain]]
id = "why"
ask = "Why does a write show through every view?"
points = 2
rubric = [{ says = "names the storage", points = 1.5 }, { says = "says that it is copied", points = -1 }]
"""
ANSWERS = {
    "ada": "All views are headers over **one storage**, so a write through one is seen by all.\n\nNothing is copied.",
    "bob <b>": "<script>document.title = 'taken'</script> because\x07 of \u202ethe copy",
    "carl": "Views copy when they are needed.",
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MarkingServer]:
    folder = make_class(tmp_path / "class", more=QUESTION)
    course = read_course(folder)
    for name, answer in ANSWERS.items():
        (folder / "submitted" / name / "memory-02").mkdir(parents=True)
        row = Row(name, "memory-02", marks=task_of(course, course.assignments[0]).questions())
        row.marks[-1].answer = answer
        write_atomically(row_path(course, "memory-02", name), row.to_json())
    with MarkingServer(course, list(course.assignments)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def opened(chromium: Any, server: MarkingServer, **more: Any) -> tuple[Any, list[str]]:
    page = chromium.new_page(viewport={"width": 1280, "height": 800}, **more)
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(server.address)
    page.locator("#points:focus").wait_for()
    return page, faults


def saved(page: Any) -> None:
    page.get_by_text("Saved.", exact=True).wait_for()


def test_a_class_is_marked_by_the_keyboard_alone(chromium: Any, server: MarkingServer) -> None:
    page, faults = opened(chromium, server)
    said = page.locator("#progress")
    assert said.text_content() == "0 of 3 marked"
    page.keyboard.type("2")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")  # the lines of the rubric are reached too
    page.keyboard.press("Tab")
    page.keyboard.type("Well said.")
    page.keyboard.press("Control+Enter")
    assert "<script>" in page.locator("#answer").text_content()
    page.keyboard.press("a")
    page.keyboard.press("b")
    assert page.locator("#points").input_value() == "0.5"
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    page.keyboard.type("0,5")
    page.keyboard.press("Enter")
    page.get_by_text("3 of 3 marked").wait_for()
    saved(page)
    for _ in range(200):  # the words may still be those of the mark before
        manual = read_manual(server.course)
        if len(manual) == 3:
            break
        page.wait_for_timeout(50)
    assert {key[0]: hand for key, hand in manual.items()} == {
        "ada": ByHand(2, "Well said."),
        "bob <b>": ByHand(1.5, "names the storage"),
        "carl": ByHand(0.5, ""),
    }
    page.reload()
    page.get_by_text("3 of 3 marked").wait_for()
    assert page.title() != "taken"
    assert faults == []
    page.close()


def test_points_that_there_are_not_are_reported_and_not_saved(chromium: Any, server: MarkingServer) -> None:
    page, _ = opened(chromium, server)
    page.keyboard.type("3")
    page.keyboard.press("Enter")  # stays at this answer
    page.get_by_text("Not saved: 3 points are more than the 2 of why.").wait_for()
    assert page.locator("#points").input_value() == "3"
    assert page.locator("#progress").text_content() == "0 of 3 marked"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert page.locator("#points").get_attribute("aria-invalid") == "true"
    assert not (server.course.folder / "manual.csv").exists()
    page.keyboard.press("Backspace")
    page.keyboard.type("1")
    saved(page)
    assert read_manual(server.course)["ada", "memory-02", "why"].points == 1
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_grave_in_either_theme(chromium: Any, server: MarkingServer, scheme: str, width: int) -> None:
    page, _ = opened(chromium, server, color_scheme=scheme, bypass_csp=True)  # axe is a script of the test's
    page.set_viewport_size({"width": width, "height": 800})
    page.keyboard.type("a2")
    page.locator("#names").check()
    saved(page)
    assert axe.faults(page, "main") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
