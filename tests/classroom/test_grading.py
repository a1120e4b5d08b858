"""Marks: partial credit, lateness, hints, marks by hand, a run that was killed, a cluster that loses a worker."""

from __future__ import annotations

import builtins
import contextlib
import copy
import csv
import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from classes import FILE, NOTEBOOK, answered, make_class, nothing_is_left, teachers_notebook

from glassroom.classroom.batch import Report, grade, on_this_machine, read_rows
from glassroom.classroom.by_hand import read_manual
from glassroom.classroom.course_file import Assignment, LatePolicy, read_course
from glassroom.classroom.given_names import asked_in
from glassroom.classroom.grading import Row, mark, task_of
from glassroom.classroom.handout import course_notebook, source_version
from glassroom.classroom.lms import lms_csv
from glassroom.classroom.marks import manual_template, marks_csv, moment, result
from glassroom.classroom.pages import class_page
from glassroom.classroom.pages.misconceptions import mistakes, unanswered
from glassroom.classroom.sandbox import NONE, Isolation, best_isolation
from glassroom.classroom.submission import compose, marks_of
from glassroom.classroom.tables import safe_cell
from glassroom.cli.app import run
from glassroom.workspace.notebook_json import Notebook, serialise, source
from glassroom.workspace.problems import Problem
from glassroom.workspace.sources import course_notebooks, notebooks_folder

try:
    best_isolation()
except Problem as problem:
    pytest.skip(f"no sandbox works here: {problem}", allow_module_level=True)

pytestmark = pytest.mark.timeout(900)  # a busy machine is no fault of the code

QUESTION = '\n[[assignment.explain]]\nid = "why"\nask = "Why?"\npoints = 2\n'
SOLVED = {"02-share-storage": 1, "02-middle": 1, "02-whole": 1, "02-count": 1}


def graded(folder: Path, jobs: int = 2) -> Report:
    """The class, after marking."""
    course = read_course(folder)
    return grade(course, course.assignments, best_isolation([folder]), on_this_machine(jobs), threading.Event())


def parts(row: Row) -> dict[str, float | None]:
    return {mark.id: mark.part for mark in row.marks}


def test_each_exercise_counts_for_itself(a_class: Path, notebook: Notebook, hand_in: Callable[..., Path]) -> None:
    hand_in(a_class, "ada", answered(notebook, {}, solved=True))
    hand_in(a_class, "bob", answered(notebook, {"02-middle": "middle = a[1:5].clone().view(2, 2)"}, solved=True))
    hand_in(a_class, "carl", answered(notebook, {"02-middle": "import os; os._exit(1)"}, solved=True))
    hand_in(a_class, "dora", answered(notebook, {"02-middle": "while True: pass"}, solved=True))
    hand_in(a_class, "eve", answered(notebook, {}))
    rows = {row.learner: row for row in graded(a_class).rows}
    assert parts(rows["ada"]) == SOLVED
    for learner in ("bob", "carl", "dora"):
        assert parts(rows[learner]) == {**SOLVED, "02-middle": 0}, rows[learner]
    assert "`middle` is a copy" in rows["bob"].marks[1].message
    assert rows["bob"].marks[1].outputs[-1]["image/svg+xml"].startswith("<svg")  # the picture that says the same
    assert "it ended the process" in rows["carl"].marks[1].message + str(rows["carl"].notes)
    assert "TimeoutError" in rows["dora"].marks[1].message
    assert set(parts(rows["eve"]).values()) == {0}
    assert "waits for your answer" in rows["eve"].marks[1].message
    assert {mark.how for row in rows.values() for mark in row.marks} == {"apart"}


