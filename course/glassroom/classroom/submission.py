"""A submission in the class's folder: read without trust, and combined with the teacher's cells. Only the learner's
answers and own cells are taken from a submission. Locked cells (given code, tests, hidden tests) come from the
teacher's notebook, whatever became of them in the learner's.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import re
import stat
import tokenize
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from glassroom.classroom.given_names import note_given_names
from glassroom.classroom.handout import check_call, current_name
from glassroom.classroom.unnamed_cells import by_place
from glassroom.workspace.former_ids import current
from glassroom.workspace.notebook_json import DamagedNotebook, Notebook, parse, source

MOST_BYTES = 30_000_000
MOST_CELLS = 2000
MOST_SOURCE = 400_000
MOST_PARTS = (
    1_000_000  # lists and objects in a file: each takes two characters there, and a hundred times that in memory
)
OURS, HANDED_OUT = "glassroom", "handed_out"  # in the metadata of learners' copies
MOST_SEARCHED = 200_000  # characters of a notebook that are searched for hints
_ID = re.compile(r"""^["']+([\w.-]{1,80})["']+$""")
UNANSWERED = ("", "YOUR ANSWER HERE")


class Unreadable(Exception):
    """A file that is no valid submission. The message says why, as the end of a sentence about the file."""


_IS_LINK = "it is a link, and links are not followed"
_FOLLOWS = not hasattr(os, "O_NOFOLLOW")  # as on Windows
_FLAGS = os.O_RDONLY
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)


@dataclass
class Composed:
    """What to run and test of one notebook, and the answers in words that a person marks."""

    steps: list[dict[str, Any]] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)  # answers to questions in words, by their ids
    code: dict[str, str] = field(default_factory=dict)  # code for exercises, by their ids
    hints: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)  # answers that could not be found because cells have lost their names


def read_file(path: Path, most: int = MOST_BYTES, folder: int | None = None) -> bytes:
    """The bytes of a plain file that is no link and not too large. Raises `Unreadable`. `folder` is the descriptor of
    an open folder in which `path` is read, whatever its name leads to by now. A hard link in it to a file of another
    owner counts as a link too.
    """
    try:
        if _FOLLOWS and os.path.islink(path):
            raise Unreadable(_IS_LINK)
        handle = os.open(path, _FLAGS, dir_fd=folder)
    except OSError as error:
        link = error.errno == errno.ELOOP
        raise Unreadable(_IS_LINK if link else f"it cannot be read ({error.strerror})") from error
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode):
        os.close(handle)
        raise Unreadable("it is not a file")
    if folder is not None and about.st_nlink > 1 and about.st_uid != os.fstat(folder).st_uid:
        os.close(handle)
        raise Unreadable("it is a hard link to somebody else's file, and links are not followed")
    with os.fdopen(handle, "rb") as file:
        if about.st_size > most:
            raise Unreadable(f"it has {about.st_size / 1e6:,.0f} MB, and {most / 1e6:,.0f} MB is the most that is read")
        return file.read(most + 1)[:most]


def read_notebook(content: bytes) -> Notebook:
    """The notebook in these bytes. Raises `Unreadable`, also if it is too large to be a person's work."""
    if content.count(b"[") + content.count(b"{") > MOST_PARTS:
        raise Unreadable(f"it has more than {MOST_PARTS:,} lists and objects")
    try:
        notebook = parse(content)
    except DamagedNotebook as error:
        raise Unreadable(str(error)) from error
    if len(notebook["cells"]) > MOST_CELLS:
        raise Unreadable(f"it has {len(notebook['cells']):,} cells, and {MOST_CELLS:,} is the most that is read")
    if any(len(source(cell)) > MOST_SOURCE for cell in notebook["cells"]):
        raise Unreadable(f"it has a cell of more than {MOST_SOURCE:,} characters")
    return notebook


