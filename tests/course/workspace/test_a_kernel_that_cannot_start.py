"""A kernel that cannot start is told in a line, with its own last words, and its traceback is nobody's. Whether or not
it starts, the program that wanted to run a notebook handles signals afterwards as it did before.
"""

import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from glassroom.workspace.execution import execute
from glassroom.workspace.problems import Problem

EMPTY = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def broken_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that ends with an error as soon as it is started."""
    spec = {"argv": [sys.executable, "-c", "raise OSError('no room')"], "display_name": "P", "language": "python"}
    (tmp_path / "kernels" / "python3").mkdir(parents=True)
    (tmp_path / "kernels" / "python3" / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))


@pytest.fixture
def own_handlers() -> Iterator[list[int]]:
    """The signals of this process, each of which is received by a handler of the test's own."""
    received: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _frame: received.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    yield received
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("broken_kernel")
def test_a_kernel_that_cannot_start_says_why_in_a_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Problem, match=r"No kernel can be started \(.*: OSError: no room\)") as raised:
        execute(EMPTY, tmp_path)
    assert len(str(raised.value).splitlines()) == 1
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.usefixtures("broken_kernel")
def test_signals_reach_the_program_after_a_kernel_that_cannot_start(tmp_path: Path, own_handlers: list[int]) -> None:
    with pytest.raises(Problem):
        execute(EMPTY, tmp_path)
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGTERM)
    assert own_handlers == [signal.SIGINT, signal.SIGTERM]


def test_signals_reach_the_program_after_a_notebook_has_run(tmp_path: Path, own_handlers: list[int]) -> None:
    execute(EMPTY, tmp_path)
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGTERM)
    assert own_handlers == [signal.SIGINT, signal.SIGTERM]
