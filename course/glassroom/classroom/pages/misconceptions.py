"""What a class gets wrong, in the checks' own sentences: sentences that differ only in numbers are one mistake."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from glassroom.classroom.grading import Row
from glassroom.translations import catalogue
from glassroom.translations.language import languages

_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")
_WAITS = re.compile(r"waits? for your answer")


@dataclass
class Mistake:
    """A sentence of a check, the learners who got it, and the answer of one of them, without comments and names."""

    exercise: str
    message: str
    learners: list[str] = field(default_factory=list)
    example: str = ""


def mistakes(rows: Iterable[Row]) -> list[Mistake]:
    """The mistakes of a class, the most frequent first. Answers that were never given do not count."""
    by_message: dict[tuple[str, str], Mistake] = {}
    for row in rows:
        for mark in row.marks:
            if (
                mark.part is None
                or mark.part >= 1
                or mark.how not in ("apart", "beside")  # it was not judged
                or _is_unanswered(mark.message)
                or mark.id != mark.exercise
            ):
                continue
            mistake = by_message.setdefault(
                (mark.exercise, _kind_of(mark.message)), Mistake(mark.exercise, mark.message)
            )
            mistake.learners.append(row.learner)
            mistake.example = mistake.example or anonymised(mark.answer)
    return sorted(by_message.values(), key=lambda mistake: (-len(mistake.learners), mistake.exercise, mistake.message))


def unanswered(row: Row) -> list[str]:
    """The exercises that a learner has not answered."""
    return [mark.id for mark in row.marks if mark.part == 0 and _is_unanswered(mark.message)]


def _is_unanswered(message: str) -> bool:
    """Whether a check says that an answer is still open, in whichever language it was marked."""
    return _WAITS.search(message) is not None or any(words in message for words in _waits_in_other_languages())


@cache
def _waits_in_other_languages() -> list[str]:
    """What a check says of an open answer in every other language: the longest words between the sentence's values."""
    return [
        max(re.split(r"\{[^{}]*\}", said), key=len)
        for language in languages().values()
        for (_, text), said in catalogue.read(language.folder / "exercises.po").items()
        if "{waits} for your answer" in text
    ]


def anonymised(code: str, most: int = 600) -> str:
    """An answer without comments and strings, since people write their names in them."""
    try:
        tree = ast.parse(code)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
                node.value = "…" if isinstance(node.value, str) else b"..."
        return ast.unparse(tree)[:most]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _without_comments(code)[:most]


def _without_comments(code: str) -> str:
    try:
        tokens = [
            token for token in tokenize.generate_tokens(io.StringIO(code).readline) if token.type != tokenize.COMMENT
        ]
        return tokenize.untokenize(tokens).strip()
    except (tokenize.TokenError, SyntaxError, ValueError, IndentationError):
        return ""


def _kind_of(message: str) -> str:
    return _NUMBER.sub("#", message)
