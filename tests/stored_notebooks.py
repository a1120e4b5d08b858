"""The course's notebooks as they are stored, by their places: "3_autograd/06_in_place_and_versions.ipynb"."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS: dict[str, dict[str, Any]] = {
    path.relative_to(FOLDER).as_posix(): json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("[0-9]_*/*.ipynb"))
}
START_PAGE = "1_memory/00_start_here.ipynb"
CONTENTS = "contents.ipynb"
NOTEBOOKS_AND_CONTENTS = {**NOTEBOOKS, CONTENTS: json.loads((FOLDER / CONTENTS).read_text(encoding="utf-8"))}


def cells(place: str, kind: str) -> list[str]:
    """The sources of a notebook's cells of one kind, "markdown" or "code"."""
    return ["".join(cell["source"]) for cell in NOTEBOOKS_AND_CONTENTS[place]["cells"] if cell["cell_type"] == kind]


def prose(place: str) -> str:
    return "\n".join(cells(place, "markdown"))


def about(place: str) -> Any:
    """What a notebook says of itself: title, articles, questions, minutes."""
    return NOTEBOOKS[place]["metadata"]["glassroom"]


def number(place: str) -> str:
    """Of "3_autograd/06_in_place_and_versions.ipynb": "06"."""
    return place.split("/")[1][:2]


def links(place: str, text: str) -> list[str]:
    """The places of the notebooks that a text in the notebook at `place` links to, in its order."""
    targets = re.findall(r"\]\(([^)#\s]+\.ipynb)", text)
    paths = [(FOLDER / place).parent.joinpath(target).resolve() for target in targets]
    return [path.relative_to(FOLDER).as_posix() for path in paths]
