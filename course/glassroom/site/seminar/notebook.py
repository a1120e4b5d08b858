"""The notebook that is presented: found by its name, and run once."""

from __future__ import annotations

import re
from pathlib import Path

from glassroom.site.live_notebooks import default_cache, digest_of_our_code, live_notebook, run_live
from glassroom.site.seminar.deck import Deck, deck_of
from glassroom.translations.language import speaking
from glassroom.workspace.catalogue import Entry, catalogue
from glassroom.workspace.execution import CellFailed
from glassroom.workspace.notebook_json import DamagedNotebook, parse
from glassroom.workspace.other_language import course_in
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import notebooks_folder

SHORT = re.compile(r"(\d+)/(\d+)")  # a part and a notebook: "1/07"


def deck_for(asked: str, cache: Path | None = None) -> Deck:
    """The slides of a notebook: one of the course by its name ("1/07"), or any by its path.

    The outputs of the course's own are kept; any other may read files that have changed, and is run each time.
    Raises `Problem` where there is none, and where it cannot be run.
    """
    own = Path(asked)
    try:
        if own.suffix == ".ipynb" and own.is_file():
            return deck_of(run_live(parse(own.read_bytes()), own.parent), own.stem, own.parent)
        with course_in(speaking(), notebooks_folder()) as folder:
            entry = _named(asked, catalogue(folder))
            path = folder / entry.place
            live = live_notebook(path, cache or default_cache(), digest_of_our_code(), compared=False)
            return deck_of(live, entry.title, path.parent)
    except (CellFailed, DamagedNotebook, OSError) as error:
        raise Problem(f"{asked} cannot be shown: {error}", Exit.FAILED) from error


def _named(asked: str, entries: list[Entry]) -> Entry:
    wanted = asked.removesuffix(".ipynb").removeprefix("notebooks/")
    short = SHORT.fullmatch(wanted)
    for entry in entries:
        numbers = int(entry.part.partition("_")[0]), int(entry.number)
        if entry.key == wanted or (short and numbers == (int(short[1]), int(short[2]))):
            return entry
    raise Problem(f"There is no notebook {asked}. Name one as 1/07, or by the path of its file.", Exit.USAGE)
