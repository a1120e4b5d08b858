"""Handing out: a class's folder in nbgrader's layout, made from the course's notebooks.

The teacher's notebooks go to `source/`, and nbgrader itself makes `release/` and its gradebook from them: learners'
copies come from `nbgrader generate_assignment`, so `validate`, `autograde` and `generate_feedback` work on them.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import tempfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glassroom.classroom import gradebook
from glassroom.classroom.course_file import NAME, Assignment, Course, add_assignments, read_course
from glassroom.classroom.grading import Task, task_from
from glassroom.classroom.handout import (
    check_call,
    check_choice,
    course_notebook,
    current_name,
    exercises_of,
    source_version,
)
from glassroom.classroom.learners_package import stripped
from glassroom.classroom.links import places_of, relinked
from glassroom.classroom.own_course import (
    clear_stale,
    declare_own_exercises,
    files_with,
    home_of,
    own_notebooks,
)
from glassroom.classroom.sandbox import CAN_RUN
from glassroom.classroom.solutions import Progress, require_declared, require_passing
from glassroom.classroom.submission import HANDED_OUT, OURS, digest_of, marks_of
from glassroom.exercises import own
from glassroom.translations.language import speaking
from glassroom.workspace.merging import of_current_ids
from glassroom.workspace.notebook_json import DamagedNotebook, Notebook, parse, serialise, source
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import course_notebooks
from glassroom.workspace.whole_files import write_atomically, write_together

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
    kept: list[str] = field(default_factory=list)  # not made again, because there are submissions
    hidden: list[str] = field(default_factory=list)  # of these, those whose hidden tests are made again
    untried: list[str] = field(default_factory=list)  # assignments whose solutions could not be run on this system


def release(
    folder: Path,
    asked_for: Iterable[str],
    notebooks: Path,
    force: bool = False,
    progress: Progress = lambda _done, _of, _name: None,
) -> Released:
    """Hand out notebooks or parts of the course, or assignments of the class: all of them if none is named.

    An assignment that learners have handed in already is left unchanged unless `force`, since marks depend on it.
    Before anything is written, the course's own solutions are run against all checks and hidden tests. Raises `Problem`
    if they fail any, for names that are not in the course, and for errors in course.toml.
    """
    released = Released()
    asked = list(asked_for)
    course = read_course(folder) if (folder / NAME).exists() or not asked else None
    named = {assignment.name: assignment.notebooks for assignment in (course.assignments if course else ())}
    chosen = [path for name in asked for path in named.get(name) or find_notebooks(name, folder, notebooks)]
    known = {
        notebook: assignment
        for assignment in (course.assignments if course else ())
        for notebook in assignment.notebooks
    }
    new = [name for name in dict.fromkeys(chosen) if name not in known]
    released.added = add_assignments(folder, [_section(name, home_of(name, folder, notebooks)) for name in new])
    course = read_course(folder)
    wanted = set(chosen) or {name for assignment in course.assignments for name in assignment.notebooks}
    assignments = [assignment for assignment in course.assignments if wanted & set(assignment.notebooks)]
    if not assignments:
        raise Problem(
            f"There is nothing to hand out. Name a part or a notebook: glassroom release 1_memory --course {folder}"
        )
    declare_own_exercises(folder)
    made_of: dict[str, Mapping[Path, bytes]] = {}
    beside = {
        assignment.name
        for assignment in course.assignments
        if assignment in assignments or (folder / "release" / assignment.name).is_dir()
    }
    for assignment in assignments:
        files = _teachers_notebooks(course, assignment, notebooks, beside)
        if not force and _is_handed_in(folder, assignment):
            if not _differs_in_hidden_alone(files):
                released.kept.append(assignment.name)
                continue
            released.hidden.append(assignment.name)
        made_of[assignment.name] = files
    tasks = {name: _task(course, course.assignment(name), files) for name, files in made_of.items()}
    if CAN_RUN:
        require_passing(course, tasks.values(), progress)
    else:
        released.untried = list(made_of)
    config = folder / "nbgrader_config.py"
    if not config.exists():
        write_atomically(config, CONFIG.format(name=course.name, cell=course.limits.cell).encode())
    if not (folder / ".gitignore").exists():
        write_atomically(folder / ".gitignore", IGNORED)
    (folder / "source").mkdir(mode=0o700, exist_ok=True)  # nobody else may read solutions and hidden tests
    for name in made_of:
        _write(made_of[name])
        if name not in released.hidden:
            released.assignments[name] = tasks[name].points
            generate(course, course.assignment(name))
    return released


def language_of(folder: Path) -> str:
    """The language in which a class gets the course's notebooks: for a new one, that of this process."""
    return read_course(folder).language if (folder / NAME).exists() else speaking()


