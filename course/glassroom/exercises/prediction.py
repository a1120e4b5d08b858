"""Predict first, then run.

`predict` writes down what the learner believes before a cell runs; `reveal` sets it beside what is true. An answer that
was not given (`...`) is no mistake, so the notebook runs from top to bottom without any.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from glassroom.drawing.words import in_a_row
from glassroom.exercises import facts
from glassroom.exercises.cards.card import RIGHT, UNREAD, UNSAID, WRONG, Asked, Revealed
from glassroom.exercises.cards.sheet import Sheet, say, sheet_of_this_cell, tell
from glassroom.exercises.lines import in_lines
from glassroom.exercises.progress import predicted
from glassroom.live.audience import running_cell, running_code, running_request, somebody_watches, widgets_run
from glassroom.records.columns import columns, ljust
from glassroom.translations.templates import word

UNKNOWN = "–"
NOT_GIVEN: Any = object()

_TRUTHS: dict[str, Callable[[Any], Any]] = {
    "shape": facts.shape,
    "stride": facts.stride,
    "offset": facts.offset,
    "contiguous": facts.is_contiguous,
    "dtype": facts.dtype_name,
    "nbytes": facts.nbytes,
    "value": facts.values,
}
SAME_SENSE = {"shared": "view", "shares": "view", "alias": "view", "copied": "copy", "copies": "copy"}
NO_ERROR = frozenset({"no error", "no", "nothing", "no exception", "not at all", "no errors", "无", "没有", "没有错误"})
ANY_ERROR = frozenset({"error", "an error", "exception", "an exception", "some error"})
ERROR_NAME = re.compile(r"\w*(Error|error|Exception|Warning|Exit)")
AMOUNT = re.compile(r"(?P<number>\d[\d,]*(\.(?P<places>\d+))?)\s*(?P<unit>bytes?|[kmg]i?b|字节)", re.IGNORECASE)
POWERS = "kmg"  # of 1024, or of 1000
KINDS = ("memory", *_TRUTHS, "error")
NUMBERS = ("value", "offset", "nbytes")
MOST_BRACKETS = 8  # about a number, in an answer's truth; a list may hold itself
#: The examples are the answer of no prediction of the course: a test compares them with all of them.
WRITTEN_AS = {
    "memory": '"view" or "copy"',
    "shape": "a tuple such as (8, 9)",
    "stride": "a tuple such as (9, 1)",
    "offset": "an integer",
    "nbytes": "an integer",
    "contiguous": "True or False",
    "dtype": "a dtype such as torch.int16",
    "value": "a number such as 15, a list such as [7, 8, 9], or a list of rows such as [[7, 8], [9, 10]]",
    "error": 'the name of an error such as "IndexError", or "none"',
}


def _is_dtype(name: str) -> bool:
    import tensorglass  # not before a dtype is predicted: commands that mark nothing need no library

    return isinstance(getattr(tensorglass, name, None), tensorglass.dtype)


_FITS: dict[str, Callable[[Any], bool]] = {
    "memory": lambda said: said in ("view", "copy"),
    "shape": lambda said: all(int(n) == n for n in said),
    "stride": lambda said: all(int(n) == n for n in said),
    "offset": lambda said: not isinstance(said, str) and int(said) == said,
    "nbytes": lambda said: bool(_amounts(said)) if isinstance(said, str) else int(said) == said,
    "contiguous": lambda said: isinstance(said, bool),
    "dtype": _is_dtype,
    "value": lambda said: not isinstance(said, str),
    "error": lambda said: (
        said in ("none", *ANY_ERROR)
        or ERROR_NAME.fullmatch(said) is not None
        or isinstance(getattr(builtins, said, None), type)  # no error, but a class: a wrong guess
    ),
}


#: The cells that ask, each with its question, in the order of first asking: whether the answer has been revealed.
_asked: dict[tuple[str, str], bool] = {}
_told_in: dict[str, _ToldIn] = {}  # by the id of the cell that reveals
_first_told: dict[str, _FirstRun] = {}  # by the source of the cell that reveals
_reviewed: dict[str, Prediction] = {}  # by their questions: a cell that runs again asks the same one


def reviewed() -> list[Prediction]:
    """The predictions that have been revealed in this kernel together with where their answer was taught."""
    return list(_reviewed.values())


@dataclass
class _ToldIn:
    """What a cell has revealed: of each prediction in turn, the cell that asked, and the question."""

    asked: list[tuple[str, str]] = field(default_factory=list)
    request: str = ""  # of the run that counts `turn`
    turn: int = 0
    is_told: bool = True  # whether this run has judged every prediction so far

    def in_place_of(self, asked: tuple[str, str], awaited: str) -> str:
        """The question whose turn it is in this run of the cell, if `asked` is one of another cell; else "".

        `awaited` is the question whose turn it must be in a cell that has not revealed its own before.
        """
        if running_request() != self.request:
            self.request, self.turn, self.is_told = running_request(), 0, True
        self.turn += 1
        if self.turn > len(self.asked):
            if awaited:
                self.is_told = False
                return awaited
            if self.is_told:
                self.asked.append(asked)
        elif not any(asked[0] == cell or asked[1] == question for cell, question in self.asked):
            return self.asked[self.turn - 1][1]
        return ""


@dataclass(frozen=True)
class _Truth:
    """What is true of a result: in every form that an answer may have, and as it is written."""

    forms: tuple[Any, ...]
    written: str
    is_told: bool = True  # False where it cannot be told


@dataclass
class _FirstRun:
    """What a cell told when it ran for the first time: the truths of each question, and of its errors the messages."""

    request: str
    told: dict[tuple[str, str], tuple[_Truth, str]] = field(default_factory=dict)

    def of(self, question: str, kind: str, truth: _Truth, message: str) -> tuple[_Truth, str]:
        """The truth that the first run told. It is kept if it is made of plain numbers and words."""
        if running_request() == self.request and truth.is_told and facts.is_plain(truth.forms, MOST_BRACKETS):
            self.told[question, kind] = truth, message
        return self.told.get((question, kind), (truth, message))


def predict(question: str, among: Sequence[object] = (), /, **answers: object) -> Prediction:
    """Commit to answers before running a cell; `...` stands for one not given yet.

    `memory` is "view" or "copy"; `shape` and `stride` are tuples; `offset` and `nbytes` integers;
    `contiguous` is True or False; `dtype` a dtype or its name; `value` a number or nested lists; `error`
    the name of an exception's class, or of one that it belongs to, or "an error", or "none". `among` are the
    answers that `value` is chosen from, such as `(True, False)`; each is a button.
    """
    unknown = [kind for kind in answers if kind not in KINDS]
    if unknown:
        raise TypeError(f"predict() got {unknown[0]!r}; what can be predicted is {', '.join(KINDS)}")
    prediction = Prediction(question, answers, among)
    if widgets_run():
        prediction.ask()
    else:
        print(prediction)
    return prediction


class Prediction:
    """A question and the learner's answers to it. `reveal` compares them with the truth."""

    def __init__(self, question: str, answers: Mapping[str, object], among: Sequence[object] = ()) -> None:
        self.question = question
        self.answers = dict(answers)
        self.among = tuple(among)
        self.taught = ""  # the notebook that the answer was taught in, known from the revealing on
        self.right, self.said = 0, 0
        self._asked_in = running_cell()
        self._asked_anew = _asked.setdefault((self._asked_in, question), False)  # after its answer was revealed
        self._sheet: Sheet | None = None  # with the widget that asks, if there is one

    def ask(self) -> None:
        """Display buttons and fields for the answers. What is chosen is an answer as though it had been typed."""
        self._sheet = sheet_of_this_cell()
        self._sheet.ask(self)

    def take(self, kind: str, answer: object) -> tuple[str, str]:
        """Take an answer from the widget; returns what to say about all answers, and what is wrong with this one."""
        self.answers[kind] = answer
        said = self._said()
        noted = f"Noted: {word(', ').join(said)}" if said else ""
        advice = f"This is empty: no answer is noted; write {self._form(kind)}." if answer is ... else ""
        return noted, advice or (f"This cannot be read: write {self._form(kind)}." if self._misfits(kind) else "")

    @property
    def is_answered(self) -> bool:
        """Whether there is nothing more to say."""
        return len(self._said()) == len(self.answers)

    def asked(self) -> Asked:
        """The question, and what has been said."""
        said = [(kind, self._as_text(kind)) for kind in self.answers]
        return Asked(self.question, said, [str(answer) for answer in self.among])

    def typed(self) -> dict[str, str]:
        """The answers as they would be typed into the widget's fields, by kind; "" for missing ones."""
        return {kind: _typed(kind, answer) if _is_said(kind, answer) else "" for kind, answer in self.answers.items()}

    def _said(self) -> list[str]:
        return [
            f"{kind} {self._as_text(kind)}"
            for kind, said in self.answers.items()
            if _is_said(kind, said) and not self._misfits(kind)
        ]

    def _misfits(self, kind: str) -> bool:
        """Whether the answer is of a form that can never be right."""
        said = self.answers[kind]
        if said is ...:
            return False
        try:
            if kind == "value" and self.among:
                return said not in self.among
            kind = self._read_as(kind)
            return not _FITS[kind](_plain(kind, said))
        except Exception:  # an answer may be any object, and raise when it is looked at
            return True

    def _read_as(self, kind: str) -> str:
        """The kind that the answer is read as: "9.4 KiB" is a number of bytes where a value in bytes is asked for."""
        asks_for_bytes = kind == "value" and re.search("byte|字节", self.question, re.IGNORECASE)
        return "nbytes" if asks_for_bytes and _amounts(self.answers[kind]) else kind

    def _as_text(self, kind: str) -> str:
        """An answer as cards show it: one that is chosen among words is written as its button is labelled."""
        said = self.answers[kind]
        if kind == "value" and type(said) is str and said in self.among:
            return facts.shortened(said)
        return as_text(self._read_as(kind), said)

    def _form(self, kind: str) -> str:
        """How the answer is written."""
        return in_a_row([*map(repr, self.among)], word(" or ")) if kind == "value" and self.among else WRITTEN_AS[kind]

    def reveal(self, result: Any = NOT_GIVEN, of: Any = None, value: Any = NOT_GIVEN, taught: str = "") -> None:
        """Print the question, and what was said beside what is true of `result`. Never raises.

        A cell that revealed the prediction of one cell does not judge that of another, which now has its name.
        `result` is a tensor, or the very fact that was asked for (a number, a tuple), or a function without
        arguments that is called here, and whose exception is the truth for `error`, and is told. `of` is the tensor
        that `result` may be a view of. `value` is the truth for `value` where it is not the result's own. In a review,
        `taught` is the notebook that `read_again` names if this was wrong: "contiguity".
        """
        if own := self._another():
            say(
                f"Nothing is judged here: this prediction is of another question, “{self.question}”. First run again "
                f"the cell that asks “{own}”, then this one."
            )
            return
        raised: BaseException | None = None
        if callable(result) and not facts.is_tensor(result):
            try:
                result = result()
            except (Exception, SystemExit) as error:
                raised, result = error, NOT_GIVEN
        told = facts.whole_message(raised) if raised is not None else ""
        truths = {kind: _truth_of(kind, result, of, value, raised, self.among) for kind in self.answers}
        changed = []
        for kind, truth in truths.items():
            first, message = self._first_told(kind, truth, told)
            if first.written != truth.written and self._mark(kind, truth) != RIGHT:
                truths[kind] = first
                changed.append(f"{kind} {truth.written}")
                told = message if kind == "error" else told
        rows = [(kind, self._as_text(kind), truth.written, self._mark(kind, truth)) for kind, truth in truths.items()]
        marks = [row[3] for row in rows if row[3] not in ("", UNREAD)]
        self.right, self.said = marks.count("✓"), len(marks)
        predicted(self.question, self.right, self.said)
        if taught:
            self.taught = taught
            _reviewed[self.question] = self
        if changed:
            now = word(", ").join(changed)
            again = f"The truth is that of the first run of this cell, which changes what it asks about (now {now})."
            told = "\n".join(filter(None, [told, again]))
        text = "\n".join(filter(None, [in_lines(self.question), _table_of_answers(rows), in_lines(told)]))
        if self._sheet is not None:
            self._sheet.revealed(self)
        if somebody_watches():
            tell(Revealed(self.question, rows, told), text)
        else:
            print(text)

    def _another(self) -> str:
        """The question that the running cell reveals the answer of, if that is not this one; else "".

        It is the one that it told of when it ran before. In a cell that has not told of any, a prediction that was
        revealed before and then asked again is not meant where a later question waits for its answer.
        """
        cell, asked = running_cell(), (self._asked_in, self.question)
        if not cell or not self._asked_in:
            return ""
        later = list(_asked)[list(_asked).index(asked) + 1 :] if self._asked_anew else []
        awaited = [question for cell, question in later if not _asked[cell, question]]
        another = _told_in.setdefault(cell, _ToldIn()).in_place_of(asked, awaited[-1] if awaited else "")
        if not another:
            _asked[asked] = True
        return another

    def _first_told(self, kind: str, truth: _Truth, message: str) -> tuple[_Truth, str]:
        """The truth that the running cell told of this question when it ran for the first time, and the message."""
        cell = running_code()
        if not cell:
            return truth, message
        first = _first_told.setdefault(cell, _FirstRun(running_request()))
        return first.of(self.question, kind, truth, message)

    def _mark(self, kind: str, truth: _Truth) -> str:
        """How the answer is marked beside this truth."""
        said = self.answers[kind]
        mark = mark_of(self._read_as(kind), said, *truth.forms) if truth.is_told else ""
        # Where a word is the truth, another word is wrong.
        is_word = kind == "value" and not self.among and any(isinstance(form, str) for form in truth.forms)
        is_unread = truth.written != UNKNOWN and self._misfits(kind) and (not mark or (mark == WRONG and not is_word))
        return UNREAD if is_unread else mark

    def __repr__(self) -> str:
        lines = [
            f"  {kind:<10}  {self._as_text(kind)}" + (f"  (write {self._form(kind)})" if self._misfits(kind) else "")
            for kind in self.answers
        ]
        return "\n".join([in_lines(f"Prediction: {self.question}"), *lines])

    def _ipython_display_(self) -> None:
        """Nothing: what `predict` printed is the display, also where it is a cell's last line."""


