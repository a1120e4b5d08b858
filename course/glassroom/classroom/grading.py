"""One submission, marked: what it is run with, what becomes of what fails, and the row that comes out.

`Course` and its source notebooks decide; `sandbox` runs. Whatever a submission is or does, `mark` returns one row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import glassroom.exercises
from glassroom import __version__
from glassroom.classroom.course_file import Assignment, Course, Limits
from glassroom.classroom.handout import check_call
from glassroom.classroom.sandbox import Isolation, run_pair
from glassroom.classroom.submission import (
    UNANSWERED,
    Composed,
    Unreadable,
    compose,
    digest_of,
    marks_of,
    minutes_of,
    read_file,
    read_notebook,
)
from glassroom.records.printable import printable
from glassroom.workspace.notebook_json import parse, source
from glassroom.workspace.problems import Problem

ATTEMPTS = 3  # a cell that hangs or ends the process is left out, and the rest is run again, so many times in all

Stop = Callable[[], bool]


@dataclass
class Mark:
    """What one exercise or question came to. `part` is None while it waits for a person."""

    id: str
    exercise: str
    points: float
    part: float | None
    message: str = ""
    how: str = ""  # judged apart from the learner's program, beside it, or by hand
    doubt: str = ""  # why a person should look at it
    hints: int = 0
    answer: str = ""
    outputs: list[dict[str, str]] = field(default_factory=list)


@dataclass
class Row:
    """What one learner's work on one assignment came to, before lateness and marks by hand."""

    learner: str
    assignment: str
    key: str = ""
    problem: str = ""  # why none of it could be run
    notes: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    submitted: str = ""  # when, in ISO form, where it is known
    minutes: float = 0.0  # at work in the notebook, where Jupyter has recorded it
    seconds: float = 0.0
    memory: float = 0.0
    cpu: float = 0.0  # seconds of a core
    isolation: str = ""

    @property
    def trouble(self) -> list[str]:
        """Why it could not be run, as a whole or in part, or what had to be put right first."""
        return list(dict.fromkeys([*([self.problem] if self.problem else []), *self.notes]))

    @property
    def to_look_at(self) -> list[Mark]:
        """The marks that a person should look at before they count."""
        return [each for each in self.marks if each.doubt]

    def to_json(self) -> bytes:
        """The row as it is stored."""
        # Half a letter is written as JSON writes it, so that it comes back: two names that differ stay two.
        return json.dumps(asdict(self), indent=1, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"

    @classmethod
    def from_json(cls, content: bytes) -> Row:
        """A stored row. Raises ValueError, KeyError or TypeError for what is none."""
        table = json.loads(content)
        return cls(**{**table, "marks": [Mark(**each) for each in table["marks"]]})


@dataclass(frozen=True)
class Task:
    """All that it takes to mark submissions of one assignment, as plain data that another machine can be sent."""

    assignment: str
    notebooks: dict[str, str]  # the teacher's notebooks, by their names
    limits: Limits
    apart: tuple[str, ...] | None
    version: str

    @property
    def points(self) -> float:
        """The sum of all points."""
        return sum(each.points for each in self.questions())

    def questions(self) -> list[Mark]:
        """Every exercise, hidden test and question, with no points earned yet."""
        found: list[Mark] = []
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
                    found.append(Mark(id, id, points, None, how="hand"))
                    continue
                found.append(Mark(id, exercise, points, 0.0))
        return found


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
    return task_from(course, assignment, notebooks)


def task_from(course: Course, assignment: Assignment, notebooks: dict[str, str]) -> Task:
    """The task of an assignment whose teacher's notebooks these are, by their names."""
    version = digest_of(json.dumps(notebooks), json.dumps(asdict(course.limits)), checks_version())
    return Task(assignment.name, notebooks, course.limits, None, version)


@cache
def checks_version() -> str:
    """Which checks judge here: a digest of the exercises' own files."""
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
            composed = compose(parse(text.encode()), learners)
            row.notes += composed.notes
            row.minutes = round(row.minutes + minutes_of(learners), 1)
            _run(task, composed, row, isolation, stop)
            _by_hand(composed, row)
        if row.notes and not any(mark.answer or mark.message for mark in row.marks):
            row.problem = row.notes[0]
    except Exception as error:  # a fault of ours is one learner's row, and says so
        row.problem = f"it could not be marked ({type(error).__name__}: {printable(str(error))[:200]})"
    return row


def key_of(task: Task, files: dict[str, bytes]) -> str:
    """What a row's marks rest on: the submission, and the version of the course that it is judged by."""
    return digest_of(task.version, *(part for name in sorted(files) for part in (name, files[name])))


def reference(task: Task, isolation: Isolation, stop: Stop = lambda: False) -> tuple[Task, list[str]]:
    """The task with what can be judged apart, found by marking the course's own solutions, and what they failed."""
    trial = replace(task, apart=None)
    files = {f"{name}.ipynb": text.encode() for name, text in task.notebooks.items()}
    row = mark(trial, "the course's own solutions", files, isolation, stop)
    if row.problem or stop():
        raise Problem(f"The course's own solutions of {task.assignment} cannot be run: {row.problem or 'interrupted'}")
    failed = [f"{each.id}: {each.message}" for each in row.marks if each.part != 1 and each.how != "hand"]
    beside = {each.exercise for each in row.marks if each.how != "apart" or each.part != 1}
    apart = sorted({each.exercise for each in row.marks} - beside)
    return replace(task, apart=tuple(apart)), failed


def _file_of(name: str, files: dict[str, bytes], wanted: int, row: Row) -> bytes | None:
    if f"{name}.ipynb" in files:
        return files[f"{name}.ipynb"]
    others = [each for each in files if each.endswith(".ipynb")]
    if wanted == 1 and len(others) == 1:
        row.notes.append(f"{printable(others[0])} is taken for {name}.ipynb")
        return files[others[0]]
    row.notes.append(
        f"{name}.ipynb is missing" + (f"; there is {printable(', '.join(sorted(files)[:5]))}" if files else "")
    )
    return None


def _run(task: Task, composed: Composed, row: Row, isolation: Isolation, stop: Stop) -> None:
    """Run and judge what is composed. A step that stops it all is left out, and the rest is tried again."""
    steps = _with_hidden(composed.steps)
    stopped: dict[int, str] = {}
    limits, left = task.limits, task.limits.wall
    known: dict[str, dict[str, Any]] = {}
    doubt = ""  # of marks beside which a cell of the course's own was not done
    given = {str(step.get("cell")) for step in steps if step.get("given")}
    for _ in range(ATTEMPTS):
        numbers = [number for number in range(len(steps)) if number not in stopped]
        apart = None if task.apart is None else list(task.apart)
        plan: dict[str, Any] = {"steps": [steps[number] for number in numbers], "apart": apart, "cell": limits.cell}
        outcome = run_pair(isolation, plan, replace(limits, wall=left), stop)
        row.seconds = round(row.seconds + outcome.seconds, 2)
        row.cpu = round(row.cpu + outcome.cpu, 2)
        row.memory = round(max(row.memory, outcome.memory), 1)
        left -= outcome.had
        known = {event["mark"]["id"]: event["mark"] for event in outcome.events if "mark" in event}
        last = outcome.events[-1] if outcome.events else {}
        errors = [event["error"] for event in outcome.events if "error" in event]
        late = next((each for each in errors if each["cell"] in given and each["name"] == "TimeoutError"), None)
        if late:
            doubt = f"the course's own cell {late['cell']} was not done: {late['message']}"
        if "done" in last:
            break
        at = ([-1] + [event["at"] for event in outcome.events if "at" in event])[-1]
        why = str(last.get("why") or outcome.problem)
        if stop():
            row.notes.append(why)
            break
        if outcome.busy or at < 0:  # the machine's doing, and not the learner's
            said = "" if outcome.busy else "".join(outcome.said.splitlines()[-1:])
            doubt = row.problem = f"it could not be run ({why}{f': {printable(said)[:200]}' if said else ''})"
            row.key = ""  # as of no submission: it is tried again
            break
        step = steps[numbers[at]]
        stopped[numbers[at]] = why
        row.notes.append(f"{step.get('cell') or step.get('id')}: {why}")
        if step.get("given") and outcome.problem:
            doubt = f"the course's own cell {step['cell']} was not done: {why}"
        if left < 5:
            break
    reasons = {str(steps[number].get("id", "")): why for number, why in stopped.items()}
    ids = {step["id"] for step in steps if "id" in step}
    for each in row.marks:
        if each.id not in ids or each.part is None:
            continue
        each.hints = composed.hints[each.exercise]
        each.answer = composed.code.get(each.exercise, "")[:20_000]
        if told := known.get(each.id):
            each.part, each.message, each.how = told["part"], told["message"], told["how"]
            each.doubt, each.outputs = told["doubt"], told["outputs"]
        else:
            why = reasons.get(each.id) or next(
                iter(stopped.values()), row.notes[-1] if row.notes else "it was not reached"
            )
            each.message = f"It was not judged: {why}."
        if doubt and each.part != 1:
            each.doubt = each.doubt or doubt
            each.part = each.part if row.key else None
        if each.exercise in composed.lost and each.part != 1:
            each.part, each.doubt = None, "the notebook's cells have lost their names, and the answer was not found"


def _with_hidden(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps, with each hidden test as a test of the exercise before it, whether or not that has points."""
    made: list[dict[str, Any]] = []
    call = ""
    for step in steps:
        if step["do"] == "test" or (step.get("given") and check_call(step["source"])):
            call = step["source"]
        if step["do"] == "hidden":
            step = {"do": "test", "id": step["id"], "source": call, "code": step["code"]}
            if not call:
                continue
        made.append(step)
    return made


def _by_hand(composed: Composed, row: Row) -> None:
    for each in row.marks:
        if each.part is None and each.id in composed.answers:
            each.answer = composed.answers[each.id][:20_000]
            if each.answer.strip() in UNANSWERED:
                each.part, each.message = 0.0, "There is no answer."


def submission_files(folder: Path) -> tuple[dict[str, bytes], list[str]]:
    """The notebooks that lie in a learner's folder, and a note about each that cannot be read."""
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
