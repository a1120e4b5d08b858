"""What each exercise asks for: the heading and the text above it in the class's notebooks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from glassroom.classroom.course_file import Assignment, Course
from glassroom.classroom.grading import task_of
from glassroom.classroom.handout import check_call
from glassroom.workspace.notebook_json import parse, source

_HEADING = re.compile(r"^(?=#{2,6} )", re.MULTILINE)
_HINT = re.compile(r"\s*[(（][^()（）]*`hint\(\"[^\"]*\"\)`[^()（）]*[)）]")  # a page has no hints
_WRAPPED = re.compile(r"(?<!\n)\n(?![\n|*>`-]|\d)")
_LINK = re.compile(r"\[([^\]\n]+)\]\([^)\n]+\)")


@dataclass(frozen=True)
class Question:
    """An exercise's heading, and what is asked below it."""

    title: str
    text: str


def questions_of(course: Course, assignment: Assignment) -> dict[str, Question]:
    """The questions of an assignment, by exercise. Raises `Problem` if it has not been released."""
    questions: dict[str, Question] = {}
    for notebook in task_of(course, assignment).notebooks.values():
        above: list[str] = []
        for cell in parse(notebook.encode())["cells"]:
            call = check_call(source(cell)) if cell["cell_type"] == "code" else None
            if call is not None:
                questions.setdefault(call[0], _question("\n\n".join(above)))
                above = []
            elif cell["cell_type"] == "markdown":
                above.append(source(cell))
    return questions


def _question(above: str) -> Question:
    last = _HEADING.split(above)[-1]
    heading, _, text = last.partition("\n") if last.startswith("##") else ("", "", last.strip().rpartition("\n\n")[2])
    plain = _LINK.sub(r"\1", _HINT.sub("", _WRAPPED.sub(" ", text.strip()))).replace("**", "")
    return Question(heading.lstrip("#").strip().replace("`", ""), plain)
