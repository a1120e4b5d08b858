"""Notebooks are renumbered or split: a learner's files and answers follow, and nothing is lost."""

from pathlib import Path

import pytest

from glassroom.workspace.learner_folder import BEFORE, MANIFEST, update
from glassroom.workspace.moves import FORMER
from glassroom.workspace.notebook_json import parse, serialise

PART = "2_tensors"
OLD = Path(PART, "05_dice.ipynb")
NEW = Path(PART, "07_dice.ipynb")
HALF = Path(PART, "06_masks.ipynb")


def cell(text, kind="code"):
    return {"cell_type": kind, "metadata": {}, "source": text, "outputs": [], "execution_count": None}


def notebook(*texts):
    cells = [{**cell(text), "id": text.split()[-1].strip('"')} for text in texts]  # ids are for life
    return serialise({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def asked(exercise):
    return f'### BEGIN SOLUTION\na = 1\n### END SOLUTION\ncheck("{exercise}", a)'


def typed(exercise, answer):
    return f'a = {answer}\ncheck("{exercise}", a)'


PREDICTED = 'guess = predict("which shape?", shape={})'


@pytest.fixture
def course(tmp_path):
    sources = tmp_path / "sources"
    (sources / PART).mkdir(parents=True)
    return sources


@pytest.fixture
def folder(course, tmp_path):
    """A working copy of a course of one notebook."""
    (course / OLD).write_bytes(notebook("first", asked("t05-a"), PREDICTED.format("(2,)"), asked("t05-b"), "last"))
    folder = tmp_path / "mine"
    update(folder, course)
    return folder


def sources_in(path):
    return ["".join(cell["source"]) for cell in parse(path.read_bytes())["cells"]]


def write(folder, path, *texts):
    """Change the first cells' sources of the learner's notebook."""
    mine = parse((folder / path).read_bytes())
    for each, text in zip(mine["cells"], texts, strict=False):
        each["source"] = text
    mine["cells"] += [{**cell(text), "id": f"own{at}"} for at, text in enumerate(texts[len(mine["cells"]) :])]
    (folder / path).write_bytes(serialise(mine))


def renumbered(course):
    (course / OLD).rename(course / NEW)


def divided(course):
    """A course in which the second exercise and the prediction have moved to a notebook of their own."""
    (course / OLD).unlink()
    (course / NEW).write_bytes(notebook("first", asked("t05-a"), "last"))
    (course / HALF).write_bytes(notebook("another beginning", PREDICTED.format("(2,)"), asked("t05-b")))


def test_an_untouched_file_gets_its_new_name(course, folder):
    renumbered(course)
    report = update(folder, course)
    assert not (folder / OLD).exists()
    assert sources_in(folder / NEW)[0] == "first"
    assert (report.created, report.kept, report.notes) == ([], [], [])
    assert update(folder, course).updated == []


def test_an_edited_file_gets_its_new_name_with_everything_in_it(course, folder):
    write(folder, OLD, "first, edited", typed("t05-a", "'mine'"))
    before = (folder / OLD).read_bytes()
    renumbered(course)
    update(folder, course)
    assert not (folder / OLD).exists()
    assert (folder / NEW).read_bytes() == before


def test_what_was_typed_goes_where_the_exercise_is_now(course, folder):
    own = ("first", typed("t05-a", "'A'"), PREDICTED.format("(2, 3)"), typed("t05-b", "'B'"), "last", "a note of mine")
    write(folder, OLD, *own)
    before = (folder / OLD).read_bytes()
    divided(course)
    report = update(folder, course)
    assert sources_in(folder / NEW) == ["first", typed("t05-a", "'A'"), "last", "a note of mine"]
    assert sources_in(folder / HALF) == ["another beginning", PREDICTED.format("(2, 3)"), typed("t05-b", "'B'")]
    assert (folder / BEFORE / NEW).read_bytes() == before
    assert set(report.merged) == {NEW, HALF}
    assert report.merged[HALF].answers == 2
    after = {path: path.read_bytes() for path in folder.rglob("*.ipynb")}
    assert update(folder, course).merged == {}
    assert {path: path.read_bytes() for path in folder.rglob("*.ipynb")} == after


def test_an_answer_moves_into_a_notebook_that_was_there_already(course, folder):
    other = Path(PART, "09_numpy.ipynb")
    (course / other).write_bytes(notebook("numpy", asked("t09-a")))
    update(folder, course)
    write(folder, OLD, "first", typed("t05-a", "'A'"))
    write(folder, other, "numpy", typed("t09-a", "'N'"))
    (course / OLD).write_bytes(notebook("first", asked("t05-b"), "last"))
    (course / other).write_bytes(notebook("numpy", asked("t05-a"), asked("t09-a")))
    update(folder, course)
    assert sources_in(folder / other) == ["numpy", typed("t05-a", "'A'"), typed("t09-a", "'N'")]
    assert not any("'A'" in text for text in sources_in(folder / OLD))


def test_an_answer_in_the_new_place_is_not_replaced_and_the_other_one_stays(course, folder):
    write(folder, OLD, "first", typed("t05-a", "'A'"), PREDICTED.format("..."), typed("t05-b", "'old'"))
    (folder / HALF).write_bytes(notebook("a file of my own", typed("t05-b", "'own'")))
    divided(course)
    update(folder, course)
    assert sources_in(folder / HALF) == ["a file of my own", typed("t05-b", "'own'")]
    assert typed("t05-b", "'old'") in sources_in(folder / NEW)


def test_a_file_of_the_learners_in_the_place_of_the_new_name_is_left_alone(course, folder):
    (folder / NEW).write_bytes(notebook("mine"))
    renumbered(course)
    update(folder, course)
    assert sources_in(folder / NEW) == ["mine"]
    assert (folder / OLD).exists()


def test_a_copy_of_a_version_that_remembered_no_cells_keeps_its_answers(course, folder):
    write(folder, OLD, "first", typed("t05-a", "'A'"), PREDICTED.format("..."), typed("t05-b", "'B'"))
    (folder / MANIFEST).write_text((folder / MANIFEST).read_text().replace('"cells"', '"forgotten"'))
    divided(course)
    update(folder, course)
    texts = [text for path in (folder / PART).rglob("*.ipynb") for text in sources_in(path)]
    assert texts.count(typed("t05-a", "'A'")) == 1
    assert sources_in(folder / HALF).count(typed("t05-b", "'B'")) == 1


def test_a_notebook_that_got_another_name_is_known_by_its_former_one(course, folder):
    [(name, former), *_] = FORMER.items()
    before, after = (
        Path(f"{Path(name).parent}", f"{number}_{Path(name).name}.ipynb") for number, name in ((4, former), (5, name))
    )
    (course / before).write_bytes(notebook(asked("t04-a")))
    update(folder, course)
    write(folder, before, typed("t04-a", "'A'"))
    (course / before).rename(course / after)
    update(folder, course)
    assert sources_in(folder / after) == [typed("t04-a", "'A'")]
    assert not (folder / before).exists()
