"""Handing out: a class's folder in nbgrader's layout, made of the course's notebooks.

The teacher's notebooks go to `source/`, and nbgrader itself makes `release/` and its gradebook of them: what
learners get has been through `nbgrader generate_assignment`, and `validate`, `autograde` and `generate_feedback`
know it.
"""

from __future__ import annotations

import os
import re
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glassroom.classroom.course_file import NAME, Assignment, Course, add_assignments, read_course
from glassroom.classroom.handout import check_call, check_choice, course_notebook, exercises_of, source_version
from glassroom.classroom.submission import marks_of
from glassroom.workspace.notebook_json import Notebook, parse, serialise, source
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import course_notebooks
from glassroom.workspace.whole_files import write_atomically

CONFIG = """\
# nbgrader's settings for this class. `glassroom release` wrote this file once; it is yours.
c = get_config()  # noqa: F821  # nbgrader defines it
c.CourseDirectory.course_id = {name!r}
c.ClearSolutions.code_stub = {{"python": ""}}  # each answer has its own line, `name = ...`, above the solution
c.ExecutePreprocessor.timeout = {cell:g}
c.ExecutePreprocessor.interrupt_on_timeout = True
"""


IGNORED = b"""\
# Submissions, marks and hidden tests are for no reader of a repository. glassroom release wrote this file once; it
# is yours: take out the line below if the repository is yours alone.
*
"""


@dataclass
class Released:
    """What `release` did: sections added to course.toml, and assignments with their points."""

    added: list[str] = field(default_factory=list)
    assignments: dict[str, float] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)  # not made anew, because submissions of it are there
    hidden: list[str] = field(default_factory=list)  # of these, those whose hidden tests are made anew


def release(folder: Path, asked_for: Iterable[str], notebooks: Path, force: bool = False) -> Released:
    """Hand out notebooks or parts of the course, or every assignment of the class if none is named.

    An assignment that learners have handed in already is left as it is unless `force`, since marks rest on it. Raises
    `Problem` for what is not in the course, and for what course.toml cannot mean.
    """
    made = Released()
    chosen = [path for each in asked_for for path in _find(each, notebooks)]
    course = read_course(folder) if (folder / NAME).exists() or not chosen else None
    known = {notebook: each for each in (course.assignments if course else ()) for notebook in each.notebooks}
    new = [name for name in dict.fromkeys(chosen) if name not in known]
    made.added = add_assignments(folder, [_section(name, notebooks) for name in new])
    course = read_course(folder)
    wanted = set(chosen) or {name for each in course.assignments for name in each.notebooks}
    assignments = [each for each in course.assignments if wanted & set(each.notebooks)]
    if not assignments:
        raise Problem(
            f"There is nothing to hand out. Name a part or a notebook: glassroom release 1_memory --course {folder}"
        )
    config = folder / "nbgrader_config.py"
    if not config.exists():
        write_atomically(config, CONFIG.format(name=course.name, cell=course.limits.cell).encode())
    if not (folder / ".gitignore").exists():
        write_atomically(folder / ".gitignore", IGNORED)
    for assignment in assignments:
        if (
            not force
            and any(folder.glob(f"submitted/*/{assignment.name}"))
            and (folder / "release" / assignment.name).is_dir()
        ):
            (made.hidden if _renew_hidden(course, assignment, notebooks) else made.kept).append(assignment.name)
            continue
        made.assignments[assignment.name] = write_source(course, assignment, notebooks)
        generate(course, assignment)
    return made


def write_source(course: Course, assignment: Assignment, notebooks: Path) -> float:
    """Write the teacher's notebooks of an assignment to `source/`; the sum of their points."""
    parsed = {name: course_notebook(notebooks, name) for name in assignment.notebooks}
    exercises = [found.id for notebook in parsed.values() for found in exercises_of(notebook)]
    check_choice(assignment, exercises)
    for name, notebook in parsed.items():
        made = source_version(notebook, assignment, last=name == assignment.notebooks[-1])
        write_atomically(course.folder / "source" / assignment.name / Path(name).name, serialise(made))
    total = sum(assignment.points_of(id) for id in exercises)
    return total + sum(each.points for each in assignment.explain) + sum(each.points for each in assignment.hidden)