def test_a_class_is_marked_in_the_language_of_whoever_marks_it(
    a_class: Path, notebook: Notebook, hand_in: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassroom.classroom.sandbox.isolation.speaking", lambda: "zh_CN")
    hand_in(a_class, "eve", answered(notebook, {"02-middle": "middle = a[1:5].clone().view(2, 2)"}))
    [row] = graded(a_class).rows
    assert set(parts(row).values()) == {0}
    assert "副本" in row.marks[1].message
    assert unanswered(row) == ["02-share-storage", "02-whole", "02-count"]
    assert [mistake.exercise for mistake in mistakes([row])] == ["02-middle"]


def test_a_check_is_given_what_the_notebook_gives_whatever_a_learner_calls_so(
    a_class: Path, notebook: Notebook, hand_in: Callable[..., Path]
) -> None:
    other = "tail = torch.arange(6).view(2, 3)"
    whole = {"02-whole": f"{other}\nwhole = tail.view(-1)"}
    hand_in(a_class, "ada", answered(notebook, {"02-middle": "middle = a[1:5].view(2, 2)\na = None"}, solved=True))
    hand_in(a_class, "eve", answered(notebook, whole, solved=True))
    changed = answered(notebook, {"02-whole": "whole = tail.view(-1)"}, solved=True)
    for cell in changed["cells"]:
        if re.search(r"^tail = ", source(cell), re.MULTILINE):
            cell["source"] = re.sub(r"^tail = .*$", other, source(cell), flags=re.MULTILINE)
    hand_in(a_class, "mallory", changed)
    plain = course_notebook(notebooks_folder(), NOTEBOOK)
    for cell in plain["cells"]:
        if 'check("02-whole"' in source(cell):
            cell["source"] = source(cell).replace("whole = torch", f"{other}\nwhole = tail.view(-1)\n_ = torch")
    hand_in(a_class, "oscar", plain)
    rows = {row.learner: row for row in graded(a_class).rows}
    marks = {learner: next(mark for mark in row.marks if mark.id == "02-whole") for learner, row in rows.items()}
    assert parts(rows["ada"]) == SOLVED
    assert (marks["eve"].part, marks["oscar"].part) == (0, 0)
    assert marks["mallory"].part == 0 or "`tail` is not what the notebook gives" in marks["mallory"].doubt


def test_every_name_that_a_check_is_given_is_known_by_the_cell_that_gives_it() -> None:
    unknown = []
    for name in (notebook.as_posix() for notebook in course_notebooks(notebooks_folder()) if notebook.parent.name):
        notebook = course_notebook(notebooks_folder(), name)
        assignment = Assignment("one", (name,))
        teachers = source_version(notebook, assignment)
        steps = compose(teachers, teachers).steps
        bound = {id for step in steps for word in ("gives", "takes") for id in step.get(word, ())}
        for step in steps:
            if step["do"] == "test":
                unknown += (
                    [(name, step["id"])]
                    if "changed" in step or asked_in(step["source"]) - bound - set(dir(builtins))
                    else []
                )
    assert unknown == []


@contextlib.contextmanager
def six_others_on_one_core() -> Iterator[None]:
    """A context in which processes that this thread starts get a seventh of a core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    spin = [sys.executable, "-S", "-c", "while True: pass"]
    others = [subprocess.Popen(spin, start_new_session=True) for _ in range(6)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()
        os.sched_setaffinity(0, before)


def test_a_busy_machine_costs_nobody_a_mark(a_class: Path, notebook: Notebook) -> None:
    """Limits count only the processor time that the submission itself used."""
    course = read_course(a_class)
    task = task_of(course, course.assignments[0])
    task = replace(task, apart=tuple(SOLVED), limits=replace(task.limits, cell=0.5))
    work = "import time\nbegan = time.process_time()\nwhile time.process_time() - began < 0.35: pass\n"
    notebook = answered(notebook, {"02-middle": work + "middle = a[1:5].view(2, 2)"}, solved=True)
    isolation = best_isolation([a_class])
    with six_others_on_one_core(), ThreadPoolExecutor(1) as pool:  # a thread has its own referee
        row = pool.submit(mark, task, "ada", {FILE: serialise(notebook)}, isolation).result()
    assert (parts(row), row.notes) == (SOLVED, [])


def test_who_sleeps_is_ended_and_told_in_whole_seconds(a_class: Path, notebook: Notebook) -> None:
    course = read_course(a_class)
    task = task_of(course, course.assignments[0])
    sleeping = answered(notebook, {"02-middle": "import time\ntime.sleep(10**6)"}, solved=True)
    own = {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "execution_count": None}
    hangs = (
        "import builtins, time\nold = builtins.__import__\n"
        "builtins.__import__ = lambda name, *a: time.sleep(10**6) if name == 'tensorglass' else old(name, *a)"
    )
    hanging = answered(notebook, {}, solved=True)
    hanging["cells"].insert(0, {**own, "source": hangs})
    isolation = best_isolation([a_class])
    for work, limits in ((sleeping, {"wall": 2.3456}), (sleeping, {"cell": 0.5}), (hanging, {"cell": 0.5})):
        limited = replace(task, apart=tuple(SOLVED), limits=replace(task.limits, **limits))
        row = mark(limited, "ada", {FILE: serialise(work)}, isolation)
        if "wall" in limits:
            assert row.notes == ["02-middle-answer: it ran for more than 2 seconds"]
        elif work is sleeping:
            assert parts(row) == {**SOLVED, "02-middle": 0}
            assert "it was not done after 1.5 seconds" in row.marks[1].message
        else:  # a cell of the course's own: a person must look
            assert all("own cell" in mark.doubt and "was not done" in mark.doubt for mark in row.marks if not mark.part)
            assert not all(mark.part for mark in row.marks)


def test_where_the_machine_is_too_busy_marks_stay_open_and_are_tried_again(
    a_class: Path, notebook: Notebook, hand_in: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(a_class, "ada", answered(notebook, {}))
    graded(a_class)
    hand_in(a_class, "bob", answered(notebook, {}, solved=True))
    with monkeypatch.context() as patched:
        patched.setattr("glassroom.classroom.sandbox.supervise.BUSY", 0)
        report = graded(a_class)
    bob = report.rows[1]
    assert bob.problem == "it could not be run (the machine was too busy)"
    assert set(parts(bob).values()) == {None}
    assert [row.learner for row in report.doubtful] == ["bob"]
    report = graded(a_class)
    assert (report.marked, report.kept, parts(report.rows[1])) == (1, 1, SOLVED)
    task = task_of(read_course(a_class), read_course(a_class).assignments[0])
    task = replace(task, apart=tuple(SOLVED), limits=replace(task.limits, memory=1))  # nothing starts in that
    row = mark(task, "ada", {FILE: serialise(answered(notebook, {}, solved=True))}, best_isolation([a_class]))
    assert row.problem.startswith("it could not be run (")
    assert set(parts(row).values()) == {None}


def test_the_learners_own_cells_and_their_own_copy_of_the_course_count(
    a_class: Path, notebook: Notebook, hand_in: Callable[..., Path]
) -> None:
    helped = answered(notebook, {"02-middle": "middle = half(a)"}, solved=True)
    at = next(i for i, cell in enumerate(helped["cells"]) if marks_of(cell).get("grade_id") == "02-middle-answer")
    own = {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "execution_count": None}
    helped["cells"].insert(at, {**own, "source": "def half(x):\n    return x[1:5].view(2, 2)"})
    hand_in(a_class, "ada", helped)
    hand_in(a_class, "bob", course_notebook(notebooks_folder(), NOTEBOOK))
    rows = {row.learner: row for row in graded(a_class).rows}
    assert parts(rows["ada"]) == SOLVED
    assert parts(rows["bob"]) == SOLVED


def test_checks_that_cannot_leave_the_process_say_so_and_see_what_was_patched(
    tmp_path: Path, hand_in: Callable[..., Path]
) -> None:
    notebook, name, file = "4_extensions/01_custom_functions.ipynb", "extensions-01", "01_custom_functions.ipynb"
    folder = make_class(tmp_path / "class", (notebook,))
    teachers = teachers_notebook(folder, name, file)
    step = next(source(cell) for cell in teachers["cells"] if marks_of(cell).get("grade_id") == "e01-reverse-answer")
    patch = "import glassroom.exercises.engine as e\ne.judge = lambda *a, **k: e.Verdict(True, 'solved')\n"
    code = (
        "from types import SimpleNamespace\nfrom glassroom.classroom import credit\n"
        "credit.judge = lambda *a, **k: SimpleNamespace(solved=True, message='')\n"
    )
    hand_in(folder, "ada", teachers, assignment=name, file=file)
    hand_in(
        folder,
        "eve",
        answered(teachers, {"e01-reverse": patch + "class Reverse: pass"}, True),
        assignment=name,
        file=file,
    )
    hand_in(
        folder,
        "mallory",
        answered(teachers, {"e01-reverse": code + "class Reverse: pass"}, True),
        assignment=name,
        file=file,
    )
    rows = {row.learner: row for row in graded(folder).rows}
    marks = {learner: next(mark for mark in row.marks if mark.id == "e01-reverse") for learner, row in rows.items()}
    assert "class Reverse" in step
    assert (marks["ada"].part, marks["ada"].how, marks["ada"].doubt) == (1, "beside", "")
    for learner in ("eve", "mallory"):
        assert marks[learner].part == 0
        assert marks[learner].doubt.startswith("changed ")


def test_hidden_tests_come_from_the_teacher_and_stay_there(tmp_path: Path, hand_in: Callable[..., Path]) -> None:
    code = "assert middle.is_contiguous(), 'SECRET'"
    hidden = f'\n[[assignment.hidden]]\nid = "more"\nexercise = "02-middle"\npoints = 3\ncode = "{code}"\n'
    folder = make_class(tmp_path / "class", more=hidden)
    teachers = teachers_notebook(folder)
    hand_in(folder, "ada", answered(teachers, {}, solved=True))
    hand_in(folder, "bob", answered(teachers, {"02-middle": "middle = a[1:5].view(2, 2).t()"}, solved=True))
    rows = {row.learner: row for row in graded(folder).rows}
    assert parts(rows["ada"])["more"] == 1
    assert parts(rows["bob"])["more"] == 0
    assert "SECRET" not in rows["bob"].to_json().decode()


def test_a_hidden_test_that_came_after_the_learners_copy_is_no_trouble(
    tmp_path: Path, hand_in: Callable[..., Path]
) -> None:
    copies = teachers_notebook(make_class(tmp_path / "before"))
    code = "assert middle.storage_offset() == 1"
    hidden = f'\n[[assignment.hidden]]\nid = "more"\nexercise = "02-middle"\npoints = 3\ncode = "{code}"\n'
    folder = make_class(tmp_path / "class", more=hidden)
    hand_in(folder, "ada", answered(copies, {}, solved=True))
    (row,) = graded(folder).rows
    assert (parts(row)["more"], row.notes) == (1, [])


def test_whom_one_trusts_is_marked_without_a_sandbox(a_class: Path, notebook: Notebook) -> None:
    course = read_course(a_class)
    task = replace(task_of(course, course.assignments[0]), apart=tuple(SOLVED))
    sleep = f"time.sleep(598.{os.getpid()})"  # no other process on this machine has this argument
    stays = f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; {sleep}'])\n"
    work = answered(notebook, {"02-middle": f"{stays}middle = a[1:5].view(2, 2)"}, solved=True)
    row = mark(task, "ada", {FILE: serialise(work)}, Isolation(NONE))
    assert (parts(row), row.isolation) == (SOLVED, "none")
    commands = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # another process, that has just ended
            commands.append(path.read_bytes())
    assert not any(sleep.encode() in command for command in commands)


def test_a_second_run_marks_only_what_has_changed(
    a_class: Path, notebook: Notebook, hand_in: Callable[..., Path]
) -> None:
    hand_in(a_class, "ada", answered(notebook, {}, solved=True))
    path = hand_in(a_class, "bob", answered(notebook, {}))
    first = graded(a_class)
    assert (first.marked, first.kept) == (2, 0)
    again = graded(a_class)
    assert (again.marked, again.kept) == (0, 2)
    path.write_bytes(serialise(answered(notebook, {}, solved=True)))
    third = graded(a_class)
    assert (third.marked, third.kept) == (1, 1)
    assert [parts(row) for row in third.rows] == [SOLVED, SOLVED]
    text = (a_class / "course.toml").read_text()
    (a_class / "course.toml").write_text(text.replace("cell = 2", "cell = 4"))
    assert graded(a_class).marked == 2
    (a_class / "marks" / "memory-02" / "ada.json").write_bytes(b"{ damaged")
    assert (graded(a_class).marked, len(read_rows(read_course(a_class), "memory-02"))) == (1, 2)


def started(command: list[str]) -> subprocess.Popen[bytes]:
    """A process that Ctrl-C reaches, even if the tests run in the background, where shells make it ignored."""
    return subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


@pytest.mark.sweep
@pytest.mark.parametrize("with_signal", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_killed_goes_on_where_it_was(
    a_class: Path, notebook: Notebook, hand_in: Callable[..., Path], with_signal: signal.Signals
) -> None:
    sleep = "import time\nwhile True:\n    try: time.sleep(10**6)\n    except BaseException: pass"
    for number in range(8):
        answers = {} if number else {"02-middle": sleep}
        hand_in(a_class, f"learner-{number}", answered(notebook, answers, solved=True))
    command = [sys.executable, "-m", "glassroom", "grade", str(a_class), "--jobs", "2"]
    process = started(command)
    done = a_class / "marks" / "memory-02"
    until = time.monotonic() + 600
    while len(list(done.glob("learner-*.json"))) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(with_signal)
    process.wait(300)
    before = {path: path.read_bytes() for path in done.glob("learner-*.json")}
    assert 2 <= len(before) < 8
    assert nothing_is_left()
    report = graded(a_class)
    assert report.kept == len(before)
    assert report.kept + report.marked == 8
    assert all(path.read_bytes() == content for path, content in before.items())
    assert [parts(row) for row in report.rows] == [{**SOLVED, "02-middle": 0}, *[SOLVED] * 7]


def test_the_cluster_gives_the_same_marks_and_survives_the_death_of_a_worker(
    a_class: Path, notebook: Notebook, hand_in: Callable[..., Path]
) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    from distributed import Client, LocalCluster

    from glassroom.classroom.cluster import on_cluster

    for number in range(6):
        hand_in(a_class, f"learner-{number}", answered(notebook, {}, solved=bool(number % 2)))
    course = read_course(a_class)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        killed: list[int] = []

        def run_all(work: Iterable, isolation: object, stopped: threading.Event) -> Iterator[Row]:
            for row in on_cluster(cluster.scheduler_address, 2)(work, isolation, stopped):
                if not killed:  # the worker that holds most results, some of which nobody has asked for
                    held: Counter[str] = Counter()
                    while held.total() < 3:
                        time.sleep(0.05)
                        results = {key: at for key, at in client.who_has().items() if str(key).startswith("mark-")}
                        held = Counter(worker for at in results.values() for worker in at)
                    killed.append(client.run(os.getpid)[held.most_common(1)[0][0]])
                    os.kill(killed[0], signal.SIGKILL)
                yield row

        report = grade(course, course.assignments, best_isolation([a_class]), run_all, threading.Event())
    assert killed
    assert [row.learner for row in report.rows] == [f"learner-{number}" for number in range(6)]
    for number, row in enumerate(report.rows):
        assert parts(row) == (SOLVED if number % 2 else dict.fromkeys(SOLVED, 0)), row


def test_cancelling_on_a_cluster_leaves_nothing_behind(
    a_class: Path, notebook: Notebook, hand_in: Callable[..., Path]
) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    for number in range(6):
        code = "import time\nwhile True:\n    try: time.sleep(100)\n    except BaseException: pass"
        hand_in(a_class, f"learner-{number}", answered(notebook, {"02-middle": code} if number else {}))
    command = [sys.executable, "-m", "glassroom", "grade", str(a_class), "--jobs", "2", "--cluster", "local"]
    process = started(command)
    until = time.monotonic() + 600
    while not list(a_class.glob("marks/memory-02/learner-0.json")) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(300) == 130
    assert nothing_is_left()


@pytest.mark.parametrize(
    ("minutes", "left"),
    [
        (0, 1),
        (-60, 1),
        (15, 1),
        (16, 0.9),
        (15 + 1440, 0.8),
        (15 + 3 * 1440, 0.6),
        (15 + 9 * 1440, 0.5),
        (60 * 24 * 30, 0),
    ],
)
def test_lateness_costs_what_the_policy_says(minutes: float, left: float) -> None:
    assert LatePolicy(grace=15, per_day=0.1, at_most=0.5, closed=14).factor(60 * minutes) == pytest.approx(left)


@pytest.mark.parametrize(
    "text",
    [
        "2030-01-01 10:00:00.000000 UTC", "2030-01-01 10:00:00 UTC", "2030-01-01T10:00:00Z",
        "2030-01-01 11:00:00 +0100", "2030-01-01T12:00:00+02:00",
    ],
)  # fmt: skip
def test_moments_are_read_as_nbgrader_and_others_write_them(text: str) -> None:
    assert moment(text) == datetime.fromisoformat("2030-01-01T10:00:00+00:00")
    assert moment("yesterday") is None


@pytest.fixture
def marked(tmp_path: Path) -> Callable[..., tuple[Path, Row]]:
    """A class with a question in words, and a row as a run leaves it."""

    def make(**changes: object) -> tuple[Path, Row]:
        folder = make_class(tmp_path / "class", more=QUESTION)
        text = (folder / "course.toml").read_text()
        due = text.replace("# due = 2030-01-31T18:00:00+01:00", "due = 2030-01-01T10:00:00+00:00")
        (folder / "course.toml").write_text(due + "\n")
        task = task_of(read_course(folder), read_course(folder).assignments[0])
        row = Row("ada", "memory-02", marks=task.questions())
        for one in row.marks:
            if one.part is not None:
                one.part, one.how = 1.0, "apart"
        (folder / "submitted" / "ada").mkdir(parents=True)
        return folder, replace(row, **changes)

    return make


def test_late_work_and_hints_and_marks_by_hand_are_taken_in(marked: Callable[..., tuple[Path, Row]]) -> None:
    folder, row = marked(submitted="2030-01-02T10:00:00+00:00")
    row.marks[0].hints = 2
    rules = "[late]\ngrace = 15\nper_day = 0.1\nat_most = 0.5\nclosed = 14\n[hints]\ncost = 0.25\n"
    (folder / "course.toml").write_text(rules + (folder / "course.toml").read_text().split("[hints]\ncost = 0.0")[-1])
    course = read_course(folder)
    assignment = course.assignments[0]
    waiting = result(course, assignment, row, {})
    assert (waiting.waiting, waiting.raw, waiting.factor) == (["why"], 3.5, 0.9)
    (folder / "manual.csv").write_text("learner,assignment,id,points,comment\nada,memory-02,why,1.5,Good\n")
    by_hand = result(course, assignment, row, read_manual(course))
    assert (by_hand.waiting, by_hand.raw, by_hand.total) == ([], 5.0, 4.5)
    assert by_hand.comments == {"why": "Good"}


@pytest.mark.parametrize("line", ["ada,memory-02,why,many,", "ada,memory-02,why,-1,", "ada,memory-02,why,nan,"])
def test_a_mark_by_hand_that_is_none_is_named_by_its_line(marked: Callable[..., tuple[Path, Row]], line: str) -> None:
    folder, _ = marked()
    (folder / "manual.csv").write_text(f"learner,assignment,id,points,comment\n{line}\n")
    with pytest.raises(Problem, match=r"line 2: .* is not a number of points"):
        read_manual(read_course(folder))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ada,memory-02,why,3,", "line 3: 3 points are more than the 2 of why"),
        ("ad,memory-02,why,1,", "line 3: there is no learner 'ad'"),
        ("ada,memory-2,why,1,", "line 3: there is no assignment 'memory-2'"),
        ("ada,memory-02,wy,1,", "line 3: memory-02 has no question 'wy'"),
    ],
)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_mark_by_hand_of_what_there_is_not_is_reported(
    marked: Callable[..., tuple[Path, Row]], line: str, said: str, separator: str
) -> None:
    folder, _ = marked()
    point = "." if separator == "," else ","
    text = "learner,assignment,id,points,comment\n{good}\n{line}\n,,,,\n".replace(",", separator)
    good = separator.join(["ada", "memory-02", "why", f"1{point}5", ""])
    path = folder / "manual.csv"
    path.write_text(text.format(good=good, line=line.replace(",", separator)))
    with pytest.raises(Problem, match=said):
        read_manual(read_course(folder))
    path.write_text(text.format(good=good, line=""))
    assert read_manual(read_course(folder))["ada", "memory-02", "why"].points == 1.5


def test_what_is_to_be_marked_by_hand_goes_out_and_comes_back(marked: Callable[..., tuple[Path, Row]]) -> None:
    folder, row = marked()
    row.marks[-1].answer = "=SUM(A1)\nBecause."
    course = read_course(folder)
    (folder / "manual.csv").write_text(manual_template([result(course, course.assignments[0], row, {})]))
    lines = list(csv.DictReader(io.StringIO((folder / "manual.csv").read_text())))
    assert [line["id"] for line in lines] == ["why"]
    assert lines[0]["answer"].startswith("'=SUM")
    assert read_manual(course)["ada", "memory-02", "why"].points is None


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1+2", "@SUM(1)", "\t=1", " =1", "|x", "%0A=1", "＝1", "=cmd|'/c calc'!A0"]
)
def test_no_cell_is_a_formula(text: str) -> None:
    assert safe_cell(text)[0] == "'" or safe_cell(text).isdigit()


@pytest.mark.parametrize("text", ["1.5", "-2", "Ada Lovelace", "Åsa", "ada@example.org", "", "-", "a; -"])
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert safe_cell(text) == text


def test_marks_as_moodle_and_canvas_take_them(marked: Callable[..., tuple[Path, Row]], tmp_path: Path) -> None:
    waits = "with answers that wait for a person's mark"
    folder, row = marked()
    course = read_course(folder)
    assignment = course.assignments[0]
    ada = result(course, assignment, replace(row, learner="ada@example.org"), {})
    moodle = list(csv.reader(io.StringIO(lms_csv("moodle", assignment, [ada]))))
    assert moodle[:2] == [
        ["Email address", "memory-02", "Feedback comments"],
        ["ada@example.org", "4", f"4 of 6 points, {waits}"],
    ]
    roster = tmp_path / "roster.csv"
    roster.write_text(
        "Student,ID,SIS Login ID,Section,memory-02 (77)\n    Points Possible,,,,6\n"
        '"Lovelace, Ada",501,al,A,\n"Hopper, Grace",502,gh,A,\n'
    )
    by_zip = result(course, assignment, replace(row, learner="lovelaceada"), {})
    canvas = list(csv.reader(io.StringIO(lms_csv("canvas", assignment, [by_zip], roster))))
    assert canvas[0] == ["Student", "ID", "SIS Login ID", "Section", "memory-02 (77)"]
    assert canvas[2] == ["Lovelace, Ada", "501", "al", "A", "4"]
    assert len(canvas) == 3
    of_one_name = tmp_path / "of_one_name.csv"
    of_one_name.write_text('Student,ID\n"King, Ada",300\n"King, Ada",326\n')
    both = [replace_row(by_zip, f"kingada {number}") for number in (326, 300)]
    filled = list(csv.reader(io.StringIO(lms_csv("canvas", assignment, both, of_one_name))))
    assert filled[1:] == [["King, Ada", "300", "4"], ["King, Ada", "326", "4"]]
    worksheet = tmp_path / "worksheet.csv"
    worksheet.write_text(
        "Identifier,Full name,Email address,Grade,Feedback comments\n"
        "Participant 12,Ada Lovelace,a@b.org,,Mine\nParticipant 13,Ada Lovelace,c@b.org,,\nParticipant 7,Nobody,,,\n"
    )
    for learner, number in (("Ada Lovelace 13", "13"), ("Ada Lovelace 12", "12"), ("c@b.org", "13")):
        filled = list(
            csv.DictReader(io.StringIO(lms_csv("moodle", assignment, [replace_row(ada, learner)], worksheet)))
        )
        assert [(line["Identifier"], line["Grade"]) for line in filled] == [(f"Participant {number}", "4")]
        assert filled[0]["Feedback comments"] == ("Mine" if number == "12" else f"4 of 6 points, {waits}")
    with pytest.raises(Problem, match="may be Participant 12 or Participant 13"):  # no learner gets another's mark
        lms_csv("moodle", assignment, [replace_row(ada, "Ada Lovelace")], worksheet)
    with pytest.raises(Problem, match=r"'A@b\.org' and 'a@b\.org' differ by capitals only"):
        lms_csv("moodle", assignment, [replace_row(ada, address) for address in ("A@b.org", "a@b.org")], worksheet)
    with pytest.raises(Problem, match="by username or e-mail address, and a folder is named 'Ada Lovelace'"):
        lms_csv("moodle", assignment, [replace_row(ada, "Ada Lovelace")])
    with pytest.raises(Problem, match="no Identifier"):
        lms_csv("moodle", assignment, [ada], roster)
    with pytest.raises(Problem, match="--roster"):
        lms_csv("canvas", assignment, [by_zip])
    with pytest.raises(Problem, match="None of the 1 learners"):
        lms_csv("canvas", assignment, [replace_row(by_zip, "nobody")], roster)


def replace_row(result: object, learner: str) -> object:
    """The same result for another learner."""
    return replace(result, row=replace(result.row, learner=learner))


def test_a_row_comes_back_as_it_was_kept(marked: Callable[..., tuple[Path, Row]]) -> None:
    _, row = marked(notes=["a note with ☃ and \n"])
    assert Row.from_json(row.to_json()) == row
    with pytest.raises((ValueError, KeyError, TypeError)):
        Row.from_json(b"[]")


def test_an_assignment_that_nobody_has_come_to_costs_nothing(tmp_path: Path, hand_in: Callable[..., Path]) -> None:
    folder = make_class(tmp_path / "class", (NOTEBOOK, "1_memory/03_basic_indexing.ipynb"))
    hand_in(folder, "ada", b"7")
    (folder / "submitted" / "bob").mkdir()
    report = graded(folder)
    assert [(row.learner, row.assignment) for row in report.rows] == [("ada", "memory-02")]
    assert report.missing == [("bob", "memory-02")]
    assert not (folder / "marks" / "memory-03").exists()  # the course's own solution was not run


def test_a_fault_in_one_submission_is_one_row(a_class: Path) -> None:
    course = read_course(a_class)
    task = replace(task_of(course, course.assignments[0]), apart=())
    row = mark(task, "eve", {FILE: b"\xff\xfe"}, best_isolation([a_class]))
    assert "not a notebook" in row.problem
    assert [mark.part for mark in row.marks] == [0] * 4


def test_a_folder_with_a_hidden_name_is_reported(a_class: Path) -> None:
    (a_class / "submitted" / ".ann" / "memory").mkdir(parents=True)
    (a_class / "submitted" / ".ipynb_checkpoints").mkdir()
    course = read_course(a_class)
    report = grade(course, (), best_isolation([a_class]), on_this_machine(1), threading.Event())
    assert report.warnings == ["submitted/.ann is left alone: a name that begins with a dot is no learner's"]


def test_the_commands_of_a_teachers_day(
    a_class: Path, notebook: Notebook, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(a_class)
    assert run(["grade", folder]) == 3
    assert "Nothing has been handed in" in capsys.readouterr().err
    for learner, solved in (("ada", True), ("bob", False)):
        (tmp_path / "in" / learner).mkdir(parents=True)
        (tmp_path / "in" / learner / FILE).write_bytes(serialise(answered(copy.deepcopy(notebook), {}, solved)))
    assert run(["collect", str(tmp_path / "in"), "--course", folder]) == 0
    assert "2 notebooks taken in, 0 oddities" in capsys.readouterr().out
    assert run(["grade", folder, "--jobs", "2"]) == 0
    said = capsys.readouterr().out
    assert "Isolation: " in said
    assert "2 marked, 0 unchanged, 0 not handed in, 0 with trouble, 0 to look at" in said
    assert run(["marks", folder]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(line["learner"], line["points"], line["of"]) for line in lines] == [("ada", "4", "4"), ("bob", "0", "4")]
    assert run(["marks", folder, "--lms", "moodle", "--csv", str(tmp_path / "moodle.csv")]) == 0
    assert (tmp_path / "moodle.csv").read_text().splitlines()[1].startswith("ada,4,")
    assert run(["feedback", folder]) == 0
    assert sorted(path.name for path in (a_class / "pages").iterdir()) == ["ada.html", "bob.html"]
    assert run(["class", folder]) == 0
    assert "2 handed in, 0 missing, average 50% of the points (of 2 who handed in)" in capsys.readouterr().out
    assert (a_class / "class.html").is_file()


def test_cells_that_have_lost_their_names_are_found_by_their_place(
    tmp_path: Path, hand_in: Callable[..., Path]
) -> None:
    """Other editors keep only the sources of cells. Answers that are found count as usual; the others stay open, with a
    note."""
    folder = make_class(tmp_path / "class", more=QUESTION)
    teachers = teachers_notebook(folder)

    def stripped(answers: dict[str, str], without: str = "") -> Notebook:
        notebook = answered(teachers, {"why": "They share one storage.", **answers}, solved=True)
        notebook["cells"] = [cell for cell in notebook["cells"] if marks_of(cell).get("grade_id") != without]
        for number, cell in enumerate(notebook["cells"]):
            cell["metadata"], cell["id"] = {}, f"new-{number}"
        return notebook

    hand_in(folder, "ada", stripped({}))
    hand_in(folder, "bob", stripped({"02-middle": "middle = a[1:5].clone().view(2, 2)"}))
    hand_in(folder, "carl", stripped({}, without="02-middle-answer"))
    lone = answered(teachers, {}, solved=True)
    next(cell for cell in lone["cells"] if marks_of(cell).get("grade_id") == "02-middle-answer")["metadata"] = {}
    hand_in(folder, "dora", lone)
    course = read_course(folder)
    rows = {row.learner: row for row in graded(folder).rows}
    assert parts(rows["ada"]) == {**SOLVED, "why": None}
    assert rows["ada"].to_look_at == []
    assert rows["ada"].marks[-1].answer == "They share one storage."
    assert parts(rows["bob"]) == {**SOLVED, "02-middle": 0, "why": None}
    assert parts(rows["carl"]) == {**SOLVED, "02-middle": None, "why": None}
    assert [exercise.id for exercise in rows["carl"].to_look_at] == ["02-middle"]
    assert parts(rows["dora"]) == {**SOLVED, "why": 0}
    for learner, id in (("ada", "02-share-storage-answer"), ("dora", "02-middle-answer")):
        assert f"were found by their place: {id}" in rows[learner].trouble[0]
    results = [result(course, course.assignments[0], row, {}) for row in rows.values()]
    page = str(class_page(folder).html)
    for learner, line in zip(rows, csv.DictReader(io.StringIO(marks_csv(results))), strict=True):
        assert line["with trouble"].split("; ") == rows[learner].trouble
        assert bool(line["to look at"]) == (learner == "carl")
    assert page.count("were found by their place") == 4
    assert page.count("the answer was not found") == 1


def test_a_cell_that_hangs_after_right_answers_costs_nothing_and_is_reported(
    a_class: Path, notebook: Notebook, hand_in: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    work = answered(notebook, {}, solved=True)
    work["cells"].append(
        {
            "cell_type": "code",
            "id": "own",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": "while 1: 0",
        }
    )
    hand_in(a_class, "ada", work)
    with open(a_class / "course.toml", "a") as file:  # a second assignment, which is not handed out
        file.write('\n[[assignment]]\nname = "later"\nnotebooks = ["1_memory/03_basic_indexing.ipynb"]\n')
    assert run(["grade", str(a_class)]) == 0
    said = capsys.readouterr().out
    assert f"later is not handed out yet: glassroom release later --course {a_class}" in said
    assert re.search(rf"^ada, memory-02: cell {len(work['cells'])} was stopped: ", said, re.MULTILINE), said
    assert "1 with trouble" in said
    assert "changed since" not in said
    (row,) = read_rows(read_course(a_class), "memory-02").values()
    assert parts(row) == SOLVED
    text = (a_class / "course.toml").read_text()
    (a_class / "course.toml").write_text(text.replace('"02-middle" = 1', '"02-middle" = 3'))
    assert run(["grade", str(a_class), "memory-02"]) == 0
    assert "memory-02: course.toml or the notebooks have changed since it was released" in capsys.readouterr().out
    assert run(["grade", str(a_class), "later"]) != 0


def test_the_bar_says_what_is_run_before_the_first_result(
    a_class: Path, notebook: Notebook, hand_in: Callable[..., Path]
) -> None:
    hand_in(a_class, "ada", answered(notebook, {}, solved=True))
    course = read_course(a_class)
    heard: list[tuple[int, int, str]] = []

    def progress(done: int, of: int, name: str) -> None:
        heard.append((done, of, name))

    grade(course, course.assignments, best_isolation([a_class]), on_this_machine(1), threading.Event(), progress)
    assert heard == [(0, 0, "the course's own solutions of memory-02"), (0, 1, ""), (1, 1, "ada")]
