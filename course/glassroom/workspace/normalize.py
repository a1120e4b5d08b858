"""Normalizing notebook outputs, so that they depend only on what the code does, not on the machine, the clock or the
run.

`glassroom refresh` stores notebooks in this form, so that running one again changes its file only when its
outputs changed.
"""

import hashlib
import re
from typing import Any

from glassroom.translations.templates import as_is
from glassroom.workspace.notebook_json import Notebook, lines, source

KERNEL = {"display_name": as_is("Python 3 (ipykernel)"), "language": "python", "name": "python3"}

_WIDGET = "application/vnd.jupyter.widget-view+json"
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
POSITION = re.compile(r"[a-z]?\d{0,2}-?\d{1,3}[a-z]?")  # ids that number cells: "02-19", "a03-7b"
_CELL_METADATA = ("glassroom", "tags", "slideshow", "nbgrader", "name")


def normalized(notebook: Notebook) -> Notebook:
    """The notebook with stable ids, execution counts from 1 on, one kernel name, and reproducible outputs.

    Live widgets are left out, since their state ends with the kernel: the text and the static picture beside
    them stay.
    """
    metadata = {
        key: value for key, value in notebook.get("metadata", {}).items() if key not in ("widgets", "kernelspec")
    }
    metadata |= {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    cells, taken, count = [], set[str](), 0
    for cell in notebook["cells"]:
        tidy = {
            "cell_type": cell["cell_type"],
            "id": _stable_id(cell, taken),
            "metadata": {key: cell["metadata"][key] for key in _CELL_METADATA if key in cell.get("metadata", {})},
            "source": lines(source(cell)),
        }
        if "attachments" in cell:
            tidy["attachments"] = cell["attachments"]
        if cell["cell_type"] == "code":
            executed = bool(source(cell).strip())
            count += executed
            tidy["execution_count"] = count if executed else None
            tidy["outputs"] = _outputs(cell.get("outputs", []), tidy["execution_count"])
        cells.append(tidy)
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _stable_id(cell: Notebook, taken: set[str]) -> str:
    """The cell's own id; for a cell without one, or with its position for one, an id made from its source.

    Positions shift whenever a cell is added or removed, and learners' work and translations are tied to ids.
    """
    own = str(cell.get("id") or "")
    digest = hashlib.sha256(source(cell).encode()).hexdigest()[:12]
    wanted = candidate = own if own and not POSITION.fullmatch(own) else f"c-{digest}"
    number = 1
    while candidate in taken:
        number += 1
        candidate = f"{wanted}-{number}"
    taken.add(candidate)
    return candidate


def _outputs(outputs: list[dict[str, Any]], count: int | None) -> list[dict[str, Any]]:
    """A cell's outputs: streams joined, widgets dropped, tracebacks without this machine's paths."""
    tidy: list[dict[str, Any]] = []
    for output in outputs:
        kind = output["output_type"]
        if kind == "stream":
            text = "".join(output["text"])
            if tidy and tidy[-1]["output_type"] == "stream" and tidy[-1]["name"] == output["name"]:
                text = "".join(tidy.pop()["text"]) + text
            tidy.append({"output_type": "stream", "name": output["name"], "text": lines(text)})
        elif kind == "error":
            frames = [frame for frame in output["traceback"] if not _ANSI.sub("", frame).startswith("File ")]
            tidy.append(
                {
                    "output_type": "error",
                    "ename": output["ename"],
                    "evalue": output["evalue"],
                    "traceback": frames,
                }
            )
        else:
            data = {mime: _content(value) for mime, value in output["data"].items() if mime != _WIDGET}
            if data:
                tidy.append({"output_type": kind, "data": data, "metadata": output.get("metadata", {})})
                if kind == "execute_result":
                    tidy[-1]["execution_count"] = count
    return tidy


def _content(value: Any) -> Any:
    """A MIME bundle's entry as it is stored: text as a list of lines, JSON as it is."""
    return lines(value) if isinstance(value, str) else value
