"""Gives a learner of the hub what is new. It runs in a sandbox with their home in it, as their own programs do.

A home is its learner's to fill: a link in it may lead anywhere, and a name may be a pipe. Here a link leads nowhere
that its learner could not go, and what hangs keeps nobody else waiting. Started as a program of its own.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from glassroom.workspace.learner_folder import update


def hand_out(folder: Path, sources: Path, released: bool) -> None:
    """Put what is new into a learner's folder, and leave what they changed as it is."""
    if not released:
        update(folder, sources)
        return
    for path in sorted(sources.glob("*/*.ipynb")):
        copy = folder / path.parent.name / path.name
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


if __name__ == "__main__":
    hand_out(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "released")
