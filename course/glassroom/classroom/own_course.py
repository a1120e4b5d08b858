"""A teacher's own notebooks, exercises and data, in the class's folder: `notebooks/`, `exercises/`, `notebooks/data/`.

A notebook there is handed out and marked as the course's are. One with the name of a notebook of the course takes its
place, so that what a teacher has changed stays when the course is updated.
"""

from __future__ import annotations

import os
from pathlib import Path

from glassroom.classroom.handout import asked_for, course_notebook
from glassroom.exercises import own
from glassroom.exercises.engine import declare_own, exercises
from glassroom.workspace.notebook_json import source
from glassroom.workspace.problems import Problem
from glassroom.workspace.sources import course_files, course_notebooks

NOTEBOOKS, DATA = "notebooks", "data"
MOST_BYTES = 20_000_000  # of the files for one assignment: each submission is marked with its own copy


def own_notebooks(folder: Path) -> list[str]:
    """The names of a class's own notebooks, as course.toml has them."""
    home = folder / NOTEBOOKS
    return [path.as_posix() for path in course_notebooks(home)] if home.is_dir() else []


def home_of(name: str, folder: Path, notebooks: Path) -> Path:
    """The folder that has the notebook of this name: the class's own if it has one, otherwise the course's."""
    return folder / NOTEBOOKS if (folder / NOTEBOOKS / name).is_file() else notebooks


def declare_own_exercises(folder: Path) -> None:
    """Declare the exercises in a class's `exercises/`, in place of any other class's. Raises `Problem` for a fault."""
    if faults := declare_own(own.files_in(folder / own.FOLDER)):
        raise Problem(f"An exercise of {folder} cannot be used:", more=(f"  {fault}" for fault in faults))


def files_with(names: tuple[str, ...], folder: Path) -> dict[str, bytes]:
    """The files that go with these notebooks: those that declare their own exercises, and the data that they use; by
    their paths, relative to the notebook. Raises `Problem` if two have the same name, or if all together are too large.
    """
    contents: dict[str, bytes] = {}
    known, home = exercises(), (folder / own.FOLDER).resolve()
    for name in [name for name in names if (folder / NOTEBOOKS / name).is_file()]:
        notebook = course_notebook(folder / NOTEBOOKS, name)
        ids = {id for cell in notebook["cells"] for _, id in asked_for(cell)}
        places = {Path(known[id].examine.__code__.co_filename) for id in ids if id in known}
        wanted = {f"{own.FOLDER}/{path.name}": path for path in places if path.parent == home}
        data = (folder / NOTEBOOKS / name).parent / DATA
        if data.is_dir() and any(f"{DATA}/" in source(cell) for cell in notebook["cells"]):
            wanted |= {f"{DATA}/{path.as_posix()}": data / path for path in course_files(data)}
        for place, path in wanted.items():
            content = path.read_bytes()
            if contents.setdefault(place, content) != content:
                raise Problem(f"Two notebooks of one assignment have a {place} each, and they differ: rename one.")
    if (size := sum(map(len, contents.values()))) > MOST_BYTES:
        raise Problem(
            f"What goes with {names[0]} has {size / 1e6:,.0f} MB, and {MOST_BYTES / 1e6:,.0f} MB is the most."
        )
    return contents


def files_of_source(place: Path) -> dict[str, bytes]:
    """The files beside an assignment's notebooks in `source/`, by their relative paths."""
    return {
        path.relative_to(place).as_posix(): path.read_bytes()
        for kind in (own.FOLDER, DATA)
        for path in sorted((place / kind).rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }


def clear_stale(place: Path, files: frozenset[Path]) -> None:
    """Remove from an assignment in `source/` the files that its notebooks no longer need."""
    for name in files_of_source(place):
        if place / name not in files:
            os.unlink(place / name)
