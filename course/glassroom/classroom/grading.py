"""Marking one submission: composing what is run, handling failures, and making the row. `Course` and its source
notebooks decide; `sandbox` runs. Whatever a submission is or does, `mark` returns one row.
"""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import glassroom.exercises
from glassroom import __version__
from glassroom.classroom.course_file import Assignment, Course, Limits
from glassroom.classroom.handout import check_call, solution_in
from glassroom.classroom.learners_package import stripped
from glassroom.classroom.own_course import files_of_source
from glassroom.classroom.sandbox import Isolation, Outcome, run_pair
from glassroom.classroom.submission import (
    UNANSWERED,
    Composed,
    Unreadable,
    compose,
    digest_of,
    handed_out_of,
    marks_of,
    minutes_of,
    read_file,
    read_notebook,
)
from glassroom.exercises import own
from glassroom.records.printable import printable
from glassroom.translations.templates import word
from glassroom.workspace.former_ids import current
from glassroom.workspace.notebook_json import DamagedNotebook, Notebook, parse, source
from glassroom.workspace.problems import Problem

ATTEMPTS = 3  # runs in all: a cell that hangs or ends the process is left out, and the rest is run again

Stop = Callable[[], bool]


@dataclass
class Mark:
    """The mark for one exercise or question. `part` is None while it waits for a person."""

    id: str
    exercise: str
    points: float
    part: float | None
    message: str = ""
    how: str = ""  # judged apart from the learner's process, inside it, or by hand
    doubt: str = ""  # why a person should look at it
    hints: int = 0
    answer: str = ""
    outputs: list[dict[str, str]] = field(default_factory=list)
    altered: list[str] = field(default_factory=list)  # names given to the check that hold something else by then


