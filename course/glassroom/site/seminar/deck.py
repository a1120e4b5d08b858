"""From a notebook that has run to slides: a heading, or a text with the code below it, is one.

A slide is shown in steps. What a prediction comes to, and the solution of an exercise, are steps of their own, so that
a class thinks first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from glassroom.exercises.cards.card import PREDICTIONS
from glassroom.exercises.cards.widgets import field_of
from glassroom.site.pages import MARKER
from glassroom.site.seminar.rendering import code_html, output_html, text_html
from glassroom.translations.notebooks import WAY
from glassroom.translations.templates import word
from glassroom.workspace.notebook_json import Notebook, source
from glassroom.workspace.without_solutions import without_answers, without_solutions

HEADING = re.compile(r"#{1,6} +(.*?)[ #]*$")
FENCE = re.compile(r" {0,3}(```+|~~~+)")


@dataclass
class Question:
    """What a prediction asks: each field with its kind, its choices, and what can be typed instead."""

    text: str
    fields: list[dict[str, Any]]
    truth: dict[str, str] = field(default_factory=dict)  # as cards write it, by kind; nothing until a cell reveals it


@dataclass
class Step:
    """A part of a slide that comes at one key. It asks these questions, or tells what is true of those."""

    html: str = ""
    asks: list[int] = field(default_factory=list)
    reveals: list[int] = field(default_factory=list)


@dataclass
class Slide:
    """A heading's text on one side, and what its cells do, step by step, on the other."""

    title: str
    text: str = ""
    steps: list[Step] = field(default_factory=lambda: [Step()])

    @property
    def is_empty(self) -> bool:
        return not self.text and not any(step.html for step in self.steps)


@dataclass
class Deck:
    """All slides of a notebook, and the questions on them, which have their places in the list for names."""

    title: str
    slides: list[Slide]
    questions: list[Question]


def deck_of(notebook: Notebook, name: str, folder: Path) -> Deck:
    """The slides of a notebook with live outputs; `folder` is where it lies, and pictures beside it."""
    making = _Making(name, folder)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            words = "\n".join(line for line in source(cell).split("\n") if not WAY.fullmatch(line))
            for title, text in sections(words):
                making.begin(title, text_html(text, folder, cell.get("attachments")))
        elif cell["cell_type"] == "code" and source(cell).strip():
            making.add(cell)
    slides = [slide for slide in making.slides if not slide.is_empty]
    return Deck(slides[0].title if slides else name, slides or [Slide(name)], making.questions)


def sections(text: str) -> Iterator[tuple[str, str]]:
    """Markdown, parted before its headings; with each part the heading's words, or nothing."""
    parts: list[list[str]] = [[]]
    fence = ""
    for line in text.split("\n"):
        fenced = FENCE.match(line)
        if fenced:
            fence = "" if fence and fenced[1].startswith(fence) else fence or fenced[1]
        if not fence and HEADING.match(line) and any(part.strip() for part in parts[-1]):
            parts.append([])
        parts[-1].append(line)
    for part in parts:
        if any(line.strip() for line in part):
            heading = HEADING.match(next(line for line in part if line.strip()))
            yield re.sub(r"[*`]|\]\([^)]*\)|\[", "", heading[1]) if heading else "", "\n".join(part)


class _Making:
    """The slides so far, while cells come."""

    def __init__(self, name: str, folder: Path) -> None:
        self.folder = folder
        self.slides = [Slide(name)]
        self.questions: list[Question] = []
        self.waits = False  # whether what comes next is shown by a key of its own

    def begin(self, title: str, text: str) -> None:
        """Begin a slide; one without a heading goes on with the section before."""
        self.slides.append(Slide(title or self.slides[-1].title, text))
        self.waits = False

    def add(self, cell: Notebook) -> None:
        """Put a cell on the slide: its questions, and in a further step its results."""
        code = source(cell)
        step = self._step()
        step.html += code_html(_asked_of(code))
        if MARKER.search(code):
            self.waits = True
            step = self._step()
            step.html += f'<p class="answer">{word("solution").capitalize()}</p>{code_html(MARKER.sub("", code))}'
        for output in cell["outputs"]:
            if "told" in _data(output):
                step = self._step()
            self._output(step, output)

    def _step(self) -> Step:
        steps = self.slides[-1].steps
        if self.waits:
            steps.append(Step())
            self.waits = False
        return steps[-1]

    def _output(self, step: Step, output: Notebook) -> None:
        data = _data(output)
        for question in data.get("asked", ()):
            step.asks.append(len(self.questions))
            step.html += self._asked(str(question["question"]), question["kinds"], question.get("among", ()))
            self.waits = True
        for question in data.get("told", ()):
            self._told(step, question)
        if not data:
            step.html += output_html(output, self.folder)

    def _told(self, step: Step, told: Mapping[str, Any]) -> None:
        """The true answers, in place of the card that compares them with the notebook's own answers."""
        rows = "".join(
            f"<li><b>{escape(kind)}</b> <code>{escape(truth)}</code></li>" for kind, truth in told["truth"].items()
        )
        raised = f"<pre>{escape(told['raised'])}</pre>" if told.get("raised") else ""
        bars = ""
        for number, question in reversed(list(enumerate(self.questions))):
            if question.text == told["question"]:
                question.truth = dict(told["truth"])
                step.reveals.append(number)
                bars = f'<div class="votes" data-question="{number}"></div>'
                break
        words = f"<p>{prose(told['question'])}</p><ul>{rows}</ul>{raised}{bars}"
        step.html += f'<section class="told" aria-label="{escape(word("truth"))}">{words}</section>'

    def _asked(self, text: str, kinds: Sequence[str], among: Sequence[str]) -> str:
        fields = [field_of(kind, among) for kind in kinds]
        self.questions.append(Question(text, fields))
        rows = "".join(f"<li><b>{escape(field['kind'])}</b> {_choices(field)}</li>" for field in fields)
        number = len(self.questions) - 1
        return (
            f'<section class="asked" aria-label="{escape(word("Prediction"))}"><p>{prose(text)}</p><ul>{rows}</ul>'
            f'<div class="votes" data-question="{number}"></div></section>'
        )


def prose(text: str) -> str:
    """A sentence with its code, between backquotes, as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _choices(asked: Mapping[str, Any]) -> str:
    given = [f"<span>{escape(choice)}</span>" for choice in asked["choices"]]
    return " ".join([*given, *([f"<small>{escape(asked['hint'])}</small>"] if asked["hint"] else [])])


def _data(output: Notebook) -> Mapping[str, Any]:
    """What a card of predictions says; nothing for any other output."""
    predictions = output.get("data", {}).get(PREDICTIONS)
    return predictions if isinstance(predictions, dict) else {}


def _asked_of(code: str) -> str:
    """A cell's code as learners get it, without answers; the code itself where that is not Python."""
    try:
        return without_answers(without_solutions(code))
    except ValueError:
        return code
