"""Trying a class's own notebooks before anybody gets them: with the solutions, as a learner's copy, and with the hints
as answers."""

from __future__ import annotations

import copy
import tempfile
from pathlib import Path

from glassroom.classroom.handout import asked_for, course_notebook, exercises_of
from glassroom.classroom.own_course import NOTEBOOKS, files_with
from glassroom.exercises import exercises
from glassroom.exercises._answer_key import hints_of
from glassroom.translations.templates import word
from glassroom.workspace.execution import CellFailed, execute
from glassroom.workspace.notebook_json import DamagedNotebook, Notebook, lines, source
from glassroom.workspace.without_solutions import learner_copy

SOLVED, NOT_YET = "✓", word("Not yet:")


def faults_of(name: str, folder: Path) -> dict[str, list[str]]:
    """What is wrong with one of the class's own notebooks. Its exercises must have been declared."""
    notebook = course_notebook(folder / NOTEBOOKS, name)
    unknown = _undeclared(notebook)
    if unknown:
        return {word("exercises"): [f'"{id}" is declared in no file of exercises/' for id in unknown]}
    with tempfile.TemporaryDirectory(prefix="glassroom-own-") as place:
        for path, content in files_with((name,), folder).items():  # as learners have them
            target = Path(place, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        return {
            word("solutions"): _walked(notebook, Path(place), solved=True),
            word("learner's copy"): _walked(_copy_of(notebook), Path(place), solved=False),
            word("last hints"): _walked(_answered_by_hints(notebook), Path(place), solved=True),
        }


def _undeclared(notebook: Notebook) -> list[str]:
    ids = [id for cell in notebook["cells"] for _, id in asked_for(cell)]
    return [id for id in dict.fromkeys(ids) if id not in exercises()]


def _copy_of(notebook: Notebook) -> Notebook:
    try:
        return learner_copy(notebook)
    except ValueError as error:
        raise DamagedNotebook(str(error)) from error


def _answered_by_hints(notebook: Notebook) -> Notebook:
    """The notebook with the last hint of each exercise, which should be code that solves it, in place of its
    solution."""
    rehearsed = copy.deepcopy(notebook)
    exercises = {exercise.id: exercise for exercise in exercises_of(notebook)}
    for cell in rehearsed["cells"]:
        for id in {id for function, id in asked_for(cell) if function == "check"} & set(exercises):
            cell["source"] = lines(source(cell).replace(exercises[id].solution, hints_of(id)[-1]))
    return rehearsed


def _walked(notebook: Notebook, folder: Path, solved: bool) -> list[str]:
    """What goes wrong when the notebook is run: cells that raise, and verdicts other than the expected ones."""
    try:
        ran = execute(notebook, folder)
    except CellFailed as error:
        return [str(error)]
    faults = []
    for number, cell in enumerate(ran["cells"]):
        said = [str(output.get("text", "")) for output in cell.get("outputs", ())]
        for id in [id for function, id in asked_for(cell) if function == "check"]:
            verdict = next((name for name in said if name.startswith((SOLVED, NOT_YET))), "")
            if verdict.startswith(SOLVED) != solved:
                what = verdict.strip() or "its check says nothing"
                faults.append(f"cell {number}, {id}: {what if solved else 'the copy is solved before anybody answers'}")
    return faults
