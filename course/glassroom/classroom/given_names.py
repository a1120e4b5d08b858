"""The names that checks get along with the answers, and the course's own cells that bind them. A learner's cell may
rebind such a name (`tail = …`), and its answer would then be judged against a value of its own choice. So each step
lists the names that it `gives`, and those that the learner's answer `takes` over because the course's own solution does
so too. A test lists those of its names that are `changed`: bound by the course's own cells, but by no unchanged cell of
the learner's notebook.
"""

from __future__ import annotations

import ast
import contextlib
import symtable
from typing import Any

from glassroom.classroom.handout import check_call, current_name, solution_in
from glassroom.workspace.notebook_json import Notebook, source
from glassroom.workspace.without_solutions import without_answers

LONGEST_PREDICTION = 4000  # characters of a cell with predictions


def note_given_names(teachers: Notebook, steps: list[dict[str, Any]]) -> None:
    """Enter into a learner's steps the names that they give, take over and have changed.

    The teacher's cells are parsed; of the learner's, only short ones with predictions.
    """
    cells = [(cell.get("metadata", {}).get("nbgrader", {}), source(cell)) for cell in _code_cells(teachers)]
    asked = {code: asked_in(code) for _, code in cells if check_call(code)}
    wanted = {name for names in asked.values() for name in names}
    gives: dict[str, set[str]] = {}
    takes: dict[str, set[str]] = {}
    expected: dict[str, set[str]] = {}
    here: set[str] = set()
    for marks, code in cells:
        if marks.get("solution"):
            name = current_name(marks["grade_id"])
            takes[name] = _bound_in(solution_in(code)) & wanted
            here -= takes[name]
            continue
        gives[_as_handed_out(code)] = _bound_in(code) & wanted
        here |= gives[_as_handed_out(code)]
        if code in asked:
            expected[code] = asked[code] & here
    here = set()
    for step in steps:
        code = step.get("source", "")
        if "shows" in step:
            taken = takes.get(step["cell"], set()) | _bound_in(step.pop("replaces", "")) & wanted
            step["takes"] = sorted(taken)
            here -= taken
            continue
        if given := gives.get(_as_handed_out(code), set()):
            step["gives"] = sorted(given)
            here |= given
        if step["do"] == "test" and (changed := expected.get(code, set()) - here):
            step["changed"] = sorted(changed)


def _code_cells(notebook: Notebook) -> list[Notebook]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _as_handed_out(code: str) -> str:
    """A cell's text without the learner's predictions; unchanged if it is too long to be parsed safely."""
    if len(code) <= LONGEST_PREDICTION:
        with contextlib.suppress(ValueError, RecursionError, MemoryError):
            return without_answers(code).strip()
    return code.strip()


def asked_in(test: str) -> set[str]:
    """The names in the keyword arguments of a test's check."""
    call = check_call(test)
    assert call is not None
    return {node.id for keyword in call[1].keywords for node in ast.walk(keyword.value) if isinstance(node, ast.Name)}


def _bound_in(code: str) -> set[str]:
    """The names that a cell of the course's own binds at its top level, without its magics."""
    python = "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in code.split("\n"))
    try:
        table = symtable.symtable(python, "<cell>", "exec")
    except SyntaxError:
        return set()
    return {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
