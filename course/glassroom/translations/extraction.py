"""Assigning sentences to catalogues. Each notebook has a catalogue, which includes its exercises' sentences; the others
are one for each room of the course with text that people read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from glassroom.translations import notebooks, notes, scripts, templates
from glassroom.translations.catalogue import Message
from glassroom.translations.homes import PACKAGE, home

_IN_A_PART = re.compile(r"\d_\w+/\d+_\w+\.ipynb")


def catalogues(folder: Path, library: Path, wanted: str = "") -> dict[str, list[Message]]:
    """Every message of the course, by catalogue; `folder` holds the course's notebooks, and `library`
    the modules of tensorglass. Catalogues whose name does not begin with `wanted` are listed without their messages.
    """
    by_catalogue: dict[str, list[Message]] = {}
    answers: dict[str, set[str]] = {}
    for path in sorted(folder.glob("*/*.ipynb")):
        place = PurePosixPath(path.relative_to(folder).as_posix())
        if _IN_A_PART.fullmatch(place.as_posix()):
            notebook = place.with_suffix("").as_posix()
            content = (
                json.loads(path.read_text("utf-8")) if notebook.startswith(wanted) else {"metadata": {}, "cells": []}
            )
            by_catalogue[notebook], answers[notebook] = notebooks.messages(content), notebooks.answers(content)
    for path, sentences in _modules():
        module = path.relative_to(PACKAGE).as_posix()
        name = home(module)
        if name is not None:
            told = dict.fromkeys(sentences(path.read_text("utf-8")) if name.startswith(wanted) else ())
            by_catalogue.setdefault(name, []).extend(Message(module, text) for text in told)
    for notebook, typed in answers.items():
        by_catalogue[notebook] = [_with_answers(message, typed) for message in by_catalogue[notebook]]
    of_notes = notes.sentences(library) if notes.CATALOGUE.startswith(wanted) else ()
    by_catalogue[notes.CATALOGUE] = [Message(*sentence) for sentence in dict.fromkeys(of_notes)]
    return by_catalogue


def _with_answers(message: Message, typed: set[str]) -> Message:
    """The message, which names the answers that its text has in quotation marks."""
    return replace(message, typed=tuple(sorted(each for each in typed if f'"{each}"' in message.text)))


def _modules() -> Iterator[tuple[Path, Callable[[str], list[str]]]]:
    """The modules with text that people read, and what finds the sentences in their code."""
    yield from ((path, templates.sentences) for path in sorted(PACKAGE.rglob("*.py")))
    yield from ((path, scripts.sentences) for path in sorted(PACKAGE.rglob("*.js")))
