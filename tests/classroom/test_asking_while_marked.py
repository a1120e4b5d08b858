"""What learners ask in their answer's cell (hints, pictures, sources, help) costs no answer when it is marked."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from classes import answered, make_class, teachers_notebook

from glassroom.classroom.batch import grade, on_this_machine
from glassroom.classroom.course_file import read_course
from glassroom.classroom.grading import Row
from glassroom.classroom.handout import solution_in
from glassroom.classroom.sandbox import best_isolation
from glassroom.classroom.submission import marks_of
from glassroom.workspace.notebook_json import source
from glassroom.workspace.problems import Problem

try:
    best_isolation()
except Problem as problem:
    pytest.skip(f"no sandbox works here: {problem}", allow_module_level=True)

pytestmark = pytest.mark.timeout(900)  # a busy machine is no fault of the code

ANSWER = "02-middle-answer"
#: What is asked, above the right answer to 02-middle; `a` and `torch` are the notebook's.
ASKED = {
    "a hint": 'from glassroom import hint\nhint("02-middle")',
    "all hints, and one of no exercise": (
        "from glassroom import hint\nfor _ in range(5):\n    hint('02-middle')\nhint()\nhint('02-midle')"
    ),
    "what there is": "from glassroom.exercises import exercises\nexercises()\nlist(exercises().values())[:3]",
    "checks of this and of others": "from glassroom import check\ncheck('02-middle', ...)\ncheck('05-chain')\ncheck()",
    "progress": "from glassroom import progress\nprogress()\nprint(progress())",
    "pictures": (
        "from glassroom import aliases, device_map, draw, explore_strides, graph, model_map, show, watch\n"
        "from IPython.display import display\n"
        "x = torch.ones(2, requires_grad=True)\n"
        "draw(picture=torch.ones(2, 2))\n"
        "for each in (show(a), aliases(a, a[1:]), graph((x * 2).sum()), device_map(a), explore_strides(12)):\n"
        "    display(each)\n"
        "display(model_map(torch.nn.Linear(2, 2)), watch(lambda n: n + 1, 2))"
    ),
    "sources": "from glassroom import read\nprint(read(torch.Tensor.view))\nread('geometry.views')",
    "help": "import glassroom\nhelp(glassroom.hint)\nhelp(torch.Tensor.view)\nglassroom.hint?\ntorch.zeros??",
    "a prediction": (
        "from glassroom import predict\nguess = predict('a.view(-1, 2): which shape?', shape=(3, 2))\nprint(guess)\n"
        "guess.reveal(a.view(-1, 2), of=a)"
    ),
    "an error explained": (
        "from glassroom import explain, explain_error\ntry:\n    a.sum().backward()\n"
        "except RuntimeError as error:\n    display(explain_error(error), explain(error))"
    ),
    "memory": (
        "from glassroom import holders, memory_log, memory_timeline\nprint(holders(a))\nmemory_log()\n"
        "display(memory_timeline(lambda: a + 1))"
    ),
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory, hand_in: Callable[..., Path]) -> dict[str, Row]:
    """The rows of a class in which each learner asks something, marked with the umask of `glassroom grade`."""
    folder = make_class(tmp_path_factory.mktemp("asking") / "class")
    teachers = teachers_notebook(folder)
    answer = next(solution_in(source(cell)) for cell in teachers["cells"] if marks_of(cell).get("grade_id") == ANSWER)
    for learner, asks in ASKED.items():
        hand_in(folder, learner, answered(teachers, {"02-middle": f"{asks}\n{answer}"}))
    course = read_course(folder)
    before = os.umask(0o077)
    try:
        report = grade(course, course.assignments, best_isolation([folder]), on_this_machine(1), threading.Event())
    finally:
        os.umask(before)
    return {row.learner: row for row in report.rows}


@pytest.mark.parametrize("asked", ASKED)
def test_a_right_answer_below_a_question_keeps_its_points(asked: str, rows: dict[str, Row]) -> None:
    mark = next(mark for mark in rows[asked].marks if mark.id == "02-middle")
    assert (mark.part, mark.doubt, mark.how) == (1, "", "apart")
    assert "raised" not in mark.message
    assert not rows[asked].trouble


def test_a_hint_in_an_answers_cell_is_counted_and_shown(rows: dict[str, Row]) -> None:
    marks = {asked: next(mark for mark in row.marks if mark.id == "02-middle") for asked, row in rows.items()}
    assert (marks["a hint"].hints, marks["sources"].hints) == (1, 0)
    assert any("Hint 1 of 4" in output.get("text/plain", "") for output in marks["a hint"].outputs)
