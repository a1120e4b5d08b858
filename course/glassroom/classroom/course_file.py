"""`course.toml`: what a teacher has decided about a class: notebooks, points, due dates, and the penalty for lateness.

The file is written once, with a section for each notebook that is handed out, and belongs to the teacher from then on:
`glassroom release` only appends sections for new notebooks.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from glassroom.records.columns import broken
from glassroom.translations.language import ENGLISH, known, speaking
from glassroom.translations.templates import word
from glassroom.workspace.former_ids import current
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.whole_files import write_atomically

NAME = "course.toml"
MOST_CRITERIA = 20  # of a rubric: each has a letter as its key
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")

#: The sections of a new file, each with what is written above it.
SECTIONS = (
    (
        "What this class is marked by. `glassroom release` adds a section for each notebook that it hands out; "
        "everything else in this file is yours. docs/teaching.md explains each line.",
        "\n[course]\n{course}",
    ),
    (
        "Points taken off for late work: nothing within `grace` minutes of the due date, then `per_day` of the points "
        "for each day begun, and never more than `at_most`. Work later than `closed` days counts nothing.",
        "[late]\ngrace = 15\nper_day = 0.1\nat_most = 0.5\nclosed = 14\n",
    ),
    (
        "The part of an exercise's points that each hint costs (0.1 is a tenth). Calls of hint() in the notebook are "
        "counted.",
        "[hints]\ncost = 0.0\n",
    ),
    (
        "What one submission may use. Memory, files and output are in MB, times in seconds. `cell` and `cpu` are "
        "seconds of a core; a cell that sleeps may take three times as long, and all of it `wall`. Where the machine "
        "is busy, time that a submission only waits for a core does not count.",
        "[limits]\nwall = 120\ncell = 20\ncpu = 90\nmemory = 2048\nprocesses = 64\nfiles = 64\noutput = 4\n",
    ),
)


@dataclass(frozen=True)
class LatePolicy:
    """The penalty for lateness: a part of the points for each day begun, after some minutes of grace."""

    grace: float = 15
    per_day: float = 0.1
    at_most: float = 0.5
    closed: float = 14

    def factor(self, seconds_late: float) -> float:
        """The part of the points that remains for work handed in the given number of seconds after it was due."""
        late = seconds_late - 60 * self.grace
        if late <= 0:
            return 1.0
        if late > self.closed * 86400:
            return 0.0
        days = int(late // 86400) + 1
        return max(0.0, 1.0 - min(self.at_most, self.per_day * days))


@dataclass(frozen=True)
class Limits:
    """What a submission may use: seconds, and MB of memory, of files and of what it prints."""

    wall: float = 120
    cell: float = 20
    cpu: float = 90
    memory: float = 2048
    processes: float = 64
    files: float = 64
    output: float = 4


@dataclass(frozen=True)
class Criterion:
    """A line of a rubric: what an answer says or leaves out, and the points that this adds or subtracts."""

    says: str
    points: float


@dataclass(frozen=True)
class Explain:
    """A question in words, which a person marks: it follows an exercise, or ends the notebook."""

    id: str
    ask: str
    points: float
    after: str = ""
    rubric: tuple[Criterion, ...] = ()


@dataclass(frozen=True)
class Hidden:
    """A hidden test: Python that raises where the answers to an exercise are wrong. Learners never see it."""

    id: str
    exercise: str
    code: str
    points: float


@dataclass(frozen=True)
class Assignment:
    """One assignment of nbgrader's: notebooks of the course, their points, and when they are due."""

    name: str
    notebooks: tuple[str, ...]
    due: datetime | None = None
    points: Mapping[str, float] = field(default_factory=dict)
    explain: tuple[Explain, ...] = ()
    hidden: tuple[Hidden, ...] = ()

    def points_of(self, exercise: str) -> float:
        """The points of an exercise: 1 unless the file says otherwise."""
        return self.points.get(exercise, 1.0)


@dataclass(frozen=True)
class Course:
    """A class: its folder, its assignments, and its rules."""

    folder: Path
    name: str = "Tensors"
    late: LatePolicy = LatePolicy()
    hint_cost: float = 0.0
    limits: Limits = Limits()
    assignments: tuple[Assignment, ...] = ()
    language: str = ENGLISH  # of the course's notebooks that are handed out

    def assignment(self, name: str) -> Assignment:
        """The assignment of that name. Raises `Problem` if there is none."""
        for assignment in self.assignments:
            if assignment.name == name:
                return assignment
        known = ", ".join(assignment.name for assignment in self.assignments) or "none yet"
        raise Problem(f"There is no assignment {name!r} in {self.folder / NAME}. There are: {known}.", Exit.USAGE)

    def chosen(self, names: Iterable[str]) -> list[Assignment]:
        """The assignments of those names; all of them if none is named."""
        wanted = list(dict.fromkeys(names))
        return [self.assignment(name) for name in wanted] if wanted else list(self.assignments)


