"""Moving a learner's work when the course renumbers its notebooks, or splits one into two.

A notebook keeps its name when its number changes, so the learner's file follows it. An exercise is known by its id, or
by a former one (see `former_ids`), so a typed answer follows it into the notebook that has it now.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from glassroom.workspace.merging import (
    Merged,
    asks_for_an_answer,
    by_key,
    digest_of,
    is_answered,
    is_as_given,
    merged,
    of_current_ids,
)
from glassroom.workspace.notebook_json import DamagedNotebook, Notebook, parse, source

#: notebooks that have got another name, too: what they are called, and what they were called before
FORMER = {
    "2_tensors/mathematics": "2_tensors/mathematics_and_numpy",
    "2_tensors/numpy_shares_memory": "2_tensors/numpy_and_dlpack",
}


@dataclass
class Moves:
    """Answers that move from one notebook to another, by the exercise or the question that they answer."""

    into: dict[Path, dict[str, Notebook]] = field(default_factory=dict)  #: the learner's cells, by their new place
    given: dict[str, str] = field(default_factory=dict)  #: digests of those cells as they were handed out
    out_of: dict[Path, set[str]] = field(default_factory=dict)

    def merged_into(self, path: Path, new: Notebook) -> Merged:
        """A notebook that the learner has not begun, with the answers that move into it."""
        return merged(self.given, {"cells": list(self.into[path].values())}, new)

    def applied(self, path: Path, mine: Notebook) -> Notebook:
        """The learner's notebook with answers that move into it at its end, and without those that move out of it."""
        cells = {**by_key(mine), **self.into.get(path, {})}
        leaving = self.out_of.get(path, set())
        return {**mine, "cells": [cell for key, cell in cells.items() if key not in leaving]}


def followed(folder: Path, given: Mapping[Path, str], places: Iterable[Path]) -> dict[Path, Path]:
    """Rename the files of notebooks that have another number now; return the new names by the old ones."""
    places = list(places)
    by_name = {_name(path): path for path in given if path not in places}
    renamed = {}
    for path in places:
        name = _name(path)
        old = by_name.get(name) or by_name.get(FORMER.get(name, ""))
        if old is None or path in given or not (folder / old).is_file() or os.path.lexists(folder / path):
            continue
        with contextlib.suppress(OSError):
            os.rename(folder / old, folder / path)
            renamed[old] = path
    return renamed


def moves(folder: Path, cells: Mapping[Path, Mapping[str, str]], handouts: Mapping[Path, Notebook]) -> Moves:
    """The answers that the course now asks for in another notebook. `cells` are those that were handed out; `handouts`
    are the notebooks with new versions.
    """
    moves = Moves()
    mine = {path: by_key(notebook) for path in handouts if (notebook := _read(folder / path)) is not None}
    asked = {path: by_key(notebook) for path, notebook in handouts.items()}
    home = {key: path for path, keys in asked.items() for key, cell in keys.items() if _moves(key, cell)}
    for path, keys in mine.items():
        for key, cell in keys.items():
            there = home.get(key, path)
            if there == path or key in asked[path]:
                continue
            if path in cells:
                was = cells[path].get(key, digest_of(cell))
            else:  # the given cell is unknown; text typed over its dots is an answer
                was = digest_of(asked[there][key] if is_answered(cell) else cell)
            if is_as_given(cell, was):
                continue
            waiting = mine.get(there, {}).get(key)
            is_free = waiting is None or source(waiting) == source(asked[there][key])
            if is_free:
                moves.into.setdefault(there, {})[key] = cell
                moves.given[key] = was
            if is_free or source(waiting or cell) == source(cell):
                moves.out_of.setdefault(path, set()).add(key)
    return moves


def _moves(key: str, cell: Notebook) -> bool:
    return key.startswith(("check ", "predict ")) and asks_for_an_answer(cell)


def _name(path: Path) -> str:
    """A notebook's place without its number: "2_tensors/broadcasting"."""
    return (path.parent / re.sub(r"^\d+_", "", path.stem)).as_posix()


def _read(place: Path) -> Notebook | None:
    with contextlib.suppress(OSError, DamagedNotebook):
        notebook = parse(place.read_bytes())
        return {**notebook, "cells": [of_current_ids(cell) for cell in notebook["cells"]]}
    return None
