"""What a teacher starts from: a class's folder, a notebook and an exercise of their own, each a working example."""

from __future__ import annotations

import hashlib
import keyword
import re
from pathlib import Path
from string import Template

from glassroom.classroom.course_file import NAME, heading
from glassroom.classroom.handout import course_notebook
from glassroom.classroom.own_course import DATA, NOTEBOOKS
from glassroom.exercises import exercises, own
from glassroom.translations.templates import as_is
from glassroom.workspace.former_ids import current
from glassroom.workspace.normalize import KERNEL
from glassroom.workspace.notebook_json import Notebook, lines, serialise
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.whole_files import write_atomically, write_together

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
IGNORED = b"""\
# Submissions, marks and pages are for no reader of a repository. Your own notebooks, exercises and data are not
# ignored: they hold solutions, so keep the repository to yourself, or add them here.
*
!/.gitignore
!/notebooks/
!/notebooks/**
!/exercises/
!/exercises/*.py
"""

_TEMPERATURES = b"""morning,noon,evening
11.5,19.0,15.5
12.0,21.5,16.0
10.5,18.0,14.0
13.0,23.5,17.5
12.5,22.0,16.5
"""

_OPENING = """\
# $title

> Which question does this notebook answer? Write it here as your learners would ask it.

This notebook is an example that works. Keep what you can use, and change the rest: the text, the data in
`data/$stem.csv`, and the exercise, whose check is in `exercises/$stem.py`."""

_IMPORTS = "import numpy as np\nimport tensorglass as torch\nfrom glassroom import check, hint, show"

_TABLE = """\
## A table from a file

The file has a row for each day, and three temperatures a day: morning, noon, evening. `from_numpy` gives a tensor that
shares the memory of NumPy's array."""

_READ = """\
table = torch.from_numpy(np.loadtxt("data/$stem.csv", delimiter=",", skiprows=1))
show(table)"""

_ASK = """\
## Exercise

Make `$answer`, the column with the temperatures at noon, as a view of `table`: it should need no memory of its own."""

_SOLVE = as_is("""\
### BEGIN SOLUTION
$answer = table[:, 1]
### END SOLUTION
check("$id", $answer, table=table)""")

_DECLARATIONS = '''\
"""Exercises of notebooks/$stem.ipynb."""

from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import expect, expect_equal, expect_tensor, expect_value, expect_view
'''

_NOON = """

@exercise(
    "$id",
    # What stands before the exercise in its notebook, as far as the answer needs it.
    setup="table = torch.from_numpy(np.loadtxt('data/$stem.csv', delimiter=',', skiprows=1))",
    # The concept, where to look, nearly the code, the answer.
    hints=[
        "A column is every row at one index of the second dimension.",
        "A slice takes all rows, and a number takes one column. Python counts columns from 0.",
        "$answer = table[:, …]",
        "$answer = table[:, 1]",
    ],
)
def $function($answer: Any, *, table: Any) -> str:
    # The parameters are the learner's answers; after the star comes what the notebook gives along with them.
    # Ask about the mistakes that you expect first, so that each gets its own sentence.
    expect_tensor($answer, "$answer")
    expect(
        $answer.shape != table[1].shape,
        "`$answer` is one day, with its three temperatures. You were asked for one temperature of each day.",
    )
    expect($answer.tolist() != table[:, 0].tolist(), "That is the morning: columns are counted from 0.")
    expect_value($answer, "$answer", table[:, 1].tolist())
    expect_view($answer, "$answer", of=table, of_name="table")
    return "Every row's second number, and no new storage."
"""

_ASK_COUNT = """\
## Exercise

`t` is a tensor of size `(3, 4)`. How many elements does the view `t[:, ::2]` have? Put the number into `$answer`."""

_SOLVE_COUNT = """\
### BEGIN SOLUTION
$answer = 6
### END SOLUTION
check("$id", $answer)"""

_COUNT = """

@exercise(
    "$id",
    # The concept, where to look, nearly the code, the answer.
    hints=[
        "A slice with a step keeps the rows, and some of the columns.",
        "Every second column of four: columns 0 and 2.",
        "$answer = 3 * …",
        "$answer = 3 * 2",
    ],
)
def $function($answer: Any) -> str:
    mistakes = {
        12: "That is all of `t`; `::2` leaves out every second column.",
        8: "That would be every second row, with all 4 columns. The first `:` keeps all rows.",
    }
    expect_equal($answer, "$answer", 6, mistakes)
    return "3 rows of 2 columns each."
"""