def read_course(folder: Path) -> Course:
    """The class in `folder`. Raises `Problem`, naming the table and key, for a value that is invalid."""
    path = folder / NAME
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise Problem(
            f"{folder} is no class: it has no {NAME}. If the name is not mistyped, make one there: "
            f"glassroom release 1_memory --course {folder}"
        ) from error
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        table = tomllib.loads(content.decode())
        _only(table, "the file", ("course", "late", "hints", "limits", "assignment"))
        course = _table(table, "course")
        _only(course, "[course]", ("name", "language"))
        language = known(_text(course, "language", "[course]", ENGLISH))
        _must(language, f"[course]: the course is not in the language {course.get('language')!r}")
        hints = _table(table, "hints")
        _only(hints, "[hints]", ("cost",))
        assignments = table.get("assignment", [])
        _must(isinstance(assignments, list), "assignments are written [[assignment]]")
        items = tuple(_assignment(assignment) for assignment in assignments)
        names = [item.name.casefold() for item in items]
        _must(len(set(names)) == len(names), "two assignments have one name")
        return Course(
            folder,
            _text(course, "name", "[course]", "Tensors"),
            LatePolicy(**_numbers(table, "late", LatePolicy, shares=("per_day", "at_most"))),
            _number(hints, "cost", "[hints]", 0.0, most=1),
            Limits(**_numbers(table, "limits", Limits, least=1)),
            items,
            language or ENGLISH,
        )
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Problem(f"{path} is not TOML: {error}") from error
    except ValueError as error:
        raise Problem(f"{path}: {error}.") from error


def heading(title: str = word("Tensors")) -> str:
    """What a new file begins with, for a course of this name. Where the teacher reads another language than English,
    learners get that too."""
    named = f"name = {json.dumps(title, ensure_ascii=False)}\n"
    own = "" if speaking() == ENGLISH else f'language = "{speaking()}"\n'
    sections = ("".join(f"# {line}\n" for line in broken(told, 118)) + settings for told, settings in SECTIONS)
    return "\n".join(sections).replace("{course}", named + own)


def add_assignments(folder: Path, assignments: Iterable[tuple[str, str, Mapping[str, str]]]) -> list[str]:
    """Append a section for each (name, notebook, {exercise: what it is about}) to the file, which is made if it is
    missing."""
    path = folder / NAME
    text = path.read_text(encoding="utf-8") if path.exists() else heading()
    added = []
    for name, notebook, exercises in assignments:
        points = "\n".join(f'"{id}" = 1' for id in exercises)
        text = text.rstrip("\n") + (
            f'\n\n[[assignment]]\nname = "{name}"\nnotebooks = ["{notebook}"]\n'
            "# due = 2030-01-31T18:00:00+01:00\n"
            f"[assignment.points]\n{points}\n"
        )
        added.append(name)
    if added or not path.exists():
        write_atomically(path, text.encode())
    return added


def _assignment(table: Any) -> Assignment:
    _must(isinstance(table, dict), "assignments are written [[assignment]]")
    name = table.get("name")
    _must(
        isinstance(name, str) and _ID.fullmatch(name),
        f"the assignment's name {name!r} is not letters, digits, dots and hyphens",
    )
    where = f"assignment {name}"
    _only(table, where, ("name", "notebooks", "due", "points", "explain", "hidden"))
    notebooks = table.get("notebooks")
    if not (isinstance(notebooks, list) and notebooks and all(isinstance(notebook, str) for notebook in notebooks)):
        raise ValueError(f'{where}: notebooks are a list, as in ["1_memory/02_views_share_a_storage.ipynb"]')
    stems = [Path(notebook).stem for notebook in notebooks]
    _must(len(set(stems)) == len(stems), f"{where}: two notebooks have one name")
    for notebook in notebooks:
        inside = not os.path.isabs(notebook) and ".." not in Path(notebook).parts
        _must(inside and notebook.endswith(".ipynb"), f"{where}: {notebook!r} is not a notebook of the course")
    due = table.get("due")
    if due is not None and not isinstance(due, datetime):
        raise ValueError(f"{where}: due is a date and a time, as in 2030-01-31T18:00:00+01:00, without quotes")
    if due is not None and due.tzinfo is None:
        raise ValueError(
            f"{where}: due needs a zone, as in {due.isoformat()}+01:00, or it would depend on where it is marked"
        )
    points = table.get("points", {})
    _must(isinstance(points, dict), f"{where}: points are a table")
    marks = {current(id): _number(points, id, f"{where}, points", 1.0) for id in points}
    explain = tuple(_explain(table_of_explain, where) for table_of_explain in _list(table, "explain", where))
    hidden = tuple(_hidden(hidden_table, where) for hidden_table in _list(table, "hidden", where))
    ids = [exercise.id for exercise in explain] + [exercise.id for exercise in hidden]
    _must(len(set(ids)) == len(ids) and not set(ids) & set(marks), f"{where}: two of its questions have one id")
    return Assignment(name, tuple(notebooks), due, marks, explain, hidden)


