"""`docs/reading.md` is the library in twelve files: what runs, with the shortcuts off, is on that page."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "lib" / "tensorglass"
PAGE = (ROOT / "docs" / "reading.md").read_text(encoding="utf-8")
TWELVE = re.findall(r"^ *\d+\. `([\w/]+\.py)`", PAGE, re.MULTILINE)
NAMED = set(re.findall(r"`([\w/]+\.py)`", PAGE))

#: The two parts of a script: it prints which files of the library the program between them enters.
BEFORE = """
import json, os, sys
import tensorglass as torch
ROOT = os.path.dirname(torch.__file__)
entered = {}
def note(frame, event, argument):
    name = frame.f_code.co_filename
    if event == "call" and name.startswith(ROOT):
        entered[os.path.relpath(name, ROOT).replace(os.sep, "/")] = None
def traced(run):
    entered.clear()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return list(entered)
def backward_of_product(second=False):
    w = torch.tensor(2.0, requires_grad=True)
    x = torch.tensor(3.0, requires_grad=second)
    def run():
        (w * x).backward()
    return run
"""
PROGRAMS = {
    "a.t()[1] += 2": """
a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
def run():
    a.t()[1] += 2
found = traced(run)
assert a.tolist() == [[1.0, 4.0], [3.0, 6.0]], a
""",
    "loss.backward()": """
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w * w).sum()
found = traced(loss.backward)
assert w.grad.tolist() == [2.0, 4.0], w.grad
""",
}


def entered(program: str) -> list[str]:
    """The files of the library that a program finds to be entered, in a process without shortcuts."""
    script = f"{BEFORE}{program}\nprint(json.dumps(found))"
    environment = {**os.environ, "TENSORGLASS_FAST": "0"}
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert not run.returncode, run.stderr
    files: list[str] = json.loads(run.stdout)
    return files


def test_they_are_twelve_and_can_be_read_in_an_afternoon() -> None:
    assert len(TWELVE) == 12
    assert sum(len((LIBRARY / path).read_text(encoding="utf-8").splitlines()) for path in TWELVE) <= 3000


def test_every_file_on_the_page_is_there() -> None:
    assert sorted(path for path in NAMED if not (LIBRARY / path).is_file() and not (ROOT / path).is_file()) == []


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_what_runs_is_on_the_page(program: str) -> None:
    files = entered(program)
    assert files
    assert sorted(set(files) - NAMED) == []


@pytest.mark.parametrize(
    ("most", "program"),
    [
        (6, "a, b = torch.ones(2, 3), torch.ones(2, 3)\nadd = lambda: a + b\nadd()\nfound = traced(add)"),
        (14, "backward_of_product()()\nfound = traced(backward_of_product())"),
        (14, "backward_of_product(True)()\nfound = traced(backward_of_product(True))"),
    ],
    ids=["a warm sum", "a product and its backward", "a product of two leaves and its backward"],
)
def test_the_plain_way_is_short(most: int, program: str) -> None:
    assert 0 < len(entered(program)) <= most


def test_the_ideas_to_keep_in_mind_are_those_of_the_twelve() -> None:
    phrase = "The one idea to keep in mind"
    files = {path.relative_to(LIBRARY).as_posix(): path.read_text(encoding="utf-8") for path in LIBRARY.rglob("*.py")}
    assert sorted(path for path, text in files.items() if phrase in text and path not in TWELVE) == []
