"""An attack: a learner's working copy is brought up to date while its notebook is open and saved, while the disk fills
up, or where somebody else owns the folder.

Each round draws a disturbance. Afterwards every notebook is whole, the last that was saved is in the folder, and what
was raised is a `Problem`.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from course.faults import run_as_somebody_else

from glassroom.workspace.learner_folder import Update, update

PARTS = ("1_memory/01_a.ipynb", "1_memory/02_b.ipynb", "2_tensors/01_c.ipynb")
EDITED = PARTS[1]


def run(amount: int, seed: int) -> dict[str, Any]:
    """Disturb `amount` updates. Returns how many of each kind there were, and what went wrong."""
    drawn, tried, broken = random.Random(seed), Counter[str](), list[str]()
    kinds = ("open", "full") if os.geteuid() else ("open", "full", "somebody else's")
    for number in range(amount):
        kind = kinds[number % len(kinds)]
        with tempfile.TemporaryDirectory() as place:
            os.chmod(place, 0o755)
            broken += [f"{kind}, round {number}: {fault}" for fault in _round(Path(place), kind, drawn)]
        tried[kind] += 1
    return {"tried": sum(tried.values()), "kinds": dict(tried), "broken": broken}


def _round(place: Path, kind: str, drawn: random.Random) -> list[str]:
    sources, folder = place / "sources", place / "copy"
    _write_course(sources, 1)
    update(folder, sources)
    marks = _save_as_an_editor_does(folder / EDITED, 0)
    _write_course(sources, 2)
    raised = ""
    if kind == "open":
        marks = _while_it_is_saved(folder, sources, drawn)
    elif kind == "full":
        raised = run_as_somebody_else(lambda: update(folder, sources), limit=drawn.randrange(0, 6000))
    else:
        raised = run_as_somebody_else(lambda: update(folder, sources))
    faults = [f"raised {raised}"] if raised and not raised.startswith("Problem: ") else []
    kept = ""
    for path in folder.rglob("*.ipynb"):
        text = path.read_text()
        kept += text
        try:
            json.loads(text)
        except ValueError:
            faults.append(f"{path.name} is torn")
    if f"mine {marks} mine" not in kept:
        faults.append(f"what was saved last ({marks}) is nowhere")
    if raised:  # afterwards there is room, and the folder is ours
        report: Update = update(folder, sources)
        if "version 2" not in (folder / PARTS[0]).read_text() or report.beside:
            faults.append("the next update did not go on from there")
    return faults


def _while_it_is_saved(folder: Path, sources: Path, drawn: random.Random) -> int:
    """Update while an editor saves a few times; the number of the last save."""
    pauses = [drawn.random() ** 3 * 0.1 for _ in range(drawn.randrange(1, 6))]

    def edit() -> None:
        for number, pause in enumerate(pauses, 1):
            time.sleep(pause)
            _save_as_an_editor_does(folder / EDITED, number)

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        update(folder, sources)
    finally:
        editor.join()
    return len(pauses)


def _save_as_an_editor_does(path: Path, number: int) -> int:
    """Save the notebook that was opened before the update, with a number in it; JupyterLab replaces the file too."""
    cells = [_cell("question", f"x = 3  # mine {number} mine"), _cell(f"own-{number}", f"# mine {number} mine")]
    aside = path.with_name(f".~{path.name}")
    aside.write_text(_notebook(cells))
    os.replace(aside, path)
    return number


def _write_course(sources: Path, version: int) -> None:
    for name in PARTS:
        path = sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_notebook([_cell("text", f"# version {version}"), _cell("question", "x = ...")]))


def _cell(id: str, code: str) -> dict[str, Any]:
    return {"cell_type": "code", "id": id, "metadata": {}, "source": code, "outputs": [], "execution_count": None}


def _notebook(cells: list[dict[str, Any]]) -> str:
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
