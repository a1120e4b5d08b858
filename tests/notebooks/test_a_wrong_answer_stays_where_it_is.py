"""A wrong answer is told where it was given, and changes nothing below: the rest of the notebook is as it is stored.

The first wrong answer of each exercise is given in half of the notebooks each day. Each wrong answer alone is given in
a 24th of them (`by_day`): by thirds of a notebook's answers, since all of some take minutes.
`WRONG_ANSWERS=3` in the environment gives the fourth in place of the first (there are up to fourteen).
"""

import json
import os
import re
import subprocess
import symtable
import sys
import textwrap
from pathlib import Path

import pytest
from stored_notebooks import FOLDER, NOTEBOOKS

from glassroom.workspace.notebook_json import source

WHICH = os.environ.get("WRONG_ANSWERS", "0")
THIRDS = 3
PROGRAM = Path(__file__).resolve().parents[1] / "wrong_answers_in_notebooks.py"


PARTS = [(FOLDER / place, third) for place in NOTEBOOKS for third in range(THIRDS)]


@pytest.fixture(scope="module")
def walking():
    """The differences that a process finds in one notebook with wrong answers: a round of them, or `each` alone."""
    with subprocess.Popen(
        [sys.executable, PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def walk(which, path):
            print(which, path, file=process.stdin, flush=True)
            return json.loads(process.stdout.readline())

        yield walk
        process.stdin.close()


@pytest.mark.sweep
def test_below_wrong_answers_a_notebook_is_as_it_is_stored(path, walking):
    faults = walking(WHICH, path)
    assert not faults, "\n\n".join(["", *faults])


@pytest.mark.timeout(3600)
@pytest.mark.sweep(24)
@pytest.mark.parametrize("part", PARTS, ids=lambda part: f"{part[0].stem}-{part[1]}")
def test_below_each_wrong_answer_alone_a_notebook_is_as_it_is_stored(part, walking):
    path, third = part
    faults = walking(f"each:{third}/{THIRDS}", path)
    assert not faults, "\n\n".join(["", *faults])


def test_an_answer_that_later_cells_use_is_stood_in_for(notebook):
    """Otherwise these cells create it themselves."""
    cells = [source(cell) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells):
        for exercise in re.findall(r'check\("([^"]+)"', cell) if "### BEGIN SOLUTION" in cell else ():
            names = bound(cell.split("### BEGIN SOLUTION")[1].split("### END SOLUTION")[0])
            for later in cells[number + 1 :]:
                if f'stand_in("{exercise}")' in later:
                    break
                used = read(later) & names
                assert not used, f"{used} of {exercise} is used in\n{later}"
                names -= bound(later)


def table_of(code):
    """The names of code, magic lines aside."""
    plain = "\n".join(line for line in code.split("\n") if not line.startswith("%"))
    return symtable.symtable(textwrap.dedent(plain), "cell", "exec")


def bound(code):
    """The names that code gives a value at its top level."""
    return {
        symbol.get_name() for symbol in table_of(code).get_symbols() if symbol.is_assigned() or symbol.is_imported()
    }


def read(code):
    """The names that code needs from cells before it."""
    table, needed = table_of(code), set()
    scopes = [table]
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        symbols = [symbol for symbol in scope.get_symbols() if symbol.is_referenced()]
        needed |= {symbol.get_name() for symbol in symbols if scope is table or symbol.is_global()}
    return needed - bound(code)
