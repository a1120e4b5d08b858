"""The two widgets: one that takes the answers to a prediction, and one that gives hints."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from glassroom.exercises.cards.card import SHEET
from glassroom.live.embed import module_of, style_of

HERE = Path(__file__).parent
CHOICES = {
    "memory": ["view", "copy"],
    "contiguous": ["True", "False"],
    "error": ["none", "an error"],
    "value": ["True", "False"],
}
TYPED = {
    "shape": "such as (2, 3)",
    "stride": "such as (3, 1)",
    "offset": "an integer",
    "nbytes": "an integer",
    "dtype": "such as torch.float32",
    "value": "a number, or a list",
    "error": "or its name",
}


#: Questions whose value is True or False, as far as their words tell; for the others two buttons would mislead.
YES_OR_NO = re.compile(
    r"True|False|equal|requires_grad|is_leaf|(?:^|[,.:;?] |\band )(?:is|are|does|do|can|has|have|will|may)\b",
    re.IGNORECASE,
)


def _field(kind: str, question: str) -> dict[str, Any]:
    """How an answer is given: the buttons, and what stands in the field where it can be typed."""
    choices = [] if kind == "value" and not YES_OR_NO.search(question) else CHOICES.get(kind, [])
    hint = TYPED.get(kind, "")
    return {"kind": kind, "choices": choices, "hint": f"or {hint}" if choices and kind == "value" else hint}


class Asking(anywidget.AnyWidget):
    """Takes the answers to a prediction, and hands them on as they are given; `text` stands for it elsewhere."""

    _esm = module_of(HERE / "asking.js")
    _css = style_of(SHEET)
    question = traitlets.Unicode().tag(sync=True)
    fields: Any = traitlets.List().tag(sync=True)
    answers: Any = traitlets.Dict().tag(sync=True)
    noted = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        question: str,
        answers: Mapping[str, object],
        said: Mapping[str, str],
        answer: Callable[[str, object], str],
    ) -> None:
        fields = [_field(kind, question) for kind in answers]
        given = {kind: said[kind] for kind, each in answers.items() if each is not ...}
        super().__init__(question=question, fields=fields, answers=given)
        self._answer = answer

    @traitlets.observe("answers")
    def _hand_on(self, change: Any) -> None:
        before = change["old"] if isinstance(change["old"], dict) else {}
        for kind, typed in change["new"].items():
            if before.get(kind) != typed and hasattr(self, "_answer"):
                self.noted = self._answer(kind, value_of(kind, typed))


class Hinting(anywidget.AnyWidget):
    """A button that gives the next hint."""

    _esm = module_of(HERE / "hinting.js")
    _css = style_of(SHEET)
    rungs: Any = traitlets.List().tag(sync=True)
    hints: Any = traitlets.List().tag(sync=True)
    asked = traitlets.Int(0).tag(sync=True)

    def __init__(
        self, rungs: list[str], taken: list[tuple[str, str, bool]], given: Callable[[int], tuple[str, str, bool]]
    ) -> None:
        super().__init__(rungs=rungs, hints=taken)
        self._given = given

    @traitlets.observe("asked")
    def _give(self, change: Any) -> None:
        if len(self.hints) < len(self.rungs):
            self.hints = [*self.hints, self._given(len(self.hints))]


def value_of(kind: str, typed: str) -> object:
    """What was typed or chosen, as a learner would have written it into the cell."""
    text = typed.strip()
    if not text:
        return ...
    if kind in ("memory", "error", "dtype"):
        return text.strip("\"'")
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
