"""Pyodide under Node: Python whose pointers have 32 bits, without processes and threads."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

HERE = Path(__file__).parent
#: Kilobytes of stack: as much as Chromium gives.
STACK = 984


class Node:
    """A process of Node that runs scripts one after the other, each in a Pyodide of its own (`run.mjs`)."""

    def __init__(self, program: str, distribution: Path, compiled: Path) -> None:
        folders = (distribution, distribution / "packages", HERE.parents[1], compiled)
        command = [program, f"--stack-size={STACK}", str(HERE / "run.mjs"), *map(str, folders)]
        self.said = compiled / "stderr"
        with self.said.open("w") as errors:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, text=True)

    def run(self, script: str, *arguments: str, timeout: float) -> list[Any]:
        """The JSON lines that a script prints."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        late = Timer(timeout, self.process.kill)
        late.start()
        print(json.dumps([script, *arguments]), file=self.process.stdin, flush=True)
        printed = []
        while (line := self.process.stdout.readline()) not in ("end\n", ""):
            printed.append(line)
        late.cancel()
        lines = [json.loads(each) for each in printed if each.startswith("{")]
        if not (lines and line):
            raise AssertionError(f"{''.join(printed)[-1000:]}\n{self.said.read_text()[-3000:]}")
        return lines

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="session")
def in_pyodide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., list[Any]]]:
    """A function that runs a script of this folder there, and returns the JSON lines that it printed."""
    program, folder = shutil.which("node"), os.environ.get("PYODIDE_DIST")
    if program is None:
        pytest.skip("Node.js is not installed, which runs Pyodide")
    if folder is None:
        pytest.skip("no Pyodide: python tests/wasm/fetch.py FOLDER fetches one, PYODIDE_DIST=FOLDER names it")
    compiled = tmp_path_factory.mktemp("compiled")
    nodes: list[Node] = []

    def run(script: str, *arguments: str, timeout: float = 280) -> list[Any]:
        if not nodes or nodes[-1].process.poll() is not None:
            nodes.append(Node(program, Path(folder), compiled))
        return nodes[-1].run(script, *arguments, timeout=timeout)

    yield run
    for node in nodes:
        node.close()