def _renew_hidden(course: Course, assignment: Assignment, notebooks: Path) -> bool:
    """Renew the teacher's notebooks of what has been handed in, where hidden tests alone have changed.

    No learner's copy has those.
    """
    changed = {}
    for name in assignment.notebooks:
        path = course.folder / "source" / assignment.name / Path(name).name
        made = source_version(course_notebook(notebooks, name), assignment, last=name == assignment.notebooks[-1])
        old = parse(path.read_bytes()) if path.is_file() else None
        if old is None or _seen(old) != _seen(parse(serialise(made))):
            return False
        if (content := serialise(made)) != path.read_bytes():
            changed[path] = content
    for path, content in changed.items():
        write_atomically(path, content)
    return bool(changed)


def _seen(notebook: Notebook) -> list[Notebook]:
    """The cells that learners see: all but hidden tests."""
    return [
        cell
        for cell in notebook["cells"]
        if not (marks_of(cell).get("grade") and not marks_of(cell)["solution"] and not check_call(source(cell)))
    ]


def generate(course: Course, assignment: Assignment) -> None:
    """Let nbgrader make the learners' copies in `release/` and its gradebook. Raises `Problem` with what it says."""
    result = nbgrader(course.folder).generate_assignment(assignment.name, force=True, create=True)
    if not result["success"]:
        said = (result.get("error") or result.get("log") or "").strip().splitlines()
        raise Problem(f"nbgrader could not make {assignment.name}: {said[-1] if said else 'it does not say why'}")
    if assignment.due is not None:
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{course.folder.resolve()}/gradebook.db") as book:
            book.update_or_create_assignment(assignment.name, duedate=assignment.due.isoformat())


def find_programs() -> None:
    """Let nbgrader find `alembic`, which it starts by its name, where the environment has not been activated."""
    scripts = sysconfig.get_path("scripts")
    places = os.environ.get("PATH", "").split(os.pathsep)
    if scripts not in places:
        os.environ["PATH"] = os.pathsep.join([scripts, *places])


def nbgrader(folder: Path) -> Any:
    """nbgrader's own interface to the class in this folder, with the settings of its nbgrader_config.py."""
    find_programs()
    try:
        from nbgrader.apps import NbGraderAPI
        from traitlets.config import Config, PyFileConfigLoader
    except ImportError as error:
        raise Problem(
            "nbgrader is not installed. Install what a classroom needs: pip install 'tensorglass[classroom]'",
            Exit.REQUIREMENT,
        ) from error
    config = Config()
    if (folder / "nbgrader_config.py").is_file():
        config = PyFileConfigLoader("nbgrader_config.py", path=str(folder)).load_config()
    config.CourseDirectory.root = str(folder.resolve())
    return NbGraderAPI(config=config)


def _find(asked_for: str, notebooks: Path) -> list[str]:
    """The course's notebooks that a name means: a part ("1_memory"), a notebook, or the beginning of either's path."""
    wanted = asked_for.strip().removeprefix("notebooks/").strip("/")
    names = [path.as_posix() for path in course_notebooks(notebooks) if path.parent.name]  # not the contents page
    exact = [name for name in names if wanted in (name, name.removesuffix(".ipynb"), name.split("/")[0])]
    found = exact or [
        name for name in names if wanted and (name.startswith(wanted) or Path(name).name.startswith(wanted))
    ]
    if not found:
        parts = ", ".join(sorted({name.split("/")[0] for name in names}))
        raise Problem(f"The course has no part or notebook {asked_for!r}. Its parts: {parts}.", Exit.USAGE)
    with_exercises = [name for name in found if exercises_of(course_notebook(notebooks, name))]
    if not with_exercises:
        raise Problem(f"{asked_for} has no exercises to hand in.", Exit.USAGE)
    return with_exercises


def _section(name: str, notebooks: Path) -> tuple[str, str, dict[str, str]]:
    part, notebook = Path(name).parts[-2:]
    number = re.match(r"\d*", notebook)
    assert number is not None
    short = f"{part.split('_', 1)[-1]}-{number[0] or Path(notebook).stem}"
    return short, name, {found.id: "" for found in exercises_of(course_notebook(notebooks, name))}
