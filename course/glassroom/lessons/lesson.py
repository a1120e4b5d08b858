"""`explain()`: a message of PyTorch, and the lesson on it.

The lessons are the Markdown files beside this one. Each has a heading, the fixed part of a message; the message as its
program raises it; what it means; that program; what to do; the mended program; other messages of the same cause; and
the notebook to continue with. Translations are in the folder `lessons` of a language's catalogues, with the same
messages and programs; a lesson without a translation is shown in English.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

from glassroom.records.columns import broken
from glassroom.translations import language

_HERE = Path(__file__).parent
_LESSON = re.compile(
    r"## (?P<heading>[^\n]+)\n\n```text\n(?P<message>.+?)\n```\n\n(?P<meaning>.+?)\n\n```python\n(?P<program>.+?)"
    r"\n```\n\n(?P<advice>.+?)\n\n```python\n(?P<mended>.+?)\n```\n\n(?P<also>(?:[^\n:：`]+[:：]\s?`[^\n]+`\n\n)*)"
    r"[^\n]+? \[(?P<title>[^\n]+?)\]\([./]+/notebooks/(?P<notebook>[^\n]+)\.ipynb\)[.。]\n*",
    re.DOTALL,
)

_SAME = (
    "message",
    "program",
    "mended",
    "also",
    "notebook",
)  # the parts that translations have from the English lessons

# The variable parts of messages: lengths, shapes, dtypes, devices.
_VARIES = re.compile(
    r"\[[^\]]*\]|\b\w*\d\w*\b|\b(?:float|double|half|long|int|short|char|byte|bool|cuda|cpu|mps|meta)\b"
)


@dataclass(frozen=True)
class Lesson:
    """One message: what it means, a program that raises it, and the same program mended."""

    heading: str
    message: str
    meaning: str
    program: str
    advice: str
    mended: str
    also: tuple[str, ...]
    notebook: str  #: its place in the course, without the ending: "1_memory/07_view_or_reshape"
    title: str  #: the notebook's number and title

    def __repr__(self) -> str:
        rule = "-" * 88
        parts = [self.heading, _filled(self.meaning), "This program raises it:", _indented(self.program)]
        parts += [_filled(self.advice), _indented(self.mended), f"The notebook that goes on: {self.notebook}"]
        return "\n\n".join([rule, *parts, rule])

    def _repr_markdown_(self) -> str:
        return (
            f"#### `{self.heading}`\n\n{self.meaning}\n\nThis program raises it:\n\n```python\n{self.program}\n```\n\n"
            f"{self.advice}\n\n```python\n{self.mended}\n```\n\nGoes on in [{self.title}](../{self.notebook}.ipynb)."
        )


def explain(error: BaseException | str | None = None) -> Lesson:
    """The lesson on an error of PyTorch: an exception, or a message with or without its traceback. Without `error`, the
    last uncaught one, such as that of the cell before. Raises ValueError if there is none, or if no lesson covers it;
    the message then names the nearest lessons.
    """
    raised = error if error is not None else getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if raised is None:
        raise ValueError("there is no error to explain: explain() comes after one, or takes one or its message")
    words = _words(str(raised))
    matches = [(len(of), lesson) for lesson in lessons() for of in _fixed(lesson) if _stand_in(of, words)]
    if matches:
        return max(matches, key=lambda pair: pair[0])[1]
    near = "".join(f"\n  {lesson.heading}" for lesson in _nearest(words))
    raise ValueError("no lesson is on this message" + (f". The nearest are on:{near}" if near else ""))


def lessons() -> tuple[Lesson, ...]:
    """Every lesson, file by file, in the language of this process if it is translated."""
    return _lessons(language.catalogues_spoken())


@cache
def _lessons(catalogues: Path | None) -> tuple[Lesson, ...]:
    translated = {lesson.heading: lesson for lesson in _read(catalogues / "lessons")} if catalogues else {}
    return tuple(translated.get(lesson.heading, lesson) for lesson in _read(_HERE))


def _read(folder: Path) -> Iterator[Lesson]:
    for path in sorted(folder.glob("*.md")):
        for section in _sections(path):
            if (lesson := _lesson(section)) is not None:
                yield lesson


def _lesson(section: str) -> Lesson | None:
    match = _LESSON.fullmatch(section)
    if match is None:
        return None
    parts = match.groupdict()
    return Lesson(also=tuple(re.findall("`(.+)`", parts.pop("also"))), **parts)


def _sections(path: Path) -> list[str]:
    """The text of each lesson in a file, with its heading."""
    return re.split(r"^(?=## )", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]


def unread(folder: Path) -> Iterator[tuple[str, str]]:
    """The lessons in a folder of translations that are none: the name of the file and the heading of each, if it has
    not the parts of a lesson, or another message, program or list of messages than the English one."""
    english = {lesson.heading: lesson for lesson in _read(_HERE)}
    for path in sorted(folder.glob("*.md")):
        for section in _sections(path):
            heading = section.partition("\n")[0].removeprefix("## ")
            told, ours = _lesson(section), english.get(heading)
            if told is None or ours is None or any(getattr(told, part) != getattr(ours, part) for part in _SAME):
                yield path.name, heading


def _fixed(lesson: Lesson) -> list[list[str]]:
    return [_words(text) for text in (lesson.heading, *lesson.also)]


def _words(text: str) -> list[str]:
    """The words of a message that do not depend on the tensors: line breaks may be anywhere between them."""
    return re.findall(r"[a-z_]+", _VARIES.sub(" ", text.lower()))


def _stand_in(these: list[str], words: list[str]) -> bool:
    return any(words[at : at + len(these)] == these for at in range(len(words) - len(these) + 1))


def _nearest(words: list[str], count: int = 3) -> list[Lesson]:
    """The lessons that share most of their words with a message, in its order; none that shares less than half."""
    shared = []
    for lesson in lessons():
        fixed = _words(lesson.heading)
        blocks = SequenceMatcher(None, words, fixed, autojunk=False).get_matching_blocks()
        shared.append((sum(block.size for block in blocks) / len(fixed), lesson))
    shared.sort(key=lambda pair: pair[0], reverse=True)
    return [lesson for share, lesson in shared[:count] if share >= 0.5]


def _filled(text: str) -> str:
    return "\n".join(broken(" ".join(text.split()), 88))


def _indented(code: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in code.splitlines())
