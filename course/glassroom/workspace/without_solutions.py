"""From a source notebook to the learner's copy: solutions and answers removed, outputs cleared. One pure function,
notebook in, notebook out. Code between ``### BEGIN SOLUTION`` and ``### END SOLUTION`` becomes a placeholder that keeps
the cell valid Python, and the answers in a `predict` call become ``...``, so that learners must commit to an answer
before the cell runs.
"""

import ast
import copy
import re
import textwrap

from glassroom.translations.templates import word
from glassroom.workspace.notebook_json import Notebook, lines, source

PLACEHOLDER = word("# your code here")

_BEGIN = re.compile(r"\s*###\s*BEGIN SOLUTION\s*")
_END = re.compile(r"\s*###\s*END SOLUTION\s*")


def learner_copy(notebook: Notebook) -> Notebook:
    """The learner's copy of a source notebook; the source is not changed.

    Raises ValueError, naming the cell, when a marker has no partner or a solution is not Python.
    """
    learners = copy.deepcopy(notebook)
    for number, cell in enumerate(learners["cells"]):
        if cell.get("cell_type") != "code":
            continue
        try:
            cell["source"] = lines(without_answers(without_solutions(source(cell))))
        except ValueError as error:
            raise ValueError(f"cell {number}: {error}") from error
        cell["outputs"] = []
        cell["execution_count"] = None
    learners.get("metadata", {}).pop("widgets", None)
    return learners


def without_solutions(code: str) -> str:
    """`code` with a placeholder for each marked solution, which assigns ``...`` to the same names."""
    kept: list[str] = []
    solution: list[str] | None = None
    for line in code.split("\n"):
        if _BEGIN.fullmatch(line):
            if solution is not None:
                raise ValueError("a solution begins inside another one")
            solution = []
        elif _END.fullmatch(line):
            if solution is None:
                raise ValueError("a solution ends that never began")
            indent = line[: len(line) - len(line.lstrip())]
            kept += [indent + replacement for replacement in _placeholder("\n".join(solution))]
            solution = None
        elif solution is not None:
            solution.append(line)
        else:
            kept.append(line)
    if solution is not None:
        raise ValueError("a solution begins and never ends")
    return "\n".join(kept)


def without_answers(code: str) -> str:
    """`code` with the answers of every `predict` call replaced by ``...``."""
    if "predict(" not in code:
        return code
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        raise ValueError(f"its predict cannot be found, because the cell is not Python ({error.msg})") from error
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    answers = [
        answer.value
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "predict"
        for answer in call.keywords
    ]
    # ast counts columns in UTF-8 bytes. Going from the end to the beginning, earlier positions stay right.
    rows = [row.encode() for row in code.split("\n")]
    for answer in sorted(answers, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        last = (answer.end_lineno or answer.lineno) - 1
        first = answer.lineno - 1
        rows[first : last + 1] = [rows[first][: answer.col_offset] + b"..." + rows[last][answer.end_col_offset :]]
    return b"\n".join(rows).decode()


def _placeholder(solution: str) -> list[str]:
    """The lines that stand in for a solution: an invitation, then ``name = ...`` for each name it assigns."""
    try:
        statements = ast.parse(textwrap.dedent(solution)).body
    except SyntaxError as error:
        raise ValueError(f"the solution is not Python ({error.msg})") from error
    names = dict.fromkeys(name for statement in statements for name in _names_bound_by(statement))
    return [PLACEHOLDER, *(f"{name} = ..." for name in names)] if names else [PLACEHOLDER, "..."]


def _names_bound_by(statement: ast.stmt) -> list[str]:
    """The names that a top-level statement binds: assignments, functions and classes."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    else:
        return []
    return [
        node.id
        for target in targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
