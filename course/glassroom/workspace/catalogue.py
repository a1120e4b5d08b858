"""The content of the course, read from the folder of its notebooks: parts, titles, minutes, and prerequisites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from glassroom.translations import catalogue as translations
from glassroom.translations.language import catalogues_spoken
from glassroom.translations.notebooks import ABOUT, WAY
from glassroom.workspace.notebook_json import DamagedNotebook, Notebook, parse, source
from glassroom.workspace.sources import course_notebooks

IN_A_PART = re.compile(r"\d+_\w+/\d+_\w+\.ipynb")
LINK = re.compile(r"\]\(([^)#\s]+\.ipynb)")


@dataclass(frozen=True)
class Entry:
    """One notebook of a part. Its place is relative to the course's folder: "3_autograd/02_the_graph.ipynb"."""

    place: PurePosixPath
    title: str
    asks: str
    minutes: int
    needs: tuple[PurePosixPath, ...]

    @property
    def part(self) -> str:
        return self.place.parts[0]

    @property
    def number(self) -> str:
        return self.place.name[:2]

    @property
    def key(self) -> str:
        """The place without the file's ending."""
        return self.place.with_suffix("").as_posix()


def catalogue(folder: Path) -> list[Entry]:
    """Every notebook of a part under `folder`, in the order in which they are taught. Damaged ones are left out."""
    entries = []
    for path in course_notebooks(folder):
        if IN_A_PART.fullmatch(path.as_posix()):
            try:
                entries.append(_entry(PurePosixPath(path.as_posix()), parse((folder / path).read_bytes())))
            except (OSError, DamagedNotebook):
                continue
    return entries


def in_the_language(entries: Sequence[Entry]) -> list[Entry]:
    """The entries with their titles and questions in the language of this process, as far as they are translated."""
    folder = catalogues_spoken()
    if folder is None:
        return list(entries)
    told = []
    for entry in entries:
        table = translations.read(folder / f"{entry.key}.po")
        title, asks = (table.get((ABOUT, text), text) for text in (entry.title, entry.asks))
        told.append(replace(entry, title=title, asks=asks))
    return told


def parts_of(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """The notebooks by their parts, in order."""
    parts: dict[str, list[Entry]] = {}
    for entry in entries:
        parts.setdefault(entry.part, []).append(entry)
    return parts


def way_from(here: PurePosixPath, there: PurePosixPath) -> str:
    """The link from one notebook to another."""
    if here.parent == there.parent:
        return there.name
    return "/".join([*[".."] * len(here.parent.parts), *there.parts])


def _entry(place: PurePosixPath, notebook: Notebook) -> Entry:
    about = notebook["metadata"].get("glassroom", {})
    opening = source(notebook["cells"][0]) if notebook["cells"] else ""
    text = "\n".join(line for line in opening.split("\n") if not WAY.fullmatch(line))
    needs = [_resolved(place, link) for link in LINK.findall(text)]
    return Entry(
        place=place,
        title=str(about.get("title", place.stem[3:].replace("_", " "))),
        asks=str(about.get("asks") or _first_question(opening)),
        minutes=int(about.get("minutes", 0)),
        needs=tuple(dict.fromkeys(need for need in needs if need is not None)),
    )


def _first_question(opening: str) -> str:
    """The first question of the block quote that a notebook opens with."""
    quote = " ".join(line[1:].strip() for line in opening.split("\n") if line.startswith(">"))
    sentences = re.split(r"(?<=[?.!]) ", quote)
    return next((sentence for sentence in sentences if sentence.endswith("?")), quote)


def _resolved(place: PurePosixPath, link: str) -> PurePosixPath | None:
    """The place that a link in the notebook at `place` leads to; None if it leads out of the parts."""
    parts = list(place.parent.parts)
    for part in PurePosixPath(link).parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return PurePosixPath(*parts) if len(parts) == 2 else None
