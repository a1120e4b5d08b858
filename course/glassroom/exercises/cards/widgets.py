"""The two widgets: one that takes the answers to predictions, and one that gives hints."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from glassroom.exercises.cards.card import SHEET, Asked
from glassroom.exercises.prediction import NUMBERS
from glassroom.live.embed import module_of, style_of
from glassroom.translations.templates import as_is

HERE = Path(__file__).parent
CHOICES = {"memory": ["view", "copy"], "contiguous": ["True", "False"], "error": ["none", as_is("an error")]}
#: What the empty field shows. The examples are the answer of no prediction of the course, as a test makes sure.
TYPED = {
    "shape": "such as (8, 9)",
    "stride": "such as (9, 1)",
    "offset": "an integer",
    "nbytes": "an integer",
    "dtype": "such as torch.int16",
    "value": "a number, or a list",
    "error": "or its name",
}


def field_of(kind: str, among: Sequence[str] = ()) -> dict[str, Any]:
    """How an answer is given: the buttons, and the placeholder of the field if it can be typed. `among` are the
    answers that a value is chosen from."""
    if kind == "value" and among:
        return {"kind": kind, "choices": list(among), "hint": ""}
    return {"kind": kind, "choices": CHOICES.get(kind, []), "hint": TYPED.get(kind, "")}


def _form(asked: Asked) -> dict[str, Any]:
    return {"question": asked.question, "fields": [field_of(kind, asked.among) for kind, _ in asked.said]}


def _given(place: int, said: Mapping[str, str]) -> dict[str, str]:
    return {f"{place} {kind}": typed for kind, typed in said.items() if typed}


class _Told(anywidget.AnyWidget):
    """A widget that its kernel tells further things. The page says when it is awake, and is told all of them again: it
    may have been busy for so long that it missed some.
    """

    name_of_model = traitlets.Unicode().tag(sync=True)
    awake = traitlets.Int(0).tag(sync=True)
    told: tuple[str, ...]  # the traits that the kernel changes

    def __init__(self, **state: Any) -> None:
        name = uuid4().hex
        super().__init__(model_id=name, name_of_model=name, **state)

    @traitlets.observe("awake")
    def _tell_again(self, change: Any) -> None:
        self.send_state(list(self.told))


class Asking(_Told):
    """Takes the answers to predictions, and hands them on as they are given: `take(0, "memory", "view")`.

    `said` are answers as they would be typed, by kind; "" where there is none. An answer is known by the place of its
    question and its kind: "0 memory".
    """

    _esm = module_of(HERE / "asking.js")
    _css = style_of(SHEET)
    told = ("questions", "noted", "advice", "closed")
    questions: Any = traitlets.List().tag(sync=True)
    answers: Any = traitlets.Dict().tag(sync=True)
    noted = traitlets.Unicode().tag(sync=True)
    advice: Any = traitlets.Dict().tag(sync=True)  # by answer, what is wrong with its form
    closed = traitlets.Bool(False).tag(sync=True)  # nothing is asked or shown any more

    def __init__(
        self, take: Callable[[int, str, object], tuple[str, str]], asked: Asked, said: Mapping[str, str]
    ) -> None:
        super().__init__(questions=[_form(asked)], answers=_given(0, said))
        self._take = take

    def ask(self, asked: Asked, said: Mapping[str, str]) -> None:
        """One more question."""
        with self.hold_sync():
            self.answers = {**self.answers, **_given(len(self.questions), said)}
            self.questions = [*self.questions, _form(asked)]

    @traitlets.observe("answers")
    def _hand_on(self, change: Any) -> None:
        before = change["old"] if isinstance(change["old"], dict) else {}
        for key, typed in change["new"].items():
            place, _, kind = key.partition(" ")
            if before.get(key) != typed and hasattr(self, "_take") and int(place) < len(self.questions):
                self.noted, advice = self._take(int(place), kind, value_of(kind, typed))
                self.advice = {**self.advice, key: advice}


class Hinting(_Told):
    """A button that gives the next hint."""

    _esm = module_of(HERE / "hinting.js")
    _css = style_of(SHEET)
    told = ("hints",)
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
    if kind == "contiguous" and text.lower() in _YES_AND_NO:
        return _YES_AND_NO[text.lower()]
    if kind == "shape":
        text = _BY.sub(", ", text)
    if kind == "value" and (counted := _COUNTED.fullmatch(text)):
        text = counted["number"]
    if kind in NUMBERS and _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    try:
        return _computed(ast.parse(_IMAGINARY.sub("j", text), mode="eval").body)
    except (ArithmeticError, LookupError, ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return text


_THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d*)?")
_COUNTED = re.compile(  # "600 weights"
    r"(?P<number>[-+]?\d[\d,.]*)\s+(?!([kmgt]i?b|bytes?|nan|inf|true|false)\b)[^\W\d_]{3,}", re.IGNORECASE
)
_BY = re.compile(r"(?<=\d)\s*[x×]\s*(?=\d)")  # "3 x 2" is a shape
_IMAGINARY = re.compile(r"(?<=\d)i\b")
_YES_AND_NO = {"yes": True, "no": False, "true": True, "false": False}
_WORDS = {"nan": math.nan, "NaN": math.nan, "inf": math.inf, "true": True, "false": False}
_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}


def _computed(node: ast.expr) -> Any:
    """The value of a literal, in which numbers may be computed (`1000 * 8`) or be nan or infinite, as a tensor prints
    them (`nan`, `-inf`) or as Python writes them (`float("nan")`, `math.inf`); or of a size, as `shape` prints it."""
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
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("torch.Size", "Size") and len(node.args) == 1:
        return tuple(_computed(node.args[0]))
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "float" and len(node.args) == 1:
        return float(ast.literal_eval(node.args[0]))
    return ast.literal_eval(node)