def marks_of(cell: Notebook) -> dict[str, Any]:
    """nbgrader's metadata of a cell, with the id that an exercise has now; empty if they are invalid."""
    metadata = cell.get("metadata", {}).get("nbgrader")
    if not (isinstance(metadata, dict) and isinstance(metadata.get("grade_id"), str)):
        return {}
    return {**metadata, "grade_id": current_name(metadata["grade_id"])}


def handed_out_of(notebook: Notebook) -> str:
    """The digest of what was handed out that a learner's copy carries; "" if it has none."""
    metadata = notebook.get("metadata")
    ours = metadata.get(OURS) if isinstance(metadata, dict) else None
    digest = ours.get(HANDED_OUT) if isinstance(ours, dict) else None
    return digest if isinstance(digest, str) else ""


def compose(teachers: Notebook, learners: Notebook, earlier: bool = False) -> Composed:
    """Combine the learner's cells and the teacher's, in the order in which to run them. Who answered an `earlier`
    version cannot have what is new in the teacher's, which is no trouble.
    """
    composed = Composed()
    own = {marks_of(cell)["grade_id"]: cell for cell in teachers["cells"] if marks_of(cell)}
    by_cell_id = {cell.get("id"): id for id, cell in own.items() if marks_of(cell)["solution"]}
    entries: list[tuple[str, dict[str, Any]]] = []
    taken: set[str] = set()
    plain_copy = not any(marks_of(cell) for cell in learners["cells"])
    named = _named(learners, by_cell_id if plain_copy else {})
    placed = by_place(own, learners["cells"], named)
    if answers := [id for id in placed.values() if marks_of(own[id])["solution"]]:
        composed.notes.append(f"cells have lost their names, and were found by their place: {', '.join(answers)}")
    composed.hints = _hints(learners["cells"])
    for number, cell in enumerate(learners["cells"]):
        id = named.get(number) or placed.get(number, "")
        code = source(cell)
        if id in taken:
            composed.notes.append(f"there is a second cell {id!r}, which counts as one of the learner's own")
            id = ""
        if id in own:
            taken.add(id)
            step = _step(own[id], code, cell, composed)
            given = f"{id.removesuffix('-answer')}-given"
            begins = plain_copy and given in own and given not in (*named.values(), *placed.values())
            entries += _given_apart(id, own[given], step) if begins and "shows" in step else [(id, step)]
        elif cell["cell_type"] == "code" and code.strip():
            entries.append(("", {"do": "run", "cell": f"cell {number + 1}", "source": code, **_may_raise(cell)}))
    for id, cell in own.items():
        if id in taken:
            continue
        if marks_of(cell)["solution"]:
            composed.notes.append(f"the answer {id!r} is missing")
            if plain_copy and taken:
                composed.lost.append(id.removesuffix("-answer"))
        elif not (plain_copy and id.endswith("-given")):
            step = _step(cell, "", cell, composed)
            entries.insert(_place(id, list(own), [entry for entry, _ in entries]), (id, step))
            # A hidden test may have come after the learner's copy.
            if not plain_copy and not earlier and step.get("do") != "hidden":
                composed.notes.append(f"the cell {id!r} was missing and is put in")
    composed.steps = [step for _, step in entries if step]
    note_given_names(teachers, composed.steps)
    return composed


def _may_raise(cell: Notebook) -> dict[str, bool]:
    """What a step says if its cell has Jupyter's tag for cells that raise an error."""
    tags = cell.get("metadata", {}).get("tags")
    return {"may_raise": True} if isinstance(tags, list) and "raises-exception" in tags else {}


