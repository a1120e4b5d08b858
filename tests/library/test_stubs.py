"""What editors and type checkers see of both packages: stubs that are up to date, and completion."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import glassroom
import tensorglass

ROOT = Path(__file__).resolve().parents[2]
TYPED = Path(__file__).with_name("typed")


def test_the_stubs_are_what_the_operator_table_makes() -> None:
    # in a process of its own: the stubs show the plain way, whether this one has shortcuts or not
    check = [sys.executable, ROOT / "docs" / "make_stubs.py", "--check"]
    done = subprocess.run(check, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_right_program_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, TYPED / "right.py"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr


def test_glassrooms_names_are_the_same_for_type_checkers() -> None:
    source = Path(inspect.getfile(glassroom)).read_text(encoding="utf-8")
    told = dict(re.findall(r'^    "(\w+)": "([\w.]+)",$', source, re.MULTILINE))
    stub = Path(inspect.getfile(glassroom)).with_suffix(".pyi").read_text(encoding="utf-8")
    typed = re.findall(r"^from ([\w.]+) import (\w+) as \2$", stub, re.MULTILINE)
    assert told == {name: module for module, name in typed}


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("torch.sigm", {"sigmoid", "sigmoid_"}),
        ("torch.linalg.eig", {"eig", "eigh", "eigvals", "eigvalsh"}),
        ("x.resh", {"reshape", "reshape_as"}),
        ("x.requires", {"requires_grad", "requires_grad_"}),
        ("glassroom.memory_t", {"memory_timeline"}),
    ],
)
def test_jupyters_completer_knows_the_namespace_and_the_tensor(code: str, wanted: set[str]) -> None:
    completer = pytest.importorskip("IPython.core.completer", reason="IPython is in the extra `course`")
    names: dict[str, Any] = {"torch": tensorglass, "x": tensorglass.ones(2), "glassroom": glassroom}
    ipython = completer.IPCompleter(namespace=names)
    with completer.provisionalcompleter():
        words = {word.text.rpartition(".")[2] for word in ipython.completions(code, len(code))}
    assert wanted <= words


@pytest.mark.parametrize("name", ["add", "sum", "reshape", "cat", "zeros", "linalg.svd", "Tensor.sum", "Tensor.add_"])
def test_signature_help_shows_names_and_types(name: str) -> None:
    function: Any = tensorglass
    for part in name.split("."):
        function = getattr(function, part)
    parameters = inspect.signature(function).parameters
    assert not all(parameter.annotation is parameter.empty for parameter in parameters.values())
    assert inspect.getdoc(function)