def _strip_own_exercises(place: Path) -> None:
    """Remove the answers from the teacher's own exercises beside the learners' notebooks."""
    for path in sorted((place / own.FOLDER).glob("*.py")):
        write_atomically(path, stripped(path.name, path.read_bytes()))


def _note_what_is_handed_out(place: Path) -> None:
    """Write into each learners' copy a digest of its cells: what is handed in tells which version was answered."""
    for path in sorted(place.glob("*.ipynb")):
        notebook = parse(path.read_bytes())
        digest = digest_of(json.dumps([[cell["cell_type"], source(cell)] for cell in notebook["cells"]]))[:8]
        ours = notebook["metadata"].get(OURS)
        notebook["metadata"][OURS] = {**(ours if isinstance(ours, dict) else {}), HANDED_OUT: digest}
        write_atomically(path, serialise(notebook))


def write_source(course: Course, assignment: Assignment, notebooks: Path) -> None:
    """Write the teacher's notebooks of an assignment to `source/`."""
    declare_own_exercises(course.folder)
    _write(_teachers_notebooks(course, assignment, notebooks, [assignment.name]))


def _write(files: Mapping[Path, bytes]) -> None:
    for place in {path.parent for path in files if path.suffix == ".ipynb"}:
        clear_stale(place, frozenset(files))
    for path, content in files.items():
        if not path.is_file() or path.read_bytes() != content:
            write_atomically(path, content)


def _teachers_notebooks(
    course: Course, assignment: Assignment, notebooks: Path, beside: Collection[str]
) -> dict[Path, bytes]:
    """The teacher's notebooks of an assignment, and the files that go with them, by their target paths. `beside` are
    the assignments that learners have. Raises `Problem` for unknown exercises, and for own ones whose answers cannot be
    removed from learners' copies.
    """
    places = places_of(course, beside)
    parsed = {name: course_notebook(home_of(name, course.folder, notebooks), name) for name in assignment.notebooks}
    for name, notebook in parsed.items():
        require_declared(name, notebook)
    check_choice(assignment, [exercise.id for notebook in parsed.values() for exercise in exercises_of(notebook)])
    place = course.folder / "source" / assignment.name
    files = {
        place / Path(name).name: serialise(
            source_version(relinked(notebook, name, places), assignment, last=name == assignment.notebooks[-1])
        )
        for name, notebook in parsed.items()
    }
    beside_them = files_with(assignment.notebooks, course.folder)
    for path, content in beside_them.items():
        if path.startswith(f"{own.FOLDER}/"):
            stripped(path, content)
    return files | {place / path: content for path, content in beside_them.items()}


def _task(course: Course, assignment: Assignment, files: Mapping[Path, bytes]) -> Task:
    place = course.folder / "source" / assignment.name
    notebooks = {path.stem: content.decode() for path, content in files.items() if path.parent == place}
    beside = {path.relative_to(place).as_posix(): content for path, content in files.items() if path.parent != place}
    return task_from(course, assignment, notebooks, beside)


def is_released(course: Course, assignment: Assignment) -> bool:
    """Whether an assignment has been handed out."""
    return all(
        (course.folder / "source" / assignment.name / Path(name).name).is_file() for name in assignment.notebooks
    )


