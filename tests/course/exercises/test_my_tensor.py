"""`keep`: the learner's answers grow into a library of their own, part by part, and nothing that is theirs is lost."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from importlib import import_module
from itertools import count
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from stored_notebooks import NOTEBOOKS, about, cells

import glassroom
import tensorglass
from glassroom.exercises import _answer_key, exercises
from glassroom.exercises._answer_key import hints_of, setup_of
from glassroom.exercises.engine import LEFT_OUT
from glassroom.workspace.learner_folder import MANIFEST
from glassroom.workspace.sources import checkout

GIVEN = Path(glassroom.__file__).parent / "exercises" / "my_tensor" / "given"
OWN = {
    "strides": ["11-cell", "11-stride", "11-index", "11-runs", "11-expand"],
    "engine": ["a10-multiply", "a10-fitted", "a10-matmul", "a10-rows", "a10-turn"],
    "reader": [],
}
ANOTHER_CELL = """
def cell(index, stride, offset):
    return sum(map(int.__mul__, index, stride), offset)
"""
COURSE = exercises()
NUMBERS = count()


class Notebook:
    """Cells that run one after another, and are found as a notebook's are."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"torch": tensorglass, "__name__": "__main__"}
        self.run("from glassroom import check, keep, stand_in")

    def run(self, code: str) -> None:
        file = f"<cell {next(NUMBERS)} of a test>"
        linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
        exec(compile(code, file, "exec"), self.names)

    def answer(self, id: str, code: str = "") -> None:
        """Write an answer (by default that of the last hint) and have it checked."""
        exercise = COURSE[id]
        self.run(setup_of(id))
        self.run(dedent(code) or hints_of(id)[-1])
        given = [f"{name}={name}" for name in exercise.given]
        self.run(f'check("{id}", {", ".join([*exercise.answers, *given])})')

    def keep(self, name: str, **options: Any) -> Any:
        self.names["options"] = options
        self.run(f'my_tensor = keep("{name}", **options)')
        return self.names["my_tensor"]


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working copy of the course, in which a notebook runs."""
    (tmp_path / MANIFEST).parent.mkdir()
    (tmp_path / MANIFEST).write_text("{}")
    (tmp_path / "1_memory").mkdir()
    monkeypatch.chdir(tmp_path / "1_memory")
    return tmp_path


def written(course: Path) -> str:
    return (course / "my_tensor.py").read_text(encoding="utf-8")


def owner(course: Path, name: str) -> str:
    (line,) = [line for line in written(course).splitlines() if line.startswith(f"# {name}: ")]
    return line.partition(": ")[2]


@pytest.mark.parametrize("part", OWN)
def test_right_answers_are_written_down_as_they_are_and_every_trial_passes(
    part: str, notebook: Notebook, course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for id in OWN[part]:
        notebook.answer(id, hints_of(id)[-1].replace(":\n", ":\n    # mine\n", 1))
    capsys.readouterr()
    notebook.keep(part)
    said = capsys.readouterr().out
    assert "✗" not in said
    assert said.count("✓") >= 3
    for id in OWN[part]:
        (name,) = COURSE[id].answers
        assert owner(course, name) == "yours"
        assert f"`{name}`" not in said
    assert written(course).count("\n    # mine\n") == len(OWN[part])


@pytest.mark.parametrize("part", ["strides", "engine"])
@pytest.mark.parametrize("attempt", ["def {name}(*_):\n    return 0", "{name} = ...", "{name} = None", "pass"])
def test_in_the_place_of_wrong_and_missing_answers_stands_the_courses_own(
    part: str, attempt: str, notebook: Notebook, course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for id in OWN[part]:
        (name,) = COURSE[id].answers
        if attempt != "pass":
            notebook.answer(id, attempt.format(name=name))
    capsys.readouterr()
    notebook.keep(part)
    said = capsys.readouterr().out
    assert "✗" not in said
    for id in OWN[part]:
        (name,) = COURSE[id].answers
        assert f"`{name}`" in said
        assert owner(course, name) == "the course's own, until a check accepts yours"
        assert hints_of(id)[-1] not in written(course)  # that file does not have the wanted answers


def test_what_stand_in_made_is_not_the_learners(notebook: Notebook, course: Path) -> None:
    notebook.answer("11-cell", "cell = ...")
    notebook.run('cell = stand_in("11-cell")')
    notebook.keep("strides")
    assert owner(course, "cell") == "the course's own, until a check accepts yours"


def test_running_again_changes_nothing(notebook: Notebook, course: Path) -> None:
    notebook.answer("11-cell")
    notebook.keep("strides")
    before = (course / "my_tensor.py").stat()
    notebook.keep("strides")
    after = (course / "my_tensor.py").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_what_is_saved_while_a_part_is_tried_is_not_written_over(
    notebook: Notebook, course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saving = """
    def cell(index, stride, offset):
        open("../my_tensor.py", "a").write("# saved")
        return offset + sum(i * step for i, step in zip(index, stride))
    """
    notebook.answer("11-cell", saving)
    notebook.keep("strides")
    assert "was saved by somebody else just now" in capsys.readouterr().out
    assert set(written(course).split("# saved")) == {""}


def test_a_part_that_was_edited_stays_as_it_is_until_it_is_asked_for_anew(
    notebook: Notebook, course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook.keep("engine")
    edited = written(course).replace("class Strided:", "class Strided:\n    color = 'blue'").replace('"""A', '"""Now a')
    (course / "my_tensor.py").write_text(edited, encoding="utf-8")
    notebook.answer("11-cell")
    capsys.readouterr()
    assert notebook.keep("strides").Strided.color == "blue"
    assert 'keep("strides", anew=True)' in " ".join(capsys.readouterr().out.split())
    assert written(course) == edited
    assert notebook.keep("engine").Strided.color == "blue"
    assert written(course) == edited
    assert not hasattr(notebook.keep("strides", anew=True).Strided, "color")
    assert "blue" not in written(course)
    assert written(course).startswith('"""Now a')
    assert (course / ".glassroom" / "before" / "my_tensor.py").read_text(encoding="utf-8") == edited


