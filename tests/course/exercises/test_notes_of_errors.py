"""The notes under the library's errors lead to notebooks of the course."""

from __future__ import annotations

import io
import re
from pathlib import Path, PurePosixPath

import pytest
from stored_notebooks import NOTEBOOKS

import tensorglass

LIBRARY = Path(tensorglass.__file__).parent
NAMED = {name for path in LIBRARY.rglob("*.py") for name in re.findall(r'"(\d/\d\d [^"]+)"', path.read_text("utf-8"))}


def test_every_notebook_that_an_error_names_is_in_its_part():
    places = {f"{PurePosixPath(place).parent.name[0]}/{PurePosixPath(place).stem}" for place in NOTEBOOKS}
    assert len(NAMED) > 20
    assert {name for name in NAMED if re.sub("[ -]", "_", name).lower() not in places} == set()


@pytest.mark.parametrize(
    ("call", "note"),
    [
        (lambda: tensorglass.zeros(2, 3) + tensorglass.zeros(2), "part 2, 07 Broadcasting"),
        (lambda: tensorglass.zeros(0).max(), "part 2, 08 Reductions and dimensions"),
        (lambda: tensorglass.cat([tensorglass.zeros(2, 3), tensorglass.zeros(2)]), "part 2, 09 Joining and splitting"),
        (lambda: tensorglass.zeros(2, 3) @ tensorglass.zeros(2, 3), "did you mean a @ b.mT?"),
        (lambda: tensorglass.zeros(5, 2, 3) @ tensorglass.zeros(5, 3), "For one vector to each matrix"),
        (
            lambda: tensorglass.ones(2) @ tensorglass.arange(2),
            "convert the one of torch.int64, as in x.to(torch.float32)",
        ),
        (
            lambda: tensorglass.arange(2) @ tensorglass.ones(2),
            "convert the one of torch.int64, as in x.to(torch.float32)",
        ),
        (
            lambda: tensorglass.ones(2).half() @ tensorglass.ones(2).bfloat16(),
            "convert both, as in x.to(torch.float32)",
        ),
        (lambda: tensorglass.allclose(tensorglass.arange(2), tensorglass.ones(2)), "as in x.to(torch.float32)"),
        (lambda: (tensorglass.ones(2) > 1) & tensorglass.ones(2) < 4, "parentheses: (x > 1) & (x < 4)"),
        (lambda: 1 < tensorglass.ones(2) < 4, "for each element write (1 < x) & (x < 4)"),
        (
            lambda: tensorglass.einsum("ij,jk", tensorglass.zeros(2, 3), tensorglass.zeros(2, 3)),
            "part 2, 10 Linear algebra and einsum",
        ),
    ],
)
def test_a_mistake_is_told_what_would_be_right_and_where_it_is_explained(call, note):
    with pytest.raises(RuntimeError) as refused:
        call()
    assert note in "\n".join(refused.value.__notes__)


def test_an_argument_of_functions_that_make_a_tensor_is_told_from_a_method():
    with pytest.raises(TypeError, match=r"float\(\) got an unexpected keyword argument 'requires_grad'") as refused:
        tensorglass.ones(2).float(requires_grad=True)
    assert "requires_grad_() turns the flag on" in "\n".join(refused.value.__notes__)


def test_a_file_in_memory_that_was_not_wound_back_is_told_from_an_empty_one():
    written = io.BytesIO()
    tensorglass.save(tensorglass.zeros(2), written)
    for file, note in ((written, "seek(0) goes back to its beginning"), (io.BytesIO(), "The file is empty")):
        with pytest.raises(EOFError) as refused:
            tensorglass.load(file)
        assert note in "\n".join(refused.value.__notes__)


def test_who_asks_for_a_switch_of_a_library_is_told_how_to_ask_for_an_accelerator():
    with pytest.raises(AttributeError) as refused:
        tensorglass.backends.xnnpack.is_available()
    assert "torch.accelerator.is_available()" in "\n".join(refused.value.__notes__)