@dataclass
class Row:
    """The marks of one learner's work on one assignment, before lateness and marks by hand."""

    learner: str
    assignment: str
    key: str = ""
    problem: str = ""  # why none of it could be run
    notes: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    submitted: str = ""  # when, in ISO form, where it is known
    minutes: float = 0.0  # spent in the notebook, if Jupyter has recorded it
    seconds: float = 0.0
    memory: float = 0.0
    cpu: float = 0.0  # CPU seconds
    isolation: str = ""
    version: str = ""  # of the teacher's notebooks that it was marked by
    earlier: bool = False  # whether the learner answered notebooks that were handed out before these
    raised: list[str] = field(default_factory=list)  # of the course's own solutions: the cells that raised an error

    @property
    def trouble(self) -> list[str]:
        """Why it could not be run, entirely or in part, or what had to be repaired first."""
        return list(dict.fromkeys([*([self.problem] if self.problem else []), *self.notes]))

    @property
    def to_look_at(self) -> list[Mark]:
        """The marks that a person should look at before they count."""
        return [mark for mark in self.marks if mark.doubt]

    def to_json(self) -> bytes:
        """The row as it is stored."""
        # Lone surrogates are escaped, so that they can be read back: two names that differ stay different.
        return json.dumps(asdict(self), indent=1, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"

    @classmethod
    def from_json(cls, content: bytes) -> Row:
        """A stored row. Raises ValueError, KeyError or TypeError for anything else."""
        table = json.loads(content)
        now = [{**mark, "id": current(mark["id"]), "exercise": current(mark["exercise"])} for mark in table["marks"]]
        return cls(**{**table, "marks": [Mark(**mark) for mark in now]})


@dataclass(frozen=True)
class Task:
    """Everything needed to mark submissions of one assignment, as plain data that can be sent to another machine."""

    assignment: str
    notebooks: dict[str, str]  # the teacher's notebooks, by their names
    limits: Limits
    apart: tuple[str, ...] | None
    version: str
    files: dict[str, str] = field(default_factory=dict)  # the class's own, beside the notebooks: base64 by path
    altered: dict[str, tuple[str, ...]] | None = None  # by exercise, the given names that the course's answers alter
    handed_out: dict[str, str] = field(default_factory=dict)  # nbgrader's checksums of the cells that learners have

    @property
    def notebooks_version(self) -> str:
        """The version of the teacher's notebooks, short enough for a table."""
        return digest_of(json.dumps(self.notebooks))[:8]

    @property
    def points(self) -> float:
        """The sum of all points."""
        return sum(question.points for question in self.questions())

    def questions(self) -> list[Mark]:
        """Every exercise, hidden test and question, with no points earned yet."""
        apart_marks: list[Mark] = []
        exercise = ""
        for text in self.notebooks.values():
            for cell in parse(text.encode())["cells"]:
                marks = marks_of(cell)
                call = check_call(source(cell)) if marks and cell["cell_type"] == "code" else None
                exercise = call[0] if call else exercise  # a hidden test follows the exercise that it belongs to
                if not marks.get("grade"):
                    continue
                id, points = marks["grade_id"], float(marks["points"])
                if marks["solution"]:
                    apart_marks.append(Mark(id, id, points, None, how="hand"))
                    continue
                apart_marks.append(Mark(id, exercise, points, 0.0))
        return apart_marks


def task_of(course: Course, assignment: Assignment) -> Task:
    """The task of an assignment, from the class's `source/`. Raises `Problem` if it has not been released."""
    notebooks = {}
    for name in assignment.notebooks:
        path = course.folder / "source" / assignment.name / Path(name).name
        try:
            notebooks[Path(name).stem] = path.read_text(encoding="utf-8")
        except OSError as error:
            raise Problem(
                f"{assignment.name} has not been handed out: {path} is not there. Run glassroom release."
            ) from error
    task = task_from(course, assignment, notebooks, files_of_source(course.folder / "source" / assignment.name))
    return replace(task, handed_out=_handed_out(course.folder / "release" / assignment.name, notebooks))


def _handed_out(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """nbgrader's checksums of the cells that learners were given, as far as they can be read."""
    checksums: dict[str, str] = {}
    for name in names:
        with contextlib.suppress(OSError, DamagedNotebook):
            checksums |= _checksums(name, parse((folder / f"{name}.ipynb").read_bytes()))
    return checksums


def _answers_in(notebook: Notebook) -> dict[str, str]:
    """The course's own answers in a teacher's notebook, by their exercises."""
    solutions = ((marks_of(cell).get("grade_id", ""), solution_in(source(cell))) for cell in notebook["cells"])
    return {id.removesuffix("-answer"): answer for id, answer in solutions if answer}


def _checksums(name: str, notebook: Notebook) -> dict[str, str]:
    """nbgrader's checksums of a copy's cells, and ours of all that was handed out, under the notebook's name."""
    marks = (marks_of(cell) for cell in notebook["cells"])
    checksums = {mark["grade_id"]: mark["checksum"] for mark in marks if isinstance(mark.get("checksum"), str)}
    return checksums | ({f"{name}.ipynb": whole} if (whole := handed_out_of(notebook)) else {})


def task_from(
    course: Course, assignment: Assignment, notebooks: dict[str, str], files: Mapping[str, bytes] | None = None
) -> Task:
    """The task of an assignment with these teacher's notebooks, by their names, and the class's own files."""
    own = {path: base64.b64encode(content).decode() for path, content in sorted((files or {}).items())}
    resting_on = [json.dumps(notebooks), json.dumps(asdict(course.limits)), checks_version()]
    version = digest_of(*resting_on, *([json.dumps(own)] if own else []))
    return Task(assignment.name, notebooks, course.limits, None, version, own)


@cache
def checks_version() -> str:
    """The version of the checks here: a digest of the exercises' files."""
    folder = Path(glassroom.exercises.__file__).parent
    files = sorted(folder.rglob("*.py"))
    return digest_of(
        __version__, *(part for path in files for part in (str(path.relative_to(folder)), path.read_bytes()))
    )


def mark(
    task: Task,
    learner: str,
    files: dict[str, bytes],
    isolation: Isolation,
    stop: Stop = lambda: False,
    submitted: str = "",
) -> Row:
    """The row of one submission: its notebooks by their names. Never raises for what is in them."""
    row = Row(learner, task.assignment, key_of(task, files), submitted=submitted, isolation=isolation.means)
    row.version = task.notebooks_version
    row.marks = task.questions()
    try:
        for name, text in task.notebooks.items():
            content = _file_of(name, files, len(task.notebooks), row)
            if content is None:
                continue
            try:
                learners = read_notebook(content)
            except Unreadable as reason:
                row.notes.append(f"{name}: not a notebook: {reason}")
                continue
            theirs = _checksums(name, learners)
            row.earlier |= any(theirs.get(id, checksum) != checksum for id, checksum in task.handed_out.items())
            composed = compose(parse(text.encode()), learners, row.earlier)
            row.notes += composed.notes
            row.minutes = round(row.minutes + minutes_of(learners), 1)
            raised = _run(task, composed, row, isolation, stop, _answers_in(parse(text.encode())))
            if task.apart is None:
                row.raised += [f"{name}.ipynb, {error}" for error in raised]
            _by_hand(composed, row)
        if row.notes and not any(mark.answer or mark.message for mark in row.marks):
            row.problem = row.notes[0]
    except Exception as error:  # an error of ours affects one learner's row only, which says so
        row.problem = f"it could not be marked ({type(error).__name__}: {printable(str(error))[:200]})"
    return row


def key_of(task: Task, files: dict[str, bytes]) -> str:
    """The key of what a row's marks depend on: the submission, and the version of the course that judges it."""
    return digest_of(task.version, *(part for name in sorted(files) for part in (name, files[name])))


def reference(
    task: Task, isolation: Isolation, stop: Stop = lambda: False, own: Collection[str] = ()
) -> tuple[Task, list[str]]:
    """The task, completed with the exercises that can be judged apart, and the tests that fail; in the class's `own`
    notebooks, also the cells that raise an error. All are found by marking the course's own solutions."""
    trial = replace(task, apart=None)
    files = {f"{name}.ipynb": text.encode() for name, text in task.notebooks.items()}
    row = mark(trial, "the course's own solutions", files, isolation, stop)
    if row.problem or stop():
        why = row.problem or word("interrupted")
        raise Problem(f"The course's own solutions of {task.assignment} cannot be run: {why}")
    failed = [f"{mark.id}: {mark.message}" for mark in row.marks if mark.part != 1 and mark.how != "hand"]
    failed += [error for error in row.raised if error.split(".ipynb, ")[0] in own]
    beside = {mark.exercise for mark in row.marks if mark.how != "apart" or mark.part != 1}
    apart = sorted({mark.exercise for mark in row.marks} - beside)
    altered = {mark.exercise: tuple(mark.altered) for mark in row.marks if mark.altered}
    return replace(task, apart=tuple(apart), altered=altered), failed


def _file_of(name: str, files: dict[str, bytes], wanted: int, row: Row) -> bytes | None:
    if f"{name}.ipynb" in files:
        return files[f"{name}.ipynb"]
    others = [file for file in files if file.endswith(".ipynb")]
    if wanted == 1 and len(others) == 1:
        row.notes.append(f"{printable(others[0])} is taken for {name}.ipynb")
        return files[others[0]]
    row.notes.append(
        f"{name}.ipynb{word(' is missing')}"
        + (f"; there is {printable(', '.join(sorted(files)[:5]))}" if files else "")
    )
    return None


@dataclass
class _Attempts:
    """The state of the attempts at running one submission."""

    steps: list[dict[str, Any]]
    answers: dict[str, str]  # the course's own, by their exercises
    left: float  # seconds
    stopped: dict[int, str] = field(default_factory=dict)  # by a step's number: why it stopped the run
    known: dict[str, dict[str, Any]] = field(default_factory=dict)  # what has been judged, by the ids of the marks
    settled: dict[str, dict[str, Any]] = field(default_factory=dict)  # of these, what a further run does not change
    hung: dict[str, str] = field(default_factory=dict)  # cells of the learner's that took too long, with the reason
    raised: dict[str, str] = field(default_factory=dict)  # errors, by cells that are not known to raise one
    doubt: str = ""  # for marks given although one of the course's own cells did not finish


def _run(
    task: Task, composed: Composed, row: Row, isolation: Isolation, stop: Stop, answers: dict[str, str]
) -> list[str]:
    """Run and judge what was composed; returns the errors that cells raised. Hidden tests that the learner's process
    will see come in a run of their own, of which nothing is shown.
    """
    attempts = _Attempts(_with_hidden(composed.steps), answers, task.limits.wall)
    seen = {
        number for number, step in enumerate(attempts.steps) if "code" in step and not _is_apart(task, step["source"])
    }
    _attempt(task, attempts, seen, row, isolation, stop)
    if seen and not row.problem and not stop():
        attempts.settled = attempts.known
        _attempt(task, attempts, set(), row, isolation, stop)
    row.notes += [f"{printable(cell)} was stopped: {printable(why)[:200]}" for cell, why in attempts.hung.items()]
    _enter_marks(attempts, composed, row)
    return [f"{printable(cell)}: {printable(error)[:200]}" for cell, error in attempts.raised.items()]


def _is_apart(task: Task, test: str) -> bool:
    call = check_call(test)
    return task.apart is None or call is None or call[0] in task.apart


def _attempt(task: Task, attempts: _Attempts, left_out: set[int], row: Row, isolation: Isolation, stop: Stop) -> None:
    """Run all steps but those. A step that stops the run is left out, and the rest is tried again."""
    limits = task.limits
    files = (
        task.files if task.apart is None else {path: _without_answers(path, text) for path, text in task.files.items()}
    )
    for _ in range(ATTEMPTS):
        numbers = [number for number in range(len(attempts.steps)) if number not in {*attempts.stopped, *left_out}]
        apart = None if task.apart is None else list(task.apart)
        steps = [attempts.steps[number] for number in numbers]
        plan: dict[str, Any] = {"steps": steps, "apart": apart, "cell": limits.cell, "answers": attempts.answers}
        plan |= {"files": files} if files else {}
        plan |= {"earlier": True} if row.earlier else {}
        plan |= (
            {"altered": {id: task.altered.get(id, ()) for id in apart}} if apart and task.altered is not None else {}
        )
        outcome = run_pair(isolation, plan, replace(limits, wall=attempts.left), stop)
        row.seconds = round(row.seconds + outcome.seconds, 2)
        row.cpu = round(row.cpu + outcome.cpu, 2)
        row.memory = round(max(row.memory, outcome.memory), 1)
        attempts.left -= outcome.had
        if _is_done(attempts, outcome) or not _leaves_out_a_step(attempts, outcome, numbers, row, stop):
            break
        if attempts.left < 5:
            break


def _without_answers(path: str, content: str) -> str:
    """A file of the class's own, in base64, as learners have it."""
    if PurePosixPath(path).parts[0] != own.FOLDER:
        return content
    with contextlib.suppress(Problem):
        return base64.b64encode(stripped(path, base64.b64decode(content))).decode()
    return content


def _is_done(attempts: _Attempts, outcome: Outcome) -> bool:
    """Note what a run has judged, and any cell of the course's own that took too long. Returns whether all steps
    ran."""
    judged = {event["mark"]["id"]: event["mark"] for event in outcome.events if "mark" in event}
    attempts.known = {**judged, **attempts.settled}
    given = {str(step.get("cell")) for step in attempts.steps if step.get("given")}
    errors = [event["error"] for event in outcome.events if "error" in event]
    late = next((error for error in errors if error["cell"] in given and error["name"] == "TimeoutError"), None)
    if late:
        attempts.doubt = f"the course's own cell {late['cell']} was not done: {late['message']}"
    may_raise = {str(step.get("cell")) for step in attempts.steps if step.get("may_raise")}
    for error in errors:
        if error["cell"] not in may_raise:
            attempts.raised[str(error["cell"])] = f"it raised {error['name']}: {error['message']}"
        if error["name"] == "TimeoutError" and error["cell"] not in given:
            attempts.hung[str(error["cell"])] = str(error["message"])
    return bool(outcome.events) and "done" in outcome.events[-1]


def _leaves_out_a_step(attempts: _Attempts, outcome: Outcome, numbers: list[int], row: Row, stop: Stop) -> bool:
    """Note which step stopped a run, so that the next leaves it out. Returns False if there should be no further
    attempt."""
    last = outcome.events[-1] if outcome.events else {}
    at = ([-1] + [event["at"] for event in outcome.events if "at" in event])[-1]
    why = str(last.get("why") or outcome.problem)
    if stop():
        row.notes.append(why)
        return False
    if outcome.busy or at < 0:  # caused by the machine, not by the learner
        said = "" if outcome.busy else "".join(outcome.said.splitlines()[-1:])
        attempts.doubt = row.problem = f"it could not be run ({why}{f': {printable(said)[:200]}' if said else ''})"
        row.key = ""  # without a key, the row is marked again next time
        return False
    step = attempts.steps[numbers[at]]
    attempts.stopped[numbers[at]] = why
    row.notes.append(f"{step.get('cell') or step.get('id')}: {why}")
    if step.get("given") and outcome.problem:
        attempts.doubt = f"the course's own cell {step['cell']} was not done: {why}"
    return True


def _enter_marks(attempts: _Attempts, composed: Composed, row: Row) -> None:
    """Enter into a row's marks what was judged, and why the rest was not."""
    steps, stopped = attempts.steps, attempts.stopped
    reasons = {str(steps[number].get("id", "")): why for number, why in stopped.items()}
    ids = {step["id"] for step in steps if "id" in step}
    for mark in row.marks:
        if mark.id not in ids or mark.part is None:
            continue
        mark.hints = composed.hints[mark.exercise]
        mark.answer = composed.code.get(mark.exercise, "")[:20_000]
        if told := attempts.known.get(mark.id):
            mark.part, mark.message, mark.how = told["part"], told["message"], told["how"]
            mark.doubt, mark.outputs, mark.altered = told["doubt"], told["outputs"], told["altered"]
        else:
            why = reasons.get(mark.id) or next(
                iter(stopped.values()), row.notes[-1] if row.notes else "it was not reached"
            )
            mark.message = f"It was not judged: {why}."
        if attempts.doubt and mark.part != 1:
            mark.doubt = mark.doubt or attempts.doubt
            mark.part = mark.part if row.key else None
        if mark.exercise in composed.lost and mark.part != 1:
            mark.part, mark.doubt = None, "the notebook's cells have lost their names, and the answer was not found"


def _with_hidden(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps, with each hidden test as a test of the exercise before it, whether or not that has points."""
    plan_steps: list[dict[str, Any]] = []
    call: dict[str, Any] = {}
    for step in steps:
        if step["do"] == "test" or (step.get("given") and check_call(step["source"])):
            call = {word: step[word] for word in ("source", "gives", "changed") if word in step}
        if step["do"] == "hidden":
            step = {**call, "do": "test", "id": step["id"], "code": step["code"]}
            if not call:
                continue
        plan_steps.append(step)
    return plan_steps


def _by_hand(composed: Composed, row: Row) -> None:
    for mark in row.marks:
        if mark.part is None and mark.id in composed.answers:
            mark.answer = composed.answers[mark.id][:20_000]
            if mark.answer.strip() in UNANSWERED:
                mark.part, mark.message = 0.0, "There is no answer."


def submission_files(folder: Path) -> tuple[dict[str, bytes], list[str]]:
    """The notebooks in a learner's folder, and a note about each that cannot be read."""
    files: dict[str, bytes] = {}
    notes = []
    for path in _entries(folder):
        try:
            files[path.name] = read_file(path)
        except Unreadable as reason:
            notes.append(f"{printable(path.name)}: {reason}")
    return files, notes


def _entries(folder: Path) -> Iterable[Path]:
    if folder.is_symlink():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix == ".ipynb" and not path.name.startswith("."))