def _given_apart(id: str, own: Notebook, step: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The step of an answer whose cell begins with what is given, as in a plain copy of the course: as two, if so."""
    given = source(own).strip()
    if not step["source"].lstrip().startswith(f"{given}\n"):
        return [(id, {**step, "replaces": given})]
    before = {"do": "run", "cell": marks_of(own)["grade_id"], "source": given}
    return [("", before), (id, {**step, "source": step["source"].lstrip().removeprefix(f"{given}\n")})]


def _named(learners: Notebook, by_cell_id: Mapping[str, str]) -> dict[int, str]:
    """The names that cells have: nbgrader's, or those that go with their ids."""
    names = (
        str(marks_of(cell).get("grade_id") or by_cell_id.get(cell.get("id", ""), "")) for cell in learners["cells"]
    )
    return {number: name for number, name in enumerate(names) if name}


def _step(teachers: Notebook, code: str, cell: Notebook, composed: Composed) -> dict[str, Any]:
    """The step for a cell that the teacher's notebook has too; None for text."""
    marks = marks_of(teachers)
    id = marks["grade_id"]
    if marks["solution"]:
        if teachers["cell_type"] != "code":
            composed.answers[id] = code
            return {}
        exercise = id.removesuffix("-answer")
        composed.code[exercise] = code
        return {"do": "run", "cell": id, "source": code if cell["cell_type"] == "code" else "", "shows": exercise}
    test = source(teachers)
    if teachers["cell_type"] != "code":
        return {}
    if marks.get("grade") and check_call(test):
        return {"do": "test", "id": id, "source": test}
    if marks.get("grade"):
        return {"do": "hidden", "id": id, "code": test}
    return {"do": "run", "cell": id, "source": test, "given": True, **_may_raise(teachers)}


def _place(id: str, order: list[str], present: list[str]) -> int:
    """The place of a missing cell: after the nearest preceding cell that is present."""
    for earlier in reversed(order[: order.index(id)]):
        if earlier in present:
            return present.index(earlier) + 1
    return 0


def _hints(cells: list[Notebook]) -> Counter[str]:
    """How often these cells ask for a hint, by exercise, whatever else they call `hint`. Programs are read word by word
    and never parsed; of very long ones only the beginning is read.
    """
    calls: Counter[str] = Counter()
    names, left = {"hint"}, MOST_SEARCHED
    for cell in cells:
        code = source(cell) if cell["cell_type"] == "code" else ""
        if not any(name in code for name in names):
            continue
        words = _words_of(code[:left])
        left -= len(code)
        for place, word in enumerate(words):
            before, after = words[place - 1] if place else "", words[place + 1 : place + 3]
            if word in names and len(after) == 2 and after[0] == "(":
                calls.update(current(id) for id in _ID.findall(after[1]))
            elif word in names and after and after[0] == "as":
                names.add(after[1] if len(after) == 2 else word)
            elif word in names and before == "=" and (not after or after[0] == "\n") and place > 1:
                names.add(words[place - 2])
    return calls


def _words_of(code: str) -> list[str]:
    """The words and signs of a program as far as it can be read, without comments, magics, and what leads to a name
    (`glassroom.hint`)."""
    lines = (line.lstrip("% ") if line.lstrip()[:1] == "%" else line for line in code.split("\n"))
    python = "\n".join("" if line.lstrip()[:1] in ("!", "?") else line for line in lines)
    words: list[str] = []
    with contextlib.suppress(SyntaxError, tokenize.TokenError, ValueError, RecursionError, MemoryError):
        for token in tokenize.generate_tokens(io.StringIO(python).readline):
            if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
                continue
            if token.string == ".":
                del words[-1:]
            else:
                words.append("\n" if token.type == tokenize.NEWLINE else token.string)
    return words


def minutes_of(notebook: Notebook) -> float:
    """How long somebody worked, from the times that JupyterLab records if configured to; 0 if it was not.

    A break of more than ten minutes counts as ten.
    """
    moments = []
    for cell in notebook["cells"]:
        times = cell.get("metadata", {}).get("execution")
        for when in times.values() if isinstance(times, dict) else ():
            if isinstance(when, str) and len(when) < 40:
                with contextlib.suppress(ValueError, OverflowError):
                    moments.append(datetime.fromisoformat(when).timestamp())
    moments.sort()
    return sum(min(after - before, 600.0) for before, after in pairwise(moments)) / 60


def digest_of(*parts: bytes | str) -> str:
    """One SHA-256 over several parts."""
    total = hashlib.sha256()
    for part in parts:
        content = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        total.update(len(content).to_bytes(8, "big") + content)
    return total.hexdigest()
