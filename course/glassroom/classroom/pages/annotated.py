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


def annotated(notebook: Notebook, result: Result) -> Notebook:
    """The notebook that was handed in, with text cells added, which contain neither solutions nor hidden tests."""
    marked_up = copy.deepcopy(notebook)
    notes = {mark.id: _note(mark, result) for mark in result.row.marks}
    cells = []
    for cell in marked_up["cells"]:
        cells.append(cell)
        id = str(marks_of(cell).get("grade_id", "")).removesuffix("-answer")
        if id in notes and marks_of(cell).get("solution"):
            cells.append(_words(f"mark-{id}", notes.pop(id)))
    late = f" ({lateness(result.seconds_late)}, so × {result.factor:g})" if result.factor < 1 else ""
    head = [
        f"**{result.total:g} of {result.points:g} points**{late}",
        *map(_plain, result.row.trouble),
        *notes.values(),
    ]
    marked_up["cells"] = [_words("marks", "\n\n".join(head)), *cells]
    marked_up["nbformat"], marked_up["nbformat_minor"] = 4, 5
    return marked_up


def _note(mark: Mark, result: Result) -> str:
    earned = result.earned[mark.id]
    points = "waits for a person" if earned is None else f"{earned:g} of {mark.points:g}"
    hidden = bool(mark.exercise) and mark.id != mark.exercise
    said = "Tests beyond those in the notebook." if hidden else _plain(mark.message)
    comment = result.comments.get(mark.id, "")
    return "\n\n".join(filter(None, [f"**{mark.id}: {points}.** {said}", f"> {_plain(comment)}" if comment else ""]))


def _plain(text: str) -> str:
    """A sentence with HTML escaped."""
    return printable(text).replace("&", "&amp;").replace("<", "&lt;").replace("\n", "\n> ")


def _words(id: str, text: str) -> Notebook:
    return {"cell_type": "markdown", "id": cell_id(f"glassroom-{id}"), "metadata": {}, "source": lines(text)}
