"""Gives a learner of the hub what is new. It runs in a sandbox with their home in it, as their own programs do. A
learner can put anything into their home: a link may lead anywhere, and a file may be a pipe. In the sandbox a link
leads only to where its learner can go anyway, and a read that hangs delays nobody else. Started as a program of its
own.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from glassroom.classroom.handing_in import HANDED_IN
from glassroom.workspace.learner_folder import update
from glassroom.workspace.other_language import remember, remembered


def hand_out(folder: Path, sources: Path, released: bool, language: str) -> None:
    """Copy what is new into a learner's folder, and leave what they changed as it is. Their copy keeps its language; a
    new one is in the language given."""
    language = remembered(folder) or language
    (folder.parent / HANDED_IN).mkdir(exist_ok=True)
    if not released:
        update(folder, sources / language)
        remember(folder, language)
        return
    for path in sorted(path for path in sources.glob("*/**/*") if path.is_file()):  # including exercises and data
        copy = folder / path.relative_to(sources)
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    remember(folder, language)


if __name__ == "__main__":
    hand_out(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "released", sys.argv[4])
