"""The copy that a learner gets, walked cold from top to bottom: nothing raises, and every check says "Not yet".

Each cell that reveals predictions runs twice in a row, as it may under a person's hands: it tells the same truth again.
"""

import re

import pytest

from glassroom.workspace.execution import execute
from glassroom.workspace.learner_folder import update
from glassroom.workspace.notebook_json import parse, source
from glassroom.workspace.sources import notebooks_folder

IMPORTED = ()


@pytest.fixture(scope="module")
def working_copy(tmp_path_factory):
    """A working copy of the whole course, as `glassroom lab` makes it."""
    folder = tmp_path_factory.mktemp("course")
    report = update(folder, notebooks_folder())
    assert report.notes == []
    return folder


def printed(cell):
    return "".join(text for output in cell["outputs"] if output["output_type"] == "stream" for text in output["text"])


def truths(cell):
    """What a cell tells of predictions that nobody made, as kind and truth."""
    return re.findall(r"^ +(\w+) +… +(.+?) *$", printed(cell), re.MULTILINE)


def with_reveals_twice(notebook):
    for cell in notebook["cells"]:
        yield cell
        if cell["cell_type"] == "code" and ".reveal(" in source(cell):
            yield {**cell, "id": f"again-{cell['id']}"}


@pytest.mark.sweep
@pytest.mark.usefixtures("kernels")
def test_nothing_raises_reveals_tell_the_same_again_and_every_check_says_not_yet(path, working_copy):
    place = working_copy / path.relative_to(notebooks_folder())
    notebook = parse(place.read_bytes())
    notebook["cells"] = [*with_reveals_twice(notebook)]
    walked = execute(notebook, place.parent)
    told = {cell["id"]: truths(cell) for cell in walked["cells"] if cell["cell_type"] == "code"}
    for id, again in told.items():
        if id.startswith("again-"):
            assert again == told[id.removeprefix("again-")]
            assert again
    checks = [cell for cell in walked["cells"] if cell["cell_type"] == "code" and "check(" in source(cell)]
    for cell in checks:
        if "# your code here" in source(cell):
            assert "Not yet" in printed(cell), source(cell)
            assert "✓" not in printed(cell), source(cell)


def test_the_solutions_pass_their_checks(notebook):
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and "### END SOLUTION" in source(cell) and "check(" in source(cell):
            assert "✓" in printed(cell), source(cell)
            assert "Not yet" not in printed(cell), source(cell)


def test_a_learners_copy_shows_no_solution_and_no_output(path, working_copy):
    learners = parse((working_copy / path.relative_to(notebooks_folder())).read_bytes())
    for cell in learners["cells"]:
        assert "### BEGIN SOLUTION" not in source(cell)
        assert not cell.get("outputs")
