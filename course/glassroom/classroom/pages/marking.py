"""The page on which a person marks answers, and its data. It is served by `glassroom.classroom.marking`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from glassroom.classroom.batch import read_rows
from glassroom.classroom.by_hand import ByHand, read_manual, said_of
from glassroom.classroom.course_file import Assignment, Course, Explain
from glassroom.classroom.grading import Mark, Row
from glassroom.classroom.pages.shell import page, text, visible
from glassroom.classroom.tables import number

_BODY = """\
<style>
{style}
</style>
<header class="bar">
  <h1>{name}: marks by hand</h1>
  <p><span id="progress"></span> <span id="status" role="status"></span></p>
  <label><input type="checkbox" id="names"> show names</label>
</header>
<div class="desk">
  <nav id="answers" aria-label="Answers"></nav>
  <section id="paper" aria-label="The answer" hidden>
    <h2 id="question"></h2>
    <p id="ask"></p>
    <p id="whose" class="muted"></p>
    <p id="doubt" class="message"></p>
    <pre id="answer" tabindex="0" aria-label="The answer's words"></pre>
    <div class="points">
      <label for="points">Points</label>
      <input id="points" inputmode="decimal" autocomplete="off" aria-describedby="most">
      <span id="most"></span>
    </div>
    <fieldset id="rubric" hidden><legend>Rubric</legend></fieldset>
    <label for="comment">Comment for the learner</label>
    <textarea id="comment" rows="4"></textarea>
    <div class="buttons">
      <button id="previous" type="button">Previous</button>
      <button id="next" type="button">Next</button>
      <button id="waiting" type="button">Next to mark</button>
    </div>
    <p class="muted keys">In the field of points: <kbd>Enter</kbd> next to mark, <kbd>↑</kbd> <kbd>↓</kbd> previous and
    next, a letter for its line of the rubric, <kbd>Tab</kbd> to the rubric and the comment. In the comment:
    <kbd>Ctrl</kbd> <kbd>Enter</kbd> next to mark, <kbd>Esc</kbd> back to the points.</p>
  </section>
  <p id="nothing" hidden>There is nothing to mark by hand.</p>
</div>
"""


def marking_page(course: Course) -> str:
    """The page itself, without answers: its script asks its server for them."""
    style, script = _sources()
    return page(f"{course.name}: marks by hand", _BODY.format(name=text(course.name), style=style), True, "", script)


@cache
def _sources() -> tuple[str, str]:
    folder = files("glassroom.classroom.pages")
    return folder.joinpath("marking.css").read_text("utf-8"), folder.joinpath("marking.js").read_text("utf-8")


def answers_to_mark(course: Course, assignments: list[Assignment]) -> list[dict[str, Any]]:
    """Every answer in words, and every mark that a person should look at, question by question, in the page's format.
    `earned` are the points from automatic marking, None if only a person can give them.
    """
    manual = read_manual(course)
    answers: list[dict[str, Any]] = []
    for assignment in assignments:
        asked = {exercise.id: exercise for exercise in assignment.explain}
        rows = list(read_rows(course, assignment.name).values())
        order = list(dict.fromkeys(mark.id for row in rows for mark in row.marks))
        waiting = [(mark, row) for row in rows for mark in row.marks if is_for_a_person(mark)]
        waiting.sort(key=lambda one: (order.index(one[0].id), one[1].learner))
        for mark, row in waiting:
            hand = said_of(manual, row.learner, row.assignment, mark.id)
            answers.append(_answer(mark, row, asked.get(mark.id), hand))
    return answers


def is_for_a_person(mark: Mark) -> bool:
    """Whether a person must give this mark, or look at it."""
    return mark.how == "hand" or mark.part is None or bool(mark.doubt)


def _answer(mark: Mark, row: Row, asked: Explain | None, hand: ByHand | None) -> dict[str, Any]:
    return {
        "learner": row.learner,
        "assignment": row.assignment,
        "id": mark.id,
        "name": visible(row.learner),
        "ask": visible(asked.ask if asked else mark.message),
        "rubric": [{"says": visible(criterion.says), "points": criterion.points} for criterion in asked.rubric]
        if asked
        else [],
        "most": mark.points,
        "earned": None if mark.part is None else number(mark.points * mark.part),
        "points": number(hand.points) if hand else "",
        "comment": hand.comment if hand else "",
        "answer": visible(mark.answer),
        "words": mark.how == "hand",
        "doubt": visible(mark.doubt),
    }