def new_course(folder: Path) -> list[Path]:
    """Make a class's folder with its rules. Raises `Problem` if it exists already."""
    if (folder / NAME).exists():
        raise Problem(f"{folder} has a {NAME} already: it is a class's folder.", Exit.USAGE)
    ignored = {} if (folder / ".gitignore").exists() else {folder / ".gitignore": IGNORED}
    write_together({**ignored, folder / NAME: heading(_title(folder.resolve().name)).encode()})
    return [folder / NAME]


def new_notebook(folder: Path, name: str) -> list[Path]:
    """Write a notebook that reads a table, with an exercise about it. Returns the files, the notebook first."""
    stem = name.removesuffix(".ipynb")
    _require_name(stem)
    path, data = folder / NOTEBOOKS / f"{stem}.ipynb", folder / NOTEBOOKS / DATA / f"{stem}.csv"
    declared = folder / own.FOLDER / f"{stem}.py"
    for place in (path, data, declared):
        _require_free(place)
    id = f"{stem}-noon"
    words = _words(id, stem, "noon")
    cells = [
        _cell(stem, "markdown", _OPENING, words),
        _cell(stem, "code", _IMPORTS, {}),
        *(_cell(stem, kind, text, words) for kind, text in (("markdown", _TABLE), ("code", _READ))),
        *(_cell(stem, kind, text, words) for kind, text in (("markdown", _ASK), ("code", _SOLVE))),
    ]
    notebook = {"cells": cells, "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5}
    declarations = Template(_DECLARATIONS + _NOON).substitute(words).encode()
    write_together({data: _TEMPERATURES, declared: declarations, path: serialise(notebook)})
    return [path, declared, data]


def changed_copy(folder: Path, name: str, notebooks: Path) -> list[Path]:
    """Copy a notebook of the course; the copy takes its place in this class."""
    path = folder / NOTEBOOKS / name
    _require_free(path)
    notebook = course_notebook(notebooks, name)
    write_atomically(path, serialise(notebook))
    return [path]


def new_exercise(folder: Path, id: str, notebook: str) -> list[Path]:
    """Add an exercise at the end of one of the class's own notebooks, and its declaration beside that notebook's
    others."""
    _require_name(id)
    name = notebook.removeprefix(f"{NOTEBOOKS}/").removesuffix(".ipynb") + ".ipynb"
    path, stem = folder / NOTEBOOKS / name, Path(name).stem
    if not path.is_file():
        raise Problem(f"There is no {path}. Make one: glassroom new notebook {stem} --course {folder}", Exit.USAGE)
    if current(id) in exercises():
        raise Problem(f"There is an exercise {id!r} already: each has an id of its own.", Exit.USAGE)
    declared = folder / own.FOLDER / f"{stem}.py"
    words = _words(id, stem, _identifier(id.rpartition("-")[2]))
    page = course_notebook(folder / NOTEBOOKS, name)
    for kind, text in (("markdown", _ASK_COUNT), ("code", _SOLVE_COUNT)):
        page["cells"].append(_cell(id, kind, text, words))
    before = declared.read_text(encoding="utf-8") if declared.is_file() else Template(_DECLARATIONS).substitute(words)
    declarations = before.rstrip("\n") + "\n" + Template(_COUNT).substitute(words)
    write_together({declared: declarations.encode(), path: serialise(page)})
    return [path, declared]


def _words(id: str, stem: str, answer: str) -> dict[str, str]:
    title = _title(re.sub(r"^\d+_", "", stem))
    return {"id": id, "stem": stem, "answer": answer, "function": f"check_{_identifier(id)}", "title": title}


def _title(name: str) -> str:
    spaced = name.replace("_", " ").replace("-", " ").strip()
    return spaced[:1].upper() + spaced[1:]


def _identifier(text: str) -> str:
    identifier = re.sub(r"\W", "_", text)
    return f"answer_{identifier}" if keyword.iskeyword(identifier) or not identifier.isidentifier() else identifier


def _cell(seed: str, kind: str, text: str, words: dict[str, str]) -> Notebook:
    content = Template(text).substitute(words) if words else text
    id = f"c-{hashlib.sha256(f'{seed} {text}'.encode()).hexdigest()[:12]}"
    cell: Notebook = {"cell_type": kind, "id": id, "metadata": {}, "source": lines(content)}
    return cell | {"outputs": [], "execution_count": None} if kind == "code" else cell


def _require_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise Problem(f"{name!r} should have letters, digits, _ and - alone.", Exit.USAGE)


def _require_free(path: Path) -> None:
    if path.exists():
        raise Problem(f"{path} is there already, and nothing is written over.", Exit.USAGE)