def _truth_of(
    kind: str, result: Any, of: Any, value: Any, raised: BaseException | None, among: Sequence[object]
) -> _Truth:
    try:
        if kind == "value" and value is not NOT_GIVEN:
            result = value
        if kind == "error":
            truth: Any = "none" if raised is None else type(raised).__name__
        else:
            truth = _truth(kind, result, of)
        if truth is NOT_GIVEN:
            return _Truth((), UNKNOWN, is_told=False)
        shown = _in_its_digits(truth, result) if kind == "value" else truth
        forms = (truth, *_fitting(raised)) if kind == "error" else (truth, shown)
        chosen = type(shown) is str and shown in among
        return _Truth(forms, shown if chosen else _fact_written(kind, shown))
    except Exception as error:
        return _Truth((), f"cannot be told: {facts.first_line(error)}", is_told=False)


def _truth(kind: str, result: Any, of: Any) -> Any:
    if result is NOT_GIVEN:
        return NOT_GIVEN
    has_memory = facts.is_tensor(result) or facts.is_array(result)
    if kind == "memory" and has_memory:
        if not (facts.is_tensor(of) or facts.is_array(of)):
            return NOT_GIVEN
        return "view" if facts.share_memory(result, of) else "copy"
    if kind != "memory" and (has_memory or hasattr(result, "nbytes")):
        return _TRUTHS[kind](result)
    return result


