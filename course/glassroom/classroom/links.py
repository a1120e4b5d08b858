"""Links between notebooks, in copies that are handed out: each assignment lies in a folder of its own.

In the course, a notebook leads to the others of its part, to other parts and to the contents page. A class has only
some of them, at other paths: links are changed to those paths, and a link to a notebook that the class does not have
becomes plain text.
"""

from __future__ import annotations

import copy
import os.path
import re
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from glassroom.classroom.course_file import Course
from glassroom.workspace.contents import WAY
from glassroom.workspace.notebook_json import Notebook, lines, source

_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)#\s]+\.ipynb)(#[^)\s]*)?\)")  # `[a `x[0]` b](c.ipynb#d)`


def places_of(course: Course, assignments: Collection[str]) -> dict[str, str]:
    """The paths of the course's notebooks in a class, relative to the folder that has all assignments."""
    return {
        name: f"{assignment.name}/{PurePosixPath(name).name}"
        for assignment in course.assignments
        if assignment.name in assignments
        for name in assignment.notebooks
    }


def relinked(notebook: Notebook, name: str, places: Mapping[str, str]) -> Notebook:
    """A copy of the course's notebook `name`, whose links lead to the `places` of the class's other notebooks."""
    linked = copy.deepcopy(notebook)
    for cell in linked["cells"]:
        if cell["cell_type"] == "markdown":
            text = source(cell)
            cell["source"] = lines(_led(_way(text, name, places), name, places))
    return linked


def _way(text: str, name: str, places: Mapping[str, str]) -> str:
    """The text, with only working links left in its line "previous · contents · next"; without the line if none
    works."""
    way = WAY.search(text)
    if way is None:
        return text
    steps = [row[0] for row in _LINK.finditer(way[0]) if _target(row[2], name, places)]
    if steps:
        return text[: way.start()] + " · ".join(steps) + text[way.end() :]
    return text[: way.start()].rstrip("\n") + "\n\n" + text[way.end() :].lstrip("\n")


def _led(text: str, name: str, places: Mapping[str, str]) -> str:
    def led(link: re.Match[str]) -> str:
        target = _target(link[2], name, places)
        return f"[{link[1]}]({target}{link[3] or ''})" if target else link[1]

    return _LINK.sub(led, text)


def _target(link: str, name: str, places: Mapping[str, str]) -> str:
    """The target of a link in the notebook `name`, from its place; "" if the class does not have that notebook."""
    there = places.get(os.path.normpath(PurePosixPath(name).parent / link).replace(os.sep, "/"))
    if there is None or name not in places:
        return ""
    return os.path.relpath(there, PurePosixPath(places[name]).parent).replace(os.sep, "/")
