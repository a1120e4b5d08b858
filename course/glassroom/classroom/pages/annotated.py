"""A learner's own notebook with its marks: a cell of points at the top, and a cell below each answer. It is returned
where a page cannot be: Canvas takes only files with the names of those that were handed in.
"""

from __future__ import annotations

import copy

from glassroom.classroom.grading import Mark
from glassroom.classroom.handout import cell_id
from glassroom.classroom.marks import Result, lateness
from glassroom.classroom.submission import marks_of
from glassroom.records.printable import printable
from glassroom.workspace.notebook_json import Notebook, lines


def annotated(notebook: Notebook, found: Result) -> Notebook:
    """The notebook that was handed in, with text cells added, which contain neither solutions nor hidden tests."""
    made = copy.deepcopy(notebook)
    notes = {mark.id: _note(mark, found) for mark in found.row.marks}
    cells = []
    for cell in made["cells"]:
        cells.append(cell)
        id = str(marks_of(cell).get("grade_id", "")).removesuffix("-answer")
        if id in notes and marks_of(cell).get("solution"):
            cells.append(_words(f"mark-{id}", notes.pop(id)))
    late = f" ({lateness(found.seconds_late)}, so × {found.factor:g})" if found.factor < 1 else ""
    head = [f"**{found.total:g} of {found.points:g} points**{late}", *map(_plain, found.row.trouble), *notes.values()]
    made["cells"] = [_words("marks", "\n\n".join(head)), *cells]
    made["nbformat"], made["nbformat_minor"] = 4, 5
    return made


def _note(mark: Mark, found: Result) -> str:
    earned = found.earned[mark.id]
    points = "waits for a person" if earned is None else f"{earned:g} of {mark.points:g}"
    hidden = bool(mark.exercise) and mark.id != mark.exercise
    said = "Tests beyond those in the notebook." if hidden else _plain(mark.message)
    comment = found.comments.get(mark.id, "")
    return "\n\n".join(filter(None, [f"**{mark.id}: {points}.** {said}", f"> {_plain(comment)}" if comment else ""]))


def _plain(text: str) -> str:
    """A sentence with HTML escaped."""
    return printable(text).replace("&", "&amp;").replace("<", "&lt;").replace("\n", "\n> ")


def _words(id: str, text: str) -> Notebook:
    return {"cell_type": "markdown", "id": cell_id(f"glassroom-{id}"), "metadata": {}, "source": lines(text)}