def _in_its_digits(values: Any, result: Any) -> Any:
    """The values of a tensor or an array as it prints them: a float32 is 0.1."""
    return facts.in_its_digits(values, facts.dtype_name(result)) if hasattr(result, "dtype") else values


def _fitting(raised: BaseException | None) -> list[str]:
    """What else is right where this was raised: the classes that it belongs to, and "an error"."""
    if raised is None:
        return []
    return [*ANY_ERROR, *(base.__name__ for base in type(raised).__mro__ if issubclass(base, BaseException))]


def _is_said(kind: str, said: object) -> bool:
    return said is not ... and (said is not None or kind in ("error", "value"))


def _plain(kind: str, said: Any) -> Any:
    """The learner's answer in the form the truth has: `[3]`, `3` and `(3,)` are one stride."""
    if kind in ("shape", "stride"):
        return tuple(said) if isinstance(said, (tuple, list)) else (said,)
    if kind == "memory" and isinstance(said, str):
        memory = said.lower().strip().removeprefix("a ")
        return SAME_SENSE.get(memory, memory)
    if kind == "dtype":
        name = facts.dtype_name(said)
        return facts.SECOND_NAMES.get(name, name)
    if kind == "error":
        name = "none" if said is None else getattr(said, "__name__", said).strip()
        if name.lower() in NO_ERROR:
            return "none"
        return name.lower() if name.lower() in ANY_ERROR else _in_one_word(name)
    return facts.values(said)


