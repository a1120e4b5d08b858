"""The pytest plugin, in a pytest of its own, as a programmer without the course uses it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import pytest
import tensorglass as torch

KEPT = []

@pytest.mark.peak_below("1 kB")
def test_small():
    torch.zeros(10)

@pytest.mark.peak_below("1 kB")
def test_large():
    torch.zeros(1000)

@pytest.mark.no_copy
@pytest.mark.peak_below("1 MB")
def test_that_copies():
    torch.zeros(10).clone()

@pytest.mark.no_leak
@pytest.mark.parametrize("size", [3])
def test_that_leaks(size):
    KEPT.append(torch.zeros(size))

@pytest.mark.no_leak
class TestClass:
    def test_method(self):
        torch.zeros(3)

def test_plain():
    torch.zeros(100)
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("user")
    (folder / "test_mine.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "glassroom.testing.plugin", "-v", "--strict-markers"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ran = subprocess.run(
        [*command, "--memory-peaks", "2", "test_mine.py"], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert not ran.stderr
    return ran.stdout


def test_markers_fail_the_tests_that_do_not_keep_to_them(said: str) -> None:
    results = dict(line.split()[:2] for line in said.splitlines() if line.startswith("test_mine.py::"))
    assert results == {
        "test_mine.py::test_small": "PASSED",
        "test_mine.py::test_large": "FAILED",
        "test_mine.py::test_that_copies": "FAILED",
        "test_mine.py::test_that_leaks[3]": "FAILED",
        "test_mine.py::TestClass::test_method": "PASSED",
        "test_mine.py::test_plain": "PASSED",
    }


def test_failures_show_the_memory_and_none_of_our_code(said: str) -> None:
    assert "the peak on cpu is 4,000 bytes above the start, which is not below 1,000 bytes" in said
    assert "1 copy of 40 bytes where none is allowed" in said
    assert "alive, held by KEPT[0]" in said
    assert "def failure" not in said


def test_the_highest_peaks_are_reported(said: str) -> None:
    assert "= 2 highest memory peaks =" in said
    report = said.partition("2 highest memory peaks")[2]
    assert "4,000 bytes  test_mine.py::test_large" in report.splitlines()[1]
    assert "400 bytes  test_mine.py::test_plain" in report.splitlines()[2]


def test_a_stored_output_that_differs_leads_to_the_command_that_stores_it_anew(tmp_path: Path) -> None:
    pytest.importorskip("nbval", reason="nbval is not installed")
    shown = {"output_type": "stream", "name": "stdout", "text": "3\n"}
    for name, code in (("changed", "print(4)"), ("broken", "1 / 0"), ("right", "print(3)")):
        cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": code, "outputs": [shown]}
        notebook = {"cells": [{**cell, "execution_count": 1}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(notebook))
    command = [sys.executable, "-m", "pytest", "-p", "nbval.plugin", "-p", "glassroom.testing.plugin", "--nbval"]
    ran = subprocess.run(
        [*command, "--nbval-current-env", "."],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    assert "2 failed, 1 passed" in ran.stdout
    assert [line.strip() for line in ran.stdout.splitlines() if "refresh" in line] == [
        "glassroom refresh changed.ipynb"
    ]


def test_the_plugin_alone_imports_neither_library() -> None:
    code = "import sys, glassroom.testing.plugin; print({'numpy', 'tensorglass', 'torch'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"
