"""Notebooks as a learner runs them whose answers are all wrong: what their cells show, and what is stored.

    echo ROUND PATH | python wrong_answers_in_notebooks.py         for each line in, one list as JSON a line out
    echo each PATH | python wrong_answers_in_notebooks.py
    echo each:0/3 PATH | python wrong_answers_in_notebooks.py      of the answers, the first of every three

Each exercise gets the wrong answer of the exercises' own tests whose number is ROUND. Its right answer is tried in the
same place, in a fork, so that what it is told is known too. Predictions stay right. No kernel is started: the cells of
each notebook run in a fork of this process.

With `each`, one answer alone is wrong: the notebook runs with right answers, and for each wrong answer, and for a cell
that raises, a fork gives it and runs what is left.
"""

from __future__ import annotations

import gc
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from difflib import unified_diff
from functools import partial
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
STOOD_IN = re.compile(
    r"^(`|The last check refused `).*?so\s+that\s+what\s+follows\s+runs\.\n", re.DOTALL | re.MULTILINE
)
RAISES = "raise ValueError('the learner’s')"  # a cell that ends before it makes a name
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

    def accepts(self, source: str, attempt: str) -> bool:
        """Whether the check of an exercise's cell accepts this answer in place of the cell's own."""
        missing = {name: it for name, it in NAMES.items() if name not in self.user_ns}
        self.user_ns |= missing
        told = self.shown_by(SOLUTION.sub(lambda _: attempt.strip("\n") + "\n", source))
        for name in missing:
            self.user_ns.pop(name, None)
        return any(line.startswith("✓") for line in told)


def lines_of(texts: list[str]) -> list[str]:
    return [line.rstrip() for text in texts for line in text.splitlines() if line.strip()]


def plain(output: dict[str, Any]) -> str:
    """What is displayed as text; nothing of a bitmap, whose text is its size."""
    return "" if "image/png" in output["data"] else "".join(output["data"].get("text/plain", ""))


def stored(cell: dict[str, Any]) -> list[str]:
    outputs = cell["outputs"]
    return lines_of(
        ["".join(output["text"]) if output["output_type"] == "stream" else plain(output) for output in outputs]
    )


def begin(path: Path) -> tuple[Shell, list[dict[str, Any]]]:
    """A shell in a notebook's folder, and the notebook's cells of code."""
    os.chdir(path.parent)
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return Shell.instance(config=config), [cell for cell in cells if cell["cell_type"] == "code"]


def walk(path: Path, round: int, wrong: dict[str, list[str]]) -> Iterator[str]:
    """What differs in a notebook whose answers are all wrong, one sentence for each cell."""
    shell, cells = begin(path)
    for cell in cells:
        source = "".join(cell["source"])
        if not SOLUTION.search(source):
            yield from differing(cell, shell.shown_by(source))
            continue
        exercise = exercise_of(source)
        yield from differing(cell, forked(partial(shell.shown_by, source)))
        attempt = wrong[exercise][round % len(wrong[exercise])]
        if shell.accepts(source, attempt):
            yield f"{exercise}: accepted is\n{attempt}"


def walk_for_each(path: Path, wrong: dict[str, list[str]], part: slice) -> Iterator[str]:
    """What differs below one wrong answer in a notebook whose other answers are right, for each of a part of them."""
    findings, in_threads = forked(partial(walk_and_fork, path, wrong, part))
    yield from findings
    for place, attempt in in_threads:
        yield from forked(partial(walk_to, path, place, attempt))


def walk_and_fork(path: Path, wrong: dict[str, list[str]], part: slice) -> tuple[list[str], list[tuple[int, str]]]:
    """Run a notebook with right answers; a fork at each exercise runs the rest after a wrong one. Returns what differs,
    and the places and answers that need a process of their own, since a fork would not have the threads of this one.
    """
    shell, cells = begin(path)
    findings, in_threads = list[str](), list[tuple[int, str]]()
    for place, cell in enumerate(cells):
        source = "".join(cell["source"])
        attempts = (*wrong[exercise_of(source)], RAISES)[part] if SOLUTION.search(source) else ()
        for attempt in attempts:
            if threading.active_count() > 1:
                in_threads.append((place, attempt))
            else:
                findings += forked(partial(below, shell, attempt, cells[place:]))
        findings += differing(cell, shell.shown_by(source))
    return findings, in_threads


def walk_to(path: Path, place: int, attempt: str) -> list[str]:
    """Run a notebook with right answers down to a cell, and the rest after a wrong one there. Returns what differs."""
    shell, cells = begin(path)
    for cell in cells[:place]:
        shell.shown_by("".join(cell["source"]))
    return below(shell, attempt, cells[place:])


def below(shell: Shell, attempt: str, cells: list[dict[str, Any]]) -> list[str]:
    """What differs in the cells below the first, an exercise's, after an attempt at it."""
    (source, *_) = sources = ["".join(cell["source"]) for cell in cells]
    findings = ["it is accepted"] if shell.accepts(source, attempt) else []
    for cell, later in zip(cells[1:], sources[1:], strict=True):
        findings += differing(cell, shell.shown_by(later))
    return [f"below {exercise_of(source)} with\n{attempt.strip()}\n{finding}" for finding in findings]


def differing(cell: dict[str, Any], shown: list[str]) -> Iterator[str]:
    """How what a cell shows differs from what is stored, if it does."""
    if shown != stored(cell):
        lines = unified_diff(stored(cell), shown, "stored", "shown", n=1, lineterm="")
        yield "\n".join([f"cell {cell['id']} shows", *lines])


def exercise_of(source: str) -> str:
    return re.findall(r'check\("([^"]+)"', source)[0]


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
    wrong = wrong_answers()
    gc.collect()
    gc.freeze()  # collections in the forks visit only what notebooks make

    def differences(which: str, path: Path) -> list[str]:
        if not which.startswith("each"):
            return list(walk(path, int(which), wrong))
        first, every = map(int, which.partition(":")[2].split("/")) if ":" in which else (0, 1)
        return list(walk_for_each(path, wrong, slice(first, None, every)))

    for line in sys.stdin:
        which, _, path = line.strip().partition(" ")
        print(json.dumps(forked(partial(differences, which, Path(path)))), flush=True)


IMPORTED_ONCE = (matplotlib.pyplot, sklearn.datasets)  # for all notebooks
if __name__ == "__main__":
    main()
