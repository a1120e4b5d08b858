"""An unsuitable Python or NumPy: `import tensorglass` says so in one sentence, with what to do about it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tensorglass.bootstrap import requirements

ROOT = Path(__file__).resolve().parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def last_line(*options: str, path: Path = ROOT) -> str:
    """The last line that a failing `import tensorglass` prints, where Python looks for modules in `path` first."""
    environment = {"PYTHONPATH": f"{path}{os.pathsep}{ROOT / 'lib'}", "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}
    command = [sys.executable, *options, "-c", "import tensorglass"]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert said.returncode == 1
    return said.stderr.strip().splitlines()[-1]


def test_without_numpy_the_import_says_what_to_install() -> None:
    assert last_line("-S") == (
        "ImportError: tensorglass needs NumPy, which is not installed. Install it: pip install -U 'numpy>=2.0'"
    )


@pytest.mark.parametrize(
    ("numpy", "sentence"),
    [
        ("__version__ = '1.26.4'", "needs NumPy 2.0 or newer, and this is NumPy 1.26.4."),
        ("raise ImportError('libblas.so: no such file')", "needs NumPy, which cannot be imported here."),
    ],
)
def test_a_numpy_that_will_not_do_is_named_with_what_to_do(tmp_path: Path, numpy: str, sentence: str) -> None:
    (tmp_path / "numpy.py").write_text(numpy)
    said = last_line(path=tmp_path)
    assert sentence in said
    assert "pip install" in said


def test_a_python_that_is_too_old_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "OLDEST_PYTHON", (99, 1))
    with pytest.raises(ImportError, match=r"needs Python 99\.1 or newer, and this is Python"):
        requirements.check_python()


@pytest.mark.parametrize("file", ["__init__.py", "bootstrap/__init__.py", "bootstrap/requirements.py"])
def test_what_runs_before_the_check_can_be_read_by_an_old_python(file: str) -> None:
    ast.parse((ROOT / "lib" / "tensorglass" / file).read_text(), feature_version=(3, 6))


def test_the_oldest_versions_are_those_that_the_package_asks_for() -> None:
    assert PROJECT["dependencies"] == ["numpy>={}.{}".format(*requirements.OLDEST_NUMPY)]
    assert PROJECT["requires-python"] == ">={}.{}".format(*requirements.OLDEST_PYTHON)
