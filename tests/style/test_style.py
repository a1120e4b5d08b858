"""The house's style, by the tools that know it: ruff for lint and layout, mypy for types."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONGEST_FILE = 400


def run(module, *arguments):
    """Run a tool on the repository and return what it said, or skip where it is not installed."""
    pytest.importorskip(module, reason=f"{module} is not installed (extra: test)")
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_ruff_has_nothing_to_say():
    said = run("ruff", "check", ".")
    assert said.returncode == 0, said.stdout


def test_the_code_is_laid_out_as_ruff_does():
    said = run("ruff", "format", "--check", ".")
    assert said.returncode == 0, said.stdout


def test_mypy_finds_the_types_sound():
    said = run("mypy")
    assert said.returncode == 0, said.stdout


def test_no_file_is_too_long_to_be_read_in_one_go():
    files = [path for folder in ("lib", "course") for path in (ROOT / folder).rglob("*.py")]
    assert files
    long = {str(path.relative_to(ROOT)) for path in files if len(path.read_text().splitlines()) > LONGEST_FILE}
    assert long == set()
