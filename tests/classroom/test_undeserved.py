"""Undeserved points: answers found on the grader's disk, given values that are overwritten, hints called under other
names, and hidden tests that reveal themselves.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from classes import NOTEBOOK, answered, make_class, teachers_notebook, with_cell

from glassroom.classroom.batch import grade, on_this_machine
from glassroom.classroom.by_hand import read_manual
from glassroom.classroom.course_file import read_course
from glassroom.classroom.grading import Row
from glassroom.classroom.marks import result
from glassroom.classroom.pages.feedback import feedback_page
from glassroom.classroom.sandbox import best_isolation
from glassroom.classroom.submission import compose, marks_of
from glassroom.workspace.notebook_json import Notebook, source
from glassroom.workspace.problems import Problem

try:
    best_isolation()
except Problem as problem:
    pytest.skip(f"no sandbox works here: {problem}", allow_module_level=True)

pytestmark = pytest.mark.timeout(900)  # a busy machine is no fault of the code

Marked = Callable[..., dict[str, Row]]


@pytest.fixture
def marked(tmp_path: Path, hand_in: Callable[..., Path]) -> Marked:
    def mark(work: dict[str, Notebook], notebook: str) -> dict[str, Row]:
        return _graded(tmp_path / "class", work, notebook, hand_in)

    return mark


def _graded(folder: Path, work: dict[str, Notebook], notebook: str, hand_in: Callable[..., Path]) -> dict[str, Row]:
    part, file = notebook.split("/")
    for learner, made in work.items():
        hand_in(folder, learner, made, assignment=f"{part.split('_')[1]}-{file[:2]}", file=file)
    course = read_course(folder)
    report = grade(course, course.assignments, best_isolation([folder]), on_this_machine(2), threading.Event())
    return {row.learner: row for row in report.rows}


def parts(row: Row) -> dict[str, float | None]:
    return {mark.id: mark.part for mark in row.marks}


KEY = "import glassroom.exercises as e\ne.exercises()\nfrom glassroom.exercises._answer_key import hints_of\n"
LOOKS = {
    "the last hint": KEY + "exec(hints_of('02-middle')[-1])",
    "what stands in": "from glassroom.exercises.stand_in import stand_in\nmiddle = stand_in('02-middle', ...)",
    "sources": "import glob\nfor place in ('/course', *__import__('sys').path):\n"
    "    for path in glob.glob(f'{place}/glassroom/exercises/memory/nb02*.py'):\n"
    "        lines = [line.strip().strip('\",') for line in open(path) if 'middle = a[' in line]\n"
    "        exec(lines[-1] if lines else '')",
    "bytecode": "import glob, re\nfor place in ('/course', *__import__('sys').path):\n"
    "    for path in glob.glob(f'{place}/glassroom/exercises/memory/__pycache__/nb02*.pyc'):\n"
    "        found = re.findall(rb'middle = a\\[1[^\\x00-\\x1f]*', open(path, 'rb').read())\n"
    "        exec(found[-1].decode() if found else '')",
    "lent": "import glassroom.exercises._answer_key as key\nmiddle = ...\nfor n in list(key._lent): exec(key._lent[n])",
}


@pytest.fixture(scope="module")
def wanting(tmp_path_factory: pytest.TempPathFactory, hand_in: Callable[..., Path]) -> tuple[Path, dict[str, Row]]:
    """A class with one learner for each way to get undeserved points in notebook 02, and their rows."""
    code = "a = torch.full((2,), 81910)\nassert share_storage(a, a[1:]) and not share_storage(a, torch.zeros(1))"
    hidden = f"\n[[assignment.hidden]]\nid = 'secret'\nexercise = '02-share-storage'\npoints = 5\ncode = '''{code}'''\n"
    folder = make_class(tmp_path_factory.mktemp("wanting") / "class", more=hidden)
    teachers = teachers_notebook(folder)
    work = {kind: answered(teachers, {"02-middle": answer}) for kind, answer in LOOKS.items()}
    work |= {kind: answered(teachers, {"02-whole": answer}, solved=True) for kind, answer in WRITES.items()}
    work |= {kind: answered(teachers, {"02-share-storage": answer}) for kind, answer in TELLS.items()}
    return folder, _graded(folder, {**work, "honest": answered(teachers, {}, solved=True)}, NOTEBOOK, hand_in)


def test_no_answer_of_the_course_lies_where_a_submission_runs(wanting: tuple[Path, dict[str, Row]]) -> None:
    rows = wanting[1]
    assert {kind: parts(rows[kind])["02-middle"] for kind in LOOKS} == dict.fromkeys(LOOKS, 0)


def test_what_stands_in_for_a_missing_answer_still_does_so_in_the_courses_own_cells(
    tmp_path: Path, marked: Marked
) -> None:
    notebook = "1_memory/11_a_strided_tensor_in_60_lines.ipynb"
    folder = make_class(tmp_path / "class", (notebook,))
    teachers = teachers_notebook(folder, "memory-11", Path(notebook).name)
    looks = "from glassroom.exercises.stand_in import stand_in\ncell = stand_in('11-cell', ...)"
    rows = marked(
        {
            "open": answered(teachers, {"11-cell": "# your code here"}, solved=True),
            "looks": answered(teachers, {"11-cell": looks}, solved=True),
        },
        notebook=notebook,
    )
    for row in rows.values():
        assert {id for id, part in parts(row).items() if part != 1} == {"11-cell"}
        assert not row.notes


WRITES = {
    "set": "tail.set_(a.untyped_storage(), 1, (3,))\nwhole = a",
    "data": "tail.data = a[1:4]\nwhole = a",
    "values": "tail.fill_(7)\nwhole = torch.empty(0, dtype=tail.dtype).set_(tail.untyped_storage())",
}


def test_a_given_value_that_was_written_to_is_reported(wanting: tuple[Path, dict[str, Row]]) -> None:
    rows = wanting[1]
    doubts = {
        kind: next(mark.doubt for mark in rows[kind].marks if mark.id == "02-whole") for kind in (*WRITES, "honest")
    }
    said = "`tail` is not what the notebook gives: the learner's code has written into it"
    assert doubts == {**dict.fromkeys(WRITES, said), "honest": ""}
    assert not rows["honest"].to_look_at
    assert set(parts(rows["honest"]).values()) == {1}


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ('hint("02-middle")', 1),
        ('import glassroom\nglassroom.hint("02-middle")\nglassroom.hint("02-middle")', 2),
        ('from glassroom import hint as help_me\nhelp_me("02-middle")', 1),
        ('h = glassroom.hint\nx = h("02-middle")\nprint(h(\n    "02-middle"\n))', 2),
        ('%time hint("02-middle")\n!echo "\nhint("02-middle")', 2),
        ('# hint("02-middle")\nx = "hint(\'02-middle\')"\ndef hint(x): pass', 0),
    ],
)
def test_a_hint_costs_under_any_name(tmp_path: Path, code: str, count: int) -> None:
    teachers = teachers_notebook(make_class(tmp_path / "class"))
    composed = compose(copy.deepcopy(teachers), with_cell(answered(teachers, {}), code, 3))
    assert composed.hints["02-middle"] == count


RIGHT = "    return x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()"
SAYS = "def share_storage(x, y):\n    seen = f'v{x.tolist()[0]}' if x.dim() == 1 and x.numel() == 2 else ''\n"
TELLS = {
    "the name of an error": f"{SAYS}    if seen == 'v' + str(81911 - 1): raise type(seen, (Exception,), {{}})\n{RIGHT}",
    "the name of a class": f"{SAYS}    if seen == 'v' + str(81911 - 1): return type(seen, (), {{}})()\n{RIGHT}",
    "a patched runner": "from glassroom.classroom.inside import runner\nold, seen = runner.Runner.answer, []\n"
    "def new(self, message):\n    told = old(self, message)\n    known = [x.tolist()[0] for x in seen if x.dim()]\n"
    "    return {'cannot': f'v{known[-1]}', 'foreign': True} if 81911 - 1 in known else told\n"
    f"runner.Runner.answer = new\ndef share_storage(x, y):\n    seen.append(x)\n{RIGHT}",
}


def test_no_word_about_a_hidden_test_is_chosen_by_the_answer(wanting: tuple[Path, dict[str, Row]]) -> None:
    folder, rows = wanting
    course = read_course(folder)
    for kind in TELLS:
        row = rows[kind]
        page = feedback_page("c", kind, [result(course, course.assignments[0], row, read_manual(course))])
        assert parts(row)["secret"] == 0, kind
        assert "81910" not in row.to_json().decode(), kind
        assert "81910" not in page, kind


def test_a_hidden_test_within_the_learners_process_is_shown_by_no_cell(tmp_path: Path, marked: Marked) -> None:
    """An answer that is a class is judged in the learner's process; its hidden tests run in a run of their own."""
    notebook = "4_extensions/01_custom_functions.ipynb"
    code = "Matmul.heard = 'v81910'\nassert Matmul.apply(torch.eye(2), torch.eye(2)).equal(torch.eye(2))"
    hidden = f"\n[[assignment.hidden]]\nid = 'secret'\nexercise = 'e01-matmul'\npoints = 5\ncode = '''{code}'''\n"
    folder = make_class(tmp_path / "class", (notebook,), more=hidden)
    work = answered(teachers_notebook(folder, "extensions-01", Path(notebook).name), {}, solved=True)
    last = next(cell for cell in work["cells"] if marks_of(cell).get("grade_id") == "e01-split-answer")
    last["source"] = f"{source(last)}\nprint('heard', getattr(Matmul, 'heard', 'nothing'))"
    row = marked({"eve": work}, notebook=notebook)["eve"]
    assert set(parts(row).values()) == {1}
    assert "heard nothing" in row.to_json().decode()
    assert "81910" not in row.to_json().decode()
