"""`glassroom lab` brings a copy with former ids up to date: answers, own cells and predictions stay."""

from pathlib import Path

import pytest

from glassroom.workspace.former_ids import FORMER_IDS
from glassroom.workspace.learner_folder import MANIFEST, update
from glassroom.workspace.notebook_json import parse, serialise

PLACE = Path("2_tensors", "07_broadcasting.ipynb")
ELSEWHERE = Path("2_tensors", "08_reductions.ipynb")


def notebook(*cells: tuple[str, str, str]) -> bytes:
    written = [{"id": id, "cell_type": kind, "metadata": {}, "source": text} for id, kind, text in cells]
    written = [
        cell | ({"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {}) for cell in written
    ]
    return serialise({"cells": written, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def task(id: str, given: str = "x = 1") -> str:
    return f'{given}\n### BEGIN SOLUTION\na = x\n### END SOLUTION\n\ncheck("{id}", a, x=x)'


def typed(id: str, answer: str, given: str = "x = 1") -> str:
    return f'{given}\n# your code here\na = {answer}\n\ncheck("{id}", a, x=x)'


def course_of(sizes: str, loss: str, given: str = "x = 1") -> bytes:
    return notebook(
        ("text", "markdown", f'Write `a`. (`hint("{sizes}")` helps.)'),
        ("one", "code", task(sizes, given)),
        ("two", "code", task(loss)),
        ("after", "code", f'stand_in("{loss}")'),
    )


def sources(folder: Path, place: Path = PLACE) -> list[str]:
    return ["".join(cell["source"]) for cell in parse((folder / place).read_bytes())["cells"]]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    (tmp_path / "course" / PLACE.parent).mkdir(parents=True)
    (tmp_path / "course" / PLACE).write_bytes(course_of("t05-sizes", "t05-loss"))
    return tmp_path / "course"


@pytest.fixture
def mine(course: Path, tmp_path: Path) -> Path:
    """A working copy with former ids, and one answer in it; the given line and a text beside it are changed too."""
    folder = tmp_path / "mine"
    update(folder, course)
    notebook = parse((folder / PLACE).read_bytes())
    notebook["cells"][1]["source"] = typed("t05-sizes", "x + 41", given="x = 1  # mine")
    notebook["cells"].insert(
        2, {**notebook["cells"][3], "id": "own", "source": 'check("t05-sizes", 3, x=1)  # a trial'}
    )
    notebook["cells"][4]["source"] = 'mine = stand_in("t05-loss")'
    (folder / PLACE).write_bytes(serialise(notebook))
    return folder


def test_answers_and_own_cells_stay_with_the_ids_of_now(course: Path, mine: Path) -> None:
    (course / PLACE).write_bytes(course_of("t07-sizes", "t07-loss"))
    report = update(mine, course)
    assert sources(mine) == [
        'Write `a`. (`hint("t07-sizes")` helps.)',
        typed("t07-sizes", "x + 41", given="x = 1  # mine"),
        'check("t07-sizes", 3, x=1)  # a trial',
        typed("t07-loss", "..."),
        'mine = stand_in("t07-loss")',
    ]
    assert report.merged[PLACE].news == []
    assert update(mine, course).merged == {}


def test_an_answer_goes_into_a_cell_that_has_changed_in_more_than_its_id(course: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    update(folder, course)
    notebook = parse((folder / PLACE).read_bytes())
    notebook["cells"][2]["source"] = typed("t05-loss", "x * 7")
    (folder / PLACE).write_bytes(serialise(notebook))
    (course / PLACE).write_bytes(course_of("t07-sizes", "t07-loss", given="x = 2"))
    update(folder, course)
    assert sources(folder)[1:3] == [typed("t07-sizes", "...", given="x = 2"), typed("t07-loss", "x * 7")]


def test_an_answer_moves_with_its_exercise_into_another_notebook(course: Path, mine: Path) -> None:
    (course / PLACE).write_bytes(notebook(("text", "markdown", "Other.")))
    (course / ELSEWHERE).write_bytes(notebook(("one", "code", task("t07-sizes"))))
    update(mine, course)
    assert typed("t07-sizes", "x + 41", given="x = 1  # mine") in sources(mine, ELSEWHERE)


def test_a_copy_without_a_record_of_its_cells_keeps_its_answers(course: Path, mine: Path) -> None:
    (mine / MANIFEST).unlink()
    (course / PLACE).write_bytes(course_of("t07-sizes", "t07-loss"))
    update(mine, course)
    assert any("x + 41" in text for place in mine.rglob("*.ipynb") for text in sources(mine, place))


def test_every_notebook_of_the_course_keeps_its_answers(tmp_path: Path) -> None:
    """Every exercise whose id has changed, in one notebook: no answer is separated from its exercise."""
    places = [(f"cell{at}", old, new) for at, (old, new) in enumerate(FORMER_IDS.items())]
    (tmp_path / "course" / PLACE.parent).mkdir(parents=True)
    (tmp_path / "course" / PLACE).write_bytes(notebook(*((id, "code", task(old)) for id, old, _ in places)))
    update(tmp_path / "mine", tmp_path / "course")
    made = parse((tmp_path / "mine" / PLACE).read_bytes())
    for at, cell in enumerate(made["cells"]):
        cell["source"] = typed(places[at][1], f"x + {at}")
    (tmp_path / "mine" / PLACE).write_bytes(serialise(made))
    (tmp_path / "course" / PLACE).write_bytes(notebook(*((id, "code", task(new)) for id, _, new in places)))
    report = update(tmp_path / "mine", tmp_path / "course")
    assert sources(tmp_path / "mine") == [typed(new, f"x + {at}") for at, (_, _, new) in enumerate(places)]
    assert (report.merged[PLACE].answers, report.merged[PLACE].own) == (len(places), 0)
