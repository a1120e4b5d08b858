"""Which notebook of the course a delivered file is."""

from __future__ import annotations

from pathlib import Path

from glassroom.classroom.collecting.items import Item
from glassroom.classroom.collecting.names import plain_name
from glassroom.classroom.course_file import Course
from glassroom.classroom.submission import Unreadable, marks_of, read_notebook
from glassroom.classroom.unnamed_cells import checked_in
from glassroom.records.printable import printable
from glassroom.workspace.notebook_json import parse, source


class CourseFiles:
    """The course's assignments, by which a file's assignment is found: by its path, its name, or its cells."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.by_file: dict[str, tuple[str, str]] = {}
        self.by_exercise: dict[str, tuple[str, str]] = {}
        self.by_cell: dict[str, tuple[str, str]] = {}
        for assignment in course.assignments:
            for notebook in assignment.notebooks:
                name = Path(notebook).name
                self.by_file.setdefault(name.casefold(), (assignment.name, name))
                path = course.folder / "source" / assignment.name / name
                for cell in parse(path.read_bytes())["cells"] if path.is_file() else []:
                    marks = marks_of(cell)
                    if marks.get("grade") or marks.get("solution"):
                        self.by_exercise.setdefault(marks["grade_id"], (assignment.name, name))
                        self.by_cell.setdefault(str(cell.get("id")), (assignment.name, name))

    def place(self, item: Item, fallback: str) -> tuple[str, str, str, str]:
        """(assignment, the notebook's proper name, what is odd about it, how it was recognized under another name); the
        assignment is "" if it cannot be found."""
        plain = plain_name(item.name)
        by_cells = self._by_cells(item.content)
        if isinstance(by_cells, str):
            exact = self._within(item.assignment or fallback, plain) or self.by_file.get(plain.casefold())
            if exact:  # graded under the name it has; its row will say that it cannot be read
                return *exact, f"taken for {exact[1]} by its name, but {by_cells}", ""
            return "", "", f"{by_cells}; kept in collected/", ""
        exact = self._within(item.assignment or fallback, plain) or (
            None if by_cells else self.by_file.get(plain.casefold())
        )
        if by_cells and (not exact or exact != by_cells):
            other = self.by_file.get(plain.casefold(), by_cells)
            if other != by_cells and item.name != by_cells[1]:  # the name is another notebook's
                return *by_cells, f"named {printable(item.name)}, taken for {by_cells[1]} by its cells", ""
            return *by_cells, "", "" if item.name == by_cells[1] else f"recognized as {by_cells[1]} by its cells"
        if exact:
            return *exact, "", "" if item.name == exact[1] else f"recognized as {exact[1]}"
        return "", "", "which assignment it is cannot be told (name one with --assignment); kept in collected/", ""

    def _within(self, assignment: str, name: str) -> tuple[str, str] | None:
        for candidate in self.course.assignments:
            if candidate.name == assignment:
                names = {Path(notebook).name.casefold(): Path(notebook).name for notebook in candidate.notebooks}
                if name.casefold() in names:
                    return assignment, names[name.casefold()]
        return None

    def _by_cells(self, content: bytes) -> tuple[str, str] | str | None:
        try:
            notebook = read_notebook(content)
            votes: dict[tuple[str, str], int] = {}
            for cell in notebook["cells"]:
                id = marks_of(cell).get("grade_id", "")
                named = self.by_exercise.get(id) or self.by_cell.get(str(cell.get("id")))
                checked = [self.by_exercise.get(id) for id in checked_in(source(cell))]
                for place in [named] if named else checked:
                    if place:
                        votes[place] = votes.get(place, 0) + 1
        except Unreadable as reason:
            return f"not a notebook: {reason}"
        except Exception as error:  # whatever one file holds, the others are still collected
            return f"not a notebook: reading it raised {type(error).__name__}"
        return max(votes, key=lambda place: votes[place]) if votes else None
