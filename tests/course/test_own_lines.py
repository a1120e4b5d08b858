"""`read` shows the library's own lines, for its own functions and for PyTorch's of the same name."""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest

import tensorglass
from glassroom import read


def at(library: Any, path: str) -> Any:
    for part in path.split("."):
        library = getattr(library, part)
    return library


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("Tensor.view", "def view("),
        ("Tensor.backward", "def method("),
        ("Tensor.storage_offset", "def storage_offset("),
        ("Tensor.grad", "def grad("),
        ("Tensor.__getitem__", "def getitem("),
        ("Tensor.__iadd__", "def add("),
        ("Tensor.mul_", "def mul("),
        ("exp", "def exp("),
        ("sum", "def sum("),
        ("special.expit", "def sigmoid("),
        ("linalg.norm", "def linalg_norm("),
        ("autograd.grad", "def grad("),
        ("nn.Linear", "class Linear("),
        ("nn.functional.linear", "def linear("),
        ("optim.SGD", "class SGD("),
        ("Tensor", "class Tensor("),
        ("UntypedStorage", "class UntypedStorage("),
    ],
)
def test_a_function_shows_the_lines_that_do_its_work(torch: Any, path: str, line: str) -> None:
    shown = read(at(torch, path))
    assert line in shown.code
    assert shown.file.startswith("tensorglass/")
    assert "fast/" not in shown.file
    compile(shown.code, shown.file, "exec")


def test_an_operator_is_shown_with_its_derivative_above_it() -> None:
    first, second, *_ = read(tensorglass.exp).code.splitlines()
    assert first.startswith("@pointwise(")
    assert second.startswith("@derivative(")


def test_a_path_leads_to_a_file_and_to_what_is_in_it() -> None:
    whole, part = read("geometry/views.py"), read("geometry.views.transpose")
    assert part.code in whole.code
    assert whole.file == part.file == "tensorglass/geometry/views.py"
    assert read("tensorglass.geometry.views.transpose").code == part.code
    assert read("storage.storage.UntypedStorage.resize_").code.startswith("def resize_(")
    assert read("Tensor.t").code == read(tensorglass.Tensor.t).code
    assert read(importlib.import_module("tensorglass.geometry.views")).code == whole.code


def test_a_notebook_shows_it_as_python_and_a_terminal_as_text() -> None:
    shown = read("geometry.views.transpose")
    assert shown._repr_markdown_().count("```python\n" + shown.code) == 1
    assert repr(shown) == f"# transpose, in tensorglass/geometry/views.py\n{shown.code}"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("geometry.views.transpos", "Did you mean 'transpose'"),
        ("no.such.room", "there is no 'no.such.room'"),
        ("", "there is no ''"),
        ("geometry..views", "there is no"),
        ("../../etc", "there is no"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(path: str, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        read(path)


@pytest.mark.parametrize("what", [len, int, 3, lambda x: x, tensorglass.ones(2), pytest])
def test_what_has_no_lines_in_the_library_is_refused(what: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        read(what)