def changed_since(course: Course, assignment: Assignment, notebooks: Path) -> bool:
    """Whether points, questions or tests differ from those that were released, on which marks depend."""
    try:
        declare_own_exercises(course.folder)
        files = _teachers_notebooks(course, assignment, notebooks, [assignment.name])
        return any(
            _counting(parse(path.read_bytes())) != _counting(parse(content))
            for path, content in files.items()
            if path.suffix == ".ipynb"
        )
    except (Problem, OSError, DamagedNotebook):
        return True  # in its present state it could not be released


def needs_force(course: Course, assignment: Assignment, notebooks: Path) -> bool:
    """Whether `release` would leave a changed assignment as it is, because learners have handed it in."""
    with contextlib.suppress(Problem, OSError, DamagedNotebook):
        files = _teachers_notebooks(course, assignment, notebooks, [assignment.name])
        return _is_handed_in(course.folder, assignment) and not _differs_in_hidden_alone(files)
    return False


def _is_handed_in(folder: Path, assignment: Assignment) -> bool:
    return any(folder.glob(f"submitted/*/{assignment.name}")) and (folder / "release" / assignment.name).is_dir()


def _differs_in_hidden_alone(files: Mapping[Path, bytes]) -> bool:
    """Whether only hidden tests or own checks differ from those in `source/`, and nothing that learners answer."""
    notebooks = [path for path in files if path.suffix == ".ipynb"]
    if not all(path.is_file() for path in notebooks):
        return False
    old = [_counting(parse(path.read_bytes())) for path in notebooks]
    new = [_counting(parse(files[path])) for path in notebooks]
    beside = [path for path in files if path not in notebooks]
    others = any(not path.is_file() or path.read_bytes() != files[path] for path in beside)
    return [seen for seen, _ in old] == [seen for seen, _ in new] and (old != new or others)


def _counting(notebook: Notebook) -> tuple[list[Notebook], list[Notebook]]:
    """The cells that marks depend on: code and questions, which learners see, and hidden tests."""
    seen: list[Notebook] = []
    hidden: list[Notebook] = []
    for cell in notebook["cells"]:
        marks = marks_of(cell)
        now = of_current_ids(cell)
        if marks:
            now = {**now, "metadata": {**cell["metadata"], "nbgrader": marks}}
        if marks.get("grade") and not marks["solution"] and not check_call(source(cell)):
            hidden.append(now)
        elif marks or cell["cell_type"] == "code":
            seen.append(now)
    return seen, hidden


def generate(course: Course, assignment: Assignment) -> None:
    """Let nbgrader make the learners' copies and its gradebook. It works in a folder of its own, since it deletes what
    it cannot finish; `release/` changes once all is made. Raises `Problem` with nbgrader's message."""
    interface = nbgrader(course.folder)
    _rename_cells(course, assignment)
    place = course.folder / interface.coursedir.release_directory / assignment.name
    with tempfile.TemporaryDirectory(prefix="glassroom-release-") as folder:
        interface.coursedir.release_directory = folder
        with contextlib.redirect_stderr(io.StringIO()):  # where it prints the tracebacks of what it reports
            result = interface.generate_assignment(assignment.name, force=True, create=True)
        if not result["success"]:
            said = f"{result.get('log') or ''}\n{result.get('error') or ''}"
            raise Problem(f"nbgrader could not make {assignment.name}: {_reason(said) or 'it does not say why'}")
        made = Path(folder, assignment.name)
        _strip_own_exercises(made)
        _note_what_is_handed_out(made)
        _replace_with(place, made)
    if assignment.due is not None:
        with gradebook.opened(course.folder) as book:
            book.update_or_create_assignment(assignment.name, duedate=assignment.due.isoformat())