def _in_one_word(name: str) -> str:
    """The name of an error that was written in words: "runtime error" is runtimeerror."""
    joined = re.sub(r"^an? |[ _-]", "", name)
    return joined if joined.lower() in {known.lower() for known in vars(builtins)} else name


def _amounts(said: object) -> list[tuple[float, float]]:
    """The least and the most bytes that an amount such as "9.4 KiB" may stand for, as far as it is rounded; two
    ranges for a KB, which is 1000 bytes or 1024; none for all else."""
    amount = AMOUNT.fullmatch(said.strip()) if isinstance(said, str) else None
    if amount is None:
        return []
    number, unit = float(amount["number"].replace(",", "")), amount["unit"].lower()
    power = POWERS.find(unit[0]) + 1
    bases = {0: [1], 2: [1000, 1024], 3: [1024]}[len(unit) if power else 0]
    half = 0.5 / 10 ** len(amount["places"] or "")
    return [((number - half) * base**power, (number + half) * base**power) for base in bases]


def as_text(kind: str, said: object) -> str:
    """An answer as cards show it; `UNSAID` if there is none."""
    if not _is_said(kind, said):
        return UNSAID
    try:
        if kind in ("shape", "stride") and isinstance(said, str):  # it is no tuple, and is shown as it was typed
            return facts.shortened(said)
        if kind == "nbytes" and _amounts(said):
            return str(said).strip()
        return _fact_written(kind, _plain(kind, said))
    except Exception:
        return f"an object of type {type(said).__name__}"


