"""Matching a learner's cells to the teacher's after another editor has removed their names. A cell is recognised by its
content if it came from the teacher and is unchanged, or if it calls a check. An answer is the last cell before its
check that binds one of its names, or, if it binds none, the cell before its check; an answer in words follows its
question. Cells are read line by line and never parsed, since a submission may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from glassroom.classroom.handout import solution_in
from glassroom.workspace.former_ids import current
from glassroom.workspace.notebook_json import Notebook, source

LONGEST_LINE = 500
_CHECK = re.compile(r"""(?:graded_check\([\d.]+, *|check\()["']([\w.-]{1,80})["']""")
_DEFINES = re.compile(r"(?:async +)?(?:def|class) +(\w+)")
_ASSIGNS = re.compile(r"\(?(\w[\w ,*]*)\)? *(?::[^=]*)?=(?!=)")


def by_place(own: Mapping[str, Notebook], learners: Sequence[Notebook], named: Mapping[int, str]) -> dict[int, str]:
    """The names found for unnamed cells, by their numbers; `named` are cells that have a name already."""
    taken = set(named.values())
    missing = {id: cell for id, cell in own.items() if id not in taken}
    free = {number: source(cell).strip() for number, cell in enumerate(learners) if number not in named}
    by_number: dict[int, str] = {}

    def take(number: int | None, id: str) -> None:
        if number in free:
            del free[number]
            by_number[number] = id

    for id, cell in missing.items():
        if not _is_solution(cell):
            take(_same(cell, free, learners), id)
    code = {number: free.get(number, "") for number, cell in enumerate(learners) if cell["cell_type"] == "code"}
    checks = _checks({number: source(learners[number]) for number in code})
    names = {number: _names_bound_in(text) for number, text in code.items()}
    for id, cell in missing.items():
        if _is_solution(cell):
            if cell["cell_type"] == "code":
                if wanted := _names_bound_in(solution_in(source(cell))):
                    binding = [number for number in free if wanted & names.get(number, set())]
                    take(_answer_to(id, binding, checks), id)
                else:
                    take(_just_before(checks.get(id.removesuffix("-answer")), code), id)
            else:
                take(_words(own.get(f"{id}-ask"), free, learners), id)
    for id in [id for id in missing if id not in by_number.values()]:  # changed, but it still calls the check
        take(checks.get(id), id)
    return by_number


def _is_solution(cell: Notebook) -> bool:
    return bool(cell["metadata"]["nbgrader"]["solution"])


def _same(cell: Notebook, free: Mapping[int, str], learners: Sequence[Notebook]) -> int | None:
    """The first cell of this kind with this text."""
    text = source(cell).strip()
    kind = cell["cell_type"]
    return next(
        (number for number, cell in free.items() if cell == text and learners[number]["cell_type"] == kind), None
    )


def _checks(code: Mapping[int, str]) -> dict[str, int]:
    """The last cell that checks each exercise."""
    return {id: number for number, text in code.items() for id in checked_in(text)}


def checked_in(code: str) -> list[str]:
    """The exercises whose checks a cell calls."""
    return [current(id) for line in _lines(code) for id in _CHECK.findall(line)]


def _answer_to(id: str, binding: Sequence[int], checks: Mapping[str, int]) -> int | None:
    """Of the cells that bind a name of the answer, the last one before its check and after other exercises' checks. If
    its check is missing, the only such cell.
    """
    until = checks.get(id.removesuffix("-answer"))
    if until is None:
        return binding[0] if len(binding) == 1 else None
    after = max((number for number in checks.values() if number < until), default=-1)
    return next((number for number in reversed(binding) if after < number <= until), None)


def _just_before(until: int | None, code: Mapping[int, str]) -> int | None:
    """The code cell before the check, for an answer that changes what is there and binds no name."""
    return None if until is None else max((number for number in code if number < until), default=None)


def _words(question: Notebook | None, free: Mapping[int, str], learners: Sequence[Notebook]) -> int | None:
    """The text cell that follows the question."""
    if question is None:
        return None
    text = source(question).strip()
    asked = [number + 1 for number, cell in enumerate(learners) if source(cell).strip() == text]
    return next((number for number in asked if number in free and learners[number]["cell_type"] == "markdown"), None)


def _names_bound_in(code: str) -> set[str]:
    """The names that are bound by top-level lines."""
    names: set[str] = set()
    for line in _lines(code):
        if defined := _DEFINES.match(line):
            names.add(defined[1])
        elif assigned := _ASSIGNS.match(line):
            names.update(re.findall(r"\w+", assigned[1]))
    return names


def _lines(code: str) -> list[str]:
    return [line for line in code.split("\n") if len(line) <= LONGEST_LINE]