def _explain(table: Any, where: str) -> Explain:
    _only(table, f"{where}, explain", ("id", "ask", "points", "after", "rubric"))
    ask = _text(table, "ask", f"{where}, explain")
    points, after = _number(table, "points", where, 1.0), current(_text(table, "after", where, ""))
    rubric = table.get("rubric", [])
    fine = (
        isinstance(rubric, list) and all(isinstance(table, dict) for table in rubric) and len(rubric) <= MOST_CRITERIA
    )
    _must(
        fine, f'{where}: a rubric is a list of at most {MOST_CRITERIA}, as in [{{ says = "one storage", points = 1 }}]'
    )
    return Explain(_id(table, where), ask, points, after, tuple(_criterion(criterion, where) for criterion in rubric))


def _criterion(table: Any, where: str) -> Criterion:
    _only(table, f"{where}, rubric", ("says", "points"))
    says = _text(table, "says", f"{where}, rubric")
    _must(says.strip() and "\n" not in says, f"{where}, rubric: says is one line of words, not {says!r}")
    return Criterion(says.strip(), _number(table, "points", f"{where}, rubric", 1.0, least=-1e6))


def _hidden(table: Any, where: str) -> Hidden:
    _only(table, f"{where}, hidden", ("id", "exercise", "code", "points"))
    code = _text(table, "code", f"{where}, hidden")
    try:
        compile(code, "<hidden test>", "exec")
    except SyntaxError as error:
        raise ValueError(f"{where}: a hidden test is not Python ({error.msg}, line {error.lineno})") from error
    exercise = current(_text(table, "exercise", f"{where}, hidden"))
    return Hidden(_id(table, where), exercise, code, _number(table, "points", where, 1.0))


def _id(table: Mapping[str, Any], where: str) -> str:
    id = _text(table, "id", where)
    _must(_ID.fullmatch(id), f"{where}: the id {id!r} is not letters, digits, dots and hyphens")
    return id


def _table(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = table.get(key, {})
    _must(isinstance(value, dict), f"{key} is a table, written [{key}]")
    return value


def _list(table: Mapping[str, Any], key: str, where: str) -> list[Any]:
    tables = table.get(key, [])
    fine = isinstance(tables, list) and all(isinstance(table, dict) for table in tables)
    _must(fine, f"{where}: {key} is written [[assignment.{key}]]")
    return tables


def _numbers(
    table: Mapping[str, Any],
    key: str,
    of: type[LatePolicy] | type[Limits],
    least: float = 0,
    shares: Iterable[str] = (),
) -> dict[str, float]:
    own_table = _table(table, key)
    names = tuple(of.__dataclass_fields__)
    _only(own_table, f"[{key}]", names)
    default = of()
    shares = tuple(shares)
    return {
        name: _number(own_table, name, f"[{key}]", getattr(default, name), 1 if name in shares else 1e9, least)
        for name in names
    }


def _number(
    table: Mapping[str, Any], key: str, where: str, default: float, most: float = 1e6, least: float = 0
) -> float:
    value = table.get(key, default)
    fine = type(value) in (int, float) and least <= value <= most
    _must(fine, f"{where}: {key} is a number from {least:g} to {most:g}, not {value!r}")
    return float(value)


def _text(table: Mapping[str, Any], key: str, where: str, default: str | None = None) -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        raise ValueError(f"{where} needs {key}, a text in quotes")
    return value


def _only(table: Mapping[str, Any], where: str, keys: tuple[str, ...]) -> None:
    unknown = sorted(set(table) - set(keys))
    _must(not unknown, f"{where} has {', '.join(unknown)}, which means nothing here (there are {', '.join(keys)})")


def _must(holds: object, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)
