"""Assigning sentences to catalogues. Each notebook has a catalogue, which includes its exercises' sentences; the others
are one for each room of the course with text that people read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from glassroom.translations import notebooks, notes, scripts, templates
from glassroom.translations.catalogue import Message
from glassroom.translations.homes import PACKAGE, home

_IN_A_PART = re.compile(r"\d_\w+/\d+_\w+\.ipynb")


def catalogues(folder: Path, library: Path) -> dict[str, list[Message]]:
    """Every message of the course, by catalogue; `folder` holds the course's notebooks, and `library`
    the modules of tensorglass.
    """
    by_catalogue: dict[str, list[Message]] = {}
    answers: dict[str, set[str]] = {}
    for path in sorted(folder.glob("*/*.ipynb")):
        place = PurePosixPath(path.relative_to(folder).as_posix())
        if _IN_A_PART.fullmatch(place.as_posix()):
            notebook = json.loads(path.read_text("utf-8"))
            name = place.with_suffix("").as_posix()
            by_catalogue[name], answers[name] = notebooks.messages(notebook), notebooks.answers(notebook)
    for module, sentences in _modules():
        if (home_of_it := home(module)) is not None:
            told = dict.fromkeys(sentences)
            by_catalogue.setdefault(home_of_it, []).extend(Message(module, text) for text in told)
    for name, typed in answers.items():
        by_catalogue[name] = [_with_answers(message, typed) for message in by_catalogue[name]]
    by_catalogue[notes.CATALOGUE] = [Message(*sentence) for sentence in dict.fromkeys(notes.sentences(library))]
    return by_catalogue


def _with_answers(message: Message, typed: set[str]) -> Message:
    """The message, which names the answers that its text has in quotation marks."""
    return replace(message, typed=tuple(sorted(each for each in typed if f'"{each}"' in message.text)))


def _modules() -> Iterator[tuple[str, list[str]]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), templates.sentences(path.read_text("utf-8"))
    for path in sorted(PACKAGE.rglob("*.js")):
        yield path.relative_to(PACKAGE).as_posix(), scripts.sentences(path.read_text("utf-8"))
