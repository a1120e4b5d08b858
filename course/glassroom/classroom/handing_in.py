"""Handing in: notebooks of an assignment's folder are copied to where the teacher collects them.

On the hub that is `handed-in/` in the learner's home, elsewhere a folder that the class shares, laid out like
nbgrader's exchange. Earlier submissions stay: each one makes a folder of its own, which appears completely or not at
all.
"""

from __future__ import annotations

import getpass
import os
import re
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from glassroom.classroom.submission import MOST_BYTES, Unreadable, read_file
from glassroom.workspace.notebook_json import DamagedNotebook, parse
from glassroom.workspace.problems import Exit, Problem

HANDED_IN = "handed-in"  # in a learner's home on the hub
EXCHANGE = "GLASSROOM_EXCHANGE"  # the variable by which the hub names that folder
#: The name of a folder of it; nbgrader's exchange has the same names.
SUBMISSION = re.compile(r"(?P<learner>[^+]+)\+(?P<assignment>[^+]+)\+(?P<when>\d{4}-\d\d-\d\d [^+]+)")


def submit(asked_for: Sequence[Path], exchange: Path, learner: str = "") -> list[Path]:
    """Hand in folders of assignments, or single notebooks; returns the folders that were made in the exchange. Raises
    `Problem` for anything but a notebook, a folder without one, and a missing exchange.
    """
    if not exchange.is_dir():
        raise Problem(f"{exchange} is not there, or not a folder. Ask your teacher where to hand in.")
    place = exchange / "inbound" if (exchange / "inbound").is_dir() else exchange
    learner = (learner or getpass.getuser()).replace("+", "-")
    by_assignment: dict[str, dict[str, bytes]] = {}
    for path in asked_for:
        notebooks = notebooks_in(path)
        assignment = (notebooks[0].resolve().parent.name or "notebooks").replace("+", "-")
        by_assignment.setdefault(assignment, {}).update({notebook.name: _read(notebook) for notebook in notebooks})
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
    renamed = []
    for assignment, contents in by_assignment.items():
        name = f"{learner}+{assignment}+{now}"
        partial = place / f".{name}.part"
        try:
            partial.mkdir()
            for file, content in {**contents, "timestamp.txt": f"{now}\n".encode()}.items():
                (partial / file).write_bytes(content)
                (partial / file).chmod(0o644)  # whatever the umask: the teacher reads it, and nobody else writes it
            partial.chmod(0o755)
            renamed.append(partial.rename(place / name))
        except OSError as error:
            raise Problem(f"{place / name} cannot be written: {error.strerror or error}.") from error
        finally:
            shutil.rmtree(partial, ignore_errors=True)  # what a full disk or Ctrl-C left of it
    return renamed


def notebooks_in(path: Path) -> list[Path]:
    """The notebooks that a path stands for: itself, or those in the folder. Raises `Problem` if there are none."""
    if path.is_dir():
        notebooks = sorted(place for place in path.glob("*.ipynb") if not place.name.startswith("."))
        if not notebooks:
            inside = sorted(place.name for place in path.iterdir() if place.is_dir() and any(place.glob("*.ipynb")))
            named = f" Name one of its folders: {', '.join(inside)}." if inside else ""
            raise Problem(f"There is no notebook in {path}.{named}", Exit.USAGE)
        return notebooks
    if path.suffix != ".ipynb" or not path.is_file():
        raise Problem(f"{path} is neither a notebook nor a folder of notebooks.", Exit.USAGE)
    return [path]


def exchange_here() -> Path | None:
    """The folder where this learner's hub wants work handed in; None without a hub."""
    named = os.environ.get(EXCHANGE)
    return Path(named) if named else None


def _read(path: Path) -> bytes:
    try:
        content = read_file(path, MOST_BYTES)
        parse(content)
    except (Unreadable, DamagedNotebook) as error:
        raise Problem(f"{path} cannot be handed in: {error}. Open it in JupyterLab, and save it.") from error
    return content
