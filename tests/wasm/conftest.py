"""Pyodide under Node: Python whose pointers have 32 bits, without processes and threads."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
#: Kilobytes of stack: as much as Chromium gives.
STACK = 984


@pytest.fixture(scope="session")
def in_pyodide() -> Callable[..., list[Any]]:
    """A function that runs a script of this folder there, and returns the JSON lines that it printed."""
    node, folder = shutil.which("node"), os.environ.get("PYODIDE_DIST")
    if node is None:
        pytest.skip("Node.js is not installed, which runs Pyodide")
    if folder is None:
        pytest.skip("no Pyodide: python tests/wasm/fetch.py FOLDER fetches one, PYODIDE_DIST=FOLDER names it")
    distribution = Path(folder)

    def run(script: str, *arguments: str, timeout: float = 280) -> list[Any]:
        folders = (distribution, distribution / "packages", HERE.parents[1])
        command = [node, f"--stack-size={STACK}", HERE / "run.mjs", *folders, script, *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        lines = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
        assert lines, f"{ran.stdout[-1000:]}\n{ran.stderr[-3000:]}"
        return lines

    return run