def _reason(said: str) -> str:
    """The error beneath nbgrader's own, which says only that there was one: its last line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(?!nbgrader\.)[\w.]+(Error|Exception|Interrupt)\b", line)]
    return (errors or lines or [""])[-1]


def _replace_with(place: Path, made: Path) -> None:
    """Write the files of a folder to another one, all or none, and delete what else is there."""
    files = {place / path.relative_to(made): path for path in sorted(made.rglob("*")) if path.is_file()}
    write_together({target: path.read_bytes() for target, path in files.items()})
    for target, path in files.items():
        target.chmod(path.stat().st_mode & 0o777)
    for path in set(place.rglob("*")) - set(files):
        if not path.is_dir():
            path.unlink()


def _rename_cells(course: Course, assignment: Assignment) -> None:
    """Let nbgrader's gradebook know cells by the ids that their exercises have now, with the marks that they have: it
    takes no cells out of what has been handed in, nor any new ones."""
    from nbgrader.api import MissingEntry

    with gradebook.opened(course.folder) as book, contextlib.suppress(MissingEntry):
        for notebook in book.find_assignment(assignment.name).notebooks:
            for cells in (
                notebook.grade_cells,
                notebook.solution_cells,
                notebook.task_cells,
                notebook.source_cells,
            ):
                for cell in cells:
                    cell.name = current_name(cell.name)
        book.db.commit()


def nbgrader(folder: Path) -> Any:
    """nbgrader's own interface to the class in this folder, with the settings of its nbgrader_config.py."""
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


def find_notebooks(asked_for: str, folder: Path, notebooks: Path) -> list[str]:
    """The notebooks, a class's own or the course's, that a name stands for: a part ("1_memory"), a notebook, or the
    beginning of the path of either.
    """
    wanted = asked_for.strip().removeprefix("notebooks/").strip("/")
    own = own_notebooks(folder)
    names = [path.as_posix() for path in course_notebooks(notebooks) if path.parent.name]  # not the contents page
    names = [*own, *(name for name in names if name not in own)]
    exact = [name for name in names if wanted in (name, name.removesuffix(".ipynb"), name.split("/")[0])]
    matches = exact or [
        name for name in names if wanted and (name.startswith(wanted) or Path(name).name.startswith(wanted))
    ]
    if not matches and (number := re.fullmatch(r"(\d+)/(\d+)", wanted)):  # as `glassroom present` has it
        part, notebook = f"{int(number[1])}_", f"{int(number[2]):02d}_"
        matches = [name for name in names if name.startswith(part) and Path(name).name.startswith(notebook)]
    if not matches:
        beneath = [name.removesuffix(".ipynb") for name in names if name.startswith(f"{wanted.split('/')[0]}/")]
        if beneath:
            raise Problem(f"The course has no notebook {asked_for!r}. In that part: {', '.join(beneath)}.", Exit.USAGE)
        parts = ", ".join(sorted({name.split("/")[0] for name in names if "/" in name}))
        mine = f" Own notebooks of {folder}: {', '.join(own)}." if own else ""
        if (folder / NAME).is_file() and (there := [assignment.name for assignment in read_course(folder).assignments]):
            mine += f" Assignments of {folder}: {', '.join(there)}."
        raise Problem(f"The course has no part or notebook {asked_for!r}. Its parts: {parts}.{mine}", Exit.USAGE)
    with_exercises = [name for name in matches if exercises_of(course_notebook(home_of(name, folder, notebooks), name))]
    if not with_exercises:
        raise Problem(f"{asked_for} has no exercises to hand in.", Exit.USAGE)
    return with_exercises


def _section(name: str, notebooks: Path) -> tuple[str, str, dict[str, str]]:
    if "/" not in name:
        return Path(name).stem, name, {exercise.id: "" for exercise in exercises_of(course_notebook(notebooks, name))}
    part, notebook = Path(name).parts[-2:]
    number = re.match(r"\d*", notebook)
    assert number is not None
    short = f"{part.split('_', 1)[-1]}-{number[0] or Path(notebook).stem}"
    return short, name, {exercise.id: "" for exercise in exercises_of(course_notebook(notebooks, name))}