def _typed(kind: str, said: object) -> str:
    """An answer as it would be typed, or as its button is labelled."""
    return said if kind == "value" and type(said) is str else as_text(kind, said)


def _fact_written(kind: str, fact: object) -> str:
    if kind in ("memory", "error") and isinstance(fact, str):
        return facts.shortened(str(fact))
    if kind == "dtype" and isinstance(fact, str):
        return facts.shortened(f"torch.{fact}")
    return facts.text(fact)


def mark_of(kind: str, said: object, *truths: Any) -> str:
    """Right if it says the same as one of the truths, which are several forms of one."""
    if not _is_said(kind, said):
        return ""
    try:
        if kind == "error":
            right = _plain(kind, said).lower() in [truth.lower() for truth in truths]
        elif kind == "nbytes" and (amounts := _amounts(said)):
            right = any(least <= truth <= most for truth in truths for least, most in amounts)
        else:
            # 0 is wrong where the truth is 1e-10; what arithmetic leaves of a 0 is far below that.
            mine = _plain(kind, said)
            if isinstance(mine, str) and kind in NUMBERS and not any(isinstance(truth, str) for truth in truths):
                return ""  # "hundred" is no number that could be wrong
            forms = [_plain(kind, truth) for truth in truths]
            if kind == "value" and not isinstance(mine, (list, tuple)):
                forms += [_only_number(form) for form in forms]
            right = any(facts.same_value(mine, form, near_zero=1e-15) for form in forms)
    except Exception:
        right = False
    return "✓" if right else "✗"


def _only_number(values: Any) -> Any:
    """The number in a tensor of one element, which may be said without its brackets."""
    for _ in range(MOST_BRACKETS):
        if isinstance(values, (list, tuple)) and len(values) == 1:
            values = values[0]
    return values


def _table_of_answers(rows: list[tuple[str, str, str, str]]) -> str:
    lines = []
    table = [("", "you said", word("truth"), ""), *rows]
    widths = [max(columns(row[column]) for row in table) for column in range(3)]
    for row in table:
        cells = (ljust(cell, width) for cell, width in zip(row, widths, strict=False))
        lines.append("  ".join(["", *cells, row[3]]).rstrip())  # set in, so that the questions stand out
    return "\n".join(lines)
