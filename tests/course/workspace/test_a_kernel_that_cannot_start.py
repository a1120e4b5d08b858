"""A kernel that cannot start is told in a line, with its own last words, and its traceback is nobody's."""

import json
import sys
from pathlib import Path

import pytest

from glassroom.workspace.execution import execute
from glassroom.workspace.problems import Problem


def test_a_kernel_that_cannot_start_says_why_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    spec = {"argv": [sys.executable, "-c", "raise OSError('no room')"], "display_name": "P", "language": "python"}
    (tmp_path / "kernels" / "python3").mkdir(parents=True)
    (tmp_path / "kernels" / "python3" / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    notebook = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    with pytest.raises(Problem, match=r"No kernel can be started \(.*: OSError: no room\)") as raised:
        execute(notebook, tmp_path)
    assert len(str(raised.value).splitlines()) == 1
    assert "Traceback" not in capfd.readouterr().err
