"""Notebooks as plain JSON: read with errors that say what to do, and written byte for byte as Jupyter writes them.

The standard library is enough for this, so a working copy can be made, and a damaged notebook named, without
Jupyter.
"""

import json
from typing import Any

Notebook = dict[str, Any]

_TRACES = {"kernelspec", "language_info", "trusted", "execution"}


class DamagedNotebook(ValueError):
    """The bytes are not a notebook of format 4. The message says what is wrong with them."""


def parse(content: bytes) -> Notebook:
    """Read a notebook of format 4. Raises `DamagedNotebook` for anything else."""
    try:
        notebook = json.loads(content)
    except UnicodeDecodeError as error:
        raise DamagedNotebook(f"it is not text ({error.reason} at byte {error.start})") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DamagedNotebook(
            f"it is not complete JSON ({error.msg} at {where})" if content else "it is empty"
        ) from error
    except RecursionError as error:
        raise DamagedNotebook("it is nested too deeply to be a notebook") from error
    except ValueError as error:
        raise DamagedNotebook(f"it is not JSON that can be read ({error})") from error
    if not isinstance(notebook, dict) or notebook.get("nbformat") != 4 or not isinstance(notebook.get("cells"), list):
        raise DamagedNotebook("it is JSON, but not a notebook of format 4")
    if not all(isinstance(cell, dict) and _is_text(cell.get("source")) for cell in notebook["cells"]):
        raise DamagedNotebook("one of its cells has no source")
    if not all(cell.get("cell_type") in ("code", "markdown", "raw") for cell in notebook["cells"]):
        raise DamagedNotebook("one of its cells is neither code nor Markdown nor raw text")
    if not all(isinstance(part.get("metadata", {}), dict) for part in (notebook, *notebook["cells"])):
        raise DamagedNotebook("its metadata are not an object")
    return notebook


def serialise(notebook: Notebook) -> bytes:
    """The bytes Jupyter would write: sorted keys, an indent of one, sources as lists of lines.

    Raises `DamagedNotebook` for a notebook that could be read but cannot be written.
    """
    try:
        text = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False, separators=(",", ": "))
        return text.encode() + b"\n"
    except RecursionError as error:
        raise DamagedNotebook("it is nested too deeply to be a notebook") from error
    except UnicodeEncodeError as error:
        raise DamagedNotebook(f"it has half a character in it ({error.reason})") from error


def without_traces(notebook: Notebook) -> Notebook:
    """The notebook without what Jupyter adds when it is opened and saved: the kernel's details, the trust marks.

    Two notebooks that are equal without traces hold the same work.
    """
    metadata = {key: value for key, value in notebook.get("metadata", {}).items() if key not in _TRACES}
    cells = [
        {
            **cell,
            "metadata": {key: value for key, value in cell.get("metadata", {}).items() if key not in _TRACES},
        }
        for cell in notebook["cells"]
    ]
    return {"cells": [{**cell, "source": lines(source(cell))} for cell in cells], "metadata": metadata}


def source(cell: Notebook) -> str:
    """A cell's source as one string, its lines as Python counts them; in a file it may be a list of lines."""
    return "".join(cell["source"]).replace("\r\n", "\n").replace("\r", "\n")


def _is_text(value: object) -> bool:
    """Whether this is a source in one of the forms that files have: a string, or a list of strings."""
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(line, str) for line in value))


def lines(text: str) -> list[str]:
    """A source as Jupyter stores it: a list of lines, each but the last with its newline."""
    return text.splitlines(keepends=True)
