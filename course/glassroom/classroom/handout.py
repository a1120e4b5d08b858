"""Notebooks of the course as nbgrader's: solution, test and manual cells with its metadata, schema 3.

A cell of the course holds what is given, a solution between markers, and a call of `check`. Here it becomes three: what
is given (locked), the solution (the learner's), and the test (locked, worth points). Questions in words become cells
that a person marks; hidden tests become locked cells whose content nbgrader takes out of the learner's copy.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from glassroom.classroom.course_file import Assignment, Explain, Hidden
from glassroom.translations.templates import as_is
from glassroom.workspace.former_ids import current
from glassroom.workspace.notebook_json import DamagedNotebook, Notebook, lines, parse, source
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.without_solutions import without_answers, without_solutions

SCHEMA = 3
_SOLUTION = re.compile(r"^###\s*BEGIN SOLUTION\s*$.*?^###\s*END SOLUTION\s*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Exercise:
    """An exercise as a cell of the course holds it: what comes before the solution, the solution, and the test."""

    id: str
    given: str
    solution: str
    test: str


def course_notebook(notebooks: Path, name: str) -> Notebook:
    """A source notebook of the course. Raises `Problem` if there is none or it is damaged."""
    try:
        return parse((notebooks / name).read_bytes())
    except OSError as error:
        raise Problem(f"The course has no notebook {name}.", Exit.USAGE) from error
    except DamagedNotebook as error:
        raise Problem(f"{notebooks / name} is damaged: {error}.") from error


def exercises_of(notebook: Notebook) -> list[Exercise]:
    """The exercises of a source notebook, in their order."""
    return [exercise for cell in notebook["cells"] if (exercise := exercise_in(cell)) is not None]


def exercise_in(cell: Notebook) -> Exercise | None:
    """The exercise that a cell of the course holds, if it holds one."""
    code = source(cell)
    match = _SOLUTION.search(code) if cell["cell_type"] == "code" else None
    if match is None:
        return None
    test = code[match.end() :].strip("\n")
    call = check_call(test)
    if call is None:
        return None
    return Exercise(call[0], code[: match.start()].strip("\n"), match[0], test)


def solution_in(code: str) -> str:
    """The text between the markers of a solution; "" if there are none."""
    match = _SOLUTION.search(code)
    return "\n".join(match[0].split("\n")[1:-1]) if match else ""


def check_call(test: str) -> tuple[str, ast.Call] | None:
    """The exercise's id and the call of `check` (or `graded_check`) that ends a test cell."""
    try:
        body = ast.parse(test).body
    except SyntaxError:
        return None
    last = body[-1] if body else None
    if not (isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and isinstance(last.value.func, ast.Name)):
        return None
    at = {"check": 0, "graded_check": 1}.get(last.value.func.id)
    if at is None or len(last.value.args) <= at:
        return None
    id = last.value.args[at]
    return (current(id.value), last.value) if isinstance(id, ast.Constant) and isinstance(id.value, str) else None


def current_name(grade_id: str) -> str:
    """nbgrader's name of a cell, with the id that its exercise has now."""
    id = grade_id.removesuffix("-answer").removesuffix("-given")
    return current(id) + grade_id[len(id) :]


def asked_for(cell: Notebook) -> list[tuple[str, str]]:
    """The exercises that a cell names in calls of `check` and `hint`; none if the cell is not plain Python."""
    if cell["cell_type"] != "code":
        return []
    try:
        tree = ast.parse(source(cell))
    except SyntaxError:  # a magic or a shell command
        return []
    return [
        (node.func.id, current(node.args[0].value))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("check", "hint")
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    ]


def source_version(notebook: Notebook, assignment: Assignment, last: bool = True) -> Notebook:
    """The teacher's notebook of an assignment, from which nbgrader makes the learners'.

    Predictions are emptied here, since nbgrader does not know them. Questions that follow no exercise end the
    `last` notebook of the assignment.
    """
    released = copy.deepcopy(notebook)
    released.get("metadata", {}).pop("widgets", None)
    cells: list[Notebook] = []
    explain = list(assignment.explain)
    for number, cell in enumerate(released["cells"]):
        asked = exercise_in(cell)
        if asked is None:
            if cell["cell_type"] == "code":
                cell["source"] = lines(without_answers(source(cell)))
                cell["outputs"], cell["execution_count"] = [], None
                if number == first_code(notebook):
                    _mark(cell, "setup", locked=True)
            cells.append(cell)
            continue
        points = assignment.points_of(asked.id)
        base = cell.get("id", f"cell-{number}")
        cells += _cells_of(asked, base, points)
        for hidden in assignment.hidden:
            if hidden.exercise == asked.id:
                cells.append(_hidden_cell(hidden))
        for question in [exercise for exercise in explain if exercise.after == asked.id]:
            cells += _question_cells(question)
    for question in explain:
        if last and not question.after:
            cells += _question_cells(question)
    released["cells"] = cells
    released["nbformat"], released["nbformat_minor"] = 4, 5
    return released


