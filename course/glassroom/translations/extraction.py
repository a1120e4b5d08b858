"""Assigning sentences to catalogues. Each notebook has a catalogue, which includes its exercises' sentences; the others
are one for each room of the course with text that people read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
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
    for path in sorted(folder.glob("*/*.ipynb")):
        place = PurePosixPath(path.relative_to(folder).as_posix())
        if _IN_A_PART.fullmatch(place.as_posix()):
            by_catalogue[place.with_suffix("").as_posix()] = notebooks.messages(json.loads(path.read_text("utf-8")))
    for module, sentences in _modules():
        name = home(module)
        if name is not None:
            told = dict.fromkeys(sentences)
            by_catalogue.setdefault(name, []).extend(Message(module, text) for text in told)
    by_catalogue[notes.CATALOGUE] = [Message(*sentence) for sentence in dict.fromkeys(notes.sentences(library))]
    return by_catalogue


def _modules() -> Iterator[tuple[str, list[str]]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), templates.sentences(path.read_text("utf-8"))
    for path in sorted(PACKAGE.rglob("*.js")):
        yield path.relative_to(PACKAGE).as_posix(), scripts.sentences(path.read_text("utf-8"))
