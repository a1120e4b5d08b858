"""A class's answers to the question that is shown: kept in memory only, and without names.

A browser is known by a random cookie, so that it has one vote. Neither names nor addresses are kept, and which
browser has answered what is known only while its question can be answered.
"""

from __future__ import annotations

import builtins
import secrets
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from glassroom.exercises.cards.widgets import value_of
from glassroom.exercises.prediction import ANY_ERROR, UNKNOWN, as_text, mark_of
from glassroom.records.printable import printable
from glassroom.site.seminar.deck import Question

MOST_LETTERS = 60  # of one answer
MOST_BROWSERS = 1000
MOST_CHANGES = 20  # of a browser's mind, for one question
MOST_BARS = 8


class Refused(Exception):
    """A vote that does not count; the message says why, to whoever sent it."""


class Votes:
    """The answers to a deck's questions, for threads of two servers."""

    def __init__(self, questions: Sequence[Question] = ()) -> None:
        self.questions = questions
        self.turn = 0  # counts what was shown: a vote names the turn that it answers
        self._open: tuple[int, ...] = ()
        self._browsers: set[str] = set()
        self._votes: dict[int, dict[str, tuple[str, ...]]] = {}  # by question and browser
        self._changes: Counter[str] = Counter()
        self._counted: dict[int, list[Counter[str]]] = {}  # of questions that are closed
        self._lock = threading.Lock()

    def show(self, asked: Sequence[int]) -> None:
        """From now on these questions can be answered, and no others."""
        with self._lock:
            if tuple(asked) == self._open:
                return
            for number in self._open:
                self._counted[number] = self._counts(number)
                self._votes.pop(number, None)
            self._open = tuple(asked)
            for number in self._open:  # a question that is shown again starts without votes
                self._counted.pop(number, None)
            self._changes.clear()
            self.turn += 1

    def new_browser(self) -> str:
        """The cookie of a browser that has none. Raises `Refused` where there are too many."""
        with self._lock:
            if len(self._browsers) >= MOST_BROWSERS:
                raise Refused("There are too many browsers here already.")
            cookie = secrets.token_urlsafe(18)
            self._browsers.add(cookie)
            return cookie

    def knows(self, browser: str) -> bool:
        """Whether this cookie was given out here."""
        return browser in self._browsers

    def asked(self) -> dict[str, Any]:
        """The question that is shown, for browsers: its turn, and for each part its words and fields."""
        with self._lock:
            parts = [{"question": self.questions[n].text, "fields": self.questions[n].fields} for n in self._open]
            return {"turn": self.turn, "parts": parts}

    def vote(self, browser: str, turn: object, answers: object) -> None:
        """Count a browser's answers, one for each field that is shown, in place of those that it gave before.

        Raises `Refused` for what is no such vote.
        """
        with self._lock:
            if browser not in self._browsers:
                raise Refused("This browser is not known here. Open the page again.")
            if turn != self.turn or not self._open:
                raise Refused("This question is closed.")
            shown = [(number, field) for number in self._open for field in self.questions[number].fields]
            if not (isinstance(answers, list) and len(answers) == len(shown)):
                raise Refused("This is no answer to the question that is shown.")
            said = [_answer(answer, field) for answer, (_, field) in zip(answers, shown, strict=True)]
            if not any(said):
                raise Refused("Nothing is answered.")
            self._changes[browser] += 1
            if self._changes[browser] > MOST_CHANGES:
                raise Refused("You have changed your answer too often.")
            for number in self._open:
                mine = tuple(answer for answer, (of, _) in zip(said, shown, strict=True) if of == number)
                self._votes.setdefault(number, {})[browser] = mine

    def bars(self, number: int) -> list[dict[str, Any]]:
        """A question's answers, for each field: its kind, how many have answered, and bars, the longest first.

        Every bar says whether its answer is right, None where no cell tells the truth.
        """
        question = self.questions[number]
        with self._lock:
            counts = self._counted.get(number) or self._counts(number)
        counted_kinds = []
        for field, count in zip(question.fields, counts, strict=True):
            kind = field["kind"]
            truth = question.truth.get(kind, UNKNOWN)
            known = [] if truth == UNKNOWN else [truth]
            names = list(dict.fromkeys([*field["choices"], *known, *(name for name, _ in count.most_common())]))
            names.sort(key=lambda name: -count[name])
            rows = [
                {
                    "answer": name,
                    "votes": count[name],
                    "choice": name in field["choices"],
                    "right": is_right(kind, name, truth) if known else None,
                }
                for name in names
            ]
            more = sum(row["votes"] for row in rows[MOST_BARS:])
            counted_kinds.append({"kind": kind, "voters": count.total(), "rows": rows[:MOST_BARS], "more": more})
        return counted_kinds

    def _counts(self, number: int) -> list[Counter[str]]:
        counts: list[Counter[str]] = [Counter() for _ in self.questions[number].fields]
        for answers in self._votes.get(number, {}).values():
            for count, answer in zip(counts, answers, strict=True):
                if answer:
                    count[answer] += 1
        return counts


def is_right(kind: str, answer: str, truth: str) -> bool:
    """Whether an answer says the same as the truth, as cards write both."""
    if answer == truth:
        return True
    truths = [value_of(kind, truth)]
    if kind == "error" and truth != "none":
        raised = getattr(builtins, truth, None)
        truths += [*ANY_ERROR, *(base.__name__ for base in getattr(raised, "__mro__", ()) if base is not object)]
    return mark_of(kind, value_of(kind, answer), *truths) == "✓"


def _answer(typed: object, field: Mapping[str, Any]) -> str:
    """An answer as bars name it, so that (1,4) and [1, 4] are one; nothing where a field was left."""
    if not isinstance(typed, str):
        raise Refused("This is no answer to the question that is shown.")
    if len(typed) > MOST_LETTERS:
        raise Refused(f"An answer has at most {MOST_LETTERS} letters.")
    typed = " ".join(printable(typed).split())
    if not typed:
        return ""
    if not field["hint"] and typed not in field["choices"]:
        raise Refused("This is no answer to the question that is shown.")
    value = value_of(field["kind"], typed)
    is_word = isinstance(value, str) and field["kind"] not in ("memory", "error", "dtype")
    return typed if is_word else as_text(field["kind"], value)