@pytest.mark.parametrize("fault", ["def cell(:", "def cell(index, stride, offset):\n    return 0", "1 / 0", "exit()"])
def test_an_edit_that_breaks_the_library_stays_and_the_notebook_goes_on(
    fault: str, notebook: Notebook, course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook.keep("strides")
    edited = written(course) + f"\n\n{fault}\n"
    (course / "my_tensor.py").write_text(edited, encoding="utf-8")
    for part in ("strides", "engine", "reader"):
        capsys.readouterr()
        my = notebook.keep(part)
        said = " ".join(capsys.readouterr().out.split())
        assert "`strides` in my_tensor.py does not do what is asked of it" in said
        assert my.arange(2, 2).transpose(0, 1).tolist() == [[0, 2], [1, 3]]
        assert written(course).startswith(edited.rstrip())


def test_parts_that_were_skipped_are_the_courses_own_until_their_notebook_runs(
    notebook: Notebook, course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook.keep("reader")
    said = " ".join(capsys.readouterr().out.split())
    assert "`strides` is not there yet; the notebook “A strided tensor in 60 lines” writes yours." in said
    assert "`engine` is not there yet" in said
    whole = written(course)
    notebook.answer("11-cell", ANOTHER_CELL)
    notebook.keep("strides")
    assert "int.__mul__" in written(course)
    assert written(course).partition("# %% engine")[2] == whole.partition("# %% engine")[2]


@pytest.mark.parametrize("later", ["cell = ...", "cell = None"])
def test_what_a_check_has_accepted_stays_in_the_file_on_a_later_day(
    later: str, notebook: Notebook, course: Path
) -> None:
    notebook.answer("11-cell", ANOTHER_CELL)
    notebook.keep("strides")
    another = Notebook()
    another.keep("strides")
    assert "int.__mul__" in written(course)
    another.answer("11-cell", later)
    another.keep("strides")
    assert "int.__mul__" in written(course)
    another.answer("11-cell")
    another.keep("strides")
    assert "int.__mul__" not in written(course)


UNUSUAL = {
    "a helper, imports and a number": (
        "11-cell",
        """
        import math as arithmetic
        from itertools import starmap

        NOTHING = 0

        def steps(index, stride):
            # one a dimension
            return starmap(arithmetic.prod, ([pair] for pair in zip(index, stride)))

        def cell(index, stride, offset):
            return offset + sum(steps(index, stride)) + NOTHING
        """,
        ["import math as arithmetic", "from itertools import starmap", "NOTHING = 0", "    # one a dimension"],
    ),
    "lambda": (
        "11-cell",
        "cell = lambda index, stride, offset: offset + sum(i * s for i, s in zip(index, stride))",
        ["cell = lambda index"],
    ),
    "another name": (
        "11-cell",
        """
        def place(index, stride, offset):
            return offset + sum(i * s for i, s in zip(index, stride))

        cell = place
        """,
        ["def place(index", "cell = place"],
    ),
    "PyTorch's names": (
        "a10-matmul",
        """
        def matmul_rule(grad, a, b):
            return torch.matmul(grad, b.T), torch.mm(a.transpose(0, 1), grad)
        """,
        ["torch.mm("],
    ),
    "rows in a loop": (
        "a10-rows",
        """
        def rows_rule(grad, a, rows):
            found = torch.zeros(a.shape)
            for row, part in zip(rows.tolist(), grad):
                found[row] += part
            return found
        """,
        ["found[row] += part"],
    ),
    "several dimensions at once": (
        "a10-fitted",
        """
        def fitted(grad, size):
            front = grad.ndim - len(size)
            grad = grad.sum(tuple(range(front))) if front else grad
            ones = [dim for dim, length in enumerate(size) if length == 1]
            return grad.sum(dim=ones, keepdim=True) if ones else grad
        """,
        ["dim=ones"],
    ),
}


@pytest.mark.parametrize(("id", "code", "lines"), UNUSUAL.values(), ids=UNUSUAL)
def test_an_unusual_right_answer_goes_into_the_file_with_what_it_needs(
    id: str, code: str, lines: list[str], notebook: Notebook, course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (part,) = [part for part, ids in OWN.items() if id in ids]
    notebook.answer(id, code)
    assert "✓" in capsys.readouterr().out
    notebook.keep(part)
    assert "✗" not in capsys.readouterr().out
    (name,) = COURSE[id].answers
    assert owner(course, name) == "yours"
    for line in lines:
        assert line in written(course)


CANNOT = {
    "what strided tensors do not have": (
        """
        def matmul_rule(grad, a, b):
            return torch.einsum("nm,km->nk", grad, b), a.t() @ grad
        """,
        "AttributeError",
    ),
    "made within something else": (
        """
        def made():
            def rule(grad, a, b):
                return grad @ b.t(), a.t() @ grad

            return rule

        matmul_rule = made()
        """,
        "it is made within something else",
    ),
    "no function": (
        """
        class Rule:
            def __call__(self, grad, a, b):
                return grad @ b.t(), a.t() @ grad

        matmul_rule = Rule()
        """,
        "`matmul_rule` is no function that `def` made",
    ),
    "endless": (
        """
        def matmul_rule(grad, a, b):
            while not hasattr(grad, "dtype"):
                pass
            return grad @ b.t(), a.t() @ grad
        """,
        "`matmul_rule` ran for more than",
    ),
}


@pytest.mark.parametrize(("code", "told"), CANNOT.values(), ids=CANNOT)
def test_a_right_answer_that_cannot_go_into_the_file_is_told_why(
    code: str,
    told: str,
    notebook: Notebook,
    course: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(import_module("glassroom.exercises.my_tensor.keep"), "SECONDS", 0.5)
    notebook.answer("a10-matmul", code)
    assert "✓" in capsys.readouterr().out
    notebook.keep("engine")
    said = " ".join(capsys.readouterr().out.split())
    assert "`matmul_rule` passes its check, but does not run in my_tensor.py" in said
    assert told in said
    assert "✗" not in said
    assert owner(course, "matmul_rule") == "the course's own, until a check accepts yours"


def test_in_a_copy_without_answers_the_file_says_what_is_still_to_be_written(
    notebook: Notebook, course: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for id in OWN["strides"]:
        if id != "11-runs":
            notebook.answer(id)
    for id in OWN["strides"]:
        monkeypatch.setitem(_answer_key._hints, id, (*hints_of(id)[:-1], LEFT_OUT))
    my = notebook.keep("strides")
    said = capsys.readouterr().out
    assert "Still to be written: `runs`. my_tensor.py waits for it." in said
    assert "stands in" not in said
    assert owner(course, "cell") == "yours"
    assert owner(course, "runs") == "still to be written"
    assert my.arange(2, 2).tolist() == [[0, 1], [2, 3]]
    with pytest.raises(NotImplementedError, match="runs is still to be written"):
        my.arange(2, 2).view(4)


def test_outside_of_a_working_copy_nothing_is_written(
    notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    notebook.keep("reader")
    assert list(tmp_path.iterdir()) == []
    assert "contents page" not in capsys.readouterr().out
    notebook.run("import my_tensor as imported")
    assert notebook.names["imported"] is notebook.names["my_tensor"]


def test_a_file_that_cannot_be_read_is_left_alone(
    notebook: Notebook, course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (course / "my_tensor.py").write_bytes(b"\xff\xfe")
    assert notebook.keep("engine").tensor(2.0).item() == 2.0
    assert "my_tensor.py cannot be read" in capsys.readouterr().out
    assert (course / "my_tensor.py").read_bytes() == b"\xff\xfe"


def test_a_part_that_is_not_there_is_reported(notebook: Notebook) -> None:
    with pytest.raises(ValueError, match="the parts are strides, engine, reader"):
        notebook.keep("stride")


def definitions(code: str) -> Iterator[tuple[str, str]]:
    """What the functions and methods in some code do, by their names."""
    plain = "\n".join(line for line in code.splitlines() if not line.startswith("%"))
    for statement in ast.parse(plain).body:
        for part in statement.body if isinstance(statement, ast.ClassDef) else [statement]:
            if isinstance(part, ast.FunctionDef):
                name = part.name.strip("_")
                whose = f"{statement.name}." if name == "init" else ""
                yield whose + name, ast.unparse([part.args, *part.body])


@pytest.mark.parametrize("part", ["strides", "engine"])
def test_what_the_course_gives_is_what_the_notebook_gives(part: str) -> None:
    keeping = f'keep("{part}")'
    (place,) = [place for place in NOTEBOOKS if keeping in "\n".join(cells(place, "code"))]
    shown = dict(definition for code in cells(place, "code") for definition in definitions(code))
    given = dict(definitions((GIVEN / f"{part}.py").read_text(encoding="utf-8")))
    both = shown.keys() & given.keys()
    assert len(both) >= 8
    assert {name: given[name] for name in both} == {name: shown[name] for name in both}


def test_every_part_names_the_notebook_that_writes_it() -> None:
    steps = import_module("glassroom.exercises.my_tensor.steps").STEPS
    assert list(steps) == list(OWN)
    for name, step in steps.items():
        keeping = [place for place in NOTEBOOKS if f'keep("{name}")' in "\n".join(cells(place, "code"))]
        assert [about(place)["title"] for place in keeping] == [step.title]
    assert not (checkout() / "my_tensor.py").exists()
