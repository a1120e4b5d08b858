"""Notebooks as a learner runs them whose answers are all wrong: what their cells show then beside what is stored.

    python wrong_answers_in_notebooks.py [ROUND]        one notebook's path a line in, one list as JSON a line out

Each exercise gets the wrong answer of the exercises' own tests whose number is ROUND (0). Its right answer is tried in
the same place, in a fork, so that what it is told is known too. Predictions stay right. No kernel is started: the cells
of each notebook run in a fork of this process.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from io import StringIO
from pathlib import Path
from typing import Any

os.environ |= {"MPLBACKEND": "Agg", "SCIPY_ARRAY_API": "1", "OMP_NUM_THREADS": "1"}

import math

import matplotlib.pyplot
import numpy
import sklearn.datasets
from exercise_answers import WRONG_TRIED
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

import tensorglass

TABLES = Path(__file__).parent / "course" / "exercises"
SOLUTION = re.compile(r"### BEGIN SOLUTION\n.*?### END SOLUTION\n", re.DOTALL)
STOOD_IN = re.compile(r"^(`|The last check refused `).*?so that what\s+follows\s+runs\.\n", re.DOTALL | re.MULTILINE)
NAMES = {"np": numpy, "numpy": numpy, "math": math, "F": tensorglass.nn.functional}  # which the tables' tests give


def wrong_answers() -> dict[str, list[str]]:
    """By exercise, the wrong answers of all tables, in an order of their own."""
    for path in sorted(TABLES.glob("*/test_*.py")):
        spec = spec_from_file_location(f"tables_of_{path.parent.name}_{path.stem}", path)
        spec.loader.exec_module(module_from_spec(spec))
    return {exercise: sorted(answers) for exercise, answers in WRONG_TRIED.items()}


class Hook(DisplayHook):
    """The value of a cell's last line goes where displays go."""

    def write_output_prompt(self) -> None: ...

    def write_format_data(self, format_dict: dict[str, Any], md_dict: Any = None) -> None:
        self.shell.display_pub.publish(format_dict, md_dict)

    def finish_displayhook(self) -> None: ...


class Shell(InteractiveShell):
    displayhook_class = Type(Hook)
    display_pub_class = Type(CapturingDisplayPublisher)

    def _showtraceback(self, *_: Any) -> None: ...

    def shown_by(self, source: str) -> list[str]:
        """The lines that a cell shows, less what says that an answer is stood in for."""
        self.display_pub.outputs.clear()
        written, before = StringIO(), (sys.stdout, sys.stderr)
        sys.stdout = sys.stderr = written
        try:
            ran = self.run_cell(source, store_history=True)
        finally:
            sys.stdout, sys.stderr = before
        printed = STOOD_IN.sub("", written.getvalue())
        raised = ran.error_before_exec or ran.error_in_exec
        return lines_of([printed, *map(plain, self.display_pub.outputs), type(raised).__name__ if raised else ""])


def lines_of(texts: list[str]) -> list[str]:
    return [line.rstrip() for text in texts for line in text.splitlines() if line.strip()]


def plain(output: dict[str, Any]) -> str:
    """What is displayed as text; nothing of a bitmap, whose text is its size."""
    return "" if "image/png" in output["data"] else "".join(output["data"].get("text/plain", ""))


def stored(cell: dict[str, Any]) -> list[str]:
    outputs = cell["outputs"]
    return lines_of(["".join(each["text"]) if each["output_type"] == "stream" else plain(each) for each in outputs])


def walk(path: Path, round: int, wrong: dict[str, list[str]]) -> Iterator[str]:
    """What differs in a notebook, one sentence for each cell."""
    os.chdir(path.parent)
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = Shell.instance(config=config)
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        source, expected = "".join(cell["source"]), stored(cell)
        if not SOLUTION.search(source):
            shown = shell.shown_by(source)
        else:
            exercise = re.findall(r'check\("([^"]+)"', source)[0]
            shown = forked(lambda code=source: shell.shown_by(code))
            attempt = wrong[exercise][round % len(wrong[exercise])]
            missing = {name: it for name, it in NAMES.items() if name not in shell.user_ns}
            shell.user_ns |= missing
            told = shell.shown_by(SOLUTION.sub(lambda _, code=attempt: code.strip("\n") + "\n", source))
            for name in missing:
                shell.user_ns.pop(name, None)
            if any(line.startswith("✓") for line in told):
                yield f"{exercise}: accepted is\n{attempt}"
        if shown != expected:
            yield f"cell {cell['id']} shows\n{chr(10).join(shown)}\ninstead of\n{chr(10).join(expected)}"


def forked(work: Callable[[], Any]) -> Any:
    """What `work` gives in a process of its own, as JSON has it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            with os.fdopen(writing, "w") as out:
                json.dump(work(), out)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        text = told.read()
    os.waitpid(child, 0)
    return json.loads(text or '["it ended its process"]')


def main() -> None:
    round, wrong = int(sys.argv[1]) if len(sys.argv) > 1 else 0, wrong_answers()
    for line in sys.stdin:
        path = Path(line.strip())
        print(json.dumps(forked(lambda path=path: list(walk(path, round, wrong)))), flush=True)


IMPORTED_ONCE = (matplotlib.pyplot, sklearn.datasets)  # for all notebooks
if __name__ == "__main__":
    main()