def first_code(notebook: Notebook) -> int:
    """The index of the first code cell, which imports what the others use; -1 if there is none."""
    return next((i for i, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "code"), -1)


def check_choice(assignment: Assignment, exercises: list[str]) -> None:
    """Raise `Problem` for points, questions and hidden tests that name exercises missing from the assignment."""
    for what, ids in (
        ("points", assignment.points),
        ("a question after", [exercise.after for exercise in assignment.explain if exercise.after]),
        ("a hidden test of", [hidden.exercise for hidden in assignment.hidden]),
    ):
        for id in ids:
            if id not in exercises:
                raise Problem(
                    f"course.toml has {what} {id} in {assignment.name}, which has no such exercise. "
                    f"It has: {', '.join(exercises)}."
                )


def _cells_of(exercise: Exercise, base: str, points: float) -> Iterator[Notebook]:
    if exercise.given.strip():
        given = _code(f"{base}-given", exercise.given)
        yield _mark(given, f"{exercise.id}-given", locked=True)
    stub = without_solutions(exercise.solution)
    stub = "\n".join(line for line in stub.split("\n") if line.strip() != "...")
    yield _mark(_code(base, f"{stub}\n{exercise.solution}"), f"{exercise.id}-answer", solution=True)
    test = _code(f"{base}-test", _test_source(exercise, points))
    yield (
        _mark(test, exercise.id, locked=True, grade=True, points=points)
        if points
        else _mark(test, exercise.id, locked=True)
    )


def _test_source(exercise: Exercise, points: float) -> str:
    """The test cell: the course's own, with `check` replaced by a call that returns points."""
    if not points:
        return exercise.test
    call = check_call(exercise.test)
    assert call is not None
    before = exercise.test.rindex("check(")
    test = f"{exercise.test[:before]}graded_check({points:g}, {exercise.test[before + len('check(') :]}"
    return f"from glassroom.classroom.credit import graded_check\n\n{test}"


def _hidden_cell(hidden: Hidden) -> Notebook:
    told = "A hidden test stands here when this is marked."
    tests = as_is(f"### BEGIN HIDDEN TESTS\n{hidden.code.strip()}\n### END HIDDEN TESTS")
    cell = _code(hidden.id, f"# {told}\n{tests}")
    return _mark(cell, hidden.id, locked=True, grade=True, points=hidden.points)


def _question_cells(question: Explain) -> Iterator[Notebook]:
    ask = {"cell_type": "markdown", "id": cell_id(f"{question.id}-ask"), "metadata": {}, "source": lines(question.ask)}
    yield _mark(ask, f"{question.id}-ask", locked=True)
    answer = {"cell_type": "markdown", "id": cell_id(question.id), "metadata": {}, "source": lines("YOUR ANSWER HERE")}
    yield _mark(answer, question.id, solution=True, grade=True, points=question.points)


def cell_id(name: str) -> str:
    """A name turned into a valid cell id of the notebook format."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", name)[-64:]


def _code(id: str, code: str) -> Notebook:
    return {
        "cell_type": "code",
        "id": cell_id(id),
        "metadata": {},
        "source": lines(code),
        "outputs": [],
        "execution_count": None,
    }


def _mark(
    cell: Notebook,
    grade_id: str,
    *,
    solution: bool = False,
    grade: bool = False,
    locked: bool = False,
    points: float | None = None,
) -> Notebook:
    """The cell with nbgrader's metadata, schema 3."""
    marks = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": locked,
        "schema_version": SCHEMA,
        "solution": solution,
        "task": False,
    }
    if points is not None:
        marks["points"] = points
    cell["metadata"] = {**cell.get("metadata", {}), "nbgrader": marks}
    return cell
