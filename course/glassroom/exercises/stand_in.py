"""`stand_in`: the course's own answer in place of one that the learner has not written yet, or that was refused.

In a notebook in which one builds on what one built before, the rest would not run without it, or show something else
than its text says.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from glassroom.drawing.words import in_a_row
from glassroom.exercises._answer_key import hints_of
from glassroom.exercises.engine import LEFT_OUT, exercises, is_checked, is_refused, is_waiting
from glassroom.exercises.limit import limit
from glassroom.exercises.lines import in_lines
from glassroom.translations.templates import word
from glassroom.workspace.former_ids import current

BY_ITS_NAME: Any = object()
PLACE = "<stand_in>"  # the file of an answer of the course's own, where there is no notebook
FIRST_LINE = (
    "# the course's own\n"  # in the place of the learner's line "your code here", so that line numbers stay the same
)


def stand_in(id: str, answer: Any = BY_ITS_NAME, *, seconds: float = 0.0) -> Any:
    """The learner's answer to exercise `id`; or the course's own, as long as there is none that a check accepts.

    The answer is what the caller's variable of its name holds, unless it is given. The course's own stands in where
    there is no such variable (the cell that makes it raised), where it is still `...` or a function that the notebook
    itself has of that name, and where the last check refused it. That is said, and nothing of it is shown. Of an
    exercise with several answers, a tuple of them all. In a copy of the course that has no answers, nothing stands in,
    and what the learner has is handed back.
    Raises ValueError where there is no such exercise.

    With `seconds`, a function of the learner's is stopped when a call takes longer: it raises a `TimeoutError`, which
    says so in one sentence.
    """
    exercise = exercises().get(current(id))
    if exercise is None:
        raise ValueError(f"there is no exercise {id!r}")
    id = exercise.id
    caller = sys._getframe(1)
    names = {**caller.f_globals, **caller.f_locals}
    if answer is not BY_ITS_NAME:
        names[exercise.answers[0]] = answer
    written = [names.get(name, ...) for name in exercise.answers]
    is_open = any(
        statement is ... or _is_the_notebooks(statement, id) or (is_waiting(id) and not _is_the_learners(statement))
        for statement in written
    )
    told = in_a_row([f"`{name}`" for name in exercise.answers], word(" and "))
    is_or_are, it_or_them = ("is", "it") if len(written) == 1 else ("are", "them")
    if hints_of(id)[-1] != LEFT_OUT and (is_open or (is_refused(id) and not is_waiting(id))):
        outcome = _run(hints_of(id)[-1], names)
        written = [outcome[name] for name in exercise.answers]
        why = f"The last check refused {told}. Until one accepts {it_or_them},"
        if is_open:
            why = f"{told} {is_or_are} still to be written. Until then"
        print(in_lines(f"{why} the course's own stands in, so that what follows runs."))
        return written[0] if len(written) == 1 else tuple(written)
    if is_open:
        print(in_lines(f"{told} {is_or_are} still to be written. What follows needs {it_or_them}."))
    if seconds:
        written = [
            stopped(value, seconds, value.__name__) if isinstance(value, FunctionType) else value for value in written
        ]
    return written[0] if len(written) == 1 else tuple(written)


def _is_the_notebooks(answer: object, id: str) -> bool:
    """Whether this is a function of another cell than the exercise's, which the learner's is to replace: nothing has
    been checked yet, and its cell does not name the exercise."""
    if is_checked(id) or not isinstance(answer, FunctionType) or Path(answer.__code__.co_filename).exists():
        return False
    cell = "".join(linecache.getlines(answer.__code__.co_filename))
    return bool(cell) and not any(current(named) == id for named in re.findall(r"""["']([^"'\n]+)["']""", cell))


def _is_the_learners(answer: object) -> bool:
    """Whether this is a function that somebody has written, although the last check found none. Of another kind of
    answer nothing tells whose it is: it may be the one that stood in when this cell ran before."""
    return isinstance(answer, FunctionType) and not is_stood_in(answer)


def is_stood_in(answer: object) -> bool:
    """Whether this is a function of the course's own that `stand_in` has made."""
    if not isinstance(answer, FunctionType):
        return False
    file = answer.__code__.co_filename
    return file == PLACE or linecache.getline(file, 1) == FIRST_LINE


def stopped(function: Callable[..., Any], seconds: float, name: str) -> Callable[..., Any]:
    """The function, limited to this many seconds: after that it raises a `TimeoutError`."""

    @wraps(function)
    def limited(*arguments: Any, **named: Any) -> Any:
        with limit(seconds, f"`{name}`"):
            return function(*arguments, **named)

    return limited


def _run(answer: str, names: dict[str, Any]) -> dict[str, Any]:
    """The names that the code of an answer makes. It uses those of `names` as if it were written among them.

    Only these are handed to it: functions keep their globals alive, and with them tensors that nobody else holds. In a
    notebook the code has a cell of its own, so that pictures name its lines.
    """
    code, place = FIRST_LINE + answer, PLACE
    ipython = sys.modules.get("IPython")
    if ipython is not None and (shell := ipython.get_ipython()) is not None:
        place = shell.compile.cache(code)
    compiled = compile(code, place, "exec")
    used = {"__name__", *_names_in(compiled)}
    namespace = {name: names[name] for name in used if name in names}
    exec(compiled, namespace)
    return namespace


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
