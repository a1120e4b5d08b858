"""The notes under the library's errors lead to notebooks of the course."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest
from stored_notebooks import NOTEBOOKS

import tensorglass

LIBRARY = Path(tensorglass.__file__).parent
NAMED = {
    name for path in LIBRARY.rglob("*.py") for name in re.findall(r'"(\d\d [a-z][a-z _-]+)"', path.read_text("utf-8"))
}


def test_every_notebook_that_an_error_names_is_there():
    stems = {PurePosixPath(place).stem for place in NOTEBOOKS}
    assert NAMED
    assert {name for name in NAMED if re.sub("[ -]", "_", name) not in stems} == set()


@pytest.mark.parametrize(
    ("call", "note"),
    [
        (lambda: tensorglass.zeros(2, 3) + tensorglass.zeros(2), "notebook 05 broadcasting"),
        (lambda: tensorglass.zeros(0).max(), "notebook 06 reductions and dimensions"),
        (lambda: tensorglass.cat([tensorglass.zeros(2, 3), tensorglass.zeros(2)]), "notebook 07 joining and splitting"),
        (lambda: tensorglass.zeros(2, 3) @ tensorglass.zeros(2, 3), "did you mean a @ b.mT?"),
        (lambda: tensorglass.zeros(5, 2, 3) @ tensorglass.zeros(5, 3), "For one vector to each matrix"),
        (lambda: tensorglass.einsum("ij,jk", tensorglass.zeros(2, 3), tensorglass.zeros(2, 3)), "08 linear algebra"),
    ],
)
def test_a_mistake_is_told_what_would_be_right_and_where_it_is_explained(call, note):
    with pytest.raises(RuntimeError) as refused:
        call()
    assert note in "\n".join(refused.value.__notes__)
