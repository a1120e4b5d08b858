"""How far a reader has to go: what common expressions enter in the library, with shortcuts and without.

For each expression, once it is warm: the number of files it enters, the number of function calls it makes there, and
how often a call is in another file than the call before it. Some of its rows are in the table of `docs/reading.md`.

    python benchmarks/trace.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

#: The expressions, and the code that is run before each. An expression is traced when it runs for the third time.
EXPRESSIONS = {
    "a + b": "",
    "a * 2": "",
    "a.sum()": "",
    "a @ c": "",
    "a.t()": "",
    "a[1]": "",
    "a[mask]": "mask = a > 1",
    "a.t()[1] += 2": "",
    "a.view(6)": "",
    "a.exp()": "",
    "a.to(torch.float64)": "",
    "torch.cat([a, b])": "",
    "w * v": "",
    "(w * v).backward()": "",
    "(w * x).sum().backward()": "x = torch.ones(3)\nw = torch.ones(3, requires_grad=True)",
    "model(batch)": "model, batch = torch.nn.Linear(3, 4), torch.ones(2, 3)",
}
SETTING = """
a, b, c = torch.ones(2, 3), torch.ones(2, 3), torch.ones(3, 2)
w, v = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0)
"""


def measured() -> dict[str, tuple[int, int, int]]:
    """Files, calls and changes of file, by expression, in this process."""
    import tensorglass

    return {expression: _traced(tensorglass, before, expression) for expression, before in EXPRESSIONS.items()}


def _traced(library: Any, before: str, expression: str) -> tuple[int, int, int]:
    names: dict[str, Any] = {"torch": library}
    exec(SETTING + before, names)
    program = compile(expression, "<expression>", "exec")
    calls: list[str] = []
    for _ in range(3):
        names["w"].grad = None
        calls = _calls(os.path.dirname(library.__file__), lambda: exec(program, names))
    return len(set(calls)), len(calls), sum(one != other for one, other in pairwise(calls))


def _calls(root: str, run: Callable[[], Any]) -> list[str]:
    """The files of the library's functions that are entered, in order."""
    files = []

    def note(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(root):
            files.append(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return files


def main() -> None:
    if "--figures" in sys.argv:
        print(json.dumps(measured()))
        return
    columns = []
    for fast in ("0", "1"):
        environment = {**os.environ, "TENSORGLASS_FAST": fast}
        run = subprocess.run(
            [sys.executable, __file__, "--figures"], env=environment, stdout=subprocess.PIPE, check=True
        )
        columns.append(json.loads(run.stdout))
    print("| expression | files, calls, changes of file | with shortcuts |\n|---|---|---|")
    for expression in EXPRESSIONS:
        figures = " | ".join(", ".join(map(str, column[expression])) for column in columns)
        print(f"| `{expression}` | {figures} |")


if __name__ == "__main__":
    main()
