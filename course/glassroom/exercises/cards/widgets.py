"""The two widgets: one that takes the answers to predictions, and one that gives hints."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from glassroom.exercises.cards.card import SHEET
from glassroom.exercises.prediction import NUMBERS
from glassroom.live.embed import module_of, style_of
from glassroom.translations.templates import as_is

HERE = Path(__file__).parent
CHOICES = {
    "memory": ["view", "copy"],
    "contiguous": ["True", "False"],
    "error": ["none", as_is("an error")],
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


#: Questions whose answer is True or False, recognised by their words; for others two buttons would mislead.
YES_OR_NO = re.compile(
    r"吗|是否|能否|"
    r"True|False|equal|requires_grad|is_leaf|(?:^|[,.:;?] |\band )(?:is|are|does|do|can|has|have|will|may)\b",
    re.IGNORECASE,
)


def field_of(kind: str, question: str) -> dict[str, Any]:
    """How an answer is given: the buttons, and the placeholder of the field if it can be typed."""
    choices = [] if kind == "value" and not YES_OR_NO.search(question) else CHOICES.get(kind, [])
    hint = TYPED.get(kind, "")
    return {"kind": kind, "choices": choices, "hint": f"or {hint}" if choices and kind == "value" else hint}


def _form(question: str, said: Mapping[str, str]) -> dict[str, Any]:
    return {"question": question, "fields": [field_of(kind, question) for kind in said]}


def _given(place: int, said: Mapping[str, str]) -> dict[str, str]:
    return {f"{place} {kind}": typed for kind, typed in said.items() if typed}


class Asking(anywidget.AnyWidget):
    """Takes the answers to predictions, and hands them on as they are given: `take(0, "memory", "view")`.

    `said` are answers as they would be typed, by kind; "" where there is none. An answer is known by the place of its
    question and its kind: "0 memory".
    """

    _esm = module_of(HERE / "asking.js")
    _css = style_of(SHEET)
    questions: Any = traitlets.List().tag(sync=True)
    answers: Any = traitlets.Dict().tag(sync=True)
    noted = traitlets.Unicode().tag(sync=True)
    closed = traitlets.Bool(False).tag(sync=True)  # nothing is asked or shown any more

    def __init__(self, take: Callable[[int, str, object], str], question: str, said: Mapping[str, str]) -> None:
        super().__init__(questions=[_form(question, said)], answers=_given(0, said))
        self._take = take

    def ask(self, question: str, said: Mapping[str, str]) -> None:
        """One more question."""
        with self.hold_sync():
            self.answers = {**self.answers, **_given(len(self.questions), said)}
            self.questions = [*self.questions, _form(question, said)]

    @traitlets.observe("answers")
    def _hand_on(self, change: Any) -> None:
        before = change["old"] if isinstance(change["old"], dict) else {}
        for key, typed in change["new"].items():
            place, _, kind = key.partition(" ")
            if before.get(key) != typed and hasattr(self, "_take") and int(place) < len(self.questions):
                self.noted = self._take(int(place), kind, value_of(kind, typed))


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
    """The value of what was typed or chosen, as if the learner had written it into the cell."""
    text = typed.strip()
    if not text:
        return ...
    if kind in ("memory", "error", "dtype"):
        return text.strip("\"'")
    if kind in NUMBERS and _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    try:
        return _computed(ast.parse(_IMAGINARY.sub("j", text), mode="eval").body)
    except (ArithmeticError, LookupError, ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return text


_THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d*)?")
_IMAGINARY = re.compile(r"(?<=\d)i\b")
_WORDS = {"nan": math.nan, "NaN": math.nan, "inf": math.inf}
_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}


def _computed(node: ast.expr) -> Any:
    """The value of a literal, in which numbers may be computed (`1000 * 8`) or be nan or infinite, as a tensor prints
    them (`nan`, `-inf`) or as Python writes them (`float("nan")`, `math.inf`)."""
    if isinstance(node, (ast.List, ast.Tuple)):
        values = [_computed(element) for element in node.elts]
        return tuple(values) if isinstance(node, ast.Tuple) else values
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_computed(node.operand)
    if isinstance(node, ast.BinOp):
        numbers = [_computed(node.left), _computed(node.right)]
        if not all(isinstance(number, (int, float, complex)) for number in numbers):
            raise TypeError  # a list times a number may fill the memory
        return _OPERATIONS[type(node.op)](*numbers)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _WORDS[node.id if isinstance(node, ast.Name) else node.attr]
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "float" and len(node.args) == 1:
        return float(ast.literal_eval(node.args[0]))
    return ast.literal_eval(node)
